#include "store/db/postgres.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/check.h"
#include "base/text.h"

namespace townpost {

namespace {

using Timer = std::chrono::steady_clock;

constexpr Millis kPatience(10'000);  // a server that restarts or a replica that takes over is back by then
constexpr Millis kFirstPause(25);
constexpr Millis kLongestPause(1'000);
constexpr std::size_t kLongestNote = 7'900;  // bytes; the server takes less than 8,000
constexpr int kMarksKept = 200'000;

// The server ends a transaction whose program stopped or vanished, so that nobody holds the town's lock for ever.
constexpr std::string_view kSettings =
    "SET idle_in_transaction_session_timeout = 60000; SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; "
    "SET tcp_keepalives_count = 3";
constexpr std::string_view kClock = "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)";
// The first number stands for Townpost ("TOWN").
constexpr Sql kTakeTurn = "SELECT pg_advisory_xact_lock(1414485838, hashtext(coalesce(current_schema(), '')))";
constexpr std::string_view kMarks = "townpost_commit";

class PostgresRow final : public Row {
 public:
  PostgresRow(const ServerAnswer& answer, int row) : answer_(answer), row_(row) {}
  bool is_null(int column) const override { return answer_.is_null(row_, column); }
  bool is_integer(int column) const override { return !is_null(column); }  // the server knows its types
  std::int64_t integer(int column) const override { return answer_.integer(row_, column); }
  std::string_view text(int column) const override { return answer_.text(row_, column); }

 private:
  const ServerAnswer& answer_;
  int row_;
};

std::int64_t local_ms() { return SystemClock().now().ms; }

}  // namespace

PostgresDatabase::PostgresDatabase(const Libpq& pq, PostgresAddress address, std::optional<Millis> hurry)
    : link_(pq, std::move(address)), hurry_(hurry), mark_(static_cast<std::int64_t>(SystemRandom().bits() >> 1)) {
  if (hurry) link_.hurry(*hurry * 3);
}

Result<std::unique_ptr<PostgresDatabase>> PostgresDatabase::open(const std::string& url, std::optional<Millis> hurry) {
  TRY(pq, Libpq::load());
  TRY(address, PostgresAddress::parse(pq, url));
  std::unique_ptr<PostgresDatabase> database(new PostgresDatabase(pq, std::move(address), hurry));
  TRY_VOID(database->need_connection());
  return database;
}

Instant PostgresDatabase::now() const {
  const std::int64_t now = local_ms() + clock_offset_;
  auto last = last_now_.load();
  while (last < now && !last_now_.compare_exchange_weak(last, now)) {
  }
  return {std::max(last, now)};
}

void PostgresDatabase::set_clock(std::int64_t server_ms) { clock_offset_ = server_ms - local_ms(); }

Failure PostgresDatabase::failed(const Trouble& trouble) {
  may_repeat_ = transaction_ && !trouble.late &&
                (passes(trouble) || (was_in_the_way(trouble) && !(hurry_ && trouble.state == "55P03")));
  return fail(explain(trouble, link_.address()));
}

// ---- the connection ------------------------------------------------------------------------------------------------

Reply<void> PostgresDatabase::connect_once(std::optional<Millis> limit) {
  statements_.clear();
  if (auto connected = link_.connect(limit); !connected) return connected;
  // An engine that does not know one of the settings does without.
  std::string settings(kSettings);
  if (hurry_)  // the lock is the likelier reason to be late, so it is the one that is named
    settings =
        cat("SET lock_timeout = ", hurry_->count(), "; SET statement_timeout = ", hurry_->count() * 2, "; ", settings);
  if (auto set = link_.script(settings); !set && set.error().lost) return tl::unexpected(set.error());
  auto clock = link_.script(cat("SELECT ", kClock));
  if (!clock) return tl::unexpected(clock.error());
  set_clock(clock->back().integer(0, 0));
  return {};
}

template <class What>
auto PostgresDatabase::patiently(const What& what) -> decltype(what()) {
  const auto until = Timer::now() + hurry_.value_or(kPatience);
  auto pause = kFirstPause;
  bool fresh = !link_.up();  // a connection that we had may have been lost long ago: then the next try is at once
  while (true) {
    std::optional<Trouble> trouble;
    if (!link_.up()) {
      const auto left = std::chrono::duration_cast<Millis>(until - Timer::now());
      auto connected = connect_once(hurry_ ? std::optional(std::max(left, Millis(1))) : std::nullopt);
      if (!connected) trouble = connected.error();
    }
    if (!trouble) {
      auto done = what();
      if (done) return done;
      trouble = done.error();
    }
    if (!passes(*trouble) || Timer::now() + pause >= until) return tl::unexpected(std::move(*trouble));
    link_.close();  // also where it still stands: another host may be the one that takes writes
    if (std::exchange(fresh, true)) {
      std::this_thread::sleep_for(pause);
      pause = std::min(pause * 2, kLongestPause);
    }
  }
}

Result<> PostgresDatabase::need_connection() {
  if (link_.up()) return {};
  if (auto connected = patiently([] { return Reply<void>(); }); !connected) return failed(connected.error());
  return {};
}

// ---- transactions --------------------------------------------------------------------------------------------------

Reply<void> PostgresDatabase::begin_once(Access access) {
  if (access == Access::read) {
    auto begun = link_.script("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    if (!begun) return tl::unexpected(begun.error());
    return {};
  }
  // Everything sees what was committed before the lock was had: each statement has a snapshot of its own.
  std::string sql = "BEGIN ISOLATION LEVEL READ COMMITTED; ";
  if (access == Access::write) sql += cat(kTakeTurn.text(), "; ");
  sql += cat("SELECT pg_current_xact_id(), ", kClock, ", to_regclass('", kMarks, "') IS NOT NULL");
  auto begun = link_.script(sql);
  if (!begun) {
    if (link_.up()) (void)link_.script("ROLLBACK");
    return tl::unexpected(begun.error());
  }
  const ServerAnswer& facts = begun->back();
  number_ = std::string(facts.text(0, 0));
  set_clock(facts.integer(0, 1));
  leaves_mark_ = facts.integer(0, 2) != 0;
  ++mark_;
  return {};
}

Result<> PostgresDatabase::begin(Access access) {
  CHECK(!transaction_);
  may_repeat_ = false;
  notes_.clear();
  if (auto begun = patiently([&] { return begin_once(access); }); !begun) return failed(begun.error());
  transaction_ = access;
  return {};
}

Result<> PostgresDatabase::take_turn() {
  if (transaction_ == Access::write) return {};
  TRY_VOID(run(kTakeTurn, {}, {}));
  return {};
}

void PostgresDatabase::notify(std::string_view text) {
  while (!text.empty()) {
    // As few as possible, because each costs the server a global lock; a note that is too long is split at a space.
    if (notes_.empty() || notes_.back().size() + 1 + text.size() > kLongestNote) notes_.emplace_back();
    std::string& note = notes_.back();
    auto part = text.substr(0, kLongestNote);
    if (part.size() < text.size())
      if (const auto space = part.rfind(' '); space != std::string_view::npos) part = part.substr(0, space);
    note += cat(note.empty() ? "" : " ", part);
    text.remove_prefix(std::min(part.size() + 1, text.size()));
  }
}

std::string PostgresDatabase::commit_script() const {
  std::string sql;
  for (const auto& note : notes_)
    sql += cat("SELECT pg_notify(", PostgresLink::kChannel, ", ", link_.quoted(note), "); ");
  if (leaves_mark_) {
    sql += cat("INSERT INTO ", kMarks, " (number, mark) VALUES (", number_, ", ", mark_,
               ") ON CONFLICT (number) DO UPDATE SET mark = excluded.mark; ");
    if (mark_ % 64 == 0) sql += cat("DELETE FROM ", kMarks, " WHERE number < ", number_, " - ", kMarksKept, "; ");
  }
  return sql + "COMMIT";
}

Result<> PostgresDatabase::commit() {
  CHECK(transaction_);
  auto done = link_.script(transaction_ == Access::read ? std::string("COMMIT") : commit_script());
  if (transaction_ == Access::read) {  // what was read was read
    transaction_.reset();
    return {};
  }
  if (done && done->back().tag() == "COMMIT") {
    transaction_.reset();
    return {};
  }
  if (!done && done.error().lost) return find_outcome(done.error());
  const Trouble trouble = done ? Trouble{.state = "25P02", .reason = "the transaction had failed"} : done.error();
  auto failure = failed(trouble);
  rollback();
  return failure;
}

Reply<PostgresDatabase::Outcome> PostgresDatabase::ask_outcome() {
  // A standby may not have heard of it yet. An error means a number that the server has not given yet: it crashed, and
  // nothing of the transaction was kept.
  auto standby = link_.script("SELECT pg_is_in_recovery()");
  if (!standby) return tl::unexpected(standby.error());
  if (standby->back().integer(0, 0) != 0)
    return tl::unexpected(Trouble{.state = "25006", .reason = "the server is a standby"});
  auto status = link_.script(cat("SELECT coalesce(pg_xact_status('", number_, "'), '')"));
  if (!status && status.error().state != "22023") return tl::unexpected(status.error());
  const std::string known = status ? std::string(status->back().text(0, 0)) : "aborted";
  if (known == "in progress") return Outcome::undecided;
  if (known == "aborted") return Outcome::not_stored;
  if (!leaves_mark_) return known == "committed" ? Outcome::stored : Outcome::undecided;
  // In the server's order: a mark that is pruned between two looks is looked for before its age is.
  auto mark = link_.script(cat("SELECT count(*) FROM ", kMarks, " WHERE number = ", number_, " AND mark = ", mark_,
                               "; SELECT CAST(CAST(pg_snapshot_xmax(pg_current_snapshot()) AS TEXT) AS BIGINT) - ",
                               number_, " > ", kMarksKept));
  if (!mark) return tl::unexpected(mark.error());
  if (mark->front().integer(0, 0) != 0) return Outcome::stored;
  const bool may_be_pruned = mark->back().integer(0, 0) != 0;
  return may_be_pruned ? Outcome::forgotten : Outcome::not_stored;
}

Result<> PostgresDatabase::find_outcome(const Trouble& trouble) {
  const auto until = Timer::now() + hurry_.value_or(kPatience);
  auto pause = kFirstPause;
  transaction_.reset();
  while (true) {
    const auto outcome = patiently([&] { return ask_outcome(); });
    if (outcome && *outcome == Outcome::stored) return {};
    if (outcome && *outcome == Outcome::not_stored) {
      may_repeat_ = true;
      return fail(explain(trouble, link_.address()));
    }
    if (!outcome || *outcome == Outcome::forgotten || Timer::now() + pause >= until) break;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, kLongestPause);
  }
  may_repeat_ = false;
  return fail(Code::unavailable,
              cat("the database at ", place(), " went away in the last moment (", trouble.reason,
                  "); it is not known whether the change was stored"),
              "look before you do it again; a send with a key can be repeated safely");
}

void PostgresDatabase::rollback() {
  if (transaction_ && link_.up()) (void)link_.script("ROLLBACK");
  transaction_.reset();
  notes_.clear();
}

// ---- statements ----------------------------------------------------------------------------------------------------

Reply<ServerAnswer> PostgresDatabase::send(Sql sql, const std::vector<const char*>& values) {
  const auto known = statements_.find(sql.address());
  if (known == statements_.end()) {
    // Most commands run a statement once: preparing it would cost them a round trip. The second time it pays.
    auto answer = link_.run(nullptr, std::string(sql.text()), values);
    if (answer) statements_[sql.address()].name = cat("s", statements_.size());
    return answer;
  }
  Statement& statement = known->second;
  if (!statement.prepared) {
    if (auto prepared = link_.prepare(statement.name.c_str(), std::string(sql.text())); !prepared)
      return tl::unexpected(prepared.error());
    statement.prepared = true;
  }
  return link_.run(statement.name.c_str(), "", values);
}

Result<std::int64_t> PostgresDatabase::execute(Sql sql, std::span<const Param> params, const RowSink& sink) {
  if (!transaction_) TRY_VOID(need_connection());
  std::vector<std::string> texts;  // with a final zero, which libpq wants
  texts.reserve(params.size());
  std::vector<const char*> values;
  for (const auto& param : params) {
    const auto& value = param.value();
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
      texts.push_back(std::to_string(*number));
    } else if (const auto* text = std::get_if<std::string_view>(&value)) {
      if (text->find('\0') != std::string_view::npos)
        return fail(Code::usage, "a text contains a NUL character", "leave it out");
      texts.emplace_back(*text);
    } else {
      values.push_back(nullptr);
      continue;
    }
    values.push_back(texts.back().c_str());
  }
  // A question outside of a transaction (which schema is this?) can be asked again when the server went away.
  const bool only_asks = !transaction_ && sink;
  auto answer = only_asks ? patiently([&] { return send(sql, values); }) : send(sql, values);
  if (!answer) return failed(answer.error());
  if (sink)
    for (int i = 0; i < answer->rows(); ++i) {
      const PostgresRow row(*answer, i);
      const auto next = sink(row);
      TRY_VOID(row.sound());
      if (next == Next::stop) break;
    }
  return answer->changed();
}

std::string PostgresDatabase::identity() {
  std::string out;
  const auto asked =
      run("SELECT concat_ws(':', (SELECT system_identifier FROM pg_control_system()),"
          " (SELECT oid FROM pg_database WHERE datname = current_database()), current_schema())",
          {}, [&](const Row& row) {
            out = row.words(0);
            return Next::stop;
          });
  return asked ? out : std::string();
}

Result<> PostgresDatabase::run_script(const std::string& sql) {
  if (!transaction_) TRY_VOID(need_connection());
  if (auto done = link_.script(sql); !done) return failed(done.error());
  return {};
}

Result<std::int64_t> PostgresDatabase::schema_version() {
  std::int64_t version = 0;
  bool there = false;
  auto look = [](auto& into) {
    return [&into](const Row& row) {
      into = row.integer(0) != 0 ? static_cast<std::remove_reference_t<decltype(into)>>(row.integer(0)) : 0;
      return Next::stop;
    };
  };
  TRY_VOID(run("SELECT to_regclass('townpost_schema') IS NOT NULL", {}, look(there)));
  if (there) TRY_VOID(run("SELECT version FROM townpost_schema", {}, look(version)));
  return version;
}

Result<> PostgresDatabase::set_schema_version(std::int64_t version) {
  return run_script(
      cat("CREATE TABLE IF NOT EXISTS townpost_schema (version BIGINT NOT NULL); CREATE TABLE IF NOT EXISTS ", kMarks,
          " (number BIGINT PRIMARY KEY, mark BIGINT NOT NULL); DELETE FROM townpost_schema; "
          "INSERT INTO townpost_schema VALUES (",
          version, ")"));
}

}  // namespace townpost
