#include "base/text.h"
#include "ops/harness_hooks.h"
#include "ops/shapes.h"
#include "ops/table.h"

namespace townpost::ops {

namespace {

Result<> only_claude(const Args& args) {
  if (args.text("harness") == "claude") return {};
  return fail_argument(
      "harness", cat("no hooks are known for \"", for_terminal_line(shorten(to_utf8(args.text("harness")), 40)), "\""),
      "use claude; OpenCode needs none: " +
          next("agent.add", {{"address", "NAME"}, {"session", "opencode:http://HOST:PORT#SESSION"}}));
}

Result<HooksFor> hooks_for(const Args& args) {
  if (args.flag("user") && args.flag("project"))
    return fail_argument("project", "user and project are mutually exclusive", "choose one");
  return args.flag("user") ? HooksFor::user : args.flag("project") ? HooksFor::team : HooksFor::this_folder;
}

std::vector<Arg> where_args() {
  return {one("harness", "HARNESS", "claude"),
          flag("project", "Use this folder's .claude/settings.json, which a team shares, not settings.local.json"),
          for_coordinators(flag("user", "Use ~/.claude/settings.json, for every folder"))};
}

}  // namespace

const Op& harness_install() {
  static const Op op{.name = "harness.install",
                     .summary = "Add our hooks to a harness's settings; everything else in them stays",
                     .args =
                         [] {
                           auto args = where_args();
                           args.push_back(flag("print", "Print the new settings, and change nothing"));
                           return args;
                         }(),
                     .authority = not_in_quarantine(by_coordinators()),
                     .where = Where::this_host,
                     .effect = Effect::idempotent,
                     .result =
                         [] {
                           return shape::one_of({shapes::hooks(), shape::map_of(shape::anything())});
                         },
                     .examples = {{"gt harness install claude", "in this folder, for you alone"},
                                  {"gt harness install claude --user --print", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY_VOID(only_claude(call.args));
                       TRY(whom, hooks_for(call.args));
                       if (call.args.flag("print")) {
                         TRY(settings, settings_with_hooks(call, whom));
                         return Answer{.json = std::move(settings)};
                       }
                       TRY(done, install_hooks(call, whom));
                       Answer answer{.json = std::move(done)};
                       if (auto doubt = doubt_of_hooks(call, whom); !doubt.empty())
                         answer.warnings.push_back(std::move(doubt));
                       return answer;
                     },
                     .works_without_town = true};
  return op;
}

const Op& harness_uninstall() {
  static const Op op{.name = "harness.uninstall",
                     .summary = "Remove our hooks from a harness's settings",
                     .args = where_args(),
                     .authority = not_in_quarantine(by_coordinators()),
                     .where = Where::this_host,
                     .effect = Effect::idempotent,
                     .result = [] { return shapes::hooks(); },
                     .examples = {{"gt harness uninstall claude", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY_VOID(only_claude(call.args));
                       TRY(whom, hooks_for(call.args));
                       TRY(done, uninstall_hooks(call, whom));
                       return Answer{.json = std::move(done)};
                     },
                     .works_without_town = true};
  return op;
}

const Op& harness_status() {
  static const Op op{.name = "harness.status",
                     .summary = "Check if our hooks are in a harness's settings (exit 0: yes, 1: no)",
                     .args = where_args(),
                     .authority = by_anyone(),
                     .where = Where::this_host,
                     .effect = Effect::reads,
                     .result = [] { return shapes::hooks(); },
                     .examples = {{"gt harness status claude", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY_VOID(only_claude(call.args));
                       TRY(whom, hooks_for(call.args));
                       TRY(out, hooks_of(call, whom));
                       const bool installed = out["installed"].get_bool();
                       return Answer{.json = std::move(out), .outcome = installed ? Outcome::done : Outcome::nothing};
                     },
                     .works_without_town = true};
  return op;
}

}  // namespace townpost::ops
