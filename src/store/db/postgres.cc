#include "store/db/postgres.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/check.h"
#include "base/number.h"
#include "base/text.h"

namespace townpost {

namespace {

using Timer = std::chrono::steady_clock;

constexpr Millis kPatience(10'000);  // a server that restarts or a replica that takes over is back by then
constexpr Millis kFirstPause(25);
constexpr Millis kLongestPause(1'000);
constexpr std::size_t kLongestNote = 7'900;  // bytes; the server takes less than 8,000
constexpr int kMarksKept = 200'000;
constexpr std::size_t kMostWaiting = 256;

// The server ends a transaction whose program stopped or vanished, so that nobody holds the town's lock for ever.
constexpr std::string_view kSettings =
    "SET idle_in_transaction_session_timeout = 60000; SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; "
    "SET tcp_keepalives_count = 3";
constexpr std::string_view kClock = "CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)";  // µs
// The first number stands for Townpost ("TOWN").
constexpr Sql kTakeTurn = "SELECT pg_advisory_xact_lock(1414485838, hashtext(coalesce(current_schema(), '')))";
constexpr Sql kBeginLook = "BEGIN ISOLATION LEVEL READ COMMITTED";
constexpr Sql kHurryLook = "SELECT set_config('lock_timeout', $1, true), set_config('statement_timeout', $2, true)";
Sql clock_of_server() {
  static const Sql kAsk = Sql::kept(cat("SELECT ", kClock));
  return kAsk;
}
constexpr std::string_view kMarks = "townpost_commit";
// Number and clock of a transaction that may change something; and whether the table of marks is there.
Sql facts() {
  static const Sql kFacts =
      Sql::kept(cat("SELECT pg_current_xact_id(), ", kClock, ", to_regclass('", kMarks, "') IS NOT NULL"));
  return kFacts;
}
// Whoever listens to all bells is told their names; whoever listens to some is woken for these only. All of it is one
// entry in the server's queue of commits.
Sql notification() {
  static const Sql kNotify = Sql::kept(
      cat("SELECT pg_notify(", PostgresLink::kChannel, ", $1), (SELECT count(pg_notify(", PostgresLink::kChannel,
          " || '_' || left(bell, 20), bell)) FROM unnest(string_to_array($1, ' ')) AS bell)"));
  return kNotify;
}
/// The lock is the likelier reason to be late, so it is the one that is named.
std::string hurry_settings(std::string_view set, Millis longest) {
  return cat(set, " lock_timeout = ", longest.count(), "; ", set, " statement_timeout = ", longest.count() * 2, "; ");
}
constexpr Sql kMark =
    "INSERT INTO townpost_commit (number, mark) VALUES ($1, $2) ON CONFLICT (number) DO UPDATE SET mark = "
    "excluded.mark";
constexpr Sql kForgetMarks = "DELETE FROM townpost_commit WHERE number < $1";

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

}  // namespace

PostgresDatabase::PostgresDatabase(const Libpq& pq, PostgresAddress address, std::optional<Millis> hurry,
                                   std::shared_ptr<ServerTime> time)
    : link_(pq, std::move(address)),
      time_(std::move(time)),
      usual_hurry_(hurry),
      hurry_(hurry),
      mark_(static_cast<std::int64_t>(SystemRandom().bits() >> 1)) {
  set_patience({});
}

void PostgresDatabase::set_patience(const Patience& patience) {
  hurry_ = patience.longest ? patience.longest : usual_hurry_;
  link_.hurry(hurry_ ? std::optional(*hurry_ * 3) : std::nullopt);
}

Result<std::unique_ptr<PostgresDatabase>> PostgresDatabase::open(const std::string& url, std::optional<Millis> hurry,
                                                                 std::shared_ptr<ServerTime> time) {
  TRY(pq, Libpq::load());
  TRY(address, PostgresAddress::parse(pq, url));
  std::unique_ptr<PostgresDatabase> database(new PostgresDatabase(pq, std::move(address), hurry, std::move(time)));
  TRY_VOID(database->need_connection());
  return database;
}

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
  if (usual_hurry_) settings = cat(hurry_settings("SET", *usual_hurry_), settings);
  if (auto set = link_.script(settings); !set && set.error().lost) return tl::unexpected(set.error());
  auto clock = link_.script(cat("SELECT ", kClock));
  if (!clock) return tl::unexpected(clock.error());
  time_->learn(clock->back().integer(0, 0));
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

void PostgresDatabase::learn(const ServerAnswer& facts) {
  number_ = std::string(facts.text(0, 0));
  time_->learn(facts.integer(0, 1));
  leaves_mark_ = facts.integer(0, 2) != 0;
  ++mark_;
}

std::string PostgresDatabase::hurry_of_transaction() const {
  if (!has_own_hurry()) return "";
  return hurry_settings("SET LOCAL", hurry_ ? std::max(*hurry_, Millis(1)) : Millis(0));  // 0: no limit
}

Reply<void> PostgresDatabase::begin_once(Access access) {
  // A writer sees what was committed before its turn: each statement has a snapshot of its own.
  std::string sql = "BEGIN ISOLATION LEVEL READ COMMITTED; ";
  if (access == Access::read) sql = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ";
  sql += hurry_of_transaction();
  if (access == Access::write) sql += cat(kTakeTurn.text(), "; ", facts().text());
  auto begun = link_.script(sql);
  if (!begun) {
    if (link_.up()) (void)link_.script("ROLLBACK");
    return tl::unexpected(begun.error());
  }
  if (access == Access::write) learn(begun->back());
  return {};
}

Result<> PostgresDatabase::begin(Access access) {
  CHECK(!transaction_);
  may_repeat_ = false;
  notes_.clear();
  waiting_.clear();
  forget_look();
  has_begun_ = access != Access::look_first;
  if (has_begun_)
    if (auto begun = patiently([&] { return begin_once(access); }); !begun) return failed(begun.error());
  transaction_ = access;
  return {};
}

void PostgresDatabase::forget_look() {
  foreseen_.clear();
  known_.clear();
}

void PostgresDatabase::foresee(Sql sql, std::span<const Param> params) {
  if (transaction_ != Access::look_first) return;
  if (auto question = bound(sql, params)) foreseen_.push_back(std::move(*question));
}

Reply<PostgresLink::ServerAnswers> PostgresDatabase::ask_in_look(const std::vector<Waiting>& questions) {
  if (has_begun_) {
    waiting_ = questions;
    return send_waiting();
  }
  return patiently([&]() -> Reply<PostgresLink::ServerAnswers> {
    waiting_ = {{kBeginLook, {}}};
    if (has_own_hurry()) {
      const auto longest = hurry_ ? std::max(*hurry_, Millis(1)) : Millis(0);  // 0: no limit
      waiting_.push_back({kHurryLook, {std::to_string(longest.count()), std::to_string(longest.count() * 2)}});
    }
    waiting_.push_back({clock_of_server(), {}});
    const auto before = static_cast<std::ptrdiff_t>(waiting_.size());
    waiting_.insert(waiting_.end(), questions.begin(), questions.end());
    auto answers = send_waiting();
    if (!answers) {
      if (link_.up()) (void)link_.script("ROLLBACK");
      return answers;
    }
    has_begun_ = true;
    time_->learn((*answers)[static_cast<std::size_t>(before) - 1].integer(0, 0));
    answers->erase(answers->begin(), answers->begin() + before);
    return answers;
  });
}

Reply<ServerAnswer> PostgresDatabase::look(Waiting question) {
  const auto is_it = [&](const Waiting& one) { return one.is(question); };
  const auto known = std::find_if(known_.begin(), known_.end(), [&](const auto& one) { return is_it(one.first); });
  if (known != known_.end()) {
    ServerAnswer answer = std::move(known->second);
    known_.erase(known);
    return answer;
  }
  std::vector<Waiting> questions = std::exchange(foreseen_, {});
  auto own = std::find_if(questions.begin(), questions.end(), is_it);
  if (own == questions.end()) own = questions.insert(own, std::move(question));
  const auto at = static_cast<std::size_t>(own - questions.begin());
  auto answers = ask_in_look(questions);
  if (!answers) return tl::unexpected(std::move(answers.error()));
  for (std::size_t i = 0; i < questions.size(); ++i)
    if (i != at) known_.emplace_back(std::move(questions[i]), std::move((*answers)[i]));
  return std::move((*answers)[at]);
}

Result<> PostgresDatabase::take_turn(const std::vector<Question>& first) {
  if (transaction_ != Access::look_first) {
    for (const auto& question : first) TRY_VOID(execute(question.sql, question.params, question.answer));
    return {};
  }
  if (!has_begun_)
    if (auto begun = ask_in_look({}); !begun) return failed(begun.error());
  forget_look();
  transaction_ = Access::write;
  waiting_ = {{kTakeTurn, {}}, {facts(), {}}};
  const auto before = waiting_.size();
  for (const auto& question : first) {
    TRY(statement, bound(question.sql, question.params));
    waiting_.push_back(std::move(statement));
  }
  auto answers = send_waiting();
  if (!answers) return failed(answers.error());
  learn((*answers)[1]);
  for (std::size_t i = 0; i < first.size(); ++i) TRY_VOID(tell((*answers)[before + i], first[i].answer));
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

void PostgresDatabase::add_notes_and_mark() {
  for (auto& note : notes_) waiting_.push_back({notification(), {std::move(note)}});
  notes_.clear();
  if (!leaves_mark_) return;
  waiting_.push_back({kMark, {number_, std::to_string(mark_)}});
  if (mark_ % 64 == 0)
    waiting_.push_back({kForgetMarks, {std::to_string(whole_number(number_).value_or(0) - kMarksKept)}});
}

Result<> PostgresDatabase::commit() {
  CHECK(transaction_);
  if (transaction_ != Access::write) {  // what was read was read
    forget_look();
    if (has_begun_) (void)link_.script("COMMIT");
    transaction_.reset();
    return {};
  }
  add_notes_and_mark();
  auto done = send_waiting(SentStatement{.sql = "COMMIT"});
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
              cat("the database at ", place(), " went away during the commit (", trouble.reason,
                  "); it is not known whether the change was stored"),
              "check before you repeat it; a send with a key can be repeated safely");
}

void PostgresDatabase::rollback() {
  if (transaction_ && has_begun_ && link_.up()) (void)link_.script("ROLLBACK");
  forget_look();
  transaction_.reset();
  notes_.clear();
  waiting_.clear();
}

// ---- statements ----------------------------------------------------------------------------------------------------

void PostgresDatabase::add_requests(Waiting waiting, std::vector<SentStatement>& to,
                                    std::vector<const char*>& prepared) {
  Statement& statement = statements_[waiting.sql.address()];
  // Most commands run a statement once, and preparing it would cost them time. The second time it pays.
  if (!std::exchange(statement.known, true)) {
    to.push_back({.sql = std::string(waiting.sql.text()), .values = std::move(waiting.values)});
    return;
  }
  if (statement.name.empty()) {
    statement.name = cat("s", ++names_);
    prepared.push_back(waiting.sql.address());
    to.push_back({.how = SentStatement::How::prepare, .name = statement.name, .sql = std::string(waiting.sql.text())});
  }
  to.push_back({.how = SentStatement::How::run_prepared, .name = statement.name, .values = std::move(waiting.values)});
}

Reply<PostgresLink::ServerAnswers> PostgresDatabase::send_waiting(const std::optional<SentStatement>& end) {
  std::vector<SentStatement> requests;
  std::vector<const char*> prepared;
  std::vector<std::size_t> wanted;
  for (auto& one : waiting_) {
    add_requests(std::move(one), requests, prepared);
    wanted.push_back(requests.size() - 1);
  }
  waiting_.clear();
  if (end) {
    requests.push_back(*end);
    wanted.push_back(requests.size() - 1);
  }
  auto reply = link_.together(requests);
  if (!reply) {
    for (const auto* address : prepared) statements_.erase(address);  // whether it was is not known
    return tl::unexpected(std::move(reply.error()));
  }
  PostgresLink::ServerAnswers out;
  for (const auto at : wanted) out.push_back(std::move((*reply)[at]));
  return out;
}

Result<PostgresDatabase::Waiting> PostgresDatabase::bound(Sql sql, std::span<const Param> params) {
  Waiting out{sql, {}};
  out.values.reserve(params.size());
  for (const auto& param : params) {
    const auto& value = param.value();
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
      out.values.emplace_back(std::to_string(*number));
    } else if (const auto* text = std::get_if<std::string_view>(&value)) {
      if (text->find('\0') != std::string_view::npos)
        return fail(Code::usage, "a text contains a NUL character", "leave it out");
      out.values.emplace_back(*text);
    } else {
      out.values.emplace_back(std::nullopt);
    }
  }
  return out;
}

Result<> PostgresDatabase::tell(const ServerAnswer& answer, const RowSink& sink) {
  for (int i = 0; sink && i < answer.rows(); ++i) {
    const PostgresRow row(answer, i);
    const auto next = sink(row);
    TRY_VOID(row.sound());
    if (next == Next::stop) break;
  }
  return {};
}

Result<std::int64_t> PostgresDatabase::execute(Sql sql, std::span<const Param> params, const RowSink& sink) {
  CHECK(transaction_ != Access::look_first || only_reads(sql));
  if (!transaction_) TRY_VOID(need_connection());
  TRY(statement, bound(sql, params));
  if (transaction_ == Access::look_first) {
    const bool begins = !has_begun_;
    auto answer = look(std::move(statement));
    if (!answer) {
      auto failure = failed(answer.error());
      if (begins && !has_begun_) may_repeat_ = false;  // it was tried again and again already
      return failure;
    }
    TRY_VOID(tell(*answer, sink));
    return 0;
  }
  auto ask = [&] {
    waiting_.push_back(statement);
    return send_waiting();
  };
  // A question outside of a transaction (which schema is this?) can be asked again when the server went away.
  const bool only_asks = !transaction_ && sink;
  auto answers = only_asks ? patiently(ask) : ask();
  if (!answers) return failed(answers.error());
  TRY_VOID(tell(answers->back(), sink));
  return answers->back().changed();
}

Result<> PostgresDatabase::execute_later(Sql sql, std::span<const Param> params) {
  CHECK(transaction_ != Access::look_first);
  if (!transaction_ || waiting_.size() >= kMostWaiting) {
    TRY_VOID(execute(sql, params, {}));
    return {};
  }
  TRY(statement, bound(sql, params));
  waiting_.push_back(std::move(statement));
  return {};
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
  if (!waiting_.empty())
    if (auto sent = send_waiting(); !sent) return failed(sent.error());
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
