#include <sys/stat.h>

#include "base/text.h"
#include "ops/shapes.h"
#include "ops/table.h"
#include "post/town/town_folder.h"
#include "post/town/trusted_towns.h"

namespace townpost::ops {

namespace {

JsonObject view(const std::filesystem::path& town, bool trusted) {
  JsonObject out;
  out["town"] = to_utf8(town.string());
  out["trusted"] = trusted;
  return out;
}

}  // namespace

const Op& trust() {
  static const Op op{
      .name = "trust",
      .summary = "Trust the town in DIR; a town made by someone else is not used until then",
      .args = {as_path(maybe_one("dir", "DIR", "The folder of its .town (default: this folder)")),
               flag("remove", "Stop trusting it"), flag("list", "List the trusted towns")},
      .authority = by_people(),
      .where = Where::this_host,
      .effect = Effect::idempotent,
      .result =
          [] {
            return shape::one_of(
                {shape::object("trusted_town",
                               {shape::always("town", shape::text()), shape::always("trusted", shape::flag())}),
                 shape::list_of(shape::object("trusted_town", {shape::always("town", shape::text()),
                                                               shape::always("trusted", shape::flag())}))});
          },
      .columns = {{"town", Column::As::id}},
      .list = {.none = "no trusted towns"},
      .examples = {{"gt trust ~/restored", "after a look at what is in ~/restored/.town"},
                   {"gt trust --remove .", ""},
                   {"gt trust --list", ""}},
      .run = [](Call& call) -> Result<Answer> {
        const auto& environment = call.environment();
        const TrustedTowns trusted(environment);
        if (call.args.flag("list")) {
          JsonArray list;
          for (const auto& town : trusted.known()) list.emplace_back(view(town, true));
          return Answer{.json = std::move(list)};
        }
        const auto town = town_named(environment.working_folder() / call.args.text("dir"));
        if (call.args.flag("remove")) {
          TRY(removed, trusted.remove(town));
          return Answer{.json = view(town, false), .outcome = removed ? Outcome::done : Outcome::nothing};
        }
        if (!may_be_town(town))
          return fail(Code::no_town, cat("there is no town in ", to_utf8(town.parent_path().string())),
                      "name the folder that holds its .town");
        TRY_VOID(check_town_folder(town));
        struct stat found {};
        if (::lstat((town / "redirect").c_str(), &found) == 0)
          return fail(Code::usage, cat(to_utf8(town.string()), " only leads to another town"),
                      "trust the town that its file redirect names");
        TRY_VOID(trusted.trust(town));
        return Answer{.json = view(town, true)};
      },
      .works_without_town = true};
  return op;
}

}  // namespace townpost::ops
