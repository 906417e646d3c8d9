#include "base/files.h"
#include "base/private_files.h"
#include "base/text.h"
#include "ops/shapes.h"
#include "ops/table.h"

namespace townpost::ops {

namespace {

/// Notes of callers who did not come back for a day; how many.
std::int64_t forget_files(Call& call) {
  constexpr std::int64_t kDayNs = 86'400'000'000'000;
  const auto town = call.town_folder();
  std::int64_t gone = 0;
  std::error_code none;
  for (const auto* kind : {"hint", "listing"})
    for (const auto& entry : std::filesystem::directory_iterator(*town / "run" / kind, none)) {
      const auto written = modified_ns(entry.path());
      if (!written || *written > SystemClock().now().ms * 1'000'000 - kDayNs) continue;
      remove_private_file(entry.path());
      ++gone;
    }
  return gone;
}

}  // namespace

const Op& store_info() {
  static const Op op{
      .name = "store.info",
      .summary = "Show the town's store: kind, place and size",
      .args = {},
      .authority = by_anyone(),
      .where = Where::anywhere,
      .effect = Effect::reads,
      .result =
          [] {
            return shape::object(
                "store", {shape::always("kind", shape::text()), shape::always("place", shape::text()),
                          shape::always("schema", shape::integer()), shape::always("newest_schema", shape::integer()),
                          shape::always("messages", shape::integer()), shape::always("agents", shape::integer()),
                          shape::always("bytes", shape::integer())});
          },
      .examples = {{"gt store info", ""}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(admin, call.store_admin());
        TRY(info, admin->info());
        JsonObject out;
        out["kind"] = info.kind;
        out["place"] = to_utf8(info.place);
        out["schema"] = info.schema;
        out["newest_schema"] = info.newest_schema;
        out["messages"] = info.messages;
        out["agents"] = info.agents;
        out["bytes"] = info.bytes;
        return Answer{.json = std::move(out)};
      }};
  return op;
}

const Op& store_check() {
  static const Op op{
      .name = "store.check",
      .summary = "Check the store: the file, and that every message has its copies and its history (exit 1 if not)",
      .args = {},
      .authority = by_anyone(),
      .where = Where::anywhere,
      .effect = Effect::reads,
      .result =
          [] {
            return shape::object("soundness", {shape::always("sound", shape::flag()),
                                               shape::always("problems", shape::list_of(shape::text()))});
          },
      .examples = {{"gt store check", ""}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(admin, call.store_admin());
        TRY(problems, admin->check());
        JsonObject out;
        out["sound"] = problems.empty();
        JsonArray list;
        for (const auto& problem : problems) list.emplace_back(to_utf8(problem));
        out["problems"] = std::move(list);
        return Answer{.json = std::move(out), .outcome = problems.empty() ? Outcome::done : Outcome::nothing};
      }};
  return op;
}

const Op& store_migrate() {
  static const Op op{.name = "store.migrate",
                     .summary = "Upgrade the store's schema to this program's; no other command ever does",
                     .args = {},
                     .authority = not_in_quarantine(by_coordinators()),
                     .where = Where::this_host,
                     .effect = Effect::idempotent,
                     .result =
                         [] {
                           return shape::object("migrated", {shape::always("from", shape::integer()),
                                                             shape::always("to", shape::integer())});
                         },
                     .examples = {{"gt store migrate", "after an update"}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(admin, call.store_admin());
                       TRY(before, admin->info());
                       TRY_VOID(admin->migrate());
                       TRY(after, admin->info());
                       JsonObject out;
                       out["from"] = before.schema;
                       out["to"] = after.schema;
                       return Answer{.json = std::move(out)};
                     }};
  return op;
}

const Op& store_copy() {
  static const Op op{
      .name = "store.copy",
      .summary =
          "Copy the town into another store and compare every row; run it again to continue after an interruption",
      .args = {with_default("sqlite",
                            option("from", "STORE", "sqlite (this town's file), sqlite:FILE or postgres://…")),
               required(option("to", "STORE", "The same; new, empty, or an unfinished copy"))},
      .authority = by_people(),
      .where = Where::this_host,
      .effect = Effect::changes,
      .result =
          [] {
            return shape::object("store_copy",
                                 {shape::always("from", shape::text()), shape::always("to", shape::text()),
                                  shape::always("rows", shape::integer()), shape::always("written", shape::integer()),
                                  shape::always("messages", shape::integer())});
          },
      .examples = {{"gt store copy --to postgres://db.example/town", "then set [store] url in town.toml"},
                   {"gt store copy --from postgres://db.example/town --to sqlite:town.db", "and back"}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(folder, call.town_folder());
        TRY(done, call.host.copy_store(folder, call.args.text("from"), call.args.text("to")));
        JsonObject out;
        out["from"] = to_utf8(done.from);
        out["to"] = to_utf8(done.to);
        out["rows"] = done.rows;
        out["written"] = done.written;
        out["messages"] = done.messages;
        return Answer{.json = std::move(out)};
      }};
  return op;
}

const Op& store_purge() {
  static const Op op{
      .name = "store.purge",
      .summary = "Erase mail that all its owners deleted long ago, and free the space",
      .args = {with_default("90d", option("older", "90d", "Deleted before this time", ArgKind::duration))},
      .authority = by_people(),
      .where = Where::this_host,
      .effect = Effect::destroys,
      .result =
          [] {
            return shape::object(
                "purged", {shape::always("purged", shape::integer()), shape::always("forgotten", shape::integer()),
                           shape::always("bytes_freed", shape::integer())});
          },
      .examples = {{"gt store purge --older 90d", ""}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(admin, call.store_admin());
        TRY(forgotten, admin->forget(call.clock().now()));
        TRY(purged, admin->purge(call.clock().now() - *call.args.duration("older")));
        JsonObject out;
        out["purged"] = purged.messages;
        out["forgotten"] = forgotten + forget_files(call);
        out["bytes_freed"] = purged.bytes;
        return Answer{.json = std::move(out)};
      }};
  return op;
}

}  // namespace townpost::ops
