#include "ops/harness_hooks.h"

#include <algorithm>

#include "base/files.h"
#include "base/text.h"
#include "delivery/claude/claude_settings.h"

namespace townpost::ops {

namespace {

/// What a file is that nothing but our hooks was in.
constexpr std::string_view kNoSettings = "{}\n";
/// What a project's settings for everybody are called.
constexpr std::string_view kSharedSettings = "settings.json";

Error damaged(const std::filesystem::path& file, Error error) {
  error.message = cat(for_terminal_line(file.string()), ": ", error.message);
  error.hint = "correct the file, or move it away; nothing was changed";
  return error;
}

/// The text of a settings file; that of empty settings if there is none.
Result<std::string> read_settings(const std::filesystem::path& file) {
  auto text = read_file(file, 4u << 20);
  if (!text && text.error().code != Code::not_found) return Failure(text.error());
  if (!text || trim(*text).empty()) return std::string(kNoSettings);
  return text;
}

/// The hooked events of these settings. Error: usage, naming the file, if they are none.
Result<std::vector<std::string>> events_of(const std::filesystem::path& file, std::string_view settings) {
  auto json = parse_json(settings);
  if (json) return hooked_events(*json);
  return fail(damaged(file, json.error()));
}

Result<std::filesystem::path> settings_file(const Call& call, HooksFor whom) {
  const auto& environment = call.environment();
  const auto project = environment.working_folder() / ".claude";
  if (whom == HooksFor::user) {
    if (const auto own = environment.get("CLAUDE_CONFIG_DIR")) return std::filesystem::path(*own) / "settings.json";
    if (const auto home = environment.get("HOME")) return std::filesystem::path(*home) / ".claude" / "settings.json";
    return fail(Code::usage, "HOME is not set", "use " + next("", {{"project", "true"}}));
  }
  const auto shared = project / kSharedSettings;
  if (whom == HooksFor::team) return shared;
  // Hooks in both files would run twice.
  if (const auto settings = read_settings(shared)) {
    const auto events = events_of(shared, *settings);
    if (events && !events->empty()) return shared;
  }
  return project / "settings.local.json";
}

/// A repository's links must not lead what we write to somewhere else. A user's own may: many keep their settings so.
Result<> check_in_project(const std::filesystem::path& file, HooksFor whom) {
  if (whom == HooksFor::user) return {};
  std::error_code none;
  const auto folder = std::filesystem::weakly_canonical(file.parent_path().parent_path(), none);
  if (std::filesystem::weakly_canonical(file, none) == folder / ".claude" / file.filename()) return {};
  return fail(Code::refused, cat(for_terminal_line(file.string()), " is a link, or behind one, that leads elsewhere"),
              "put the file itself there, or use " + next("", {{"user", "true"}}));
}

/// Where PATH finds this very program as `gt`.
std::optional<std::filesystem::path> gt_on_path(const Call& call) {
  const std::string own = call.host.own_program();
  std::error_code none;
  const std::string path = call.environment().get("PATH").value_or("");
  for (const auto folder : split(path, ':')) {
    auto found = std::filesystem::path(folder) / "gt";
    if (!std::filesystem::exists(found, none)) continue;
    if (found.is_absolute() && std::filesystem::equivalent(found, own, none)) return found;
    break;
  }
  return std::nullopt;
}

bool is_shared(const std::filesystem::path& file, HooksFor whom) {
  return whom != HooksFor::user && file.filename() == kSharedSettings;
}

/// How hooks are to call us: by our path, since a harness may know another PATH; by name in a file that a team shares,
/// since a path is one machine's.
std::string program_name(const Call& call, const std::filesystem::path& file, HooksFor whom) {
  const auto found = gt_on_path(call);
  if (is_shared(file, whom)) return "gt";
  const std::string own = found ? found->string() : call.host.own_program();
  if (own.find_first_of(" '\"\\$`") == std::string::npos) return own;
  std::string quoted = "'";
  for (const char c : own) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

Result<JsonObject> report(const std::filesystem::path& file, std::string_view settings, bool changed) {
  TRY(events, events_of(file, settings));
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

/// A file that holds nothing is removed, and its folder if that is empty then.
Result<> write_settings(const std::filesystem::path& file, std::string_view settings) {
  std::error_code none;
  if (settings == kNoSettings && !std::filesystem::is_symlink(file, none)) {
    std::filesystem::remove(file, none);
    std::filesystem::remove(file.parent_path(), none);
    return {};
  }
  TRY_VOID(make_folders(file.parent_path()));
  const auto real = std::filesystem::weakly_canonical(file, none);  // a link stays a link
  return write_file_durably(none ? file : real, settings);
}

/// A settings file and what it holds.
struct SettingsText {
  std::filesystem::path file;
  std::string text;
};

Result<SettingsText> settings_now(const Call& call, HooksFor whom) {
  TRY(file, settings_file(call, whom));
  TRY_VOID(check_in_project(file, whom));
  TRY(text, read_settings(file));
  return SettingsText{file, text};
}

Result<JsonObject> put(const SettingsText& before, const Result<std::string>& after) {
  if (!after) return fail(damaged(before.file, after.error()));
  const bool changed = before.text != *after;
  if (changed) TRY_VOID(write_settings(before.file, *after));
  return report(before.file, *after, changed);
}

}  // namespace

Result<JsonObject> install_hooks(Call& call, HooksFor whom) {
  TRY(before, settings_now(call, whom));
  return put(before, with_hooks(before.text, program_name(call, before.file, whom)));
}

std::string doubt_of_hooks(const Call& call, HooksFor whom) {
  const auto file = settings_file(call, whom);
  if (!file || !is_shared(*file, whom) || gt_on_path(call)) return {};
  return "the hooks call this program by its name, since a team shares them, and your PATH does not find it so";
}

Result<JsonObject> uninstall_hooks(Call& call, HooksFor whom) {
  TRY(before, settings_now(call, whom));
  return put(before, without_hooks(before.text));
}

Result<JsonObject> hooks_of(Call& call, HooksFor whom) {
  TRY(file, settings_file(call, whom));
  TRY(text, read_settings(file));
  return report(file, text, false);
}

Result<Json> settings_with_hooks(Call& call, HooksFor whom) {
  TRY(before, settings_now(call, whom));
  const auto after = with_hooks(before.text, program_name(call, before.file, whom));
  if (!after) return fail(damaged(before.file, after.error()));
  return parse_json(*after);
}

}  // namespace townpost::ops
