#include "post/town/settings_text.h"

#include <algorithm>

#include "base/text.h"
#include "base/toml.h"
#include "post/town/settings.h"

namespace townpost {

namespace {

struct KeyParts {
  std::string_view section;
  std::string_view name;
};

KeyParts parts_of(std::string_view key) {
  const auto dot = key.rfind('.');
  return dot == std::string_view::npos ? KeyParts{{}, key} : KeyParts{key.substr(0, dot), key.substr(dot + 1)};
}

/// "limits" of the line `[limits]  # …`.
std::optional<std::string_view> section_of(std::string_view line) {
  const auto text = trim(line);
  const auto end = text.find(']');
  if (!text.starts_with('[') || end == std::string_view::npos) return std::nullopt;
  return trim(text.substr(1, end - 1));
}

/// Where the value of the line `name = value  # …` is.
struct Assignment {
  std::string_view name;
  std::size_t value_begin = 0;
  std::size_t value_end = 0;
};

std::optional<Assignment> assignment_of(std::string_view line) {
  const auto equals = line.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  Assignment out{.name = trim(line.substr(0, equals))};
  if (out.name.empty() || out.name.find_first_of(" \t#\"'.[") != std::string_view::npos) return std::nullopt;
  out.value_begin = line.find_first_not_of(" \t", equals + 1);
  if (out.value_begin == std::string_view::npos) return std::nullopt;
  auto at = out.value_begin;
  if (const char quote = line[at]; quote == '"' || quote == '\'') {
    for (++at; at < line.size() && line[at] != quote; ++at)
      if (line[at] == '\\' && quote == '"') ++at;
    out.value_end = std::min(at + 1, line.size());
  } else {
    out.value_end = std::min(line.find_first_of(" \t#\r", at), line.size());
  }
  return out;
}

/// "# name = value" without what makes it a comment.
std::optional<std::string_view> commented(std::string_view line) {
  if (!line.starts_with("# ")) return std::nullopt;
  return line.substr(2);
}

std::vector<std::string> lines_of(std::string_view toml) {
  std::vector<std::string> out;
  for (const auto line : split(toml, '\n')) out.emplace_back(line);
  return out;
}

/// Where a setting is, or would belong.
struct Places {
  std::optional<std::size_t> written;  ///< its line
  std::optional<std::size_t> shown;    ///< the comment that shows its default
  std::optional<std::size_t> section;  ///< the line of its section
};

Places find(const std::vector<std::string>& lines, std::string_view key) {
  const auto [section, name] = parts_of(key);
  Places out;
  std::string_view now;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (const auto begun = section_of(lines[i])) {
      now = *begun;
      if (now == section && !out.section) out.section = i;
      continue;
    }
    if (now != section) continue;
    if (const auto found = assignment_of(lines[i]); found && found->name == name) out.written = i;
    const auto comment = commented(lines[i]);
    if (comment && section_of(*comment)) now = {};  // what follows shows another section
    if (const auto found = comment ? assignment_of(*comment) : std::nullopt; found && found->name == name && !out.shown)
      out.shown = i;
  }
  return out;
}

Failure by_hand(std::string_view key) {
  return fail(Code::usage, cat("town.toml says ", for_terminal_line(key), " in a way that only a person can change"),
              next("config.edit", {}, " opens the file"));
}

/// What the file must mean now.
Result<std::string> checked(std::string text, std::string_view key, std::string_view value) {
  TRY(file, TomlFile::parse(text, TomlFile::Others::listed));
  const auto found = file.entries().find(std::string(key));
  if (value.empty()) return found == file.entries().end() ? Result<std::string>(std::move(text)) : by_hand(key);
  TRY(wanted, TomlFile::parse(cat("x = ", value, "\n"), TomlFile::Others::listed));
  const auto& entries = wanted.entries();
  if (entries.size() != 1 || found == file.entries().end() || found->second.value != entries.begin()->second.value)
    return by_hand(key);
  return text;
}

}  // namespace

const std::vector<ShownSetting>& shown_settings() {
  static const auto kSettings = [] {
    std::vector<ShownSetting> out;
    std::string section;
    for (const auto& line : lines_of(new_town_toml("town"))) {
      const std::string_view text = commented(line).value_or(line);
      if (const auto begun = section_of(text)) section = *begun;
      const auto found = assignment_of(text);
      if (!found || section.empty()) continue;
      const auto key = cat(section, ".", found->name);
      if (std::any_of(out.begin(), out.end(), [&](const ShownSetting& one) { return one.key == key; })) continue;
      const auto comment = text.find('#', found->value_end);
      out.push_back({key, std::string(text.substr(found->value_begin, found->value_end - found->value_begin)),
                     comment == std::string_view::npos ? "" : std::string(trim(text.substr(comment + 1)))});
    }
    return out;
  }();
  return kSettings;
}

std::optional<WrittenSetting> written_setting(std::string_view toml, std::string_view key) {
  const auto lines = lines_of(toml);
  const auto places = find(lines, key);
  if (!places.written) return std::nullopt;
  const auto& line = lines[*places.written];
  const auto found = *assignment_of(line);
  return WrittenSetting{line.substr(found.value_begin, found.value_end - found.value_begin),
                        static_cast<int>(*places.written) + 1};
}

std::string toml_value(std::string_view text) {
  const auto file = TomlFile::parse(cat("x = ", text, "\n"));
  const bool one = file && file->entries().size() == 1 && text.find('\n') == std::string_view::npos;
  return one ? std::string(text) : toml_string(text);
}

Result<std::string> with_setting(std::string_view toml, std::string_view key, std::string_view value) {
  auto lines = lines_of(toml);
  const auto places = find(lines, key);
  const auto [section, name] = parts_of(key);
  if (places.written || places.shown) {
    auto& line = lines[places.written ? *places.written : *places.shown];
    if (!places.written) line.erase(0, 2);
    const auto found = *assignment_of(line);
    line.replace(found.value_begin, found.value_end - found.value_begin, value);
  } else if (places.section) {
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(*places.section) + 1, cat(name, " = ", value));
  } else {
    if (!lines.empty() && lines.back().empty()) lines.pop_back();
    lines.insert(lines.end(), {"", cat("[", section, "]"), cat(name, " = ", value), ""});
  }
  return checked(join(lines, "\n"), key, value);
}

Result<std::string> without_setting(std::string_view toml, std::string_view key) {
  auto lines = lines_of(toml);
  const auto places = find(lines, key);
  const auto shown = std::find_if(shown_settings().begin(), shown_settings().end(),
                                  [&](const ShownSetting& one) { return one.key == key; });
  if (places.written) {
    auto& line = lines[*places.written];
    const auto found = *assignment_of(line);
    const bool is_explained = line.find('#', found.value_end) != std::string::npos;
    if (is_explained && !places.shown && shown != shown_settings().end())  // as with_setting() found it
      line = cat("# ", line.replace(found.value_begin, found.value_end - found.value_begin, shown->standard));
    else
      lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(*places.written));
  }
  return checked(join(lines, "\n"), key, "");
}

}  // namespace townpost
