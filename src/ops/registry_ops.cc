#include <algorithm>
#include <set>

#include "base/advice.h"
#include "base/child.h"
#include "base/text.h"
#include "delivery/http/http_runner.h"
#include "delivery/session_doors.h"
#include "ops/first_looks.h"
#include "ops/nudge_views.h"
#include "ops/shapes.h"
#include "ops/table.h"
#include "ops/views.h"
#include "post/people/registry.h"
#include "post/rules/mail_access.h"
#include "post/town/rig_connection.h"
#include "post/values/session_uri.h"

namespace townpost::ops {

namespace {

StartOn start_on(const Args& args) {
  const auto word = args.text("on");
  return word == "mail" ? StartOn::mail : word == "nudge" ? StartOn::nudge : StartOn::never;
}

/// What is stored for --harness.
Result<std::string> harness_of(Call& call, Town& town, const std::string& session) {
  if (!call.args.has("harness")) return std::string();
  std::string where = session;
  if (where.empty()) {
    if (const auto known = Registry(town).agent(call.args.text("address"))) where = known->session;
  }
  if (!where.starts_with("tmux:"))
    return fail_argument("harness", "invalid harness: it says what runs in a terminal",
                         "name the terminal as well: " + next("", {{"session", "tmux:NAME"}}));
  return call.doors().harness_word(call.args.text("harness"), where);
}

}  // namespace

namespace {

/// What an agent that is to be removed leaves behind, for whoever removes it; empty if that is nothing.
Result<std::string> what_waits_for(Town& town, const Agent& agent) {
  return read_value(town.store, [&](Ledger& ledger) -> Result<std::string> {
    TRY(unread, ledger.count(agent.id, Shelf::unread));
    TRY(nudges, ledger.pending_nudges(agent.id));
    std::string out;
    if (unread > 0)
      out = cat(unread, unread == 1 ? " unread message stays" : " unread messages stay", " in its mailbox");
    if (!nudges.empty())
      out += cat(out.empty() ? "" : "; ", nudges.size(), nudges.size() == 1 ? " nudge for it is" : " nudges for it are",
                 " dropped");
    return out;
  });
}

/// An agent may describe itself as it likes; in quarantine that is for people only.
Result<> withhold_words(Call& call, Town& town, std::vector<Agent>& agents) {
  TRY(caller, call.caller());
  TRY(withheld, read_value(town.store, [&](Ledger& ledger) { return Withheld::from_reader(ledger, caller); }));
  for (auto& agent : agents) withheld.strip(agent);
  return {};
}

/// One agent, as the caller may see it.
Result<JsonObject> shown_to_caller(Call& call, Town& town, const Agent& agent) {
  std::vector<Agent> one = {agent};
  TRY_VOID(withhold_words(call, town, one));
  return views::agent(one.front(), town.settings);
}

/// Whoever sits at a terminal speaks for the agent that it is registered for. So an agent, the mayor too, gives away no
/// terminal but its own and those that an agent program has for itself.
Result<> check_terminal(Call& call, Town& town, const Caller& caller, const std::string& session) {
  if (session.starts_with("http")) TRY_VOID(HttpRunner::parse(session));
  if (caller.is_person()) return {};
  if (is_http_session(session))
    return fail(Code::forbidden, cat("a service at ", shown_session(session), " is registered by a person"),
                "ask the human");
  if (!session.starts_with("tmux:")) return {};
  const auto own = town.machine.own_pane();
  if (own && (session == own->uri() || session == own->session_uri())) return {};
  if (!caller.coordinates() || call.doors().is_agents(session)) return {};  // the registry asks the others
  return fail(Code::forbidden, cat("no agent program runs in ", shown_session(session), ", so a person may sit there"),
              "start the agent there first, or ask the human");
}

/// How the agent is doing: what `status` tells of it, beside what the registry does.
Result<> add_standing(JsonObject& out, Call& call, Town& town, const Agent& agent) {
  TRY(status, Cares(town).status(std::set<AgentId>{agent.id}));
  look_at_first_screens(call, town, status.agents);
  for (const auto& one : status.agents)
    for (auto& [key, value] : views::status(one, town.settings, town.clock.now())) {
      const bool says_nothing =
          (value.is_string() && (value.get_string().empty() || value.get_string() == "unknown")) ||
          (value.is_bool() && !value.get_bool()) || (value.is_number() && value == Json(0));
      if (!says_nothing && key != "sessions" && !out.contains(key)) out.emplace(key, std::move(value));
    }
  return {};
}

}  // namespace

const Op& rig_add() {
  static const Op op{
      .name = "rig.add",
      .summary = "Add a rig: a git repository and its agents. Commands in it and its worktrees then find this town",
      .args = {one("name", "NAME", "The rig's name"), as_path(one("path", "PATH", "Its repository")),
               option("prefix", "P", "Prefix of its bead ids (default: from the name)"),
               with_default("main", option("target", "BRANCH", "Where work is merged")),
               option("test_command", "CMD", "What must pass before a merge")},
      .authority = not_in_quarantine(by_coordinators()),
      .where = Where::this_host,
      .effect = Effect::changes,
      .result = [] { return shapes::rig(); },
      .examples = {{"gt rig add greenplace ~/src/greenplace --prefix gp",
                    "its witness and refinery can be mailed at once"}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(town, call.town());
        const auto path = (call.environment().working_folder() / call.args.text("path")).lexically_normal();
        TRY_VOID(is_folder_of_rig(call.args.text("path"), path));
        TRY(place, place_to_connect(path, town->folder, call.environment()));
        const bool can_connect = place.repository && !place.is_there && place.trouble.empty();
        TRY(rigs, Registry(*town).rigs());
        const auto same = std::find_if(rigs.begin(), rigs.end(), [&](const Rig& known) {
          return known.name == call.args.text("name") && known.path == to_utf8(path.string());
        });
        // Once more for a rig that has lost its way to the town, or could not have one before.
        TRY(rig,
            same != rigs.end() && can_connect
                ? Result<Rig>(*same)
                : Registry(*town).add_rig({call.args.text("name"), to_utf8(path.string()), call.args.text("prefix"),
                                           call.args.text("target"), call.args.text("test_command")}));
        Answer answer;
        if (!place.repository)
          place.trouble = cat(for_terminal_line(path.string()), " is not a git repository yet; once it is, ",
                              called("rig.add"), " connects it");
        if (can_connect)
          if (auto done = connect(*place.repository, town->folder); !done) place.trouble = done.error().message;
        if (!place.trouble.empty())
          answer.warnings.push_back(cat("commands in the repository do not find this town: ", place.trouble));
        auto out = views::rig(rig);
        out["connected"] = place.trouble.empty() ? Json(to_utf8(place.repository->string())) : Json(nullptr);
        answer.json = std::move(out);
        return answer;
      }};
  return op;
}

const Op& rig_list() {
  static const Op op{.name = "rig.list",
                     .summary = "List the rigs",
                     .args = {},
                     .authority = by_anyone(),
                     .where = Where::anywhere,
                     .effect = Effect::reads,
                     .result = [] { return shape::list_of(shapes::rig()); },
                     .columns = {"name", "prefix", {"path", Column::As::prose}},
                     .list = {.none = "no rigs yet: " + next("rig.add", {{"name", "NAME"}, {"path", "PATH"}}),
                              .next = next("rig.show", {{"name", "NAME"}})},
                     .examples = {{"gt rig list", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(town, call.town());
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
                     .authority = by_anyone(),
                     .where = Where::anywhere,
                     .effect = Effect::reads,
                     .result = [] { return shapes::rig(); },
                     .examples = {{"gt rig show greenplace", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(town, call.town());
                       TRY(rig, Registry(*town).rig(call.args.text("name")));
                       return Answer{.json = views::rig(rig)};
                     }};
  return op;
}

const Op& rig_remove() {
  static const Op op{.name = "rig.remove",
                     .summary = "Remove a rig without workers; in its repository only the link to this town goes",
                     .args = {one("name", "NAME", "The rig")},
                     .authority = not_in_quarantine(by_coordinators()),
                     .where = Where::this_host,
                     .effect = Effect::destroys,
                     .result = [] { return shapes::removed(); },
                     .examples = {{"gt rig remove greenplace", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(town, call.town());
                       TRY(rig, Registry(*town).rig(call.args.text("name")));
                       TRY_VOID(Registry(*town).remove_rig(rig.name));
                       TRY(others, Registry(*town).rigs());
                       const bool shared = std::any_of(others.begin(), others.end(), [&](const Rig& other) {
                         return is_same_repository(other.path, rig.path);
                       });
                       if (!shared) disconnect(rig.path, town->folder);
                       JsonObject out;
                       out["removed"] = call.args.text("name");
                       return Answer{.json = std::move(out)};
                     }};
  return op;
}

namespace {

/// The agent of exactly this address, if it is there.
std::optional<Agent> registered(Town& town, const std::string& address) {
  const auto parsed = Address::parse(address);
  if (!parsed) return std::nullopt;
  auto found = read_value(town.store, [&](Ledger& ledger) { return ledger.find_agent(parsed->str()); });
  return found && *found && !(*found)->removed_at ? *found : std::nullopt;
}

JsonArray changed_in(const Agent& before, const Agent& now) {
  JsonArray out;
  if (before.session != now.session) out.emplace_back("session");
  if (before.harness != now.harness) out.emplace_back("harness");
  if (before.description != now.description) out.emplace_back("description");
  if (before.start_command != now.start_command) out.emplace_back("start");
  if (before.resume_command != now.resume_command) out.emplace_back("resume");
  if (before.start_on != now.start_on) out.emplace_back("on");
  return out;
}

}  // namespace

const Op& agent_add() {
  static const Op op{
      .name = "agent.add",
      .summary = "Register an agent, or change its settings",
      .args =
          {one("address", "ADDRESS",
               "Its canonical address: <rig>/crew/<name>, <rig>/polecats/<name>, deacon/dogs/<name> or a session name",
               ArgKind::address),
           option("session", "URI",
                  "Where it runs: tmux:NAME, tmux:%5, tmux:/SOCKET/%5, …, or none; an agent names its own pane only"),
           // Agents would have themselves typed into a shell.
           for_people(option("harness", "NAME",
                             "What runs in its terminal, if its name does not say: claude, codex, gemini, copilot, "
                             "opencode, or raw for a program that reads lines (for people)")),
           option("description", "TEXT", "What it does, for people"),
           for_coordinators(option("start", "CMD", "How to start it when it is not running")),
           for_coordinators(option("resume", "CMD", "How to resume it")),
           for_coordinators(
               one_of({"mail", "nudge", "never"}, option("on", "WHEN", "What may start it: mail, nudge or never")))},
      .authority = not_in_quarantine(by_itself("address")),
      .where = Where::this_host,
      .effect = Effect::idempotent,
      .result =
          [] {
            return shape::with("added_agent", shapes::agent(),
                               {shape::always("created", shape::flag(), "else it was registered already"),
                                shape::always("changed", shape::list_of(shape::text()), "of what was there")});
          },
      .examples = {{"gt agent add greenplace/crew/max", "a crew member"},
                   {"gt agent add coder --session tmux:coder", "a session of that name"},
                   {"gt agent add aide --session tmux:%5 --harness raw", "an agent that only reads lines"}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(town, call.town());
        TRY(caller, call.caller());
        const auto said = call.args.text("session");
        const bool no_session = said == "none" || (said.empty() && call.args.has("session"));
        const auto session = no_session ? std::string() : call.doors().stored_uri(said);
        TRY_VOID(check_terminal(call, *town, caller, session));
        TRY(harness, harness_of(call, *town, session));
        const auto before = registered(*town, call.args.text("address"));
        const int in_pane = session.empty() ? 0 : call.doors().process_of(session);
        TRY(agent, Registry(*town).add_agent(
                       {call.args.text("address"), session, call.args.text("description"), call.args.text("start"),
                        call.args.text("resume"), start_on(call.args), is_of_this_host(session) ? host_name() : "",
                        harness, in_pane > 0 ? process_name(in_pane) : "", no_session},
                       caller));
        // What was said of another terminal is over; but an agent that could take that back would be the human there.
        if (no_session || (!session.empty() && caller.is_person()))
          call.host.process_notes().forget_agent(agent.address.str(), town->folder);
        // Whatever runs in its pane speaks for it, whatever its environment says.
        if (const int pid = call.doors().process_of(agent.session); pid > 0)
          call.host.process_notes().note(process_name(pid), ProcessNotes::Kind::session, agent.address.str(),
                                         town->folder);
        TRY(shown, shown_to_caller(call, *town, agent));
        shown["created"] = !before;
        shown["changed"] = before ? changed_in(*before, agent) : JsonArray();
        Answer answer{.json = std::move(shown)};
        if (const auto own = town->machine.own_pane();
            own && caller.is_person() && !session.empty() && (session == own->uri() || session == own->session_uri()))
          answer.warnings.push_back(cat("this is your own terminal: what runs here speaks as ", agent.address.str(),
                                        " from now on. To take that back, from another terminal: ",
                                        called("agent.add", {{"address", agent.address.str()}, {"session", "none"}})));
        return answer;
      }};
  return op;
}

const Op& agent_list() {
  static const Op op{.name = "agent.list",
                     .summary = "List registered agents, and live sessions you can write to",
                     .args = {},
                     .authority = by_anyone(),
                     .where = Where::anywhere,
                     .effect = Effect::reads,
                     .result = [] { return shape::list_of(shapes::agent()); },
                     .columns = {{"address", Column::As::id},
                                 {"role"},
                                 {"session", Column::As::id},
                                 {"description", Column::As::prose}},
                     .list = {.none = "no agents yet: " + next("agent.add", {{"address", "NAME"}}),
                              .next = next("agent.show", {{"address", "ADDR"}})},
                     .examples = {{"gt agent list", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(town, call.town());
                       TRY(agents, Registry(*town).agents());
                       JsonArray out;
                       TRY_VOID(withhold_words(call, *town, agents));
                       for (const auto& agent : agents)
                         if (agent.address.role() != Role::system) out.push_back(views::agent(agent, town->settings));
                       TRY(sessions, Registry(*town).sessions());
                       for (const auto& session : sessions) out.push_back(views::session(session));
                       return Answer{.json = std::move(out)};
                     }};
  return op;
}

const Op& agent_show() {
  static const Op op{.name = "agent.show",
                     .summary = "Show one agent, its other names and its sessions",
                     .args = {one("address", "ADDRESS", "Any of its names", ArgKind::address)},
                     .authority = by_anyone(),
                     .where = Where::anywhere,
                     .effect = Effect::reads,
                     .result = [] { return shapes::agent_with_aliases(); },
                     .examples = {{"gt agent show max", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(town, call.town());
                       Registry registry(*town);
                       TRY(agent, registry.agent(call.args.text("address")));
                       TRY(aliases, registry.aliases(agent));
                       TRY(out, shown_to_caller(call, *town, agent));
                       out["aliases"] = JsonArray(aliases.begin(), aliases.end());
                       TRY_VOID(add_standing(out, call, *town, agent));
                       TRY(sessions, Cares(*town).sessions(agent.id));
                       if (!sessions.empty()) out["sessions"] = views::sessions(sessions);
                       return Answer{.json = std::move(out)};
                     }};
  return op;
}

const Op& agent_remove() {
  static const Op op{.name = "agent.remove",
                     .summary = "Remove an agent; its mail stays, and is back if you add it again",
                     .args = {one("address", "ADDRESS", "The agent", ArgKind::address)},
                     .authority = not_in_quarantine(by_itself("address")),
                     .where = Where::anywhere,
                     .effect = Effect::destroys,
                     .result = [] { return shapes::removed(); },
                     .examples = {{"gt agent remove greenplace/polecats/nux", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(town, call.town());
                       TRY(caller, call.caller());
                       Registry registry(*town);
                       TRY(agent, registry.agent(call.args.text("address")));
                       TRY(waiting, what_waits_for(*town, agent));
                       TRY_VOID(registry.remove_agent(call.args.text("address")));
                       // Its session is free again; unless it went by itself, or it would be the human next.
                       if (caller.address != agent.address)
                         call.host.process_notes().forget_agent(agent.address.str(), town->folder);
                       JsonObject out;
                       out["removed"] = agent.address.str();
                       Answer answer{.json = std::move(out)};
                       if (!waiting.empty()) answer.warnings.push_back(waiting);
                       return answer;
                     }};
  return op;
}

const Op& agent_alias() {
  static const Op op{
      .name = "agent.alias",
      .summary = "Rename an agent: its mail moves along and OLD still reaches it. If NEW exists, the two become one",
      .args = {one("old", "OLD", "The current name"), one("new", "NEW", "The new name")},
      .authority = not_in_quarantine(by_coordinators()),
      .where = Where::anywhere,
      .effect = Effect::changes,
      .result = [] { return shapes::agent_with_aliases(); },
      .examples = {{"gt agent alias coder backend-coder", "mail to coder now reaches backend-coder"}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(town, call.town());
        Registry registry(*town);
        TRY(renamed, registry.alias(call.args.text("old"), call.args.text("new")));
        TRY(aliases, registry.aliases(renamed.agent));
        TRY(out, shown_to_caller(call, *town, renamed.agent));
        out["aliases"] = JsonArray(aliases.begin(), aliases.end());
        Answer answer{.json = std::move(out)};
        if (!renamed.merged.empty())
          answer.warnings.push_back(cat(renamed.merged, " and ", renamed.agent.address.str(),
                                        " were two agents; now they are one, with one mailbox"));
        return answer;
      }};
  return op;
}

const Op& agent_release() {
  static const Op op{
      .name = "agent.release",
      .summary = "Release an agent's mail that rule L3 holds: it wakes others again (a paused agent: `release`)",
      .args = {one("address", "ADDRESS", "The agent", ArgKind::address)},
      .authority = by_people(),
      .where = Where::anywhere,
      .effect = Effect::changes,
      .result = [] { return shapes::agent(); },
      .examples = {{"gt agent release greenplace/polecats/nux", ""}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(town, call.town());
        TRY(caller, call.caller());
        TRY(agent, Registry(*town).release(call.args.text("address"), caller));
        return Answer{.json = views::agent(agent, town->settings)};
      }};
  return op;
}

}  // namespace townpost::ops
