#pragma once
#include <string>
#include <string_view>
#include <type_traits>

namespace townpost {

enum class Stress { bold, dim, red, green, yellow };

/// Text that a terminal may be given. Every text is escaped on its way in (for_terminal), so that whatever stands in it
/// is shown and never obeyed, and nobody can forget it; what we want a terminal to do has names of its own here.
class Shown {
 public:
  Shown() = default;
  Shown(std::string_view text);  // NOLINT: text becomes harmless by being put in
  Shown(const std::string& text) : Shown(std::string_view(text)) {}
  Shown(const char* text) : Shown(std::string_view(text)) {}

  /// Newlines and tabs become spaces; then the end of the line.
  static Shown line(std::string_view text);
  /// JSON as a program reads it: what a terminal would obey is written as \uXXXX.
  static Shown json(std::string_view json);
  static Shown stressed(std::string_view text, Stress stress);
  /// What is written from right to left stays in its place, and so does what stands beside it. It takes no room.
  static Shown isolated(const Shown& text);
  /// From the top of an empty screen; from the beginning of an empty line.
  static Shown empty_screen();
  static Shown empty_line();
  /// The terminal's bell.
  static Shown bell();

  Shown& operator+=(const Shown& more);
  bool empty() const { return text_.empty(); }
  bool ends_line() const { return text_.ends_with('\n'); }
  /// What the terminal is given.
  const std::string& bytes() const { return text_; }

 private:
  std::string text_;
};

/// Joins text, characters, whole numbers and what is shown already.
template <class... Parts>
Shown shown(const Parts&... parts) {
  Shown out;
  const auto add = [&out](const auto& part) {
    using Part = std::decay_t<decltype(part)>;
    if constexpr (std::is_same_v<Part, char>)
      out += Shown(std::string_view(&part, 1));
    else if constexpr (std::is_integral_v<Part>)
      out += Shown(std::to_string(part));
    else
      out += part;
  };
  (add(parts), ...);
  return out;
}

}  // namespace townpost
