#include <algorithm>
#include <array>
#include <string_view>

#include "base/editor.h"
#include "base/files.h"
#include "base/password.h"
#include "base/text.h"
#include "base/toml.h"
#include "ops/setting_rows.h"
#include "ops/shapes.h"
#include "ops/table.h"
#include "post/town/presences.h"
#include "post/town/settings_text.h"

namespace townpost {

std::vector<SettingRow> setting_rows() {
  std::vector<SettingRow> out;
  for (const auto& [key, standard, what] : shown_settings()) out.push_back({key, standard, what});
  return out;
}

}  // namespace townpost

namespace townpost::ops {

namespace {

constexpr std::string_view kStore = "store.url";

std::filesystem::path file_of(const std::filesystem::path& town) { return town / "town.toml"; }

/// What a TOML value says, as plain text.
std::string plain(std::string_view key, const std::string& toml) {
  const auto file = TomlFile::parse(cat("x = ", toml, "\n"));
  std::string out = toml;
  if (file && file->entries().size() == 1)
    if (const auto* text = std::get_if<std::string>(&file->entries().begin()->second.value)) out = *text;
  return to_utf8(key == kStore ? without_password(out) : out);
}

/// A wrong one would lock everybody out of the town; what stands behind it is not looked at.
bool may_be_a_store(std::string_view url) {
  return url == "sqlite" || url.starts_with("sqlite:") || url.starts_with("postgres://") ||
         url.starts_with("postgresql://") || url.starts_with("/");
}

JsonObject view(const Call& call, std::string_view toml, const ShownSetting& setting) {
  JsonObject out;
  const auto written = written_setting(toml, setting.key);
  const auto elsewhere = setting.key == kStore ? call.environment().get("GT_STORE") : std::nullopt;
  out["key"] = setting.key;
  out["value"] = elsewhere ? to_utf8(without_password(*elsewhere))
                           : plain(setting.key, written ? written->value : setting.standard);
  out["default"] = plain(setting.key, setting.standard);
  out["origin"] = elsewhere ? "GT_STORE" : written ? cat("town.toml, line ", written->line) : "default";
  out["what"] = setting.what;
  return out;
}

Shape setting_shape() {
  return shape::object("setting", {shape::always("key", shape::text()), shape::always("value", shape::text()),
                                   shape::always("default", shape::text()), shape::always("origin", shape::text()),
                                   shape::always("what", shape::text())});
}

/// The setting that is meant. Also one that a new file does not show: `roles.crew.idle_timeout`.
Result<ShownSetting> setting_named(const std::string& key) {
  std::vector<std::string> known;
  for (const auto& setting : shown_settings()) {
    if (setting.key == key) return setting;
    known.push_back(setting.key);
  }
  // Whether anything reads it is told by the settings themselves.
  for (const auto* value : {"\"1m\"", "1", "true", "\"mayor/\"", "\"wait-idle\""}) {
    const auto toml = with_setting("", key, value);
    const auto settings = toml ? Settings::parse(*toml) : Result<Settings>(fail(Code::usage, ""));
    if (settings && settings->warnings.empty()) return ShownSetting{key, "\"\"", ""};
  }
  const auto near = nearest(key, known);
  return fail_argument(
      "key", cat("there is no setting ", for_terminal_line(shorten(to_utf8(key), 80))),
      near.empty() ? next("config.list", {}, " lists them") : NextStep(cat("did you mean ", near.front(), "?")));
}

/// The file as it would be. Error: usage, naming what the settings do not take.
Result<> check(const std::string& toml) {
  auto settings = Settings::parse(toml);
  if (settings) return {};
  Error error = settings.error();
  // No line of the file is wrong: it is as it was.
  if (const auto colon = error.message.find(": ");
      error.message.starts_with("town.toml, line ") && colon != error.message.npos)
    error.message = cat("invalid value: ", error.message.substr(colon + 2));
  const bool of_the_file = error.hint.empty() || error.hint.find("town.toml") != std::string::npos;
  error.hint = of_the_file ? "nothing was changed" : cat(error.hint, "; nothing was changed");
  error.argument = "value";
  return fail(std::move(error));
}

/// What a server is told once: the others it goes by as they are now.
bool is_read_at_the_start(const std::string& key) {
  constexpr std::array<std::string_view, 4> kKeys = {"http.listen", "http.certificate", "http.key", "http.connections"};
  return std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
}

Result<Answer> change(Call& call, const std::function<Result<std::string>(const std::string&)>& how,
                      const std::string& key) {
  TRY(town, call.town_folder());
  TRY(setting, setting_named(key));
  TRY(before, read_file(file_of(town)));
  TRY(after, how(before));
  TRY_VOID(check(after));
  if (after != before) TRY_VOID(write_file_durably(file_of(town), after, 0600));
  auto out = view(call, after, setting);
  out["changed"] = after != before;
  if (after != before && is_read_at_the_start(key) && watcher_of(town)) out["after_restart"] = true;
  return Answer{.json = std::move(out)};
}

Shape changed_shape() {
  return shape::object("changed_setting",
                       {shape::always("key", shape::text()), shape::always("value", shape::text()),
                        shape::always("default", shape::text()), shape::always("origin", shape::text()),
                        shape::always("what", shape::text()), shape::always("changed", shape::flag()),
                        shape::maybe("after_restart", shape::flag(), "the server that runs goes by the old value")});
}

}  // namespace

const Op& config_list() {
  static const Op op{.name = "config.list",
                     .summary = "List the town's settings and what they are for",
                     .args = {flag("changed", "Only settings that differ from their default")},
                     .authority = by_anyone(),
                     .where = Where::this_host,
                     .effect = Effect::reads,
                     .result = [] { return shape::list_of(setting_shape()); },
                     .columns = {"key", "value", {"what", Column::As::prose}},
                     .list = {.none = "no settings", .next = next("config.set", {{"key", "KEY"}, {"value", "VALUE"}})},
                     .examples = {{"gt config list", ""}, {"gt config list --changed", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(town, call.town_folder());
                       TRY(toml, read_file(file_of(town)));
                       JsonArray out;
                       for (const auto& setting : shown_settings()) {
                         auto one = view(call, toml, setting);
                         if (!call.args.flag("changed") || one["value"] != one["default"])
                           out.push_back(std::move(one));
                       }
                       return Answer{.json = std::move(out)};
                     }};
  return op;
}

const Op& config_get() {
  static const Op op{.name = "config.get",
                     .summary = "Show one setting of the town, where it comes from, and its default",
                     .args = {one("key", "KEY", "The setting, such as limits.sender_per_hour")},
                     .authority = by_anyone(),
                     .where = Where::this_host,
                     .effect = Effect::reads,
                     .result = [] { return setting_shape(); },
                     .examples = {{"gt config get limits.sender_per_hour", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(town, call.town_folder());
                       TRY(setting, setting_named(call.args.text("key")));
                       TRY(toml, read_file(file_of(town)));
                       return Answer{.json = view(call, toml, setting)};
                     }};
  return op;
}

const Op& config_set() {
  static const Op op{
      .name = "config.set",
      .summary = "Change one setting in town.toml and leave the rest of the file alone",
      .args = {one("key", "KEY", "The setting"), one("value", "VALUE", "Its value")},
      .authority = by_people(),
      .where = Where::this_host,
      .effect = Effect::idempotent,
      .result = [] { return changed_shape(); },
      .examples = {{"gt config set limits.sender_per_hour 500", ""},
                   {"gt config set roles.polecat.idle_timeout 10m", ""}},
      .run = [](Call& call) -> Result<Answer> {
        const auto key = call.args.text("key");
        if (key == kStore && !may_be_a_store(call.args.text("value")))
          return fail_argument("value", "a town is on sqlite or on a PostgreSQL",
                               "write sqlite, sqlite:FILE or postgres://HOST/DATABASE");
        return change(
            call, [&](const std::string& toml) { return with_setting(toml, key, toml_value(call.args.text("value"))); },
            key);
      }};
  return op;
}

const Op& config_unset() {
  static const Op op{.name = "config.unset",
                     .summary = "Reset a setting to its default",
                     .args = {one("key", "KEY", "The setting")},
                     .authority = by_people(),
                     .where = Where::this_host,
                     .effect = Effect::idempotent,
                     .result = [] { return changed_shape(); },
                     .examples = {{"gt config unset limits.sender_per_hour", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       const auto key = call.args.text("key");
                       return change(
                           call, [&](const std::string& toml) { return without_setting(toml, key); }, key);
                     }};
  return op;
}

const Op& config_edit() {
  static const Op op{.name = "config.edit",
                     .summary = "Open town.toml in your editor, then check it",
                     .args = {},
                     .authority = by_people(),
                     .where = Where::this_terminal,
                     .effect = Effect::changes,
                     .result =
                         [] {
                           return shape::object("edited_settings", {shape::always("file", shape::text()),
                                                                    shape::always("changed", shape::flag())});
                         },
                     .examples = {{"gt config edit", "in $VISUAL or $EDITOR"}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(town, call.town_folder());
                       const auto file = file_of(town);
                       TRY(before, read_file(file));
                       TRY_VOID(open_in_editor(file, call.environment()));
                       TRY(after, read_file(file));
                       Answer answer;
                       if (const auto settings = Settings::parse(after))
                         answer.warnings = settings->warnings;
                       else
                         return fail(Code::usage, settings.error().message,
                                     next("config.edit", {}, " opens it again; until it is correct, no command works"));
                       JsonObject out;
                       out["file"] = to_utf8(file.string());
                       out["changed"] = after != before;
                       answer.json = std::move(out);
                       return answer;
                     }};
  return op;
}

}  // namespace townpost::ops
