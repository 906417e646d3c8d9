#pragma once
#include <postgresql/libpq-fe.h>

#include "base/result.h"

namespace townpost {

// What we use of libpq, by the names it has there.
#define TOWNPOST_LIBPQ_FUNCTIONS(each)                                                                                 \
  each(PQconninfoParse) each(PQconndefaults) each(PQconninfoFree) each(PQconnectdbParams) each(PQconnectStartParams)   \
      each(PQconnectPoll) each(PQfinish) each(PQstatus) each(PQsocket) each(PQerrorMessage) each(PQsetNoticeReceiver)  \
          each(PQsendQuery) each(PQsendQueryParams) each(PQsendPrepare) each(PQsendQueryPrepared) each(PQconsumeInput) \
              each(PQisBusy) each(PQgetResult) each(PQresultStatus) each(PQresultErrorField) each(PQclear)             \
                  each(PQntuples) each(PQgetvalue) each(PQgetlength) each(PQgetisnull) each(PQcmdTuples)               \
                      each(PQcmdStatus) each(PQnotifies) each(PQfreemem) each(PQenterPipelineMode)                     \
                          each(PQexitPipelineMode) each(PQpipelineSync)

/// The client library of PostgreSQL as a table of functions. Loaded when the first asks for it, because linked to the
/// program it would cost every start 3 ms; it then stays loaded.
struct Libpq {
  /// Error: unavailable, if the library is not installed.
  static Result<Libpq> load(const char* library = "libpq.so.5");

// NOLINTNEXTLINE(bugprone-macro-parentheses): `name` is declared here
#define TOWNPOST_DECLARE(name) decltype(&::name) name = nullptr;
  TOWNPOST_LIBPQ_FUNCTIONS(TOWNPOST_DECLARE)
#undef TOWNPOST_DECLARE
};

}  // namespace townpost
