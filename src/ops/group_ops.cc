#include "base/text.h"
#include "ops/shapes.h"
#include "ops/table.h"
#include "ops/views.h"
#include "post/lists/groups.h"

namespace townpost::ops {

namespace {

Answer answer_of(const GroupView& view, const Town& town) {
  return Answer{.json = views::group(view, town.settings), .warnings = view.doubts};
}

Result<Answer> edit(Call& call, Groups::Edit edit) {
  TRY(town, call.town());
  TRY(caller, call.caller());
  TRY(view, Groups(*town).edit(call.args.text("name"), edit, call.args.list("member"), caller));
  return answer_of(view, *town);
}

}  // namespace

const Op& group_list() {
  static const Op op{
      .name = "group.list",
      .summary = "List the groups and their members",
      .args = {},
      .authority = by_anyone(),
      .where = Where::anywhere,
      .effect = Effect::reads,
      .result = [] { return shape::list_of(shapes::group()); },
      .columns = {"name", {"members", Column::As::address}},
      .list = {.none = "no groups yet: " + next("group.create", {{"name", "NAME"}, {"member", "MEMBER…"}}),
               .next = next("group.show", {{"name", "NAME"}})},
      .examples = {{"gt group list", ""}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(town, call.town());
        TRY(groups, Groups(*town).list());
        JsonArray out;
        for (const auto& group : groups) out.push_back(views::group(group, town->settings));
        return Answer{.json = std::move(out)};
      }};
  return op;
}

const Op& group_show() {
  static const Op op{.name = "group.show",
                     .summary = "Show a group, its members, and the agents they match now",
                     .args = {one("name", "NAME", "The group", ArgKind::list_name)},
                     .authority = by_anyone(),
                     .where = Where::anywhere,
                     .effect = Effect::reads,
                     .result = [] { return shapes::group(); },
                     .examples = {{"gt group show backend", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(town, call.town());
                       TRY(view, Groups(*town).show(call.args.text("name")));
                       return Answer{.json = views::group(view, town->settings)};
                     }};
  return op;
}

const Op& group_create() {
  static const Op op{
      .name = "group.create",
      .summary = "Create a group: one name for many; members are looked up at every send",
      .args = {one("name", "NAME", "1 to 64 of a-z 0-9 _ -", ArgKind::list_name),
               maybe_many("member", "MEMBER", "Addresses, wildcards, @patterns, other groups", ArgKind::address)},
      .authority = not_in_quarantine(by_anyone()),
      .where = Where::anywhere,
      .effect = Effect::changes,
      .result = [] { return shapes::group(); },
      .examples = {{"gt group create backend greenplace/crew/max \"greenplace/polecats/*\"", ""},
                   {"gt mail send @backend -s Standup -m \"ten o'clock\"", "one copy each, none for yourself"}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(town, call.town());
        TRY(caller, call.caller());
        TRY(view, Groups(*town).create(call.args.text("name"), call.args.list("member"), caller));
        return answer_of(view, *town);
      }};
  return op;
}

const Op& group_add() {
  static const Op op{.name = "group.add",
                     .summary = "Add members to a group",
                     .args = {one("name", "NAME", "The group", ArgKind::list_name),
                              many("member", "MEMBER", "Members to add", ArgKind::address)},
                     .authority = not_in_quarantine(by_creator()),
                     .where = Where::anywhere,
                     .effect = Effect::idempotent,
                     .result = [] { return shapes::group(); },
                     .examples = {{"gt group add backend greenplace/crew/ada", ""}},
                     .run = [](Call& call) { return edit(call, Groups::Edit::add); }};
  return op;
}

const Op& group_remove() {
  static const Op op{.name = "group.remove",
                     .summary = "Remove members from a group (non-members are ignored)",
                     .args = {one("name", "NAME", "The group", ArgKind::list_name),
                              many("member", "MEMBER", "Members to remove", ArgKind::address)},
                     .authority = not_in_quarantine(by_creator()),
                     .where = Where::anywhere,
                     .effect = Effect::idempotent,
                     .result = [] { return shapes::group(); },
                     .examples = {{"gt group remove backend greenplace/crew/ada", ""}},
                     .run = [](Call& call) { return edit(call, Groups::Edit::remove); }};
  return op;
}

const Op& group_set() {
  static const Op op{.name = "group.set",
                     .summary = "Replace the members of a group",
                     .args = {one("name", "NAME", "The group", ArgKind::list_name),
                              many("member", "MEMBER", "Its members from now on", ArgKind::address)},
                     .authority = not_in_quarantine(by_creator()),
                     .where = Where::anywhere,
                     .effect = Effect::idempotent,
                     .result = [] { return shapes::group(); },
                     .examples = {{"gt group set backend greenplace/crew/ada greenplace/crew/max", ""}},
                     .run = [](Call& call) { return edit(call, Groups::Edit::set); }};
  return op;
}

const Op& group_delete() {
  static const Op op{.name = "group.delete",
                     .summary = "Delete a group; mail already sent to it stays",
                     .args = {one("name", "NAME", "The group", ArgKind::list_name)},
                     .authority = not_in_quarantine(by_creator()),
                     .where = Where::anywhere,
                     .effect = Effect::destroys,
                     .result = [] { return shapes::removed(); },
                     .examples = {{"gt group delete backend", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(town, call.town());
                       TRY(caller, call.caller());
                       TRY_VOID(Groups(*town).remove(call.args.text("name"), caller));
                       return Answer{.json = views::removed(call.args.text("name"))};
                     }};
  return op;
}

}  // namespace townpost::ops
