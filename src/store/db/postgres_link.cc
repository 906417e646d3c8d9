#include "store/db/postgres_link.h"

#include <poll.h>

#include <cerrno>
#include <chrono>

#include "base/number.h"
#include "base/text.h"

namespace townpost {

namespace {

using Timer = std::chrono::steady_clock;

/// Sleeps until the socket is ready or the time is over; whether it is ready.
bool ready(int socket, short events, std::optional<Timer::time_point> until) {
  while (true) {
    int left = -1;
    if (until) {
      const auto rest = std::chrono::ceil<Millis>(*until - Timer::now());
      left = static_cast<int>(std::max<std::int64_t>(rest.count(), 0));
    }
    pollfd descriptor{.fd = socket, .events = events, .revents = 0};
    const int found = ::poll(&descriptor, 1, left);
    if (found > 0) return true;
    if (found == 0) return false;
    if (errno != EINTR) return true;  // libpq will find out what is wrong
  }
}

struct KeywordsAndValues {
  explicit KeywordsAndValues(const PostgresAddress::Parameters& parameters) {
    for (const auto& [keyword, value] : parameters) {
      keywords.push_back(keyword.c_str());
      values.push_back(value.c_str());
    }
    keywords.push_back(nullptr);
    values.push_back(nullptr);
  }
  std::vector<const char*> keywords;
  std::vector<const char*> values;
};

}  // namespace

std::int64_t ServerAnswer::integer(int row, int column) const {
  const auto digits = text(row, column);
  if (digits == "t") return 1;
  return whole_number(digits).value_or(0);
}

std::int64_t ServerAnswer::changed() const {
  if (tag().starts_with("SELECT")) return 0;
  const std::string_view digits = pq_->PQcmdTuples(result_.get());
  return whole_number(digits).value_or(0);
}

void PostgresLink::close() {
  if (connection_) pq_.PQfinish(connection_);
  connection_ = nullptr;
  channel_.clear();
  heard_ = {};
}

Reply<void> PostgresLink::connect(std::optional<Millis> limit) {
  close();
  if (!limit) {  // libpq goes through the hosts by itself, each with the connect_timeout of the address
    const auto parameters = address_.parameters();
    const KeywordsAndValues all(parameters);
    connection_ = pq_.PQconnectdbParams(all.keywords.data(), all.values.data(), 1);
    return settle();
  }
  if (address_.hosts() == 1) return connect_within(address_.parameters(), *limit);
  // Each host gets its share of what is left, so that one that is dead does not use up the time of the others.
  const auto until = Timer::now() + *limit;
  Reply<void> done;
  for (std::size_t host = 0; host < address_.hosts(); ++host) {
    const auto left = std::chrono::duration_cast<Millis>(until - Timer::now());
    done = connect_within(address_.parameters(host), left / static_cast<int>(address_.hosts() - host));
    if (done || !passes(done.error())) return done;
  }
  return done;
}

Reply<void> PostgresLink::connect_within(const PostgresAddress::Parameters& parameters, Millis limit) {
  const auto until = Timer::now() + limit;
  const KeywordsAndValues all(parameters);
  connection_ = pq_.PQconnectStartParams(all.keywords.data(), all.values.data(), 1);
  auto next = PGRES_POLLING_WRITING;
  while (connection_ && pq_.PQstatus(connection_) != CONNECTION_BAD && next != PGRES_POLLING_OK &&
         next != PGRES_POLLING_FAILED) {
    if (!ready(pq_.PQsocket(connection_), next == PGRES_POLLING_READING ? POLLIN : POLLOUT, until)) {
      close();
      return tl::unexpected(Trouble{"", cat("no connection within ", limit.count(), " ms"), true, true, true});
    }
    next = pq_.PQconnectPoll(connection_);
  }
  return settle();
}

Reply<void> PostgresLink::settle() {
  if (!connection_) return tl::unexpected(no_connection("out of memory"));
  if (pq_.PQstatus(connection_) != CONNECTION_OK) {
    auto trouble = no_connection(pq_.PQerrorMessage(connection_));
    close();
    return tl::unexpected(std::move(trouble));
  }
  pq_.PQsetNoticeReceiver(
      connection_, [](void*, const PGresult*) {}, nullptr);  // not onto the terminal
  return {};
}

Trouble PostgresLink::trouble_of(const PGresult* result) const {
  auto field = [&](int code) {
    const char* const text = pq_.PQresultErrorField(result, code);
    return std::string(text ? text : "");
  };
  Trouble trouble{field(PG_DIAG_SQLSTATE), field(PG_DIAG_MESSAGE_PRIMARY), false, false, false};
  const auto severity = field(PG_DIAG_SEVERITY_NONLOCALIZED);
  trouble.lost = severity == "FATAL" || severity == "PANIC";
  if (trouble.reason.empty()) trouble.reason = lost_connection(pq_.PQerrorMessage(connection_)).reason;
  trouble.reason = for_terminal_line(trouble.reason);
  return trouble;
}

PostgresLink::Limit PostgresLink::limit() const { return longest_ ? Limit(Timer::now() + *longest_) : std::nullopt; }

Reply<PGresult*> PostgresLink::next_result(const Limit& until) {
  while (pq_.PQisBusy(connection_)) {
    if (!ready(pq_.PQsocket(connection_), POLLIN, until)) {
      close();
      return tl::unexpected(Trouble{"", cat("no answer within ", longest_->count(), " ms"), true, true, false});
    }
    if (!pq_.PQconsumeInput(connection_)) break;  // PQgetResult says why
  }
  return pq_.PQgetResult(connection_);
}

Reply<PostgresLink::ServerAnswers> PostgresLink::answers(int sent, UpTo up_to) {
  const auto until = limit();
  ServerAnswers out;
  std::optional<Trouble> trouble;
  if (!sent) trouble = lost_connection(pq_.PQerrorMessage(connection_));
  while (sent) {
    auto result = next_result(until);
    if (!result) return tl::unexpected(std::move(result.error()));
    if (!*result) {  // of several, each ends with nothing
      if (up_to == UpTo::the_end || pq_.PQstatus(connection_) != CONNECTION_OK) break;
      continue;
    }
    ServerAnswer answer(pq_, *result);
    const auto status = pq_.PQresultStatus(*result);
    if (status == PGRES_PIPELINE_SYNC) break;
    if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_EMPTY_QUERY)
      out.push_back(std::move(answer));
    else if (!trouble)
      trouble = trouble_of(*result);
  }
  if (pq_.PQstatus(connection_) != CONNECTION_OK) {
    if (!trouble) trouble = lost_connection(pq_.PQerrorMessage(connection_));
    trouble->lost = true;
  }
  if (!trouble) return out;
  if (trouble->lost) close();
  return tl::unexpected(std::move(*trouble));
}

Reply<PostgresLink::ServerAnswers> PostgresLink::script(const std::string& sql) {
  if (!connection_) return tl::unexpected(lost_connection("the connection was lost"));
  return answers(pq_.PQsendQuery(connection_, sql.c_str()), UpTo::the_end);
}

bool PostgresLink::send(const SentStatement& request) {
  if (request.how == SentStatement::How::prepare)
    return pq_.PQsendPrepare(connection_, request.name.c_str(), request.sql.c_str(), 0, nullptr) != 0;
  std::vector<const char*> values;
  values.reserve(request.values.size());
  for (const auto& value : request.values) values.push_back(value ? value->c_str() : nullptr);
  const int count = static_cast<int>(values.size());
  if (request.how == SentStatement::How::run_prepared)
    return pq_.PQsendQueryPrepared(connection_, request.name.c_str(), count, values.data(), nullptr, nullptr, 0) != 0;
  return pq_.PQsendQueryParams(connection_, request.sql.c_str(), count, nullptr, values.data(), nullptr, nullptr, 0) !=
         0;
}

Reply<PostgresLink::ServerAnswers> PostgresLink::together(std::span<const SentStatement> requests) {
  if (!connection_) return tl::unexpected(lost_connection("the connection was lost"));
  if (requests.size() == 1) return answers(send(requests.front()), UpTo::the_end);
  bool sent = pq_.PQenterPipelineMode(connection_) != 0;
  for (const auto& request : requests) sent = sent && send(request);
  auto reply = answers(sent && pq_.PQpipelineSync(connection_), UpTo::a_mark);
  if (connection_ && !pq_.PQexitPipelineMode(connection_)) close();  // half of it was sent: nobody knows what is done
  return reply;
}

Reply<void> PostgresLink::listen(Bells bells) {
  if (bells.all) bells.names.clear();  // nothing is told twice
  if (bells == heard_) return {};
  if (channel_.empty()) {  // LISTEN takes a name, not an expression
    auto channel = script(cat("SELECT ", kChannel));
    if (!channel) return tl::unexpected(std::move(channel.error()));
    channel_ = channel->back().text(0, 0);
  }
  std::string commands;
  const auto add = [&](std::string_view command, const std::string& name) {
    commands += cat(command, " \"", channel_, name.empty() ? "" : "_", name, "\"; ");
  };
  if (bells.all && !heard_.all) add("LISTEN", "");
  for (const auto& name : bells.names)
    if (!heard_.names.contains(name)) add("LISTEN", name);
  if (heard_.all && !bells.all) add("UNLISTEN", "");
  for (const auto& name : heard_.names)
    if (!bells.names.contains(name)) add("UNLISTEN", name);
  if (auto done = script(commands); !done) return tl::unexpected(done.error());
  heard_ = std::move(bells);
  return {};
}

std::vector<std::string> PostgresLink::notifications() {
  std::vector<std::string> out;
  if (!connection_) return out;
  const bool alive = pq_.PQconsumeInput(connection_) != 0;
  while (PGnotify* const told = pq_.PQnotifies(connection_)) {
    out.emplace_back(told->extra);
    pq_.PQfreemem(told);
  }
  if (!alive) close();
  return out;
}

}  // namespace townpost
