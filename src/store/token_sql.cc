#include "store/sql_ledger.h"
#include "store/tables.h"

namespace townpost {

namespace {

using columns::list;
using columns::row_as;
using columns::text;

constexpr auto kSelect = text("SELECT ") + list<Token, 't'>() + " FROM token t";
constexpr auto kTokens = kSelect + " WHERE t.kind <> 2 ORDER BY t.created_at, t.id";
constexpr auto kTokensOf = kSelect + " WHERE t.agent = $1 ORDER BY t.created_at, t.id";
constexpr auto kFind = kSelect + " WHERE t.id = $1";
constexpr auto kAdd = columns::insert<Token>();
constexpr auto kUpdate = columns::update<Token>();
constexpr Sql kRemove = "DELETE FROM token WHERE id = $1";
constexpr Sql kNoteUse =
    "UPDATE token SET last_used_at = $2 WHERE id = $1 AND (last_used_at IS NULL OR last_used_at <= $3)";
constexpr Sql kForget =
    "DELETE FROM token WHERE (kind = 2 AND expires_at <= $1) OR expires_at <= $2 OR revoked_at <= $2";
static_assert(static_cast<int>(TokenKind::code) == 2);

}  // namespace

Result<std::vector<Token>> SqlLedger::tokens() { return all(kTokens, {}, row_as<Token>); }

Result<std::vector<Token>> SqlLedger::tokens_of(AgentId agent) { return all(kTokensOf, {agent.key}, row_as<Token>); }

Result<std::optional<Token>> SqlLedger::find_token(std::string_view id) { return first(kFind, {id}, row_as<Token>); }

Result<> SqlLedger::add_token(const Token& t) { return run(kAdd, columns::values(t)); }

Result<> SqlLedger::update_token(const Token& t) { return run(kUpdate, columns::changing(t)); }

Result<bool> SqlLedger::remove_token(std::string_view id) { return changes(kRemove, {id}); }

Result<> SqlLedger::note_token_use(std::string_view id, Instant now, Instant since) {
  return run(kNoteUse, {id, now, since});
}

Result<> SqlLedger::forget_tokens(Instant now, Instant before) { return run(kForget, {now, before}); }

}  // namespace townpost
