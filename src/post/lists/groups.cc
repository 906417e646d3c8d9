#include "post/lists/groups.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "post/people/doubts.h"
#include "post/people/list_names.h"
#include "post/people/registry.h"
#include "post/rules/posting.h"

namespace townpost {

namespace {

constexpr std::size_t kMostDoubts = 10;

Result<Group> existing(Ledger& ledger, std::string_view text) {
  TRY(found, ledger.find_group(list_name(ListKind::group, text)));
  if (const auto meant = name_in_bead(ListKind::group, text); !found && !meant.empty()) {
    TRY(by_id, ledger.find_group(meant));
    found = std::move(by_id);
  }
  if (!found) return no_such_list(ledger, ListKind::group, text);
  return *found;
}

Result<Group> changeable(Ledger& ledger, std::string_view text, const Caller& caller) {
  TRY(group, existing(ledger, text));
  if (caller.is_person()) return group;
  TRY(creator, ledger.agent(group.creator));
  if (creator && creator->address == caller.address) return group;
  return fail(Code::forbidden,
              cat("group ", group.name, " was made by ", creator ? creator->address.str() : "somebody else"),
              "only its maker and people may change it");
}

Result<GroupView> view_of(Ledger& ledger, std::string_view name) {
  TRY(group, existing(ledger, name));
  TRY(now, expand_group(ledger, group));
  GroupView out{std::move(group), std::move(now), {}};
  if (out.now.unmatched.empty()) return out;
  TRY(doubts, Doubts::of(ledger));
  for (const auto& member : out.now.unmatched) {
    if (out.doubts.size() == kMostDoubts) {
      out.doubts.push_back(cat(out.now.unmatched.size() - kMostDoubts, " more members match nobody now"));
      break;
    }
    out.doubts.push_back(doubts.about(member));
  }
  return out;
}

Result<> check_size(const GroupView& view) {
  if (view.group.members.size() > kMostMembers)
    return fail(Code::refused,
                cat("group ", view.group.name, " would have ", view.group.members.size(), " members; at most ",
                    kMostMembers, " are allowed"),
                "use a pattern such as @crew, or groups within it");
  if (view.now.too_large) return too_many_groups(view.group.name);
  return {};
}

}  // namespace

namespace {

/// Whoever waits for work may get it from now on, or no longer: queues that a group may claim from look again.
Result<> ring_queues_of_groups(Ledger& ledger) {
  TRY(queues, ledger.queues());
  for (const auto& queue : queues)
    if (queue.claimers.starts_with("group:") || queue.claimers.starts_with('@')) ledger.ring_queue(queue.id);
  return {};
}

bool names_group(std::string_view member, std::string_view name) {
  return member == name || member == cat("group:", name) || member == cat("@", name);
}

/// A group that a queue or another's group already relies on: whoever made it would let itself in.
Result<> check_not_relied_on(Ledger& ledger, std::string_view name, const Agent& creator) {
  const auto refuse = [&](std::string_view what) {
    return fail(Code::forbidden,
                cat(what, " relies on the group ", name, ", so only people and coordinators may say who is in it"),
                "choose another name, or ask the human");
  };
  TRY(queues, ledger.queues());
  for (const auto& queue : queues)
    if (names_group(queue.claimers, name)) return refuse(cat("queue ", queue.name));
  TRY(groups, ledger.groups());
  for (const auto& group : groups)
    if (group.creator != creator.id && std::any_of(group.members.begin(), group.members.end(),
                                                   [&](const auto& one) { return names_group(one, name); }))
      return refuse(cat("group ", group.name));
  return {};
}

}  // namespace

Result<std::vector<Group>> Groups::list() {
  return read_value(town_.store, [](Ledger& ledger) { return ledger.groups(); });
}

Result<GroupView> Groups::show(std::string_view name) {
  return read_value(town_.store, [&](Ledger& ledger) { return view_of(ledger, name); });
}

Result<GroupView> Groups::create(std::string_view name, const std::vector<std::string>& members, const Caller& caller) {
  std::optional<GroupView> out;
  TRY_VOID(write_with_duties(town_, [&](Ledger& ledger, Posting&) -> Result<> {
    const Instant now = town_.clock.now();
    TRY_VOID(check_new_list(ledger, ListKind::group, name));
    TRY(creator, ensure_agent(ledger, caller.address, now));
    if (!caller.is_person()) {
      TRY(made, ledger.count_groups_of(creator.id));
      TRY_VOID(check_number_of_lists(ListKind::group, made, creator));
    }
    if (!caller.coordinates()) TRY_VOID(check_not_relied_on(ledger, name, creator));
    Group group{.name = std::string(name), .creator = creator.id, .created_at = now, .members = {}};
    for (const auto& member : members) {
      TRY(spelling, member_spelling(ledger, member));
      group.members.push_back(spelling);
    }
    TRY_VOID(ledger.add_group(group));
    TRY_VOID(ledger.bind_bare_name(name));
    ledger.ring(BellKey::registry());
    TRY_VOID(ring_queues_of_groups(ledger));
    TRY(view, view_of(ledger, name));
    TRY_VOID(check_size(view));
    out = std::move(view);
    return {};
  }));
  return std::move(*out);
}

Result<GroupView> Groups::edit(std::string_view name, Edit edit, const std::vector<std::string>& members,
                               const Caller& caller) {
  std::optional<GroupView> out;
  TRY_VOID(write_with_duties(town_, [&](Ledger& ledger, Posting&) -> Result<> {
    TRY(group, changeable(ledger, name, caller));
    if (edit != Edit::remove && !caller.coordinates()) {
      TRY(self, ensure_agent(ledger, caller.address, town_.clock.now()));
      TRY_VOID(check_not_relied_on(ledger, group.name, self));
    }
    std::set<std::string> kept;
    for (const auto& member : members) {
      TRY(spelling, member_spelling(ledger, member));
      // A member that has another name by now is still the same.
      std::vector<std::string> same;
      for (const auto& known : group.members) {
        TRY(now, member_spelling(ledger, known));
        if (now == spelling || known == spelling || known == member) same.push_back(known);
      }
      if (edit != Edit::remove && same.empty()) TRY_VOID(ledger.add_member(group.name, spelling));
      kept.insert(same.begin(), same.end());
      if (edit == Edit::remove)
        for (const auto& known : same) TRY_VOID(ledger.remove_member(group.name, known));
    }
    if (edit == Edit::set)
      for (const auto& known : group.members)
        if (!kept.contains(known)) TRY_VOID(ledger.remove_member(group.name, known));
    ledger.ring(BellKey::registry());
    TRY_VOID(ring_queues_of_groups(ledger));
    TRY(view, view_of(ledger, group.name));
    if (edit != Edit::remove) TRY_VOID(check_size(view));
    out = std::move(view);
    return {};
  }));
  return std::move(*out);
}

Result<> Groups::remove(std::string_view name, const Caller& caller) {
  return write_with_duties(town_, [&](Ledger& ledger, Posting&) -> Result<> {
    TRY(group, changeable(ledger, name, caller));
    ledger.ring(BellKey::registry());
    TRY_VOID(ring_queues_of_groups(ledger));
    return ledger.remove_group(group.name);
  });
}

}  // namespace townpost
