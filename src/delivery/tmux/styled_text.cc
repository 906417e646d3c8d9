#include "delivery/tmux/styled_text.h"

#include <cstdlib>

#include "base/text.h"
#include "base/utf8.h"

namespace townpost {

namespace {

/// Follows the attributes that we care about through "select graphic rendition" sequences.
class Rendition {
 public:
  char style() const { return style_; }

  void apply(std::string_view parameters) {
    const auto fields = split(parameters, ';');
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const int code = number(fields[i]);
      // A colour takes the next fields along: the 2 in 38;2;r;g;b is not "dim". With colons it is one field.
      if ((code == 38 || code == 48 || code == 58) && fields[i].find(':') == std::string_view::npos) {
        const int kind = i + 1 < fields.size() ? number(fields[i + 1]) : 0;
        i += kind == 2 ? 4 : kind == 5 ? 2 : 1;
      } else {
        apply(code);
      }
    }
  }

 private:
  static int number(std::string_view field) { return std::atoi(std::string(field.substr(0, 9)).c_str()); }

  void apply(int code) {
    if (code == 0) style_ = 0;
    if (code == 2) style_ |= StyledLine::kDim;
    if (code == 22) style_ &= ~StyledLine::kDim;
    if (code == 7) style_ |= StyledLine::kInverse;
    if (code == 27) style_ &= ~StyledLine::kInverse;
  }

  char style_ = 0;
};

/// Takes one escape sequence, beginning behind ESC, off `rest`; the parameters if it was one of rendition.
std::string_view take_sequence(std::string_view& rest, bool& is_rendition) {
  is_rendition = false;
  if (rest.empty()) return {};
  const char kind = rest.front();
  rest.remove_prefix(1);
  if (kind == '[') {
    const auto end = std::min(rest.find_first_not_of("0123456789;:?<=>"), rest.size());
    const auto parameters = rest.substr(0, end);
    is_rendition = end < rest.size() && rest[end] == 'm';
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return parameters;
  }
  if (kind == ']') {  // a link; ends with BEL or ESC backslash
    const auto end = rest.find_first_of("\x07\x1b");
    const std::size_t length = end == std::string_view::npos ? rest.size() : end + (rest[end] == '\x1b' ? 2 : 1);
    rest.remove_prefix(std::min(length, rest.size()));
  }
  return {};
}

void drop_spaces_at_end(StyledLine& line) {
  const auto last = line.text.find_last_not_of(' ');
  line.text.resize(last == std::string::npos ? 0 : last + 1);
  line.style.resize(line.text.size());
}

}  // namespace

std::vector<StyledLine> styled_lines(std::string_view capture) {
  std::vector<StyledLine> lines(1);
  Rendition rendition;  // goes on over the end of a line
  while (!capture.empty()) {
    const Utf8Step step = first_step(capture);
    const auto bytes = capture.substr(0, step.bytes);
    capture.remove_prefix(step.bytes);
    if (step.point == 0x1b) {
      bool is_rendition = false;
      const auto parameters = take_sequence(capture, is_rendition);
      if (is_rendition) rendition.apply(parameters);
    } else if (step.point == U'\n') {
      drop_spaces_at_end(lines.back());
      lines.emplace_back();
    } else if (step.point >= 0x20 && step.point != 0x7f) {
      const auto shown = step.point == 0xA0 ? std::string_view(" ") : step.well_formed ? bytes : std::string_view("?");
      lines.back().text += shown;
      lines.back().style.append(shown.size(), rendition.style());
    }
  }
  drop_spaces_at_end(lines.back());
  return lines;
}

}  // namespace townpost
