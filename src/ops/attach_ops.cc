#include "base/child.h"
#include "base/text.h"
#include "ops/pane_of_agent.h"
#include "ops/table.h"
#include "ops/views.h"
#include "post/rules/withheld.h"
#include "post/town/listening.h"
#include "post/town/machine.h"

namespace townpost::ops {

namespace {

/// Switching takes a moment; a terminal stays with tmux until it is detached.
Result<> carry_out(const Jump& jump) {
  if (jump.kind == Jump::Kind::switched) {
    TRY(output, SystemProcesses().run({.command = jump.command}));
    if (output.exit_code == 0) return {};
    return fail(Code::unavailable, cat("tmux: ", for_terminal_line(trim(output.err))));
  }
  ChildPlan plan{.command = jump.command};
  if (jump.leaves_tmux) plan.environment = {{"TMUX", ""}};
  TRY(child, Child::start(plan));
  while (!child.exit_code()) sleep_at({child.end()}, {}, std::chrono::hours(24));
  if (*child.exit_code() == 0) return {};
  return fail(Code::unavailable, "tmux could not show it there");  // it has said why
}

}  // namespace

const Op& attach() {
  static const Op op{
      .name = "attach",
      .summary = "Jump to an agent's tmux pane: switches your tmux client, or attaches this terminal",
      .args = {one("agent", "ADDR", "The agent", ArgKind::address), flag("print", "Print the tmux command instead")},
      .authority = by_people(),
      .where = Where::this_terminal,
      .effect = Effect::reads,
      .result =
          [] {
            return shape::object("jump", {shape::always("address", shape::text()), shape::always("pane", shape::text()),
                                          shape::always("session", shape::text()),
                                          shape::always("socket", shape::text(), "of the tmux server"),
                                          shape::always("command", shape::list_of(shape::text())),
                                          shape::always("did", shape::choice({"printed", "switched", "attached"}))});
          },
      .examples = {{"gt attach coder", ""}, {"gt attach coder --print", "what to type elsewhere"}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(found, pane_of_agent(call, call.args.text("agent")));
        TRY(town, call.town());
        const auto jump = jump_to(found.place, call.environment());
        const bool only_print = call.args.flag("print");
        const bool attaches = jump.kind == Jump::Kind::attached;
        if (!only_print && attaches && !call.request.origin.at_terminal())
          return fail(Code::refused, "there is no terminal to attach here",
                      next("attach", {{"agent", found.agent.address.str()}, {"print", "true"}}, " shows the command"));
        if (!only_print) TRY_VOID(carry_out(jump));
        JsonObject out;
        out["address"] = views::shown(found.agent.address.str(), town->settings);
        out["pane"] = found.place.pane;
        out["session"] = to_utf8(found.place.session);
        out["socket"] = to_utf8(found.place.socket);
        JsonArray words;
        for (const auto& word : jump.command) words.emplace_back(to_utf8(word));
        out["command"] = std::move(words);
        out["did"] = only_print ? "printed" : attaches ? "attached" : "switched";
        return Answer{.json = std::move(out)};
      },
      .haste = Haste::service};
  return op;
}

const Op& agent_peek() {
  static const Op op{
      .name = "agent.peek",
      .summary = "Print what an agent's tmux pane shows now",
      .args = {one("agent", "ADDR", "The agent", ArgKind::address),
               with_letter('n', between(1, 1000, option("lines", "N", "Only the last N lines that are not empty")))},
      .authority = not_in_quarantine(by_coordinators()),
      .where = Where::this_host,
      .effect = Effect::reads,
      .result =
          [] {
            return shape::object("pane_text",
                                 {shape::always("address", shape::text()), shape::always("pane", shape::text()),
                                  shape::always("session", shape::text()), shape::always("text", shape::text())});
          },
      .examples = {{"gt agent peek coder", ""}, {"gt agent peek coder --lines 5", "the end of it"}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(found, pane_of_agent(call, call.args.text("agent")));
        TRY(town, call.town());
        TRY(caller, call.caller());
        if (!caller.is_person() && !call.doors().is_agents(tmux_uri(found.place.socket, found.place.pane)))
          return fail(
              Code::forbidden,
              cat("no agent program runs in the pane of ", found.agent.address.str(), ", so a person may sit there"),
              "ask the human");
        TRY(withheld, read_value(town->store, [&](Ledger& ledger) { return Withheld::from_reader(ledger, caller); }));
        TRY(screen, call.doors().screen_of(found.place));
        std::vector<std::string> lines;
        for (const auto line : split(screen, '\n')) lines.emplace_back(to_utf8(line));
        while (!lines.empty() && trim(lines.back()).empty()) lines.pop_back();
        if (const auto most = call.args.integer("lines")) {
          std::erase_if(lines, [](const std::string& line) { return trim(line).empty(); });
          if (std::cmp_greater(lines.size(), *most)) lines.erase(lines.begin(), lines.end() - *most);
        }
        JsonObject out;
        out["address"] = views::shown(found.agent.address.str(), town->settings);
        out["pane"] = found.place.pane;
        out["session"] = to_utf8(found.place.session);
        out["text"] = withheld.words(found.agent.id, lines.empty() ? "" : join(lines, "\n") + "\n");
        return Answer{.json = std::move(out)};
      }};
  return op;
}

}  // namespace townpost::ops
