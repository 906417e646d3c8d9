#include <algorithm>

#include "base/child.h"
#include "base/text.h"
#include "delivery/session_doors.h"
#include "ops/table.h"
#include "ops/views.h"
#include "post/registry.h"
#include "post/supervised.h"

namespace townpost::ops {

namespace {

Result<StartOn> start_on(const Args& args) {
  const auto word = args.text("on");
  if (word.empty() || word == "never") return StartOn::never;
  if (word == "mail") return StartOn::mail;
  if (word == "nudge") return StartOn::nudge;
  return fail(Code::usage, cat("--on: \"", for_terminal_line(shorten(to_utf8(word), 40)), "\" is not known"),
              "use mail, nudge or never");
}

}  // namespace

const Op& rig_add() {
  static const Op op{
      .name = "rig.add",
      .summary = "Add a rig: a git repository with its agents",
      .args = {one("name", "NAME", "The rig's name"), as_path(one("path", "PATH", "Its repository")),
               option("prefix", "P", "Prefix of its bead ids; derived from the name if left out"),
               with_default("main", option("target", "BRANCH", "Where work is merged")),
               option("test-command", "CMD", "What must pass before a merge")},
      .answer = R"({"name","prefix","path","target","test_command","created_at"})",
      .examples = {{"gt rig add greenplace ~/src/greenplace --prefix gp",
                    "its witness and refinery can be mailed at once"}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(town, call.context.town());
        const auto path = (call.context.environment().working_folder() / call.args.text("path")).lexically_normal();
        TRY(rig, Registry(*town).add_rig({call.args.text("name"), to_utf8(path.string()), call.args.text("prefix"),
                                          call.args.text("target"), call.args.text("test-command")}));
        return Answer{.json = views::rig(rig)};
      }};
  return op;
}

const Op& rig_list() {
  static const Op op{.name = "rig.list",
                     .summary = "List the rigs",
                     .args = {},
                     .answer = R"([{"name","prefix","path","target","test_command","created_at"}])",
                     .examples = {{"gt rig list", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(town, call.context.town());
                       TRY(rigs, Registry(*town).rigs());
                       JsonArray out;
                       for (const auto& rig : rigs) out.push_back(views::rig(rig));
                       return Answer{.json = std::move(out)};
                     }};
  return op;
}

const Op& rig_show() {
  static const Op op{.name = "rig.show",
                     .summary = "Show one rig",
                     .args = {one("name", "NAME", "The rig")},
                     .answer = R"({"name","prefix","path","target","test_command","created_at"})",
                     .examples = {{"gt rig show greenplace", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(town, call.context.town());
                       TRY(rig, Registry(*town).rig(call.args.text("name")));
                       return Answer{.json = views::rig(rig)};
                     }};
  return op;
}

const Op& rig_remove() {
  static const Op op{.name = "rig.remove",
                     .summary = "Remove a rig that has no workers left; its repository is not touched",
                     .args = {one("name", "NAME", "The rig")},
                     .answer = R"({"removed"})",
                     .examples = {{"gt rig remove greenplace", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(town, call.context.town());
                       TRY_VOID(Registry(*town).remove_rig(call.args.text("name")));
                       JsonObject out;
                       out["removed"] = call.args.text("name");
                       return Answer{.json = std::move(out)};
                     }};
  return op;
}

const Op& agent_add() {
  static const Op op{
      .name = "agent.add",
      .summary = "Register an agent, or change what is known of one",
      .args =
          {one("address", "ADDRESS",
               "Its canonical address: <rig>/crew/<name>, <rig>/polecats/<name>, deacon/dogs/<name> or a session name"),
           option("session", "URI", "Where it runs: tmux:NAME, tmux:%5, …"),
           option("description", "TEXT", "What it does, for people"),
           option("start", "CMD", "How to start it when it has exited"), option("resume", "CMD", "How to resume it"),
           option("on", "WHEN", "When it may be started for what waits: mail, nudge or never")},
      .answer = R"({"address","role","rig","name","session","description","created_at"})",
      .examples = {{"gt agent add greenplace/crew/max", "a crew member"},
                   {"gt agent add coder --session tmux:coder", "a session of that name"}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(town, call.context.town());
        TRY(on, start_on(call.args));
        TRY(agent,
            Registry(*town).add_agent({call.args.text("address"), call.args.text("session"),
                                       call.args.text("description"), call.args.text("start"), call.args.text("resume"),
                                       on, is_of_this_host(call.args.text("session")) ? host_name() : ""}));
        // Whatever runs in its pane speaks for it, whatever its environment says.
        if (const int pid = call.context.doors().process_of(agent.session); pid > 0)
          note_session_process(town->folder, pid, agent.address.str());
        return Answer{.json = views::agent(agent, town->settings)};
      }};
  return op;
}

const Op& agent_list() {
  static const Op op{.name = "agent.list",
                     .summary = "List the registered agents",
                     .args = {},
                     .answer = R"([{"address","role",…}])",
                     .examples = {{"gt agent list", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(town, call.context.town());
                       TRY(agents, Registry(*town).agents());
                       JsonArray out;
                       for (const auto& agent : agents)
                         if (agent.address.role() != Role::system) out.push_back(views::agent(agent, town->settings));
                       return Answer{.json = std::move(out)};
                     }};
  return op;
}

const Op& agent_show() {
  static const Op op{.name = "agent.show",
                     .summary = "Show one agent and its other names",
                     .args = {one("address", "ADDRESS", "Any of its names")},
                     .answer = R"({"address","role",…,"aliases":[]})",
                     .examples = {{"gt agent show max", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(town, call.context.town());
                       Registry registry(*town);
                       TRY(agent, registry.agent(call.args.text("address")));
                       TRY(aliases, registry.aliases(agent));
                       auto out = views::agent(agent, town->settings);
                       out["aliases"] = JsonArray(aliases.begin(), aliases.end());
                       return Answer{.json = std::move(out)};
                     }};
  return op;
}

const Op& agent_remove() {
  static const Op op{.name = "agent.remove",
                     .summary = "Remove an agent; its mail stays and is there again when it is added again",
                     .args = {one("address", "ADDRESS", "The agent")},
                     .who = Who::itself,
                     .answer = R"({"removed"})",
                     .examples = {{"gt agent remove greenplace/polecats/nux", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(town, call.context.town());
                       TRY(caller, call.context.caller());
                       Registry registry(*town);
                       TRY(agent, registry.agent(call.args.text("address")));
                       TRY_VOID(registry.remove_agent(call.args.text("address"), caller));
                       JsonObject out;
                       out["removed"] = agent.address.str();
                       return Answer{.json = std::move(out)};
                     }};
  return op;
}

const Op& agent_alias() {
  static const Op op{.name = "agent.alias",
                     .summary = "Rename an agent: OLD still reaches it, and its mail goes with it",
                     .args = {one("old", "OLD", "The name it had"), one("new", "NEW", "The name it has from now on")},
                     .answer = R"({"address",…,"aliases":[]})",
                     .examples = {{"gt agent alias coder backend-coder", "mail to coder now reaches backend-coder"}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(town, call.context.town());
                       Registry registry(*town);
                       TRY(agent, registry.alias(call.args.text("old"), call.args.text("new")));
                       TRY(aliases, registry.aliases(agent));
                       auto out = views::agent(agent, town->settings);
                       out["aliases"] = JsonArray(aliases.begin(), aliases.end());
                       return Answer{.json = std::move(out)};
                     }};
  return op;
}

const Op& agent_release() {
  static const Op op{.name = "agent.release",
                     .summary = "Let the mail of an agent that was held by rule L3 wake others again",
                     .args = {one("address", "ADDRESS", "The agent")},
                     .who = Who::person,
                     .answer = R"({"address",…})",
                     .examples = {{"gt agent release greenplace/polecats/nux", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(town, call.context.town());
                       TRY(caller, call.context.caller());
                       TRY(agent, Registry(*town).release(call.args.text("address"), caller));
                       return Answer{.json = views::agent(agent, town->settings)};
                     }};
  return op;
}

}  // namespace townpost::ops
