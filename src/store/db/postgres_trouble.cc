#include "store/db/postgres_trouble.h"

#include <algorithm>
#include <span>

#include "base/text.h"

namespace townpost {

namespace {

bool mentions(std::string_view text, std::span<const std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

// libpq does not say with which SQLSTATE a connection was refused, so these are known by their words.
constexpr std::string_view kComesBack[] = {
    "starting up",           "shutting down", "recovery mode",        "not yet accepting", "too many clients",
    "connection slots",      "hot standby",   "session is read-only", "refused",           "No such file",
    "closed the connection", "timeout",       "unreachable",          "reset by peer",     "Temporary failure"};
constexpr std::string_view kBadName[] = {"Name or service not known", "No address associated"};
constexpr std::string_view kNotLetIn[] = {"authentication failed",
                                          "no password supplied",
                                          "no pg_hba.conf entry",
                                          "pg_hba.conf rejects",
                                          "role \"",
                                          "not permitted to log in",
                                          "permission denied for database",
                                          "authentication method"};
constexpr std::string_view kTls[] = {"SSL", "certificate", "GSSAPI", "sslmode"};

/// libpq's text as one line: a line a host becomes a part.
std::string told_by(std::string_view text) {
  std::string out;
  for (const auto line : split(text, '\n'))
    if (const auto part = trim(line); !part.empty()) out += cat(out.empty() ? "" : "; ", part);
  return shorten(for_terminal_line(out), 400);
}

bool no_such_database(const Trouble& trouble) {
  if (!trouble.unmet) return trouble.state == "3D000";
  const auto at = trouble.reason.find("database \"");
  return at != std::string::npos && trouble.reason.find("does not exist", at) != std::string::npos;
}

}  // namespace

Trouble lost_connection(std::string_view message) { return {.state = "", .reason = told_by(message), .lost = true}; }

Trouble no_connection(std::string_view message) {
  return {.state = "", .reason = told_by(message), .lost = true, .late = false, .unmet = true};
}

bool passes(const Trouble& trouble) {
  if (!trouble.state.empty())
    return trouble.lost || trouble.state.starts_with("08") || trouble.state.starts_with("57P") ||
           trouble.state == "53300" || trouble.state == "25006";
  if (!trouble.unmet || trouble.late) return trouble.lost;
  if (mentions(trouble.reason, kComesBack)) return true;
  return !mentions(trouble.reason, kBadName) && !mentions(trouble.reason, kNotLetIn) &&
         !mentions(trouble.reason, kTls) && !no_such_database(trouble);
}

bool was_in_the_way(const Trouble& trouble) {
  return trouble.state == "40001" || trouble.state == "40P01" || trouble.state == "55P03";
}

Error explain(const Trouble& trouble, const PostgresAddress& address) {
  const std::string database = cat("the database at ", address.place());
  const auto& state = trouble.state;
  auto unavailable = [](std::string message, NextStep hint) -> Error {
    return fail(Code::unavailable, std::move(message), std::move(hint)).value();
  };
  if (passes(trouble) && state != "25006" && state != "53300")
    return unavailable(cat(database, " does not answer: ", trouble.reason),
                       cat("nothing was changed; is PostgreSQL running and reachable? try: ", address.psql()));
  if (state == "53300")
    return unavailable(cat(database, " has no connection left: ", trouble.reason),
                       "nothing was changed; try again, or raise max_connections");
  if (no_such_database(trouble))
    return unavailable(cat(database, " does not exist"), "make it with createdb, or correct the address in GT_STORE");
  if (state.starts_with("28") || (trouble.unmet && mentions(trouble.reason, kNotLetIn)))
    return unavailable(cat(database, " does not let us in: ", trouble.reason),
                       cat("check user and password (PGPASSWORD or ~/.pgpass) and pg_hba.conf; try: ", address.psql()));
  if (trouble.unmet && mentions(trouble.reason, kTls))
    return unavailable(cat("no safe connection to ", database, ": ", trouble.reason),
                       "check sslmode and sslrootcert in the address, and the server's certificate");
  if (trouble.lost)
    return unavailable(cat(database, " cannot be reached: ", trouble.reason),
                       "check the address in GT_STORE or in town.toml");
  if (was_in_the_way(trouble) || state == "57014")
    return unavailable(cat(database, " is in use and stayed so"),
                       "nothing was changed; try again; if it stays in use, look into pg_stat_activity");
  if (state == "25006")
    return unavailable(cat(database, " is read-only: ", trouble.reason),
                       "name every host in the address and add target_session_attrs=read-write, so that the one that "
                       "takes writes is found");
  if (state == "53100")
    return unavailable(cat("the disk of ", database, " is full; nothing was changed"), "free some space and try again");
  if (state == "42P01")
    return unavailable(cat(database, " holds no town: ", trouble.reason), "run " + next("store.migrate"));
  if (state == "42501")
    return unavailable(cat("no permission in ", database, ": ", trouble.reason),
                       "the user of the address must own the town's tables and be allowed to create some");
  if (state == "42883" || state == "0A000" || state == "42704")
    return unavailable(cat(database, " lacks something that Townpost needs: ", trouble.reason),
                       "use PostgreSQL 14 or newer");
  if (state == "22021" || state == "22P05")
    return {Code::usage, cat("a text is not valid UTF-8: ", trouble.reason), "send UTF-8 only", std::nullopt};
  if (state == "25P02") return unavailable("an earlier step failed, so nothing was changed", "try again");
  return unavailable(cat("the store failed: ", trouble.reason, " (", state, ", ", database, ")"),
                     "look into the server's log, then try again");
}

}  // namespace townpost
