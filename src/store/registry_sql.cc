#include "store/rows.h"
#include "store/sql_ledger.h"

namespace townpost {

namespace {

constexpr std::string_view kRigs = "SELECT name, prefix, path, target, test_command, created_at FROM rig ORDER BY name";
constexpr std::string_view kAddRig =
    "INSERT INTO rig (name, prefix, path, target, test_command, created_at) VALUES ($1, $2, $3, $4, $5, $6)";
constexpr std::string_view kRemoveRig = "DELETE FROM rig WHERE name = $1";

constexpr std::string_view kAgents =
    "SELECT " AGENT_COLUMNS " FROM agent a WHERE a.removed_at IS NULL ORDER BY a.address";
constexpr std::string_view kAgentsWithProcess =
    "SELECT " AGENT_COLUMNS " FROM agent a WHERE a.removed_at IS NULL AND a.pane_process <> ''";
constexpr std::string_view kAgent = "SELECT " AGENT_COLUMNS " FROM agent a WHERE a.id = $1";
constexpr std::string_view kAgentByAddress = "SELECT " AGENT_COLUMNS " FROM agent a WHERE a.address = $1";
constexpr std::string_view kAgentByAlias =
    "SELECT " AGENT_COLUMNS " FROM alias o JOIN agent a ON a.id = o.agent WHERE o.address = $1";
constexpr std::string_view kAddAgent = R"sql(
  INSERT INTO agent (id, address, session, description, start_command, resume_command, start_on, created_at, removed_at,
                     held_since, shown_hops, shown_at, harness, pane_process)
  VALUES ((SELECT COALESCE(MAX(id), 0) + 1 FROM agent), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
  RETURNING id)sql";
constexpr std::string_view kUpdateAgent = R"sql(
  UPDATE agent SET address = $2, session = $3, description = $4, start_command = $5, resume_command = $6, start_on = $7,
                   created_at = $8, removed_at = $9, held_since = $10, shown_hops = $11, shown_at = $12,
                   harness = $13, pane_process = $14
   WHERE id = $1)sql";

constexpr std::string_view kUpdateShown = "UPDATE agent SET shown_hops = $2, shown_at = $3 WHERE id = $1";

constexpr std::string_view kAddAlias =
    "INSERT INTO alias (address, agent) VALUES ($1, $2) ON CONFLICT (address) DO UPDATE SET agent = excluded.agent";
constexpr std::string_view kRemoveAlias = "DELETE FROM alias WHERE address = $1";
constexpr std::string_view kAliases = "SELECT address FROM alias WHERE agent = $1 ORDER BY address";

// Merging: $1 = old mailbox, $2 = the one that goes on.
constexpr std::string_view kDropSharedCopies = R"sql(
  DELETE FROM delivery WHERE mailbox = $1
     AND message IN (SELECT message FROM delivery WHERE mailbox = $2))sql";
constexpr std::string_view kMoveCopies = "UPDATE delivery SET mailbox = $2 WHERE mailbox = $1";
constexpr std::string_view kMoveSent = "UPDATE message SET sender = $2 WHERE sender = $1";
constexpr std::string_view kMoveAliases = "UPDATE alias SET agent = $2 WHERE agent = $1";
constexpr std::string_view kMovePosts = "UPDATE channel_post SET sender = $2 WHERE sender = $1";
constexpr std::string_view kMoveClaims = "UPDATE queue_item SET holder = $2 WHERE holder = $1";
// Of what both follow or have read, the one that goes on keeps its own.
constexpr std::string_view kMoveSubscriptions = "UPDATE subscription SET agent = $2 WHERE agent = $1";
constexpr std::string_view kDropSharedCursors = R"sql(
  DELETE FROM channel_cursor WHERE reader = $1
     AND channel IN (SELECT channel FROM channel_cursor WHERE reader = $2))sql";
constexpr std::string_view kMoveNudges = "UPDATE nudge SET target = $2 WHERE target = $1";
constexpr std::string_view kMoveSentNudges = "UPDATE nudge SET sender = $2 WHERE sender = $1";
constexpr std::string_view kDropSharedDebts = R"sql(
  DELETE FROM reply_owed WHERE debtor = $1
     AND message IN (SELECT message FROM reply_owed WHERE debtor = $2))sql";
constexpr std::string_view kMoveDebts = "UPDATE reply_owed SET debtor = $2 WHERE debtor = $1";
constexpr std::string_view kMoveCredits = "UPDATE reply_owed SET creditor = $2 WHERE creditor = $1";
constexpr std::string_view kDropSharedKeys = R"sql(
  DELETE FROM idempotency_key WHERE sender = $1
     AND key IN (SELECT key FROM idempotency_key WHERE sender = $2))sql";
constexpr std::string_view kMoveKeys = "UPDATE idempotency_key SET sender = $2 WHERE sender = $1";
// What the rules count, and what they have decided.
constexpr std::string_view kMoveEvents = "UPDATE event SET agent = $2 WHERE agent = $1";
constexpr std::string_view kMoveWakes = "UPDATE wake SET agent = $2 WHERE agent = $1";
constexpr std::string_view kMoveGroups = "UPDATE mail_group SET creator = $2 WHERE creator = $1";
constexpr std::string_view kMoveChannels = "UPDATE channel SET creator = $2 WHERE creator = $1";
constexpr std::string_view kHoldAlike = R"sql(
  UPDATE agent SET held_since = (SELECT MIN(held_since) FROM agent WHERE id IN ($1, $2)),
                   shown_hops = (SELECT MAX(shown_hops) FROM agent WHERE id IN ($1, $2)),
                   shown_at = (SELECT MAX(shown_at) FROM agent WHERE id IN ($1, $2))
   WHERE id = $2)sql";
constexpr std::string_view kMoveCursors = "UPDATE channel_cursor SET reader = $2 WHERE reader = $1";

Rig rig(const Row& row) {
  return {row.string(0), row.string(1), row.string(2), row.string(3), row.string(4), row.instant(5)};
}

}  // namespace

Result<std::vector<Rig>> SqlLedger::rigs() { return all(kRigs, {}, rig); }

Result<> SqlLedger::add_rig(const Rig& r) {
  return run(kAddRig, {r.name, r.prefix, r.path, r.target, r.test_command, r.created_at});
}

Result<> SqlLedger::remove_rig(std::string_view name) { return run(kRemoveRig, {name}); }

Result<std::vector<Agent>> SqlLedger::agents() { return all(kAgents, {}, rows::agent); }

Result<std::vector<Agent>> SqlLedger::agents_with_process() { return all(kAgentsWithProcess, {}, rows::agent); }

Result<std::optional<Agent>> SqlLedger::agent(AgentId id) { return first(kAgent, {id.key}, rows::agent); }

Result<std::optional<Agent>> SqlLedger::agent_at(std::string_view address) {
  return first(kAgentByAddress, {address}, rows::agent);
}

Result<std::optional<Agent>> SqlLedger::find_agent(std::string_view address) {
  TRY(found, first(kAgentByAddress, {address}, rows::agent));
  if (found && !found->removed_at) return found;
  // A name that moved on to another agent beats the agent that had it before and is gone.
  TRY(heir, first(kAgentByAlias, {address}, rows::agent));
  return heir ? heir : found;
}

Result<AgentId> SqlLedger::add_agent(const Agent& a) {
  TRY(id,
      first(kAddAgent,
            {a.address.str(), a.session, a.description, a.start_command, a.resume_command, static_cast<int>(a.start_on),
             a.created_at, a.removed_at, a.held_since, a.shown_hops, a.shown_at, a.harness, a.pane_process},
            [](const Row& row) { return row.integer(0); }));
  added_somebody_ = true;
  return AgentId{id.value_or(0)};
}

Result<> SqlLedger::update_agent(const Agent& a) {
  return run(kUpdateAgent, {a.id.key, a.address.str(), a.session, a.description, a.start_command, a.resume_command,
                            static_cast<int>(a.start_on), a.created_at, a.removed_at, a.held_since, a.shown_hops,
                            a.shown_at, a.harness, a.pane_process});
}

Result<> SqlLedger::update_shown(const Agent& a) {
  if (access_ != Access::share) return run(kUpdateShown, {a.id.key, a.shown_hops, a.shown_at});
  late_shown_.push_back(a);
  return {};
}

Result<> SqlLedger::add_alias(std::string_view address, AgentId agent) { return run(kAddAlias, {address, agent.key}); }

Result<> SqlLedger::remove_alias(std::string_view address) { return run(kRemoveAlias, {address}); }

Result<std::vector<std::string>> SqlLedger::aliases(AgentId agent) {
  return all(kAliases, {agent.key}, [](const Row& row) { return row.string(0); });
}

Result<> SqlLedger::merge_mailboxes(AgentId from, AgentId to) {
  for (const auto sql :
       {kDropSharedCopies,  kMoveCopies,        kMoveSent,       kMovePosts,  kMoveAliases,    kMoveClaims,
        kMoveSubscriptions, kDropSharedCursors, kMoveCursors,    kMoveNudges, kMoveSentNudges, kDropSharedDebts,
        kMoveDebts,         kMoveCredits,       kDropSharedKeys, kMoveKeys,   kMoveEvents,     kMoveWakes,
        kMoveGroups,        kMoveChannels,      kHoldAlike})
    TRY_VOID(run(sql, {from.key, to.key}));
  TRY(decided, care(from));
  TRY(own, care(to));
  const Care both = stricter(own, decided);
  return both == own ? Result<>() : set_care(both);
}

}  // namespace townpost
