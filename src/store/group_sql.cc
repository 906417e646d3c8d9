#include "store/sql_ledger.h"

namespace townpost {

namespace {

constexpr Sql kGroups = "SELECT name, creator, created_at FROM mail_group ORDER BY name";
constexpr Sql kGroup = "SELECT name, creator, created_at FROM mail_group WHERE name = $1";
constexpr Sql kNames = "SELECT name FROM mail_group ORDER BY name";
constexpr Sql kMembers = "SELECT member FROM group_member WHERE list = $1 ORDER BY member";
constexpr Sql kAddGroup = "INSERT INTO mail_group (name, creator, created_at) VALUES ($1, $2, $3)";
constexpr Sql kRemoveGroup = "DELETE FROM mail_group WHERE name = $1";
constexpr Sql kCountOf = "SELECT count(*) FROM mail_group WHERE creator = $1";
constexpr Sql kRemoveMembers = "DELETE FROM group_member WHERE list = $1";
constexpr Sql kAddMember =
    "INSERT INTO group_member (list, member) VALUES ($1, $2) ON CONFLICT (list, member) DO NOTHING";
// Whoever names the group already keeps that.
constexpr Sql kBindMembers =
    "INSERT INTO group_member (list, member) SELECT list, 'group:' || member FROM group_member WHERE member = $1"
    " ON CONFLICT (list, member) DO NOTHING";
constexpr Sql kDropBareMembers = "DELETE FROM group_member WHERE member = $1";
constexpr Sql kBindClaimers = "UPDATE queue SET claimers = 'group:' || claimers WHERE claimers = $1";
constexpr Sql kRemoveMember = "DELETE FROM group_member WHERE list = $1 AND member = $2";

Group group_row(const Row& row) { return {row.string(0), {row.integer(1)}, row.instant(2), {}}; }
std::string member_row(const Row& row) { return row.string(0); }

}  // namespace

Result<std::vector<Group>> SqlLedger::groups() {
  TRY(groups, all(kGroups, {}, group_row));
  for (auto& group : groups) {
    TRY(members, all(kMembers, {group.name}, member_row));
    group.members = std::move(members);
  }
  return groups;
}

Result<std::vector<std::string>> SqlLedger::group_names() { return all(kNames, {}, member_row); }

Result<std::optional<Group>> SqlLedger::find_group(std::string_view name) {
  TRY(group, first(kGroup, {name}, group_row));
  if (!group) return group;
  TRY(members, all(kMembers, {name}, member_row));
  group->members = std::move(members);
  return group;
}

Result<> SqlLedger::add_group(const Group& group) {
  TRY_VOID(run(kAddGroup, {group.name, group.creator.key, group.created_at}));
  for (const auto& member : group.members) TRY_VOID(add_member(group.name, member));
  return {};
}

Result<> SqlLedger::remove_group(std::string_view name) {
  TRY_VOID(run(kRemoveMembers, {name}));
  return run(kRemoveGroup, {name});
}

Result<> SqlLedger::bind_bare_name(std::string_view group) {
  for (const auto sql : {kBindMembers, kDropBareMembers, kBindClaimers}) TRY_VOID(run(sql, {group}));
  return {};
}

Result<std::int64_t> SqlLedger::count_groups_of(AgentId creator) {
  TRY(number, first(kCountOf, {creator.key}, [](const Row& row) { return row.integer(0); }));
  return number.value_or(0);
}

Result<bool> SqlLedger::add_member(std::string_view group, std::string_view member) {
  return changes(kAddMember, {group, member});
}

Result<bool> SqlLedger::remove_member(std::string_view group, std::string_view member) {
  return changes(kRemoveMember, {group, member});
}

}  // namespace townpost
