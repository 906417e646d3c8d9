#include <algorithm>

#include "base/files.h"
#include "base/text.h"
#include "delivery/claude/claude_settings.h"
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

/// The settings file: of the project (the default), or of the user.
Result<std::filesystem::path> settings_file(const Call& call) {
  if (call.args.flag("user") && call.args.flag("project"))
    return fail_argument("project", "user and project are mutually exclusive", "choose one");
  const auto& environment = call.environment();
  if (!call.args.flag("user")) return environment.working_folder() / ".claude" / "settings.json";
  if (const auto own = environment.get("CLAUDE_CONFIG_DIR")) return std::filesystem::path(*own) / "settings.json";
  const auto home = environment.get("HOME");
  if (!home) return fail(Code::usage, "HOME is not set", "use " + next("", {{"project", "true"}}));
  return std::filesystem::path(*home) / ".claude" / "settings.json";
}

/// A repository's links must not lead what we write to somewhere else. A user's own may: many keep their settings so.
Result<> check_in_project(const Call& call, const std::filesystem::path& file) {
  if (call.args.flag("user")) return {};
  std::error_code none;
  const auto folder = std::filesystem::weakly_canonical(file.parent_path().parent_path(), none);
  if (std::filesystem::weakly_canonical(file, none) == folder / ".claude" / "settings.json") return {};
  return fail(Code::refused, cat(for_terminal_line(file.string()), " is a link, or behind one, that leads elsewhere"),
              "put the file itself there, or use " + next("", {{"user", "true"}}));
}

Result<Json> read_settings(const std::filesystem::path& file) {
  auto text = read_file(file, 4u << 20);
  if (!text && text.error().code == Code::not_found) return Json(JsonObject());
  if (!text) return Failure(text.error());
  if (trim(*text).empty()) return Json(JsonObject());
  auto json = parse_json(*text);
  if (json) return json;
  Error error = json.error();
  error.message = cat(for_terminal_line(file.string()), ": ", error.message);
  error.hint = "correct the file, or move it away; nothing was changed";
  return fail(std::move(error));
}

/// How hooks are to call us: by name where that finds this very program, else by its path.
std::string program_name(const Call& call) {
  std::string own = call.host.own_program();
  std::error_code none;
  const std::string path = call.environment().get("PATH").value_or("");
  for (const auto folder : split(path, ':')) {
    const auto found = std::filesystem::path(folder) / "gt";
    if (!std::filesystem::exists(found, none)) continue;
    if (std::filesystem::equivalent(found, own, none)) return "gt";
    break;
  }
  if (own.find_first_of(" '\"\\$`") == std::string::npos) return own;
  std::string quoted = "'";
  for (const char c : own) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

JsonObject report(const std::filesystem::path& file, const Json& settings, bool changed) {
  const auto events = hooked_events(settings);
  const bool all = std::all_of(claude_events().begin(), claude_events().end(), [&](const std::string& event) {
    return std::find(events.begin(), events.end(), event) != events.end();
  });
  JsonObject out;
  out["harness"] = "claude";
  out["file"] = to_utf8(file.string());
  out["events"] = JsonArray(events.begin(), events.end());
  out["installed"] = all;
  out["changed"] = changed;
  return out;
}

Result<Answer> change(Call& call, const std::function<Result<Json>(const Json&)>& how) {
  TRY_VOID(only_claude(call.args));
  TRY(file, settings_file(call));
  TRY_VOID(check_in_project(call, file));
  TRY(before, read_settings(file));
  TRY(after, how(before));
  if (call.args.has("print") && call.args.flag("print")) return Answer{.json = std::move(after)};
  const bool changed = !(before == after);
  if (changed) {
    TRY_VOID(make_folders(file.parent_path()));
    std::error_code none;
    const auto real = std::filesystem::weakly_canonical(file, none);  // a link stays a link
    if (after == Json(JsonObject()) && !std::filesystem::is_symlink(file, none)) {
      std::filesystem::remove(file, none);                // nothing but our hooks was in it
      std::filesystem::remove(file.parent_path(), none);  // only if it is empty
    } else {
      TRY_VOID(write_file_durably(none ? file : real, to_pretty(after)));
    }
  }
  return Answer{.json = report(file, after, changed)};
}

std::vector<Arg> where_args() {
  return {one("harness", "HARNESS", "claude"), flag("project", "In .claude/settings.json of this folder (the default)"),
          for_coordinators(flag("user", "In ~/.claude/settings.json"))};
}

}  // namespace

const Op& harness_install() {
  static const Op op{
      .name = "harness.install",
      .summary = "Put our hooks into a harness's settings; what else is in them stays",
      .args =
          [] {
            auto args = where_args();
            args.push_back(flag("print", "Print the settings as they would be, and change nothing"));
            return args;
          }(),
      .authority = not_in_quarantine(by_coordinators()),
      .where = Where::this_host,
      .effect = Effect::idempotent,
      .result =
          [] {
            return shape::one_of({shapes::hooks(), shape::map_of(shape::anything())});
          },
      .examples = {{"gt harness install claude", "for this project"}, {"gt harness install claude --user --print", ""}},
      .run = [](Call& call) -> Result<Answer> {
        const auto program = program_name(call);
        return change(call, [&](const Json& settings) { return with_hooks(settings, program); });
      },
      .works_without_town = true};
  return op;
}

const Op& harness_uninstall() {
  static const Op op{.name = "harness.uninstall",
                     .summary = "Take our hooks out of a harness's settings again",
                     .args = where_args(),
                     .authority = not_in_quarantine(by_coordinators()),
                     .where = Where::this_host,
                     .effect = Effect::idempotent,
                     .result = [] { return shapes::hooks(); },
                     .examples = {{"gt harness uninstall claude", ""}},
                     .run = [](Call& call) -> Result<Answer> { return change(call, without_hooks); },
                     .works_without_town = true};
  return op;
}

const Op& harness_status() {
  static const Op op{.name = "harness.status",
                     .summary = "Tell whether our hooks are in a harness's settings (exit 0) or not (exit 1)",
                     .args = where_args(),
                     .authority = by_anyone(),
                     .where = Where::this_host,
                     .effect = Effect::reads,
                     .result = [] { return shapes::hooks(); },
                     .examples = {{"gt harness status claude", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY_VOID(only_claude(call.args));
                       TRY(file, settings_file(call));
                       TRY(settings, read_settings(file));
                       auto out = report(file, settings, false);
                       const bool installed = out["installed"].get_bool();
                       return Answer{.json = std::move(out), .outcome = installed ? Outcome::done : Outcome::nothing};
                     },
                     .works_without_town = true};
  return op;
}

}  // namespace townpost::ops
