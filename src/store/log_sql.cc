#include <algorithm>

#include "store/rows.h"
#include "store/sql_ledger.h"

namespace townpost {

namespace {

constexpr std::string_view kAddEvent = R"sql(
  INSERT INTO event (seq, at, kind, message, agent, detail)
  VALUES ((SELECT COALESCE(MAX(seq), 0) + 1 FROM event), $1, $2, $3, $4, $5))sql";
constexpr std::string_view kEventsOf =
    "SELECT seq, at, kind, message, agent, detail FROM event WHERE message = $1 ORDER BY seq";
constexpr std::string_view kEventsAbout =
    "SELECT seq, at, kind, message, agent, detail FROM event"
    " WHERE agent = $1 AND kind = $2 AND at >= $3 AND at <= $5 ORDER BY seq DESC LIMIT $4";
constexpr std::string_view kAddDuty = R"sql(
  INSERT INTO outbox (id, due_at, kind, message, detail)
  VALUES ((SELECT COALESCE(MAX(id), 0) + 1 FROM outbox), $1, $2, $3, $4))sql";
constexpr std::string_view kDue =
    "SELECT id, due_at, kind, message, detail FROM outbox WHERE due_at <= $1 ORDER BY due_at, id LIMIT $2";
constexpr std::string_view kRemoveDuty = "DELETE FROM outbox WHERE id = $1";
constexpr std::string_view kBeginPart = "SAVEPOINT part";
constexpr std::string_view kKeepPart = "RELEASE SAVEPOINT part";
constexpr std::string_view kUndoPart = "ROLLBACK TO SAVEPOINT part";

template <class Id>
std::optional<Id> maybe_id(const Row& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  return Id{row.integer(column)};
}

template <class Id>
std::optional<std::int64_t> key_of(const std::optional<Id>& id) {
  if (!id) return std::nullopt;
  return id->key;
}

Event event_row(const Row& row) {
  return {row.integer(0), row.instant(1), row.string(2), maybe_id<MessageId>(row, 3), maybe_id<AgentId>(row, 4),
          row.words(5)};
}

}  // namespace

Result<> SqlLedger::finish() {
  if (!late_events_.empty() || !late_shown_.empty()) {
    TRY_VOID(db_.take_turn());
    access_ = Access::write;
    for (const auto& event : late_events_) TRY_VOID(insert_event(event));
    for (const auto& agent : late_shown_) TRY_VOID(update_shown(agent));
  }
  if (!rung_.empty()) db_.notify(names_of(rung_));
  return {};
}

Result<std::optional<Error>> SqlLedger::attempt(const std::function<Result<>()>& work) {
  TRY_VOID(db_.run(kBeginPart));
  const auto rung = rung_.size();
  const auto events = late_events_.size();
  const auto shown = late_shown_.size();
  const bool added_somebody = added_somebody_;
  auto done = work();
  if (done) {
    TRY_VOID(db_.run(kKeepPart));
    return std::optional<Error>();
  }
  // A transaction that the database wants to run again, or has ended by itself, is not saved by leaving a part out.
  if (db_.may_repeat() || !db_.run(kUndoPart)) return Failure(done.error());
  TRY_VOID(db_.run(kKeepPart));
  rung_.erase(rung_.begin() + static_cast<std::ptrdiff_t>(rung), rung_.end());
  late_events_.erase(late_events_.begin() + static_cast<std::ptrdiff_t>(events), late_events_.end());
  late_shown_.erase(late_shown_.begin() + static_cast<std::ptrdiff_t>(shown), late_shown_.end());
  added_somebody_ = added_somebody;
  return std::optional(done.error());
}

void SqlLedger::ring(const BellKey& key) {
  if (std::find(rung_.begin(), rung_.end(), key) == rung_.end()) rung_.push_back(key);
}

Result<> SqlLedger::add_event(const Event& event) {
  if (access_ != Access::share) return insert_event(event);
  late_events_.push_back(event);
  return {};
}

Result<> SqlLedger::insert_event(const Event& event) {
  return run(kAddEvent, {event.at, event.kind, key_of(event.message), key_of(event.agent), event.detail});
}

Result<std::vector<Event>> SqlLedger::events_of(MessageId message) { return all(kEventsOf, {message.key}, event_row); }

Result<std::vector<Event>> SqlLedger::events_about(AgentId agent, std::string_view kind, Window window, int most) {
  return all(kEventsAbout, {agent.key, kind, window.since, most, window.until}, event_row);
}

Result<> SqlLedger::add_duty(const Duty& duty) {
  return run(kAddDuty, {duty.due_at, duty.kind, key_of(duty.message), duty.detail});
}

Result<std::vector<Duty>> SqlLedger::due(Instant now, int most) {
  return all(kDue, {now, most}, [](const Row& row) {
    return Duty{row.integer(0), row.instant(1), row.string(2), maybe_id<MessageId>(row, 3), row.string(4)};
  });
}

Result<> SqlLedger::remove_duty(std::int64_t id) { return run(kRemoveDuty, {id}); }

}  // namespace townpost
