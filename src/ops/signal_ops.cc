#include <algorithm>
#include <set>

#include "base/advice.h"
#include "base/child.h"
#include "base/number.h"
#include "base/text.h"
#include "delivery/claude/claude_hook.h"
#include "delivery/claude/waiter.h"
#include "delivery/session/harness_marks.h"
#include "delivery/tmux/tmux_socket.h"
#include "ops/onlooker.h"
#include "ops/shapes.h"
#include "ops/table.h"
#include "post/lists/queues.h"
#include "post/people/registry.h"
#include "post/rules/mail_access.h"
#include "post/values/shell_words.h"

namespace townpost::ops {

namespace {

ClaudeSurroundings surroundings(const Call& call) {
  const Environment& environment = call.environment();
  ClaudeSurroundings here{.host = host_name()};
  if (const auto pane = environment.get("TMUX_PANE")) here.session = stored_tmux_uri(cat("tmux:", *pane), environment);
  const SaidOfHarness said{.pid = whole_number<int>(environment.get("CLAUDE_PID").value_or("")).value_or(0),
                           .is_marked = environment.get("CLAUDECODE").has_value()};
  auto found = harness_above(call.request.origin.above, "claude", said);
  if (found.own) {
    here.pid = found.own->pid;
    here.process = process_name(*found.own);
  }
  here.beyond = std::move(found.beyond);
  here.is_nested = found.is_nested;
  here.attended = environment.get("CLAUDE_CODE_SESSION_ATTENDED").value_or("") != "0" &&
                  environment.get("CLAUDE_CODE_ENTRYPOINT").value_or("") != "sdk-cli";
  return here;
}

Answer nothing() {
  JsonObject out;
  out["text"] = "";
  return Answer{.json = std::move(out)};
}

Hint hint_of(Call& call, const std::filesystem::path& folder, const std::string& key) {
  return {folder, key + ".signal", call.bell(), call.clock()};
}

constexpr std::size_t kRosterCharacters = 90;

/// Who else is here, as far as a few words hold them: first those with a live session, then workers.
Result<std::string> roster(Town& town, const Agent& self) {
  return read_value(town.store, [&](Ledger& ledger) -> Result<std::string> {
    TRY(agents, ledger.agents());
    TRY(presences, ledger.presences());
    std::set<AgentId> live;
    for (const auto& presence : presences)
      if (!is_over(presence.state)) live.insert(presence.agent);
    std::erase_if(agents, [&](const Agent& one) {
      return one.id == self.id || one.address.role() == Role::system || one.address == Address::human();
    });
    const auto rank = [&](const Agent& one) {
      const auto role = one.address.role();
      const bool is_worker = role == Role::session || role == Role::crew || role == Role::polecat || role == Role::dog;
      return live.contains(one.id) ? 0 : is_worker ? 1 : 2;
    };
    std::stable_sort(agents.begin(), agents.end(), [&](const Agent& a, const Agent& b) { return rank(a) < rank(b); });
    std::string out;
    std::size_t named = 0;
    for (const auto& one : agents) {
      const auto& name = one.address.str();
      if (out.size() + name.size() > kRosterCharacters) break;
      out += cat(named++ == 0 ? " Here: " : ", ", name);
    }
    if (named == 0) return cat(" Who is here: ", typed(ShellCommand::look_for_address), ".");
    if (named < agents.size()) out += cat(", + ", agents.size() - named, ": ", typed(ShellCommand::look_for_address));
    return out + ".";
  });
}

constexpr std::size_t kMostClaims = 5;
constexpr std::size_t kClaimCharacters = 40;

/// The work that it has claimed, which nobody else gets until the lease ends.
Result<std::string> claimed_work(Town& town, const Agent& self, const Caller& caller) {
  const Instant now = town.clock.now();
  TRY(claims, read_value(town.store, [&](Ledger& ledger) { return claims_of(ledger, self, caller, now); }));
  if (claims.empty()) return std::string();
  std::string out = cat("Claimed, yours to finish: ", typed(ShellCommand::finish_work, "ID"), ", fail or release.\n");
  for (std::size_t i = 0; i < std::min(claims.size(), kMostClaims); ++i)
    out += cat("- ", claims[i].message.id.str(), " ", claims[i].queue.name, ", ", age(claims[i].item.lease_until - now),
               " left: \"", for_prompt(claims[i].message.subject, kClaimCharacters), "\"\n");
  if (claims.size() > kMostClaims)
    out += cat("+ ", claims.size() - kMostClaims, " more: ", typed(ShellCommand::look_at_todo), "\n");
  return out;
}

/// What a session needs when it begins: who it is, who else is here, and the few commands that it lives by. What waits
/// follows it. Every session pays for each word.
Result<std::string> welcome(const Agent& agent, Town& town, const Caller& caller, const Call& call) {
  const auto& name = agent.address.str();
  const auto renaming = call.is_newly_named()
                            ? cat(" A person renames you with ", typed(ShellCommand::rename_agent, name), ".")
                            : std::string();
  TRY(others, roster(town, agent));
  TRY(work, claimed_work(town, agent, caller));
  return cat("You are ", name, " in a Townpost town.", renaming, others, "\nMail: ", typed(ShellCommand::look_at_inbox),
             ", ", typed(ShellCommand::read_mail, "ID"), ", ", typed(ShellCommand::answer_mail, "ID"), ", ",
             typed(ShellCommand::ack_mail, "ID"), " when done, ", typed(ShellCommand::send_mail, "ADDR"),
             ". Work: ", typed(ShellCommand::look_at_todo), ", ", typed(ShellCommand::take_work, "QUEUE"),
             ".\nIf it must survive the reader's session, send mail; else ", typed(ShellCommand::send_nudge, "ADDR"),
             ".\n", work);
}

/// The agent whose session speaks: registered by its first event. Nobody if no session is around us: somebody tries
/// the command by hand.
Result<std::optional<Agent>> speaker_of(Town& town, const Caller& caller, bool begins) {
  if (caller.is_person()) return std::optional<Agent>();
  TRY(self, read_value(town.store, [&](Ledger& ledger) { return own_mailbox(ledger, caller); }));
  if (self.id.key != 0) return std::optional<Agent>(self);
  if (!begins) return std::optional<Agent>();
  TRY_VOID(town.store.write([&](Ledger& ledger) -> Result<> {
    TRY(made, ensure_agent(ledger, caller.address, town.clock.now()));
    ledger.ring(BellKey::registry());
    self = made;
    return {};
  }));
  return std::optional<Agent>(self);
}

constexpr const char* kWaits = "its waiter is known";
constexpr const char* kOurs = "the session is ours";
constexpr Millis kBusyStore = std::chrono::seconds(5);

Answer waiting(const ClaudeSurroundings& here, Instant at) {
  Answer answer = nothing();
  answer.again = Again{.process = here.pid, .at = at};
  return answer;
}

Result<Answer> look_for_wake(Call& call, const ClaudeEvent& event, const ClaudeSurroundings& here) {
  TRY(town, call.town());
  TRY(caller, call.caller());
  TRY(self, speaker_of(*town, caller, event.name == "SessionStart"));
  if (!self) return nothing();
  ClaudeWaiter waiter(*town, *self, here);
  auto& kept = call.request.kept;
  using Stage = ClaudeWaiter::Stage;
  const auto stage = kept.contains(kOurs) ? Stage::ours : kept.contains(kWaits) ? Stage::claimed : Stage::begins;
  TRY(look, waiter.look(event, call.request.started_at, stage));
  if (look.over) return nothing();
  if (look.stage != Stage::begins) kept[kWaits];
  if (look.stage == Stage::ours) kept[kOurs];
  if (look.parcel.text.empty()) {
    auto answer = waiting(here, look.again_at);
    answer.again->bells = {self->id};
    answer.again->ears = {waiter.ears()};
    return answer;
  }
  call.after_handover([town = town, self = *self, here, parcel = look.parcel] {
    return ClaudeWaiter(*town, self, here).printed(parcel);
  });
  JsonObject out;
  out["text"] = look.parcel.text;
  return Answer{.json = std::move(out), .outcome = Outcome::wake};
}

Result<Answer> wait_and_wake(Call& call, const ClaudeEvent& event) {
  const auto here = surroundings(call);
  if (!here.attended) return nothing();  // headless: such a hook would only be waited for
  auto answer = look_for_wake(call, event, here);
  // Whoever waits already is not sent away by a store that is busy, or not there for a moment.
  const bool passes = !answer && answer.error().code == Code::unavailable && call.request.kept.contains(kWaits);
  return passes ? Result<Answer>(waiting(here, call.clock().now() + kBusyStore)) : std::move(answer);
}

/// Nothing waits and nothing is open: the next events need not look.
Result<> leave_hint(Call& call, Town& town, const Agent& self, const Hint& hint, const Hint::Stamps& stamps) {
  if (!call.caller_key()) return {};
  TRY(quiet, read_value(town.store, [&](Ledger& ledger) -> Result<bool> {
        TRY(line, ledger.pending_nudges(self.id));
        TRY(agent, ledger.agent(self.id));
        if (!line.empty() || !agent || was_shown_something(*agent, town.clock.now())) return false;
        TRY(mail, announcement_for(town, ledger, *agent, Compaction::no));
        // What a hold keeps from being told now is looked for again.
        const bool withheld = mail.text.empty() && (mail.unread > 0 || !mail.all_channels.empty());
        return !withheld && mail.offered.empty() && mail.channels.empty();
      }));
  if (quiet) hint.nothing_found(stamps);
  return {};
}

/// A store of another version refuses this program: until one of the two is changed, nothing reaches the agent.
void note_if_deaf(Call& call, const ClaudeEvent& event) {
  const auto admin = call.store_admin();
  const auto info = admin ? (*admin)->info() : Result<StoreInfo>(fail(admin.error()));
  const auto folder = call.town_folder();
  if (!info || !folder || info->schema == info->newest_schema) return;
  const PresenceFiles files(*folder);
  auto presence = files.read_by_incarnation(event.session);
  if (!presence) return;
  presence->state = AgentState::deaf;
  presence->since = call.clock().now();
  presence->detail = cat("its program knows schema ", info->newest_schema, ", the store has ", info->schema);
  files.write(*presence);
}

Result<Town*> town_for(Call& call, const ClaudeEvent& event) {
  auto town = call.town();
  if (!town) note_if_deaf(call, event);
  return town;
}

}  // namespace

const Op& signal() {
  static const Op op{
      .name = "signal",
      .summary = "Hook entry point, called by Claude Code: reads an event from stdin, prints what the model should see",
      .args = {one("harness", "HARNESS", "claude"),
               maybe_one("event", "EVENT", "The event's name, as in the harness's settings; wait: wake the session")},
      .authority = by_itself(),
      .where = Where::this_terminal,
      .effect = Effect::changes,
      .result = [] { return shapes::words(); },
      .examples = {{"gt signal claude Stop < event.json", "written by gt harness install claude"}},
      .run = [](Call& call) -> Result<Answer> {
        if (call.args.text("harness") != "claude")
          return fail(Code::usage, cat("no hooks are known for ", for_terminal_line(call.args.text("harness"))), "");
        TRY(text, call.request.input());
        TRY(event, ClaudeEvent::parse(text));
        if (event.in_subagent) return nothing();
        if (call.args.text("event") == "wait") return wait_and_wake(call, event);
        TRY(town, town_for(call, event));
        TRY(caller, call.caller());
        const bool begins = event.name == "SessionStart";
        TRY(self, speaker_of(*town, caller, begins));
        if (!self) return nothing();
        const auto here = surroundings(call);
        const Hint hint = hint_of(call, town->folder, call.caller_key().value_or("nobody"));
        const auto stamps = hint.before_look(self->id);
        if (begins && here.pid > 1)  // also where nothing but its hooks tells that it is an agent's
          call.host.process_notes().note(process_name(here.pid), ProcessNotes::Kind::session, self->address.str(),
                                         town->folder);
        ClaudeHook hook(*town, *self, here);
        TRY(outcome, hook.handle(event));
        if (begins && event.source != "compact" && !outcome.is_helper) {
          TRY(words, welcome(*self, *town, caller, call));
          outcome.print = claude_answer(event.name, words + outcome.parcel.text);
        }
        JsonObject out;
        out["text"] = outcome.print;
        Answer answer{.json = std::move(out)};
        if (outcome.parcel.empty()) {
          TRY_VOID(leave_hint(call, *town, *self, hint, stamps));
        } else {
          call.after_handover([town = town, self = *self, here, event = event, parcel = outcome.parcel] {
            return ClaudeHook(*town, self, here).printed(event, parcel);
          });
        }
        return answer;
      },
      .run_without_store = [](Call& call) -> std::optional<Answer> {
        if (call.args.text("harness") != "claude" || call.args.text("event") == "wait") return std::nullopt;
        const auto text = call.request.input();
        if (!text) return std::nullopt;
        const auto event = ClaudeEvent::parse(*text);
        const auto folder = call.town_folder();
        const auto key = call.caller_key();
        if (!event || !folder || !key) return std::nullopt;
        const auto here = surroundings(call);
        if (!nothing_to_do(*folder, hint_of(call, *folder, *key), *event, here, call.clock().now()))
          return std::nullopt;
        return nothing();
      },
      .fails_open = [](const Args&) { return true; }};
  return op;
}

const Op& prime() {
  static const Op op{.name = "prime",
                     .summary = "Print what a new session needs: who it is, how mail works, and what waits for it",
                     .args = {},
                     .authority = by_itself(),
                     .where = Where::anywhere,
                     .effect = Effect::changes,
                     .result =
                         [] {
                           return shape::object("primer", {shape::always("address", shape::text()),
                                                           shape::always("text", shape::text())});
                         },
                     .examples = {{"gt prime", "at the start of a session without hooks"}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(town, call.town());
                       TRY(caller, call.caller());
                       TRY(self, read_value(town->store, [&](Ledger& ledger) { return own_mailbox(ledger, caller); }));
                       JsonObject out;
                       out["address"] = self.address.str();
                       Answer answer;
                       TRY(text, welcome(self, *town, caller, call));
                       if (self.id.key != 0 && is_onlooker(call, caller)) {
                         TRY(block, Nudges(*town).preview(self.id, Boundary::start, Frame::listing));
                         text += block;
                         answer.warnings.push_back(only_a_preview(self.address.str()));
                       } else if (self.id.key != 0) {
                         Nudges nudges(*town);
                         TRY_VOID(nudges.settle(self.id, "prime", Nudges::Since::new_session, {}, called("prime")));
                         TRY(parcel, nudges.take(self.id, "prime", Boundary::start, Frame::listing));
                         text += parcel.text;
                         if (!parcel.empty())
                           call.after_handover([town = town, parcel = parcel] {
                             return Nudges(*town).delivered(parcel, "printed by " + called("prime"));
                           });
                       }
                       out["text"] = text;
                       answer.json = std::move(out);
                       return answer;
                     }};
  return op;
}

}  // namespace townpost::ops
