#include "tty/canvas.h"

#include <algorithm>

#include "base/display_width.h"
#include "base/text.h"

namespace townpost {

namespace {

constexpr int kMostColumns = 1000;
constexpr int kMostRows = 500;
constexpr std::string_view kIsolate = "\u2068";
constexpr std::string_view kEndOfIsolate = "\u2069";

std::string sgr(const Look& look, bool colour) {
  std::string out = "\x1b[0";
  if (look.bold) out += ";1";
  if (look.dim) out += ";2";
  if (look.reverse) out += ";7";
  if (colour) {
    switch (look.colour) {
      case Look::Colour::none:
        break;
      case Look::Colour::red:
        out += ";31";
        break;
      case Look::Colour::green:
        out += ";32";
        break;
      case Look::Colour::yellow:
        out += ";33";
        break;
      case Look::Colour::cyan:
        out += ";36";
        break;
    }
  }
  return out + "m";
}

std::string go_to_row(int y) { return cat("\x1b[", y + 1, ";1H"); }

}  // namespace

Canvas::Canvas(int width, int height)
    : width_(std::clamp(width, 1, kMostColumns)),
      height_(std::clamp(height, 1, kMostRows)),
      cells_(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_)) {}

void Canvas::set(int x, int y, std::string cluster, int columns, const Look& look, int isolated) {
  if (at(x, y).cluster.empty() && x > 0) at(x - 1, y).cluster = " ";
  const int behind = x + columns;
  if (behind < width_ && at(behind, y).cluster.empty()) at(behind, y).cluster = " ";
  at(x, y) = {std::move(cluster), look, isolated};
  for (int more = x + 1; more < behind; ++more) at(more, y) = {"", look, isolated};
}

int Canvas::put(int x, int y, std::string_view text, int room, const Look& look) {
  if (y < 0 || y >= height_ || x >= width_ || x < 0) return 0;
  const auto columns = static_cast<std::size_t>(std::max(0, std::min(room, width_ - x)));
  const auto shown = fit_into(for_terminal_line(text), columns);
  const int isolated = has_right_to_left(shown) ? x + 1 : 0;
  std::string_view rest = shown;
  int now = x;
  while (!rest.empty()) {
    const auto cluster = first_cluster(rest);
    const auto wide = static_cast<int>(cluster.width);
    if (wide == 0) {  // nothing stands before it that it could belong to
      if (now > x && !at(now - 1, y).cluster.empty()) at(now - 1, y).cluster += rest.substr(0, cluster.bytes);
    } else if (now + wide <= x + static_cast<int>(columns)) {
      set(now, y, std::string(rest.substr(0, cluster.bytes)), wide, look, isolated);
      now += wide;
    }
    rest.remove_prefix(cluster.bytes);
  }
  return now - x;
}

void Canvas::paint(int x, int y, int width, const Look& look) {
  for (int i = std::max(x, 0); i < x + width; ++i)
    if (holds(i, y)) at(i, y).look = look;
}

std::string Canvas::text(int y) const {
  std::string out;
  if (y < 0 || y >= height_) return out;
  for (int x = 0; x < width_; ++x) out += at(x, y).cluster;
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

Look Canvas::look(int x, int y) const { return holds(x, y) ? at(x, y).look : Look(); }

bool Canvas::same_row(const Canvas& other, int y) const {
  const auto begin = static_cast<std::ptrdiff_t>(y) * width_;
  return std::equal(cells_.begin() + begin, cells_.begin() + begin + width_, other.cells_.begin() + begin);
}

std::string row_bytes(const Canvas& canvas, int y, bool colour) {
  int end = canvas.width_;  // what is empty at the end is cleared instead of written
  while (end > 0 && canvas.at(end - 1, y).cluster == " " && canvas.at(end - 1, y).look == Look()) --end;
  std::string out = go_to_row(y) + "\x1b[0m";
  Look look;
  int isolated = 0;
  const auto isolate = [&](int now) {
    if (isolated != now && isolated != 0) out += kEndOfIsolate;
    if (isolated != now && now != 0) out += kIsolate;
    isolated = now;
  };
  for (int x = 0; x < end; ++x) {
    const auto& cell = canvas.at(x, y);
    isolate(cell.isolated);
    if (!(cell.look == look)) out += sgr(cell.look, colour);
    look = cell.look;
    out += cell.cluster;
  }
  isolate(0);
  if (!(look == Look())) out += "\x1b[0m";
  if (end < canvas.width_) out += "\x1b[K";
  return out;
}

std::string repaint(const Canvas* before, const Canvas& now, bool colour) {
  const bool all = !before || before->width_ != now.width_ || before->height_ != now.height_;
  std::string out = all ? "\x1b[0m\x1b[2J" : "";
  for (int y = 0; y < now.height_; ++y)
    if (all || !now.same_row(*before, y)) out += row_bytes(now, y, colour);
  return out;
}

}  // namespace townpost
