#include "cli/screen.h"

#include "base/display_width.h"
#include "base/number.h"

namespace townpost {

namespace {

constexpr std::size_t kUsualColumns = 80, kUsualLines = 24;
/// Narrower, there is no table.
constexpr std::size_t kFewestColumns = 20;

std::size_t size_in(const std::string& variable, const Environment& environment, std::size_t usual) {
  const auto said = whole_number(environment.get(variable).value_or(""));
  return said && *said > 0 && *said <= 10'000 ? static_cast<std::size_t>(*said) : usual;
}

}  // namespace

Shown in_its_place(std::string_view text, const Shown& seen, const Screen& screen) {
  return screen.terminal && !screen.canvas && has_right_to_left(text) ? Shown::isolated(seen) : seen;
}

std::optional<ColourWish> parse_colour_wish(std::string_view word) {
  if (word == "auto") return ColourWish::as_fits;
  if (word == "always") return ColourWish::always;
  if (word == "never") return ColourWish::never;
  return std::nullopt;
}

bool uses_colour(ColourWish wish, bool terminal, const Environment& environment) {
  if (wish != ColourWish::as_fits) return wish == ColourWish::always;
  if (environment.get("NO_COLOR")) return false;
  if (environment.get("CLICOLOR_FORCE").value_or("0") != "0") return true;
  return terminal && environment.get("TERM") != "dumb";
}

std::size_t screen_width(const WindowSize& window, const Environment& environment) {
  const auto said = window.columns > 0 ? window.columns : size_in("COLUMNS", environment, kUsualColumns);
  return said < kFewestColumns ? kFewestColumns : said;
}

std::size_t screen_height(const WindowSize& window, const Environment& environment) {
  return window.lines > 0 ? window.lines : size_in("LINES", environment, kUsualLines);
}

}  // namespace townpost
