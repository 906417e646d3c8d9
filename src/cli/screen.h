#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/environment.h"
#include "base/shown.h"

namespace townpost {

/// Where the text goes.
struct Screen {
  bool terminal = false;  ///< a person looks at it; else it is a pipe and every line costs somebody tokens
  bool colour = false;
  Instant now;
  /// The short name of an agent where there is one that means nobody else; empty: addresses stay as they are.
  std::function<std::string(std::string_view)> short_name = {};
  std::size_t width = 0;   ///< in columns; 0: as wide as it needs, as in a pipe
  std::size_t height = 0;  ///< in lines; 0: nobody knows
  bool canvas = false;     ///< it is put on a canvas (tty/canvas.h), which keeps each text in its place itself
};

/// `text` in its column, looking as `seen`: what is written from right to left moves nothing beside it.
Shown in_its_place(std::string_view text, const Shown& seen, const Screen& screen);

/// How large a terminal is, as it says itself; zeros if it does not.
struct WindowSize {
  std::size_t columns = 0;
  std::size_t lines = 0;
};

enum class ColourWish { as_fits, always, never };
/// "auto", "always" or "never".
std::optional<ColourWish> parse_colour_wish(std::string_view word);

/// Whether to use colours: as it is wished, else as NO_COLOR, CLICOLOR_FORCE and TERM say, else on a terminal.
bool uses_colour(ColourWish wish, bool terminal, const Environment& environment);

/// The terminal's width as it says, else as COLUMNS says, else 80.
std::size_t screen_width(const WindowSize& window, const Environment& environment);
std::size_t screen_height(const WindowSize& window, const Environment& environment);

}  // namespace townpost
