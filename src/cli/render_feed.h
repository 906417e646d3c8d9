#pragma once
#include <string>

#include "cli/render.h"

namespace townpost {

/// What one entry of the town's log says, before it is laid out.
struct FeedRow {
  std::string at;    ///< when: local_clock()
  std::string who;   ///< whom it is about, or who wrote…
  std::string whom;  ///< …to whom; may be empty
  std::string what;
  std::string text;
  std::string notes;  ///< what else is to be known, in brackets; may be empty
  bool needs_somebody = false;
};
FeedRow feed_row(const JsonObject& entry, const Screen& screen);

/// The columns of a feed on a screen, of which the text takes what is left.
struct FeedColumns {
  std::size_t at;
  std::size_t who;
  std::size_t what;
  std::size_t text;
};
constexpr std::size_t kFeedGap = 2;
FeedColumns feed_columns(std::size_t width);
/// Who, and to whom: so that of a pair both are seen.
std::string who_in(const FeedRow& row, std::size_t width);
/// The text and its notes in so many columns: what was cut ends in "…".
struct FeedText {
  std::string text;
  std::string notes;
};
FeedText text_in(const FeedRow& row, std::size_t width);

/// One entry in one line; on a terminal what a person is asked goes on below its own column.
Shown feed_line(const JsonObject& entry, const Screen& screen);
/// A list of them.
Shown feed_lines(const CommandLine& line, const Answer& answer, const Screen& screen);

}  // namespace townpost
