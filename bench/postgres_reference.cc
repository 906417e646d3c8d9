#include "bench/postgres_reference.h"

#include "base/text.h"
#include "bench/command.h"

namespace townpost::bench {

HandConnection::HandConnection(const std::string& url) : connection_(PQconnectdb(url.c_str())) {
  if (PQstatus(connection_) != CONNECTION_OK) give_up(cat("reference: ", PQerrorMessage(connection_)));
}

HandConnection::~HandConnection() { PQfinish(connection_); }

void HandConnection::script(const std::string& sql) {
  PGresult* result = PQexec(connection_, sql.c_str());
  const auto status = PQresultStatus(result);
  PQclear(result);
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) give_up(cat("reference: ", PQerrorMessage(connection_)));
}

void HandConnection::prepare(const char* name, const char* sql) {
  PGresult* result = PQprepare(connection_, name, sql, 0, nullptr);
  const auto status = PQresultStatus(result);
  PQclear(result);
  if (status != PGRES_COMMAND_OK) give_up(cat("reference: ", PQerrorMessage(connection_)));
}

std::string HandConnection::run(const char* name, const std::vector<std::string>& values) {
  std::vector<const char*> texts;
  for (const auto& value : values) texts.push_back(value.c_str());
  PGresult* result =
      PQexecPrepared(connection_, name, static_cast<int>(texts.size()), texts.data(), nullptr, nullptr, 0);
  const auto status = PQresultStatus(result);
  std::string first;
  if (status == PGRES_TUPLES_OK && PQntuples(result) > 0) first = PQgetvalue(result, 0, 0);
  PQclear(result);
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) give_up(cat("reference: ", PQerrorMessage(connection_)));
  return first;
}

}  // namespace townpost::bench
