#include "cli/sheet.h"

#include "base/text.h"

namespace townpost {

namespace {

std::vector<std::string> names_in(std::string_view list) {
  std::vector<std::string> out;
  for (const auto part : split(list, ','))
    if (const auto name = trim(part); !name.empty()) out.emplace_back(name);
  return out;
}

Result<> read_head_line(std::string_view line, Sheet& sheet) {
  const auto colon = line.find(':');
  const auto name = lower_ascii(trim(line.substr(0, colon)));
  const auto value = colon == std::string_view::npos ? std::string_view() : trim(line.substr(colon + 1));
  if (colon != std::string_view::npos && name == "to")
    sheet.to = names_in(value);
  else if (colon != std::string_view::npos && name == "cc")
    sheet.cc = names_in(value);
  else if (colon != std::string_view::npos && name == "subject")
    sheet.subject = value;
  else
    return fail(
        Code::usage,
        cat("nothing was sent: \"", for_terminal_line(shorten(to_utf8(line), 40)), "\" is among To, Cc and Subject"),
        "leave an empty line between them and the text");
  return {};
}

}  // namespace

std::string written(const Sheet& sheet) {
  std::string out = cat("To: ", join(sheet.to, ", "), "\n");
  if (!sheet.cc.empty()) out += cat("Cc: ", join(sheet.cc, ", "), "\n");
  return cat(out, "Subject: ", sheet.subject, "\n\n", sheet.text);
}

Result<Sheet> read_sheet(std::string_view text) {
  Sheet sheet;
  while (!text.empty()) {
    const auto end = text.find('\n');
    const auto line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (trim(line).empty()) break;
    TRY_VOID(read_head_line(line, sheet));
  }
  // An editor ends the last line by itself.
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  sheet.text = text;
  return sheet;
}

}  // namespace townpost
