#include "base/advice.h"
#include "base/text.h"
#include "delivery/courier.h"
#include "ops/carrying.h"
#include "ops/listing.h"
#include "ops/nudge_views.h"
#include "ops/shapes.h"
#include "ops/table.h"
#include "ops/views.h"
#include "post/nudge/reach.h"
#include "post/people/resolve.h"
#include "post/rules/mail_access.h"
#include "post/rules/withheld.h"
#include "post/town/presences.h"

namespace townpost::ops {

namespace {

/// A nudge's life and the attempts to carry it go on by looks, whatever rings.
constexpr Millis kLookAgain = std::chrono::seconds(15);

/// The mode by whichever word was used for it.
Result<std::optional<NudgeMode>> mode_of(const Args& args) {
  std::optional<NudgeMode> mode;
  int words = 0;
  if (args.has("mode")) {
    TRY(named, parse_nudge_mode(args.text("mode")));
    mode = named;
    ++words;
  }
  for (const auto& [flag, meant] : {std::pair{"now", NudgeMode::immediate}, std::pair{"soon", NudgeMode::soon},
                                    std::pair{"idle", NudgeMode::wait_idle}})
    if (args.flag(flag)) {
      mode = meant;
      ++words;
    }
  if (words > 1) return fail_argument("mode", "mode, now, soon and idle are mutually exclusive", "choose one");
  return mode;
}

/// What an answer tells about one nudge that was sent.
struct Told {
  Nudge nudge;
  std::string note;  ///< what stands in its way
  bool duplicate = false;
};

Result<Answer> told(Town& town, const std::vector<Told>& sent) {
  TRY(names, views::NudgeNames::of(town));
  JsonArray out;
  for (const auto& one : sent) {
    JsonObject entry;
    const auto fields = views::nudge(one.nudge, names, town.settings);
    entry["address"] = fields.at("target");
    for (const auto& field : fields) entry[field.key()] = field.value();
    if (one.duplicate) entry["duplicate"] = true;
    const bool arrived = is_terminal(one.nudge.state) || one.nudge.state == NudgeState::handed;
    entry["note"] = arrived ? "" : one.note;
    out.push_back(std::move(entry));
  }
  return Answer{.json = std::move(out)};
}

/// Why a nudge waits: what holds it, else what the way to its target says, as the caller may know it (the target's
/// session may have said that).
class Notes {
 public:
  static Result<Notes> of(Town& town, const Caller& caller) {
    TRY(withheld, read_value(town.store, [&](Ledger& ledger) { return Withheld::from_reader(ledger, caller); }));
    return Notes(town, caller, std::move(withheld));
  }
  Result<std::string> of(const Nudge& nudge, const Result<Courier::Report>& report) const {
    TRY(held, Nudges(town_).held_by(nudge.id, caller_));
    if (!held.empty()) return held;
    const auto& note = report ? report->note : report.error().message;
    return note.empty() ? note : withheld_.words(nudge.target, note);
  }

 private:
  Notes(Town& town, const Caller& caller, Withheld withheld)
      : town_(town), caller_(caller), withheld_(std::move(withheld)) {}
  Town& town_;
  const Caller& caller_;
  Withheld withheld_;
};

/// Error: refused, saying why, if the agent has no session that could take something.
Result<> check_running(Town& town, const Result<Agent>& agent) {
  if (!agent) return Failure(agent.error());
  TRY(facts, read_value(town.store, [&](Ledger& ledger) { return reach_facts(town, ledger, agent->id); }));
  const auto reach = HostLook(town).reach(*agent, facts);
  if (reach.state != ReachState::asleep && reach.state != ReachState::no_session) return {};
  return fail(Code::refused, cat(agent->address.str(), ": ", reach.in_the_way.empty() ? "" : reach.in_the_way.front()),
              "without this condition it waits in its line");
}

std::string was_sent_before(NudgeId id) { return cat(id.str(), " was sent before"); }

}  // namespace

const Op& nudge() {
  static const Op op{
      .name = "nudge",
      .summary = "Wake agents with a few words, now or at their next idle moment",
      .args = {one("target", "ADDR", "Address, wildcard, @pattern, group or channel:NAME", ArgKind::address),
               if_missing("message required", also_as_words(required(with_letter(
                                                  'm', option("body", "MESSAGE", "The text", ArgKind::body))))),
               one_of(nudge_mode_names(), option("mode", "MODE", "wait-idle (default), immediate, soon or queue")),
               flag("now", "The same as `mode` immediate: also while it works"),
               flag("soon", "The same as `mode` soon: between two tools where the harness can"),
               flag("idle", "The same as `mode` wait-idle"),
               with_default("normal", one_of({"normal", "urgent"}, option("priority", "P", "normal or urgent"))),
               option("ttl", "30m", "Expire after this time (default: 24h; queue 30m, immediate 10m)",
                      ArgKind::duration),
               option("delay", "10s", "Deliver no earlier than this from now", ArgKind::duration),
               option("coalesce", "KEY", "Replace a waiting nudge that has the same key"),
               flag("ephemeral", "Try once; without a session it is lost"),
               flag("force", "Deliver even if do-not-disturb is on"),
               flag("only_running", "Refuse it if the agent is not running"),
               option("if_fresh", "60s", "Only if your own session is younger than this", ArgKind::duration),
               option("thread", "ID", "The thread it belongs to"),
               repeated(option("ref", "ID", "A message or bead it is about")),
               option("bead", "ID", "For the holder of this bead only"),
               may_stand_alone("30s", option("wait", "30s",
                                             "Wait until it ends: exit 0 delivered, 1 not delivered, 8 still waiting",
                                             ArgKind::duration))},
      .other_words = {{"to", "target"}, {"agent", "target"}, {"urgent", "priority", "urgent"}},
      .authority = by_anyone(),
      .where = Where::anywhere,
      .effect = Effect::changes,
      .result = [] { return shapes::sent_nudges(); },
      .examples = {{"gt nudge coder \"the build is red\"", "at its next idle moment"},
                   {"gt nudge mayor \"stop\" --now --priority urgent", ""},
                   {"gt nudge @crew -m \"stand-up in five minutes\" --ttl 10m", ""},
                   {"gt nudge coder \"look\" --wait 30s", "and wait until it arrived"}},
      .run = [](Call& call) -> Result<Answer> {
        const auto& args = call.args;
        TRY(mode, mode_of(args));
        TRY(town, call.town());
        TRY(caller, call.caller());
        Nudges service(*town);
        Courier courier(*town, call.doors());
        const auto one =
            read_value(town->store, [&](Ledger& ledger) { return resolve_one(ledger, args.text("target")); });
        if (args.flag("only_running")) TRY_VOID(check_running(*town, one));
        if (one && !args.has("delay")) courier.look_ahead(one->id);
        TRY(receipts, service.send({.to = {args.text("target")},
                                    .text = args.text("body"),
                                    .mode = mode,
                                    .urgent = args.text("priority") == "urgent",
                                    .ttl = args.duration("ttl"),
                                    .delay = args.duration("delay").value_or(Millis(0)),
                                    .coalesce_key = args.text("coalesce"),
                                    .ephemeral = args.flag("ephemeral"),
                                    .forced = args.flag("force"),
                                    .if_fresh = args.duration("if_fresh"),
                                    .thread = args.text("thread"),
                                    .refs = args.list("ref"),
                                    .bead = args.text("bead")},
                                   caller));
        TRY(notes, Notes::of(*town, caller));
        std::vector<Told> sent;
        std::vector<std::string> more;
        JsonArray ids;
        for (const auto& receipt : receipts) {
          // What can be done at once is done at once; trouble on the way leaves the nudge in its line.
          auto report = courier.deliver(receipt.target.id);
          if (report && report->soon) more.push_back(receipt.target.address.str());
          TRY(newest, service.show(receipt.nudge.id, caller));
          TRY(note, notes.of(newest, report));
          sent.push_back(
              {.nudge = newest, .note = receipt.note.empty() ? note : receipt.note, .duplicate = receipt.duplicate});
          ids.emplace_back(newest.id.str());
          if (receipt.duplicate) call.request.kept[was_sent_before(newest.id)];
        }
        have_carried(call, more);
        TRY(answer, told(*town, sent));
        if (!args.has("wait")) return std::move(answer);
        answer.again = Again{.op = "nudge.wait", .args = {{"id", std::move(ids)}, {"timeout", args.text("wait")}}};
        return std::move(answer);
      }};
  return op;
}

const Op& nudge_wait() {
  static const Op op{
      .name = "nudge.wait",
      .summary = "Wait until nudges end: exit 0 if all were delivered, 1 if not, 8 if one still waits",
      .args = {many("id", "ID", "Their ids", ArgKind::nudge_id),
               with_default("30s", option("timeout", "30s", "Give up after this time", ArgKind::duration))},
      .authority = by_participants(),
      .where = Where::anywhere,
      .effect = Effect::idempotent,
      .result = [] { return shapes::sent_nudges(); },
      .examples = {{"gt nudge wait hq-n-1a2b3c --timeout 5m", ""}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(town, call.town());
        TRY(caller, call.caller());
        Nudges service(*town);
        TRY(notes, Notes::of(*town, caller));
        std::vector<Told> sent;
        const Instant now = town->clock.now();
        const Instant end = call.request.started_at + *call.args.duration("timeout");
        Again again{.at = std::min(end, now + kLookAgain)};
        Outcome outcome = Outcome::done;
        for (const auto& text : call.args.list("id")) {
          TRY(id, NudgeId::parse(text));
          Told one{.duplicate = call.request.kept.contains(was_sent_before(id))};
          TRY(before, service.show(id, caller));
          one.nudge = before;
          if (!is_terminal(before.state)) {
            auto report = Courier(*town, call.doors()).deliver(before.target);
            TRY(note, notes.of(before, report));
            one.note = note;
            if (report && report->look_again_at)
              again.at = std::clamp(*report->look_again_at, now + Millis(50), again.at);
            TRY(after, service.show(id, caller));
            one.nudge = after;
          }
          if (!is_terminal(one.nudge.state)) {
            again.bells.push_back(BellKey::endings(one.nudge.target));
            outcome = Outcome::pending;
          } else if (one.nudge.state != NudgeState::delivered && outcome == Outcome::done) {
            outcome = Outcome::nothing;
          }
          sent.push_back(std::move(one));
        }
        TRY(answer, told(*town, sent));
        answer.outcome = outcome;
        if (outcome == Outcome::pending && now < end) answer.again = std::move(again);
        return std::move(answer);
      }};
  return op;
}

const Op& nudge_list() {
  static const Op op{
      .name = "nudge.list",
      .summary = "List nudges, newest first, with the text of those you sent or received",
      .args = {option("agent", "ADDR", "Only those for this agent", ArgKind::address),
               one_of(nudge_state_names(),
                      option("state", "STATE",
                             "queued, leased, handed, delivered, expired, superseded, dropped, dead or lost")),
               limit()},
      .authority = by_participants(),
      .where = Where::anywhere,
      .effect = Effect::reads,
      .result = [] { return shape::list_of(shapes::nudge()); },
      .columns = columns::nudges(),
      .list = {.none = "no nudges", .next = next("nudge.explain", {{"id", "ID"}})},
      .examples = {{"gt nudge list --agent coder", ""}, {"gt nudge list --state expired --json", ""}},
      .run = [](Call& call) -> Result<Answer> {
        const int limit = call.args.limit();
        NudgeQuery query{.limit = limit};
        if (call.args.has("state")) query.state = find_nudge_state(call.args.text("state"));
        TRY(town, call.town());
        if (call.args.has("agent")) {
          TRY(agent,
              read_value(town->store, [&](Ledger& ledger) { return resolve_one(ledger, call.args.text("agent")); }));
          query.target = agent.id;
        }
        TRY(caller, call.caller());
        TRY(nudges, Nudges(*town).list(query, caller));
        TRY(names, views::NudgeNames::of(*town));
        JsonArray out;
        std::vector<std::string> ids;
        for (const auto& one : nudges) {
          out.push_back(views::nudge(one, names, town->settings));
          ids.push_back(one.id.str());
        }
        remember_listing(call, std::move(ids));
        Extent extent{.total = static_cast<std::int64_t>(nudges.size())};
        if (extent.total == limit) {
          TRY(total, Nudges(*town).count(query));
          extent.more = total - extent.total;
          extent.total = total;
        }
        return Answer{.json = std::move(out), .extent = extent};
      }};
  return op;
}

const Op& nudge_show() {
  static const Op op{.name = "nudge.show",
                     .summary = "Show one nudge with its whole text",
                     .args = {one("id", "ID", "Its id", ArgKind::nudge_id)},
                     .authority = by_participants(),
                     .where = Where::anywhere,
                     .effect = Effect::reads,
                     .result = [] { return shapes::nudge(); },
                     .examples = {{"gt nudge show hq-n-1a2b3c", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       const NudgeId id = *call.args.nudge_id("id");
                       TRY(town, call.town());
                       TRY(caller, call.caller());
                       TRY(nudge, Nudges(*town).show(id, caller));
                       TRY(names, views::NudgeNames::of(*town));
                       return Answer{.json = views::nudge(nudge, names, town->settings)};
                     }};
  return op;
}

const Op& nudge_explain() {
  static const Op op{.name = "nudge.explain",
                     .summary = "Show a nudge's history, and what it waits for",
                     .args = {one("id", "ID", "Its id", ArgKind::nudge_id)},
                     .authority = by_participants(),
                     .where = Where::anywhere,
                     .effect = Effect::reads,
                     .result =
                         [] {
                           return shape::object(
                               "nudge_history",
                               {shape::always("nudge", shapes::nudge()),
                                shape::always("events", shape::list_of(shape::object(
                                                            "nudge_event", {shape::always("at", shape::instant()),
                                                                            shape::always("kind", shape::text()),
                                                                            shape::always("detail", shape::text())}))),
                                shape::always("in_the_way", shape::list_of(shape::text()))});
                         },
                     .examples = {{"gt nudge explain hq-n-1a2b3c", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       const NudgeId id = *call.args.nudge_id("id");
                       TRY(town, call.town());
                       TRY(caller, call.caller());
                       TRY(history, Nudges(*town).explain(id, caller));
                       TRY(names, views::NudgeNames::of(*town));
                       JsonArray events;
                       for (const auto& event : history.events) {
                         JsonObject entry;
                         entry["at"] = rfc3339(event.at);
                         entry["kind"] = std::string(name(event.kind));
                         entry["detail"] = event.detail;
                         events.push_back(std::move(entry));
                       }
                       JsonObject out;
                       out["nudge"] = views::nudge(history.nudge, names, town->settings);
                       out["events"] = std::move(events);
                       out["in_the_way"] = JsonArray(history.in_the_way.begin(), history.in_the_way.end());
                       return Answer{.json = std::move(out)};
                     }};
  return op;
}

const Op& nudge_drop() {
  static const Op op{.name = "nudge.drop",
                     .summary = "End a nudge that is not delivered yet",
                     .args = {one("id", "ID", "Its id", ArgKind::nudge_id), required(option("reason", "TEXT", "Why"))},
                     .authority = not_in_quarantine(by_participants()),
                     .where = Where::anywhere,
                     .effect = Effect::destroys,
                     .result = [] { return shapes::nudge(); },
                     .examples = {{"gt nudge drop hq-n-1a2b3c --reason \"settled in person\"", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       const NudgeId id = *call.args.nudge_id("id");
                       TRY(town, call.town());
                       TRY(caller, call.caller());
                       TRY(nudge, Nudges(*town).drop(id, call.args.text("reason"), caller));
                       TRY(names, views::NudgeNames::of(*town));
                       return Answer{.json = views::nudge(nudge, names, town->settings)};
                     }};
  return op;
}

const Op& nudge_retry() {
  static const Op op{.name = "nudge.retry",
                     .summary = "Try a waiting nudge at once, or a dead one again",
                     .args = {one("id", "ID", "Its id", ArgKind::nudge_id)},
                     .authority = by_participants(),
                     .where = Where::anywhere,
                     .effect = Effect::changes,
                     .result = [] { return shapes::nudge(); },
                     .examples = {{"gt nudge retry hq-n-1a2b3c", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       const NudgeId id = *call.args.nudge_id("id");
                       TRY(town, call.town());
                       TRY(caller, call.caller());
                       TRY(waiting, Nudges(*town).retry(id, caller));
                       (void)Courier(*town, call.doors()).deliver(waiting.target);
                       TRY(nudge, Nudges(*town).show(id, caller));
                       TRY(names, views::NudgeNames::of(*town));
                       return Answer{.json = views::nudge(nudge, names, town->settings)};
                     }};
  return op;
}

const Op& nudge_drain() {
  static const Op op{
      .name = "nudge.drain",
      .summary = "Print what waits for you as a block for a prompt, and mark it delivered; for hooks of any harness",
      .args = {},
      .authority = by_owner(),
      .where = Where::anywhere,
      .effect = Effect::changes,
      .result = [] { return shapes::words(); },
      .examples = {{"gt nudge drain", "in a hook, before each prompt"}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(town, call.town());
        TRY(caller, call.caller());
        Nudges service(*town);
        TRY(self, read_value(town->store, [&](Ledger& ledger) { return resolve_one(ledger, caller.address.str()); }));
        TRY_VOID(service.settle(self.id, "drain", Nudges::Since::new_session, {}, "a new drain"));
        TRY(parcel, service.take(self.id, "drain", Boundary::asked));
        JsonObject out;
        out["text"] = parcel.text;
        const auto ids = parcel.ids();
        out["ids"] = JsonArray(ids.begin(), ids.end());
        Answer answer{.json = std::move(out)};
        if (!parcel.empty())
          call.after_handover([town = town, parcel = parcel] {
            return Nudges(*town).delivered(parcel, "printed by " + called("nudge.drain"));
          });
        return answer;
      },
      .fails_open = [](const Args&) { return true; }};
  return op;
}

namespace {

/// The agent that is asked about: the caller, where none is named.
Result<Agent> agent_of(Call& call, Town& town, const Caller& caller) {
  return read_value(town.store, [&](Ledger& ledger) -> Result<Agent> {
    if (const auto named = call.args.maybe_text("agent")) return resolve_one(ledger, *named);
    return own_mailbox(ledger, caller);
  });
}

/// The moment that an agent has come to by what was reported of it.
Boundary moment_of(const std::optional<Presence>& presence) {
  const bool works = presence && presence->state == AgentState::running;
  return works ? Boundary::busy : Boundary::idle;
}

}  // namespace

const Op& nudge_pending() {
  static const Op op{
      .name = "nudge.pending",
      .summary = "Show what waits for an agent; its own look takes what is due for 60 s, to be confirmed one by one",
      .args = {maybe_one("agent", "ADDR", "The agent (default: you)", ArgKind::address)},
      .authority = by_owner("agent"),
      .where = Where::anywhere,
      .effect = Effect::changes,
      .result =
          [] {
            return shape::object(
                "pending_nudges",
                {shape::always("nudges", shape::list_of(shapes::nudge())),
                 shape::always("text", shape::text(), "the agent's next prompt; empty if nothing was taken")});
          },
      .examples = {{"gt nudge pending --json", "in a program that runs the agent"},
                   {"gt nudge confirm hq-n-1a2b3c", "once the agent has it"}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(town, call.town());
        TRY(caller, call.caller());
        TRY(agent, agent_of(call, *town, caller));
        Nudges service(*town);
        JsonObject out;
        std::vector<Nudge> waiting;
        out["text"] = "";
        if (agent.address == caller.address) {
          TRY(stored, read_value(town->store, [&](Ledger& ledger) { return stored_presence(ledger, agent.id); }));
          const auto presence = seen_presence(*town, stored);
          const auto incarnation = presence && !presence->incarnation.empty() ? presence->incarnation : "runner";
          TRY(parcel, service.take(agent.id, incarnation, moment_of(presence), Frame::plain));
          out["text"] = parcel.text;
          waiting = std::move(parcel.nudges);
        } else {
          TRY(line, read_value(town->store, [&](Ledger& ledger) { return ledger.pending_nudges(agent.id); }));
          for (const auto& one : line) {
            TRY(shown, service.show(one.id, caller));
            waiting.push_back(std::move(shown));
          }
        }
        TRY(names, views::NudgeNames::of(*town));
        JsonArray nudges;
        for (const auto& one : waiting) nudges.push_back(views::nudge(one, names, town->settings));
        out["nudges"] = std::move(nudges);
        return Answer{.json = std::move(out)};
      }};
  return op;
}

const Op& nudge_confirm() {
  static const Op op{.name = "nudge.confirm",
                     .summary = "Confirm that a nudge you took has reached you",
                     .args = {one("id", "ID", "Its id", ArgKind::nudge_id),
                              option("agent", "ADDR", "The agent (default: you)", ArgKind::address)},
                     .authority = by_participants(),
                     .where = Where::anywhere,
                     .effect = Effect::idempotent,
                     .result = [] { return shapes::nudge(); },
                     .examples = {{"gt nudge confirm hq-n-1a2b3c", "taken with gt nudge pending"}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(town, call.town());
                       TRY(caller, call.caller());
                       TRY(agent, agent_of(call, *town, caller));
                       if (agent.address != caller.address)
                         return fail(Code::forbidden,
                                     cat("only ", agent.address.str(), " itself confirms what was for it"));
                       TRY(nudge, Nudges(*town).confirm(*call.args.nudge_id("id"), caller));
                       TRY(names, views::NudgeNames::of(*town));
                       return Answer{.json = views::nudge(nudge, names, town->settings)};
                     }};
  return op;
}

}  // namespace townpost::ops
