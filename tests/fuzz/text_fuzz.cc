#include "base/json.h"
#include "delivery/tmux/typed_text.h"
#include "fuzz/fuzz.h"

using namespace townpost;
using fuzz::is_harmless;
using fuzz::Lines;

namespace {

void check_escapes(std::string_view text) {
  CHECK(is_harmless(for_terminal(text), Lines::several));
  CHECK(is_harmless(for_terminal_line(text), Lines::one));
  const auto html = for_html(text);
  CHECK(is_utf8(html) && html.find_first_of("<>\"'") == std::string::npos);
  for (std::size_t at = html.find('&'); at != std::string::npos; at = html.find('&', at + 1)) {
    const auto entity = std::string_view(html).substr(at, 6);
    CHECK(entity.starts_with("&amp;") || entity.starts_with("&lt;") || entity.starts_with("&gt;") ||
          entity == "&quot;" || entity.starts_with("&#39;"));
  }
  const auto prompt = for_prompt(text);
  CHECK(is_harmless(prompt, Lines::one) && prompt.find_first_of("<>`\"") == std::string::npos);
  CHECK(prompt.find("  ") == std::string::npos);
  CHECK(for_prompt(prompt) == prompt && for_terminal(prompt) == prompt);
  CHECK(is_harmless(for_prompt(text, 20), Lines::one) && length_in_characters(for_prompt(text, 20)) <= 20);
  const auto lines = for_prompt_lines(text);
  CHECK(is_harmless(lines, Lines::several) && lines.find_first_of("<>\t") == std::string::npos);
  CHECK(for_prompt_lines(lines) == lines && for_terminal(lines) == lines);
  const auto quoted = for_prompt(in_quotes(text, 80));
  CHECK(quoted.size() >= 2 && quoted.find('\'', 1) == quoted.size() - 1);
}

/// What is typed into an agent's terminal holds no key but Enter.
void check_typed(std::string_view text) {
  const auto typed = typed_text(text);
  CHECK(is_harmless(typed, Lines::several) && typed.find_first_of("\t@") == std::string::npos);
  CHECK(typed_text(typed) == typed);
}

/// JSON stays the same JSON on its way to a terminal.
void check_json(std::string_view text) {
  const Json value(to_utf8(text));
  const auto shown = json_for_terminal(to_line(value));
  CHECK(is_harmless(shown, Lines::one) && parse_json(shown).value() == value);
}

void check_cuts(std::string_view text, std::size_t most) {
  const auto bytes = first_bytes(text, most);
  CHECK(bytes.size() <= most && is_utf8(bytes) && text.starts_with(bytes));
  CHECK(text.size() - bytes.size() == 0 || most - bytes.size() < 4);
  const auto characters = first_characters(text, most);
  CHECK(is_utf8(characters) && text.starts_with(characters));
  CHECK(length_in_characters(characters) == std::min(most, length_in_characters(text)));
  const auto shorter = shorten(text, most);
  CHECK(is_utf8(shorter) && length_in_characters(shorter) <= most);
  CHECK(length_in_characters(text) > most || shorter == text);
}

void check_pieces(std::string_view text) {
  std::vector<std::string> parts;
  for (const auto part : split(text, '/')) parts.emplace_back(part);
  CHECK(join(parts, "/") == text);
  const auto trimmed = trim(text);
  CHECK(trim(trimmed) == trimmed && text.find(trimmed) != std::string_view::npos);
  CHECK(lower_ascii(lower_ascii(text)) == lower_ascii(text));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::as_text(data, size);
  check_escapes(text);
  check_typed(text);
  check_json(text);
  check_pieces(text);
  const auto valid = to_utf8(text);
  CHECK(is_utf8(valid));
  CHECK(is_utf8(text) == (valid == text));
  const auto folded = fold_case(text);
  CHECK(is_utf8(folded) && fold_case(folded) == folded);
  check_cuts(valid, size > 0 ? data[0] % 70 : 0);
  if (size < 200) CHECK(edit_distance(valid, valid) == 0);
  if (size < 200) (void)nearest(text, {"mail send", "mail inbox", valid});
  return 0;
}
