// A terminal program that behaves like a coding agent's: an input line between two rules, a spinner while it works, a
// dialog that Enter answers, long pastes folded away. It appends what it was given to a log, byte for byte:
//   prompt LENGTH\nBYTES\n      a submitted prompt
//   key LENGTH\nBYTES\n         a key that reached a dialog, or Escape
// usage: fake_harness LOG [busy | dialog | dialog-on-paste | slow-start | ignores-enters=N | composes | garbles |
// moves=N]… moves=N: it draws itself so many times, in hundredths of a second, before it rests. composes: what it shows
// is normalised and without invisible characters. garbles: it is another text altogether.
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr std::string_view kPasteBegins = "\x1b[200~";
constexpr std::string_view kPasteEnds = "\x1b[201~";

class Harness {
 public:
  Harness(std::string log, const std::vector<std::string>& options) : log_(std::move(log)) {
    for (const auto& option : options) {
      if (option == "busy") busy_ = true;
      if (option == "dialog") dialog_ = true;
      if (option == "composes") composes_ = true;
      if (option == "garbles") garbles_ = true;
      if (option == "dialog-on-paste") dialog_on_paste_ = true;
      if (option.starts_with("ignores-enters=")) ignored_enters_ = std::stoi(option.substr(15));
      if (option.starts_with("moves=")) moves_ = std::stoi(option.substr(6));
    }
  }

  bool moves() const { return moves_ > 0; }
  void move() {
    --moves_;
    draw();
  }

  void take(std::string_view bytes) {
    input_ += bytes;
    while (take_one()) {
    }
    draw();
  }

  void draw() const {
    const std::size_t width = columns();
    std::string screen = "\x1b[H\x1b[2J";
    for (const auto& line : conversation_) screen += line + "\r\n";
    if (moves()) screen += "a drawing, " + std::to_string(moves_) + " to go\r\n";
    screen += "\r\n";
    std::string rule;
    for (std::size_t i = 0; i < width; ++i) rule += "─";
    if (dialog_) {
      screen += rule + "\r\n Bash command\r\n\r\n   rm -rf important\r\n\r\n Do you want to proceed?\r\n";
      screen += " ❯ 1. Yes\r\n   2. No\r\n\r\n Esc to cancel · Tab to amend";
    } else {
      if (busy_) screen += "✻ Pondering…\r\n\r\n";
      screen += rule + "\r\n❯\u00A0" + shown_draft(width) + "\r\n" + rule + "\r\n  ";
      screen += busy_ && draft_.empty() ? "esc to interrupt" : "? for shortcuts";
    }
    std::cout << screen << std::flush;
  }

 private:
  static std::size_t columns() {
    winsize size{};
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
  }

  /// The draft as it is drawn.
  std::string rendered() const {
    if (garbles_) return std::string(draft_.size(), '#');
    std::string text = draft_;
    if (!composes_) return text;
    static const std::pair<std::string_view, std::string_view> kChanges[] = {
        {"e\u0301", "é"}, {"\u200B", ""}, {"\u2060", ""}, {"\u1112\u1161\u11AB", "한"}, {"\U0001F3FD", ""}};
    for (const auto& [from, to] : kChanges)
      for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at))
        text.replace(at, from.size(), to);
    return text;
  }

  std::string shown_draft(std::size_t width) const {
    const auto newlines = std::count(draft_.begin(), draft_.end(), '\n');
    if (newlines > 2 || draft_.size() > 800) return "[Pasted text #1 +" + std::to_string(newlines) + " lines]";
    std::string shown;
    std::size_t column = 2;
    for (const char c : rendered()) {
      const bool starts_character = (static_cast<unsigned char>(c) & 0xC0) != 0x80;
      if (c == '\n' || (starts_character && column + 2 >= width)) {
        shown += "\r\n  ";
        column = 2;
      }
      if (c != '\n') shown += c;
      if (starts_character) ++column;
    }
    return shown;
  }

  /// Takes one key or paste off the input; false if it is not all there yet.
  bool take_one() {
    if (input_.empty()) return false;
    if (std::string_view(input_).starts_with(kPasteBegins)) {
      const auto end = input_.find(kPasteEnds);
      if (end == std::string::npos) return false;
      paste(input_.substr(kPasteBegins.size(), end - kPasteBegins.size()));
      input_.erase(0, end + kPasteEnds.size());
      return true;
    }
    std::size_t length = 1;
    if (input_[0] == '\x1b' && input_.size() > 1 && input_[1] == '[') {
      const auto last = input_.find_first_not_of("0123456789;", 2);
      if (last == std::string::npos) return false;
      length = last + 1;
    }
    key(input_.substr(0, length));
    input_.erase(0, length);
    return true;
  }

  void paste(const std::string& text) {
    if (dialog_on_paste_) dialog_ = true;
    if (dialog_) return record("key", text);
    draft_ += text;
  }

  void key(const std::string& bytes) {
    if (dialog_ || bytes == "\x1b") return record("key", bytes);
    if (bytes == "\r") return enter();
    if (bytes == "\x7f") return backspace();
    if (bytes == "\x15") {  // Ctrl-U: to the beginning of the line
      const auto line = draft_.rfind('\n');
      draft_.resize(line == std::string::npos ? 0 : line + 1);
    } else if (bytes[0] != '\x1b' && (bytes[0] == '\n' || bytes[0] < 0 || bytes[0] >= ' ')) {
      draft_ += bytes;
    }
  }

  void backspace() {
    while (!draft_.empty() && (static_cast<unsigned char>(draft_.back()) & 0xC0) == 0x80) draft_.pop_back();
    if (!draft_.empty()) draft_.pop_back();
  }

  void enter() {
    if (ignored_enters_ > 0) {
      --ignored_enters_;
      return;
    }
    if (draft_.empty()) return;
    record("prompt", draft_);
    conversation_.push_back("❯ " + draft_.substr(0, std::min<std::size_t>(draft_.find('\n'), 40)));
    conversation_.emplace_back("● Answer " + std::to_string(++answers_));
    if (conversation_.size() > 12) conversation_.erase(conversation_.begin(), conversation_.begin() + 2);
    draft_.clear();
  }

  void record(std::string_view kind, const std::string& bytes) const {
    std::ofstream(log_, std::ios::app) << kind << " " << bytes.size() << "\n" << bytes << "\n" << std::flush;
  }

  std::string log_;
  std::string input_;
  std::string draft_;
  std::vector<std::string> conversation_;
  int answers_ = 0;
  int ignored_enters_ = 0;
  int moves_ = 0;
  bool busy_ = false;
  bool dialog_ = false;
  bool dialog_on_paste_ = false;
  bool composes_ = false;
  bool garbles_ = false;
};

}  // namespace

int main(int count, char** words) {
  if (count < 2) return 2;
  const std::vector<std::string> options(words + 2, words + count);
  termios terminal{};
  tcgetattr(STDIN_FILENO, &terminal);
  cfmakeraw(&terminal);
  tcsetattr(STDIN_FILENO, TCSANOW, &terminal);
  if (std::find(options.begin(), options.end(), "slow-start") != options.end()) {
    std::cout << "Loading" << std::flush;
    poll(nullptr, 0, 700);
  }
  std::cout << "\x1b[?2004h" << std::flush;  // pastes are marked
  Harness harness(words[1], options);
  harness.draw();
  pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  char buffer[4096];
  while (harness.moves() && poll(&input, 1, 10) == 0) harness.move();
  for (ssize_t got = 0; (got = read(STDIN_FILENO, buffer, sizeof buffer)) > 0;)
    harness.take({buffer, static_cast<std::size_t>(got)});
  return 0;
}
