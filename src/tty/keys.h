#pragma once
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace townpost {

/// One key, or one character that was pasted.
struct Key {
  enum class Name {
    character,  ///< `point`; never a control character
    enter,
    tab,
    back_tab,
    escape,
    backspace,
    remove,
    up,
    down,
    left,
    right,
    home,
    end,
    page_up,
    page_down,
    control,  ///< with a letter: `point` is 'c' for Ctrl-C
  };
  Name name = Name::character;
  char32_t point = 0;
  bool alt = false;
  bool pasted = false;  ///< it is text, whatever it would mean as a key
  friend bool operator==(const Key&, const Key&) = default;
};

/// Understands what a terminal sends. Whatever comes, it keeps a few bytes only and goes on: what it does not know is
/// left out whole, so that no part of it is taken for keys.
class KeyReader {
 public:
  void add(std::string_view bytes);
  std::optional<Key> next();
  /// Whether a key has begun of which more may come: the escape key alone begins like many others.
  bool is_within() const { return !held_.empty(); }
  /// Nothing more came: what has begun is all there is.
  void settle();

 private:
  /// How much of what is held is understood; 0: more must come.
  std::size_t take();
  std::size_t take_escaped();
  std::size_t take_sequence();
  void sequence(std::string_view parameters, char last);
  void character(char32_t point, bool alt);
  void push(Key::Name name, bool alt = false) { keys_.push_back({.name = name, .alt = alt}); }

  std::string held_;
  std::deque<Key> keys_;
  bool in_paste_ = false;
};

}  // namespace townpost
