#include "base/check.h"
#include "post/town/watching.h"
#include "store/sql_ledger.h"
#include "store/tables.h"

namespace townpost {

namespace {

using columns::list;
using columns::row_as;
using columns::text;

constexpr auto kAddEvent = columns::insert<Event>();
// Read once a transaction, when the first is wanted, and counted up once, at its end.
constexpr Sql kNumbers = "SELECT last_event, last_duty FROM log_state WHERE id = 1";
constexpr Sql kCountUp = "UPDATE log_state SET last_event = $1, last_duty = $2 WHERE id = 1";
constexpr auto kSelect = text("SELECT ") + list<Event, 'e'>();
constexpr auto kEventsOfMessage = kSelect + " FROM event e WHERE e.message = $1 ORDER BY e.seq";
constexpr auto kEventsOfNudge = kSelect + " FROM event e WHERE e.nudge = $1 ORDER BY e.seq";
constexpr auto kEventsAbout =
    kSelect +
    " FROM event e WHERE e.agent = $1 AND e.kind = $2 AND e.queue IS NULL AND e.at >= $3 AND e.at <= $5"
    " ORDER BY e.seq DESC LIMIT $4";

constexpr Sql kState = "SELECT complete_from, last_event, swept FROM log_state WHERE id = 1";
// $1 = behind this one, $2 = how many.
constexpr auto kAfter = kSelect + ", 1 FROM event e WHERE e.seq > $1 ORDER BY e.seq LIMIT $2";
/// Whether an event is the reader's business.
enum class Concern { no, yes, unknown };
constexpr Concern last_value(Concern) { return Concern::unknown; }
// The same for an agent, $3: with whether it is concerned; 2 once what it is about is erased. All are read, so that it
// is known how far that was.
constexpr auto kAfterForAgent = kSelect + R"sql(,
      CASE WHEN e.agent = $3
             OR EXISTS (SELECT 1 FROM delivery d WHERE d.message = e.message AND d.mailbox = $3)
             OR EXISTS (SELECT 1 FROM message m WHERE m.id = e.message AND m.sender = $3)
             OR EXISTS (SELECT 1 FROM nudge n WHERE n.id = e.nudge AND (n.target = $3 OR n.sender = $3))
           THEN 1
           WHEN (e.message IS NOT NULL AND NOT EXISTS (SELECT 1 FROM message m WHERE m.id = e.message))
             OR (e.nudge IS NOT NULL AND NOT EXISTS (SELECT 1 FROM nudge n WHERE n.id = e.nudge))
           THEN 2 ELSE 0 END
    FROM event e WHERE e.seq > $1 ORDER BY e.seq LIMIT $2)sql";

// Up to swept, whatever belongs to nothing that is kept is gone. $1 = swept, $2 = the last one that may go, $3 = a
// share.
constexpr Sql kOldEvents = "SELECT seq, at FROM event WHERE seq > $1 AND seq <= $2 ORDER BY seq LIMIT $3";
constexpr Sql kForget = R"sql(
  DELETE FROM event WHERE seq > $1 AND seq <= $2
     AND NOT EXISTS (SELECT 1 FROM message m WHERE m.id = event.message)
     AND NOT EXISTS (SELECT 1 FROM nudge n WHERE n.id = event.nudge))sql";
constexpr Sql kNoteSwept = "UPDATE log_state SET swept = $1 WHERE id = 1";
constexpr Sql kNoteGone = "UPDATE log_state SET complete_from = $1 WHERE id = 1 AND complete_from < $1";

constexpr Sql kBeginPart = "SAVEPOINT part";
constexpr Sql kKeepPart = "RELEASE SAVEPOINT part";
constexpr Sql kUndoPart = "ROLLBACK TO SAVEPOINT part";

/// After so many new entries the town looks whether old ones can go.
constexpr std::int64_t kStretch = 1000;

}  // namespace

Next SqlLedger::take_numbers(const Row& row) {
  count_.given = Numbers{row.integer(0), row.integer(1)};
  return Next::stop;
}

Result<> SqlLedger::take_turn() { return take_turn_for({}); }

Result<> SqlLedger::take_turn_for(std::vector<Question> first) {
  if (access_ == Access::write) return {};
  CHECK(access_ == Access::look_first);
  access_ = Access::write;
  // Whoever takes its turn has something to tell: the numbers come along.
  first.push_back({kNumbers, {}, [this](const Row& row) { return take_numbers(row); }});
  TRY_VOID(db_.take_turn(first));
  count_.stored = count_.given;
  return {};
}

Result<> SqlLedger::need_numbers() {
  if (count_.given) return {};
  TRY_VOID(db_.run(kNumbers, {}, [this](const Row& row) { return take_numbers(row); }));
  if (!count_.given) return no_numbers();
  count_.stored = count_.given;
  return {};
}

Result<> SqlLedger::settle() {
  if (!count_.given || count_.given == count_.stored) return {};
  if (count_.given->last_event != count_.stored->last_event) ring(bell_of_log());
  const bool at_a_stretch = count_.given->last_event / kStretch != count_.stored->last_event / kStretch;
  if (at_a_stretch) TRY_VOID(add_duty({.due_at = count_.newest_event_at, .kind = DutyKind::forget_events}));
  count_.stored = count_.given;
  return run(kCountUp, {count_.given->last_event, count_.given->last_duty});
}

Result<> SqlLedger::finish() {
  TRY_VOID(settle());
  if (!rung_.empty()) db_.notify(names_of(rung_));
  return {};
}

Failure SqlLedger::no_numbers() {
  return fail(Code::unavailable, "the store is damaged: it does not know how far its log has come",
              next("store.check", {}, " shows more; restore it from a backup"));
}

Result<std::optional<Error>> SqlLedger::attempt(const std::function<Result<>()>& work) {
  TRY_VOID(db_.run(kBeginPart));
  const auto rung = rung_.size();
  const auto numbers = count_.given;
  const bool added_somebody = added_somebody_;
  auto done = work();
  if (done) {
    auto kept = db_.run(kKeepPart);  // also whether what was sent later was done
    if (kept) return std::optional<Error>();
    done = Failure(kept.error());
  }
  // A transaction that the database wants to run again, or has ended by itself, is not saved by leaving a part out.
  if (db_.may_repeat() || !db_.run(kUndoPart)) return Failure(done.error());
  TRY_VOID(db_.run(kKeepPart));
  rung_.erase(rung_.begin() + static_cast<std::ptrdiff_t>(rung), rung_.end());
  count_.given = numbers;
  added_somebody_ = added_somebody;
  return std::optional(done.error());
}

void SqlLedger::ring(const BellKey& key) {
  if (known_rings_.insert(key).second) rung_.push_back(key);
}

Result<> SqlLedger::add_event(const Event& event) {
  TRY_VOID(need_numbers());
  count_.newest_event_at = event.at;
  return run(kAddEvent, columns::values(event).with_key(++count_.given->last_event));
}

Result<std::vector<Event>> SqlLedger::events_of(MessageId message) {
  return all(kEventsOfMessage, {message.key}, row_as<Event>);
}

Result<std::vector<Event>> SqlLedger::events_of(NudgeId nudge) {
  return all(kEventsOfNudge, {nudge.key}, row_as<Event>);
}

Result<std::vector<Event>> SqlLedger::events_about(AgentId agent, EventKind kind, Window window, int most) {
  return all(kEventsAbout, {agent.key, name(kind), window.since, most, window.until}, row_as<Event>);
}

Result<SqlLedger::LogState> SqlLedger::log_state() {
  TRY(found, first(kState, {}, [](const Row& row) {
        return LogState{{row.integer(0), row.integer(1)}, row.integer(2)};
      }));
  if (!found) return no_numbers();
  return *found;
}

Result<LogExtent> SqlLedger::log_extent() {
  TRY(state, log_state());
  return state.extent;
}

Result<LogPage> SqlLedger::events_after(const LogQuery& query) {
  TRY(extent, log_extent());
  if (query.after + 1 < extent.oldest || query.after > extent.newest)
    return LogPage{.events = {}, .upto = extent.newest, .resync = true};
  LogPage page{.events = {}, .upto = query.after};
  auto take = [&](const Row& row) {
    Event event = row_as<Event>(row);
    const auto concern = row.choice<Concern>(columns::count<Event>());
    page.upto = event.seq;
    const bool may_follow = !query.reader || event.audience == Audience::everybody ||
                            (event.audience == Audience::concerned &&
                             (concern == Concern::yes || (concern == Concern::unknown && is_end(event.kind))));
    if (!may_follow) return Next::go_on;
    if (concern != Concern::yes) event.detail.clear();
    if (concern == Concern::unknown) event.agent.reset();
    page.events.push_back(std::move(event));
    return Next::go_on;
  };
  if (query.reader)
    TRY_VOID(db_.run(kAfterForAgent, {query.after, query.limit, query.reader->key}, take));
  else
    TRY_VOID(db_.run(kAfter, {query.after, query.limit}, take));
  return page;
}

Result<bool> SqlLedger::forget_events(Instant before, std::int64_t keep, int most) {
  TRY(state, log_state());
  auto last = state.swept;
  int seen = 0;
  TRY_VOID(db_.run(kOldEvents, {state.swept, state.extent.newest - keep, most}, [&](const Row& row) {
    if (row.instant(1) >= before) return Next::stop;
    last = row.integer(0);
    ++seen;
    return Next::go_on;
  }));
  if (seen == 0) return false;
  TRY_VOID(run(kForget, {state.swept, last}));
  TRY_VOID(note_events_gone(last));
  TRY_VOID(run(kNoteSwept, {last}));
  return seen == most;
}

Result<> SqlLedger::note_events_gone(std::int64_t upto) { return run(kNoteGone, {upto + 1}); }

}  // namespace townpost
