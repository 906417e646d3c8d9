#include "ops/service_unit.h"

#include <algorithm>
#include <array>

#include "base/secret.h"
#include "base/text.h"

namespace townpost::ops {

namespace {

bool is_control(char c) { return (c >= 0 && c < ' ') || c == 0x7f; }

/// One word of a unit's line, whatever it has: quoted, without specifiers, in one line.
std::string word(std::string_view text) {
  const bool is_text = is_utf8(text);
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    constexpr std::string_view kDigits = "0123456789abcdef";
    if (is_control(c) || (byte >= 0x80 && !is_text)) {
      out += cat("\\x", std::string(1, kDigits[byte >> 4]), std::string(1, kDigits[byte & 15]));
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
    if (c == '%') out += c;
  }
  return out + '"';
}

/// A text of a line that is not taken apart: what could mean something there is left out.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : to_utf8(text)) out += is_control(c) || c == '%' || c == '\\' ? '?' : c;
  return out;
}

/// The folders of PATH that mean the same everywhere.
std::string search_path(std::string_view path) {
  std::vector<std::string> out;
  for (const auto folder : split(path, ':')) {
    const bool is_usual = is_utf8(folder) && std::none_of(folder.begin(), folder.end(), is_control);
    if (folder.starts_with('/') && is_usual) out.emplace_back(folder);
  }
  return join(out, ":");
}

}  // namespace

std::string service_name(const std::filesystem::path& town) {
  constexpr std::size_t kLongest = 40, kDigits = 8;
  std::string name;
  for (const char c : lower_ascii(town.filename().native()))
    name += (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ? c : '-';
  return cat("townpost-", name.substr(0, kLongest), "-", hash_of_secret(town.native()).substr(0, kDigits), ".service");
}

Result<std::string> service_unit(const std::string& program, const std::filesystem::path& town,
                                 const Environment& environment) {
  const bool is_usual = is_utf8(program) && std::none_of(program.begin(), program.end(), [](char c) {
                          return is_control(c) || c == '"' || c == '\'' || c == '\\';
                        });
  if (!is_usual)
    return fail(Code::refused, cat("systemd runs no program at ", for_terminal_line(to_utf8(program))),
                "move the program to a folder with a usual name");
  std::string out = "# Made by Townpost for this town, and removed by it; changes here are lost.\n";
  out += cat("[Unit]\nDescription=Townpost for ", plain(town.native()), "\n\n[Service]\nType=exec\n");
  // With ":" a "$" is a "$". --replace: whatever runs already makes room.
  out += cat("ExecStart=:", join({word(program), "up", "--replace", "--town", word(town.native())}, " "), "\n");
  constexpr std::array<std::string_view, 2> kKept = {"PATH", "TMUX_TMPDIR"};
  for (const auto name : kKept)
    if (const auto value = search_path(environment.get(std::string(name)).value_or("")); !value.empty())
      out += cat("Environment=", word(cat(name, "=", value)), "\n");
  // Agents that were started by it stay when it is stopped or replaced.
  out += "KillMode=process\nRestart=on-failure\nRestartSec=2\nUMask=0077\n\n[Install]\nWantedBy=default.target\n";
  return out;
}

}  // namespace townpost::ops
