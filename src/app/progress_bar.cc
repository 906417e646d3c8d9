#include "app/progress_bar.h"

#include <unistd.h>

#include "base/shown.h"
#include "base/text.h"

namespace townpost {

namespace {

constexpr auto kBetween = std::chrono::milliseconds(100);
constexpr int kWidth = 30;

void write_to_terminal(const Shown& text) { (void)!::write(STDERR_FILENO, text.bytes().data(), text.bytes().size()); }

}  // namespace

ProgressBar::ProgressBar(std::string what) : what_(std::move(what)), seen_(::isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() {
  if (drawn_) write_to_terminal(Shown::empty_line());
}

void ProgressBar::show(std::string_view part, std::int64_t done, std::int64_t total) {
  if (!seen_ || total <= 0) return;
  const auto now = std::chrono::steady_clock::now();
  if (drawn_ && now - last_ < kBetween) return;
  last_ = now;
  drawn_ = true;
  const auto full = static_cast<std::size_t>(done * kWidth / total);
  write_to_terminal(shown(Shown::empty_line(), one_line(what_), " [", std::string(full, '#'),
                          std::string(kWidth - std::min<std::size_t>(full, kWidth), ' '), "] ", done * 100 / total,
                          " % ", one_line(part)));
}

}  // namespace townpost
