#include "store/sql_ledger.h"
#include "store/tables.h"

namespace townpost {

namespace {

using columns::list;
using columns::row_as;
using columns::text;

constexpr auto kRigs = text("SELECT ") + list<Rig, 'r'>() + " FROM rig r ORDER BY r.name";
constexpr auto kAddRig = columns::insert<Rig>();
constexpr Sql kRemoveRig = "DELETE FROM rig WHERE name = $1";

constexpr auto kAgents =
    text("SELECT ") + list<Agent, 'a'>() + " FROM agent a WHERE a.removed_at IS NULL ORDER BY a.address";
constexpr auto kAgentsWithProcess =
    text("SELECT ") + list<Agent, 'a'>() + " FROM agent a WHERE a.removed_at IS NULL AND a.pane_process <> ''";
constexpr auto kAgent = text("SELECT ") + list<Agent, 'a'>() + " FROM agent a WHERE a.id = $1";
constexpr auto kAgentByAddress = text("SELECT ") + list<Agent, 'a'>() + " FROM agent a WHERE a.address = $1";
constexpr auto kAgentByAlias =
    text("SELECT ") + list<Agent, 'a'>() + " FROM alias o JOIN agent a ON a.id = o.agent WHERE o.address = $1";
constexpr auto kAddAgent = columns::insert_numbered<Agent>();
constexpr auto kUpdateAgent = columns::update<Agent>();

constexpr Sql kUpdateShown = "UPDATE agent SET shown_hops = $2, shown_at = $3 WHERE id = $1";

constexpr Sql kAddAlias =
    "INSERT INTO alias (address, agent) VALUES ($1, $2) ON CONFLICT (address) DO UPDATE SET agent = excluded.agent";
constexpr Sql kRemoveAlias = "DELETE FROM alias WHERE address = $1";
constexpr Sql kAliases = "SELECT address FROM alias WHERE agent = $1 ORDER BY address";

// Merging: $1 = old mailbox, $2 = the one that goes on.
constexpr Sql kDropSharedCopies = R"sql(
  DELETE FROM delivery WHERE mailbox = $1
     AND message IN (SELECT message FROM delivery WHERE mailbox = $2))sql";
constexpr Sql kMoveCopies = "UPDATE delivery SET mailbox = $2 WHERE mailbox = $1";
constexpr Sql kMoveSent = "UPDATE message SET sender = $2 WHERE sender = $1";
constexpr Sql kMoveAliases = "UPDATE alias SET agent = $2 WHERE agent = $1";
constexpr Sql kMoveQuotes = "UPDATE message SET quotes = $2 WHERE quotes = $1";
constexpr Sql kMovePosts = "UPDATE channel_post SET sender = $2 WHERE sender = $1";
constexpr Sql kMovePruned = "UPDATE pruned_post SET sender = $2 WHERE sender = $1";
constexpr Sql kMoveClaims = "UPDATE queue_item SET holder = $2 WHERE holder = $1";
// Of what both follow or have read, the one that goes on keeps its own.
constexpr Sql kMoveSubscriptions = "UPDATE subscription SET agent = $2 WHERE agent = $1";
constexpr Sql kDropSharedCursors = R"sql(
  DELETE FROM channel_cursor WHERE reader = $1
     AND channel IN (SELECT channel FROM channel_cursor WHERE reader = $2))sql";
// What was withheld from one of the two was never shown to it, nor what was withheld of one of them to others: then the
// one that has come less far counts. Before the cursors are moved.
constexpr Sql kDropSharedAuthorCursors = R"sql(
  DELETE FROM channel_author_cursor WHERE reader = $1
     AND channel IN (SELECT channel FROM channel_cursor WHERE reader = $2))sql";
constexpr Sql kMoveAuthorCursors = "UPDATE channel_author_cursor SET reader = $2 WHERE reader = $1";
constexpr Sql kGoBackWithAuthor = R"sql(
  UPDATE channel_author_cursor AS own
     SET read = (SELECT MIN(x.read) FROM channel_author_cursor x
                  WHERE x.channel = own.channel AND x.reader = own.reader AND x.author IN ($1, $2)),
         announced = (SELECT MIN(x.announced) FROM channel_author_cursor x
                       WHERE x.channel = own.channel AND x.reader = own.reader AND x.author IN ($1, $2))
   WHERE author = $2)sql";
constexpr Sql kDropSharedAuthors = R"sql(
  DELETE FROM channel_author_cursor WHERE author = $1
     AND EXISTS (SELECT 1 FROM channel_author_cursor x WHERE x.channel = channel_author_cursor.channel
                    AND x.reader = channel_author_cursor.reader AND x.author = $2))sql";
constexpr Sql kMoveAuthors = "UPDATE channel_author_cursor SET author = $2 WHERE author = $1";
constexpr Sql kDropSharedRecalls = R"sql(
  DELETE FROM recalled_for WHERE reader = $1
     AND EXISTS (SELECT 1 FROM recalled_for x WHERE x.channel = recalled_for.channel
                    AND x.recalled_at = recalled_for.recalled_at AND x.reader = $2))sql";
constexpr Sql kMoveRecalls = "UPDATE recalled_for SET reader = $2 WHERE reader = $1";
constexpr Sql kMoveNudges = "UPDATE nudge SET target = $2 WHERE target = $1";
constexpr Sql kMoveSentNudges = "UPDATE nudge SET sender = $2 WHERE sender = $1";
constexpr Sql kDropSharedDebts = R"sql(
  DELETE FROM reply_owed WHERE debtor = $1
     AND message IN (SELECT message FROM reply_owed WHERE debtor = $2))sql";
constexpr Sql kMoveDebts = "UPDATE reply_owed SET debtor = $2 WHERE debtor = $1";
constexpr Sql kMoveCredits = "UPDATE reply_owed SET creditor = $2 WHERE creditor = $1";
constexpr Sql kDropSharedKeys = R"sql(
  DELETE FROM idempotency_key WHERE sender = $1
     AND key IN (SELECT key FROM idempotency_key WHERE sender = $2))sql";
constexpr Sql kMoveKeys = "UPDATE idempotency_key SET sender = $2 WHERE sender = $1";
// What the rules count, and what they have decided.
constexpr Sql kMoveEvents = "UPDATE event SET agent = $2 WHERE agent = $1";
constexpr Sql kMoveWakes = "UPDATE wake SET agent = $2 WHERE agent = $1";
constexpr Sql kMoveTokens = "UPDATE token SET agent = $2 WHERE agent = $1";
constexpr Sql kMoveGroups = "UPDATE mail_group SET creator = $2 WHERE creator = $1";
constexpr Sql kMoveChannels = "UPDATE channel SET creator = $2 WHERE creator = $1";
constexpr Sql kHoldAlike = R"sql(
  UPDATE agent SET held_since = (SELECT MIN(held_since) FROM agent WHERE id IN ($1, $2)),
                   shown_hops = (SELECT MAX(shown_hops) FROM agent WHERE id IN ($1, $2)),
                   shown_at = (SELECT MAX(shown_at) FROM agent WHERE id IN ($1, $2))
   WHERE id = $2)sql";
constexpr Sql kMoveCursors = "UPDATE channel_cursor SET reader = $2 WHERE reader = $1";

}  // namespace

Result<std::vector<Rig>> SqlLedger::rigs() { return all(kRigs, {}, row_as<Rig>); }

Result<> SqlLedger::add_rig(const Rig& r) { return run(kAddRig, columns::values(r)); }

Result<> SqlLedger::remove_rig(std::string_view name) { return run(kRemoveRig, {name}); }

Result<std::vector<Agent>> SqlLedger::agents() { return all(kAgents, {}, row_as<Agent>); }

Result<std::vector<Agent>> SqlLedger::agents_with_process() { return all(kAgentsWithProcess, {}, row_as<Agent>); }

Result<std::optional<Agent>> SqlLedger::agent(AgentId id) { return first(kAgent, {id.key}, row_as<Agent>); }

Result<std::optional<Agent>> SqlLedger::agent_at(std::string_view address) {
  return first(kAgentByAddress, {address}, row_as<Agent>);
}

void SqlLedger::foresee_caller(std::string_view address) { foresee(kAgentByAddress, {address}); }

Result<std::optional<Agent>> SqlLedger::find_agent(std::string_view address) {
  TRY(found, first(kAgentByAddress, {address}, row_as<Agent>));
  if (found && !found->removed_at) return found;
  // A name that moved on to another agent beats the agent that had it before and is gone.
  TRY(heir, first(kAgentByAlias, {address}, row_as<Agent>));
  return heir ? heir : found;
}

Result<AgentId> SqlLedger::add_agent(const Agent& a) {
  TRY(id, add_numbered(kAddAgent, a));
  added_somebody_ = true;
  return AgentId{id};
}

Result<> SqlLedger::update_agent(const Agent& a) { return run(kUpdateAgent, columns::changing(a)); }

Result<> SqlLedger::update_shown(const Agent& a) { return run(kUpdateShown, {a.id.key, a.shown_hops, a.shown_at}); }

Result<> SqlLedger::add_alias(std::string_view address, AgentId agent) { return run(kAddAlias, {address, agent.key}); }

Result<> SqlLedger::remove_alias(std::string_view address) { return run(kRemoveAlias, {address}); }

Result<std::vector<std::string>> SqlLedger::aliases(AgentId agent) {
  return all(kAliases, {agent.key}, [](const Row& row) { return row.string(0); });
}

Result<> SqlLedger::merge_mailboxes(AgentId from, AgentId to) {
  for (const auto sql :
       {kDropSharedCopies,  kMoveCopies,        kMoveSent,          kMoveQuotes,        kMovePosts,
        kMovePruned,        kMoveAliases,       kMoveClaims,        kMoveSubscriptions, kDropSharedAuthorCursors,
        kMoveAuthorCursors, kGoBackWithAuthor,  kDropSharedAuthors, kMoveAuthors,       kDropSharedRecalls,
        kMoveRecalls,       kDropSharedCursors, kMoveCursors,       kMoveNudges,        kMoveSentNudges,
        kDropSharedDebts,   kMoveDebts,         kMoveCredits,       kDropSharedKeys,    kMoveKeys,
        kMoveEvents,        kMoveWakes,         kMoveGroups,        kMoveChannels,      kMoveTokens,
        kHoldAlike})
    TRY_VOID(run(sql, {from.key, to.key}));
  TRY(decided, care(from));
  TRY(own, care(to));
  const Care both = stricter(own, decided);
  if (both != own) TRY_VOID(set_care(both));
  return withhold_items(to);
}

}  // namespace townpost
