#include "base/text.h"
#include "ops/shapes.h"
#include "ops/table.h"
#include "ops/views.h"

namespace townpost::ops {

const Op& init() {
  static const Op op{
      .name = "init",
      .summary = "Create a town: DIR/.town with its settings and its store",
      .args = {as_path(maybe_one("dir", "DIR", "Where (default: this folder)")),
               option("name", "N", "The town's name (default: the folder's)"),
               option("store", "URL", "Keep the town in this PostgreSQL, or join the one that is there"),
               flag("nested", "Allow it below another town, or in a repository connected to one")},
      .authority = by_anyone(),
      .where = Where::this_host,
      .effect = Effect::idempotent,
      .result =
          [] {
            return shape::object("town",
                                 {shape::always("town", shape::text()), shape::always("name", shape::text()),
                                  shape::always("joined", shape::flag()), shape::always("existed", shape::flag())});
          },
      .examples = {{"gt init", "a town in this folder"},
                   {"gt init ~/town --name springfield", "a town elsewhere"},
                   {"gt init --store postgres://db.example/town", "on every machine of one town"}},
      .run = [](Call& call) -> Result<Answer> {
        const auto here = call.environment().working_folder();
        const auto folder = (here / call.args.text("dir")).lexically_normal();
        const auto name = call.args.text("name");
        if (call.args.has("name") &&
            (name.empty() || !is_utf8(name) || name.find_first_of("\n\r") != std::string::npos))
          return fail_argument("name", "invalid name: it must be one line of text", "give it a word or two");
        TRY(made, call.host.make_town({folder, name, call.args.text("store"), call.args.has("nested")}, call.request));
        JsonObject out;
        out["town"] = to_utf8(made.folder.string());
        out["name"] = made.name;
        out["joined"] = made.joined;
        out["existed"] = made.existed;
        return Answer{.json = std::move(out), .warnings = std::move(made.warnings)};
      }};
  return op;
}

const Op& whoami() {
  static const Op op{.name = "whoami",
                     .summary = "Show your identity and where it comes from",
                     .args = {},
                     .authority = by_anyone(),
                     .where = Where::anywhere,
                     .effect = Effect::reads,
                     .result =
                         [] {
                           return shape::object(
                               "identity", {shape::always("address", shape::text()),
                                            shape::always("grade", shape::text()), shape::always("role", shape::text()),
                                            shape::always("how", shape::text(), "what says so")});
                         },
                     .examples = {{"gt whoami", "the address that mail is sent from here"}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(town, call.town());
                       TRY(caller, call.caller());
                       JsonObject out;
                       out["address"] = views::shown(caller.address.str(), town->settings);
                       out["grade"] = std::string(name(caller.grade));
                       out["role"] = std::string(name(caller.address.role()));
                       out["how"] = call.how_known();
                       return Answer{.json = std::move(out)};
                     }};
  return op;
}

}  // namespace townpost::ops
