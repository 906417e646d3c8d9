#include "base/text.h"
#include "delivery/courier.h"
#include "ops/nudge_views.h"
#include "ops/table.h"
#include "ops/views.h"
#include "post/people/resolve.h"

namespace townpost::ops {

namespace {

constexpr std::string_view kNudge =
    R"({"id","nudge_id","target","message","kind","mode","priority","source","sender","sender_grade","created_at","expires_at","refs":[],"state","attempts"} and, where they apply, "deliver_after","coalesce_key","thread_id","bead","ephemeral","held_by","handed_at","delivered_at","expired_at","ended_at","evidence","last_error")";

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
  if (words > 1) return fail(Code::usage, "--mode, --now, --soon and --idle are mutually exclusive", "choose one");
  return mode;
}

Result<bool> is_urgent(const Args& args) {
  const auto word = args.text("priority");
  if (word == "normal") return false;
  if (word == "urgent") return true;
  return fail(Code::usage, cat("invalid --priority \"", for_terminal_line(shorten(to_utf8(word), 40)), "\""),
              "use normal or urgent");
}

/// Waits until all of them are ended; what they are then.
Result<std::vector<Nudge>> wait_for_end(Town& town, SessionDoors& doors, std::vector<Nudge> nudges, Millis longest,
                                        const Caller& caller) {
  const Instant end = town.clock.now() + longest;
  Nudges service(town);
  town.bell.wait_for_any({}, Millis(0));  // from here on no ring is missed
  while (true) {
    bool pending = false;
    std::optional<Instant> again;
    for (auto& nudge : nudges) {
      TRY(newest, service.show(nudge.id, caller));
      nudge = newest;
      if (is_terminal(nudge.state)) continue;
      pending = true;
      auto report = Courier(town, doors).deliver(nudge.target);
      if (report && report->look_again_at && (!again || *report->look_again_at < *again)) again = report->look_again_at;
      TRY(after, service.show(nudge.id, caller));
      nudge = after;
    }
    const Instant now = town.clock.now();
    if (!pending || now >= end) return nudges;
    Millis wait = std::min(end - now, Millis(1000));  // states also change in other processes, without a ring
    if (again) wait = std::clamp(*again - now, Millis(50), wait);
    town.bell.wait_for_any({}, wait);
  }
}

}  // namespace

const Op& nudge() {
  static const Op op{
      .name = "nudge",
      .summary = "Wake agents up with a few words, now or at their next idle moment",
      .args = {one("target", "ADDR", "Address, wildcard, @pattern, group or channel:NAME"),
               maybe_many("words", "MESSAGE", "What to say"),
               with_letter('m', option("body", "TEXT", "What to say", ArgKind::body)),
               option("mode", "MODE", "wait-idle (default), immediate, soon or queue"),
               flag("now", "The same as --mode immediate: also while it works"),
               flag("soon", "The same as --mode soon: between two tools where the harness can"),
               flag("idle", "The same as --mode wait-idle"),
               with_default("normal", option("priority", "P", "normal or urgent")),
               option("ttl", "30m", "How long it may wait; 24h, 30m for queue, 10m for immediate", ArgKind::duration),
               option("delay", "10s", "Not before this time has passed", ArgKind::duration),
               option("coalesce", "KEY", "Replaces a waiting nudge with the same key, in its place"),
               flag("ephemeral", "One attempt; without a session it is lost"),
               flag("force", "Also if the target does not want to be disturbed"),
               option("if-fresh", "60s", "Only if your own session is younger than this", ArgKind::duration),
               option("thread", "ID", "The thread it belongs to"),
               repeated(option("ref", "ID", "A message or bead it is about")),
               option("bead", "ID", "For the holder of this bead only"),
               with_value_by_equals("30s", option("wait", "30s",
                                                  "Wait for its end: exit 0 delivered, 1 ended otherwise, "
                                                  "8 still waiting",
                                                  ArgKind::duration))},
      .authority = by_anyone(),
      .answer = R"([{"address","id","state","note"} and the nudge's fields])",
      .examples = {{"gt nudge coder \"the build is red\"", "at its next idle moment"},
                   {"gt nudge mayor \"stop\" --now --priority urgent", ""},
                   {"gt nudge @crew -m \"stand-up in five minutes\" --ttl 10m", ""},
                   {"gt nudge coder \"look\" --wait=30s", "and tell when it arrived"}},
      .run = [](Call& call) -> Result<Answer> {
        const auto& args = call.args;
        const auto words = args.list("words");
        if (!words.empty() && args.has("body"))
          return fail(Code::usage, "the message was given twice", "as words or with -m, not both");
        TRY(mode, mode_of(args));
        TRY(urgent, is_urgent(args));
        TRY(town, call.context.town());
        TRY(caller, call.context.caller());
        Nudges service(*town);
        Courier courier(*town, call.context.doors());
        if (const auto one =
                read_value(town->store, [&](Ledger& ledger) { return resolve_one(ledger, args.text("target")); });
            one && !args.has("delay"))
          courier.look_ahead(one->id);
        TRY(receipts, service.send({.to = {args.text("target")},
                                    .text = args.has("body") ? args.text("body") : join(words, " "),
                                    .mode = mode,
                                    .urgent = urgent,
                                    .ttl = args.duration("ttl"),
                                    .delay = args.duration("delay").value_or(Millis(0)),
                                    .coalesce_key = args.text("coalesce"),
                                    .ephemeral = args.flag("ephemeral"),
                                    .forced = args.flag("force"),
                                    .if_fresh = args.duration("if-fresh"),
                                    .thread = args.text("thread"),
                                    .refs = args.list("ref"),
                                    .bead = args.text("bead")},
                                   caller));
        std::vector<Nudge> nudges;
        for (auto& receipt : receipts) {
          // What can be done at once is done at once; trouble on the way leaves the nudge in its line.
          auto report = courier.deliver(receipt.target.id);
          if (receipt.note.empty()) receipt.note = report ? report->note : report.error().message;
          nudges.push_back(receipt.nudge);
        }
        Answer answer;
        if (args.has("wait")) {
          TRY(ended, wait_for_end(*town, call.context.doors(), nudges, *args.duration("wait"), caller));
          nudges = std::move(ended);
        } else {
          for (auto& one : nudges) {
            TRY(newest, service.show(one.id, caller));
            one = newest;
          }
        }
        TRY(names, views::NudgeNames::of(*town));
        JsonArray out;
        bool pending = false;
        for (std::size_t i = 0; i < nudges.size(); ++i) {
          JsonObject entry;
          entry["address"] = views::shown(receipts[i].target.address.str(), town->settings);
          const auto fields = views::nudge(nudges[i], names, town->settings);
          for (const auto& field : fields) entry[field.key()] = field.value();
          if (receipts[i].duplicate) entry["duplicate"] = true;
          entry["note"] = is_terminal(nudges[i].state) || nudges[i].state == NudgeState::handed ? "" : receipts[i].note;
          out.push_back(std::move(entry));
          pending = pending || !is_terminal(nudges[i].state);
          if (nudges[i].state != NudgeState::delivered && args.has("wait")) answer.outcome = Outcome::nothing;
        }
        if (args.has("wait") && pending) answer.exit_code = 8;
        answer.json = std::move(out);
        return answer;
      }};
  return op;
}

const Op& nudge_list() {
  static const Op op{
      .name = "nudge.list",
      .summary = "List nudges, newest first; the words of what is neither from you nor for you are left out",
      .args = {option("agent", "ADDR", "Only those for this agent"),
               option("state", "STATE",
                      "queued, leased, handed, delivered, expired, superseded, dropped, dead or lost"),
               with_default("50", option("limit", "N", "At most so many", ArgKind::integer))},
      .authority = by_participants(),
      .answer = "[nudge]",
      .examples = {{"gt nudge list --agent coder", ""}, {"gt nudge list --state expired --json", ""}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(limit, limit_of(call.args));
        NudgeQuery query{.limit = limit};
        if (call.args.has("state")) {
          query.state = find_nudge_state(call.args.text("state"));
          if (!query.state)
            return fail(Code::usage,
                        cat("\"", for_terminal_line(shorten(to_utf8(call.args.text("state")), 40)), "\" is no state"),
                        "use queued, leased, handed, delivered, expired, superseded, dropped, dead or lost");
        }
        TRY(town, call.context.town());
        if (call.args.has("agent")) {
          TRY(agent,
              read_value(town->store, [&](Ledger& ledger) { return resolve_one(ledger, call.args.text("agent")); }));
          query.target = agent.id;
        }
        TRY(caller, call.context.caller());
        TRY(nudges, Nudges(*town).list(query, caller));
        TRY(names, views::NudgeNames::of(*town));
        JsonArray out;
        for (const auto& one : nudges) out.push_back(views::nudge(one, names, town->settings));
        return Answer{.json = std::move(out)};
      }};
  return op;
}

const Op& nudge_show() {
  static const Op op{.name = "nudge.show",
                     .summary = "Show one nudge with its whole text",
                     .args = {one("id", "ID", "Its id")},
                     .authority = by_participants(),
                     .answer = kNudge,
                     .examples = {{"gt nudge show hq-n-1a2b3c", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(id, NudgeId::parse(call.args.text("id")));
                       TRY(town, call.context.town());
                       TRY(caller, call.context.caller());
                       TRY(nudge, Nudges(*town).show(id, caller));
                       TRY(names, views::NudgeNames::of(*town));
                       return Answer{.json = views::nudge(nudge, names, town->settings)};
                     }};
  return op;
}

const Op& nudge_explain() {
  static const Op op{.name = "nudge.explain",
                     .summary = "Tell what happened to a nudge, and what stands in its way now",
                     .args = {one("id", "ID", "Its id")},
                     .authority = by_participants(),
                     .answer = R"({"nudge":{…},"events":[{"at","kind","detail"}],"in_the_way":[]})",
                     .examples = {{"gt nudge explain hq-n-1a2b3c", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(id, NudgeId::parse(call.args.text("id")));
                       TRY(town, call.context.town());
                       TRY(caller, call.context.caller());
                       TRY(history, Nudges(*town).explain(id, caller));
                       TRY(names, views::NudgeNames::of(*town));
                       JsonArray events;
                       for (const auto& event : history.events) {
                         JsonObject entry;
                         entry["at"] = rfc3339(event.at);
                         entry["kind"] = event.kind;
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
                     .args = {one("id", "ID", "Its id"), required(option("reason", "TEXT", "Why"))},
                     .authority = not_in_quarantine(by_participants()),
                     .answer = kNudge,
                     .examples = {{"gt nudge drop hq-n-1a2b3c --reason \"settled in person\"", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(id, NudgeId::parse(call.args.text("id")));
                       TRY(town, call.context.town());
                       TRY(caller, call.context.caller());
                       TRY(nudge, Nudges(*town).drop(id, call.args.text("reason"), caller));
                       TRY(names, views::NudgeNames::of(*town));
                       return Answer{.json = views::nudge(nudge, names, town->settings)};
                     }};
  return op;
}

const Op& nudge_retry() {
  static const Op op{.name = "nudge.retry",
                     .summary = "Try a waiting nudge at once, or a dead one again",
                     .args = {one("id", "ID", "Its id")},
                     .authority = by_participants(),
                     .answer = kNudge,
                     .examples = {{"gt nudge retry hq-n-1a2b3c", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(id, NudgeId::parse(call.args.text("id")));
                       TRY(town, call.context.town());
                       TRY(caller, call.context.caller());
                       TRY(waiting, Nudges(*town).retry(id, caller));
                       (void)Courier(*town, call.context.doors()).deliver(waiting.target);
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
      .answer = R"({"text","ids":[]})",
      .examples = {{"gt nudge drain", "in a hook, before each prompt"}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(town, call.context.town());
        TRY(caller, call.context.caller());
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
          answer.confirm = [town = town, parcel = parcel] {
            return Nudges(*town).delivered(parcel, "printed by gt nudge drain");
          };
        return answer;
      },
      .fails_open = [](const Args&) { return true; }};
  return op;
}

}  // namespace townpost::ops
