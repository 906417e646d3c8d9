#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace townpost {

/// How something on the screen looks. Without colours what counts is told by bold and reverse alone.
struct Look {
  enum class Colour { none, red, green, yellow, cyan };
  Colour colour = Colour::none;
  bool bold = false;
  bool dim = false;
  bool reverse = false;
  friend bool operator==(const Look&, const Look&) = default;
};

/// A part of the screen.
struct Area {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
};

/// What a whole screen shows, cell by cell: a value, drawn without any terminal. All text that is put on it becomes
/// harmless on its way in (for_terminal_line), so nothing that somebody wrote is ever obeyed, and each text stays in
/// its place, whichever way it runs.
class Canvas {
 public:
  Canvas(int width, int height);
  int width() const { return width_; }
  int height() const { return height_; }

  /// One line of text in at most `room` columns from there on; what is too long ends in "…". What lies outside is left
  /// out. How many columns it took.
  int put(int x, int y, std::string_view text, int room, const Look& look = {});
  /// The same look for a stretch of a row, whatever stands there.
  void paint(int x, int y, int width, const Look& look);

  /// A row as text, without spaces at its end: for tests, and for whoever reads the screen aloud.
  std::string text(int y) const;
  Look look(int x, int y) const;

  friend bool operator==(const Canvas&, const Canvas&) = default;

 private:
  friend std::string row_bytes(const Canvas& canvas, int y, bool colour);
  struct Cell {
    std::string cluster = " ";  ///< empty: the cell before reaches into this one
    Look look;
    int isolated = 0;  ///< of one text that runs from right to left: where that begins, and one; of others zero
    friend bool operator==(const Cell&, const Cell&) = default;
  };
  bool holds(int x, int y) const { return x >= 0 && y >= 0 && x < width_ && y < height_; }
  const Cell& at(int x, int y) const { return cells_[static_cast<std::size_t>(y * width_ + x)]; }
  Cell& at(int x, int y) { return cells_[static_cast<std::size_t>(y * width_ + x)]; }
  /// Puts one cluster; whatever it cuts in half becomes a space.
  void set(int x, int y, std::string cluster, int columns, const Look& look, int isolated);
  bool same_row(const Canvas& other, int y) const;
  friend std::string repaint(const Canvas* before, const Canvas& now, bool colour);

  int width_;
  int height_;
  std::vector<Cell> cells_;
};

/// What a terminal that shows `before` must be sent to show `now`: the rows that changed. All of it, where `before` is
/// null or has another size.
std::string repaint(const Canvas* before, const Canvas& now, bool colour);

}  // namespace townpost
