#include "fuzz/fuzz.h"
#include "post/nudge/nudge_block.h"

using namespace townpost;

namespace {

constexpr std::size_t kHarnessShows = 10'000;

/// The first byte decides who speaks and whether it is urgent.
Nudge nudge(std::string_view text, std::int64_t number) {
  const auto first = text.empty() ? 0u : static_cast<unsigned char>(text[0]);
  Nudge out;
  out.id = {number};
  out.text = text;
  out.urgent = first % 2 == 1;
  out.from = first % 5 == 0   ? "overseer"
             : first % 5 == 1 ? "townpost"
                              : std::string(64, 'r') + "/crew/" + std::string(64, 'n');
  return out;
}

Announcement mails(std::string_view subject, std::size_t number) {
  Announcement out;
  for (std::size_t i = 0; i < number; ++i) {
    Message message;
    message.id = {static_cast<std::int64_t>(i) + 1};
    message.subject = to_utf8(subject);
    message.from = i % 2 == 0 ? "mayor/" : std::string(64, 'r') + "/crew/" + std::string(64, 'n');
    out.offered.push_back(message.id);
    out.news.push_back(std::move(message));
  }
  out.unread = static_cast<std::int64_t>(number);
  return out;
}

}  // namespace

/// The first part is the subject of as many mails as it has bytes; each other part (they end in 0x1e) is the text of a
/// nudge.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto rest = fuzz::as_text(data, size);
  const auto subject = fuzz::take(rest, '\x1e');
  const auto mail = mails(subject, subject.size() % 61);
  std::vector<Nudge> nudges;
  while (!rest.empty())
    nudges.push_back(
        nudge(fuzz::take(rest, '\x1e'), (std::int64_t{1} << 55) + static_cast<std::int64_t>(nudges.size())));

  for (const auto frame : {Frame::reminder, Frame::plain}) {
    std::size_t fitted = 0;
    const auto block = nudge_block(nudges, mail, frame, fitted);
    CHECK(fitted <= nudges.size() && (fitted > 0 || nudges.empty()));
    CHECK(length_in_characters(block) <= kHarnessShows);
    CHECK(fuzz::is_harmless(block, fuzz::Lines::several) && block.find('\t') == std::string::npos);
    // The brackets are ours: the block's two tags, and the mark before each line of others.
    std::string without_marks;
    std::size_t entries = 0;
    for (std::string_view lines = block; !lines.empty();) {
      auto line = fuzz::take(lines, '\n');
      if (line.starts_with("[hq-n-")) ++entries;
      // A mail's line has the quotes around its subject, and those of the command that answers it.
      if (line.find(") You have new mail from ") != std::string_view::npos && !line.starts_with('>') &&
          !line.starts_with('['))
        CHECK(std::count(line.begin(), line.end(), '"') == 4);
      if (line.starts_with('>')) line.remove_prefix(1);
      without_marks += line;
    }
    const auto brackets = frame == Frame::reminder ? 2 : 0;
    CHECK(for_terminal(block) == block);  // so it goes into a hook's JSON and to a program as it is
    CHECK(std::count(without_marks.begin(), without_marks.end(), '<') == brackets);
    CHECK(std::count(without_marks.begin(), without_marks.end(), '>') == brackets);
    if (frame == Frame::reminder)
      CHECK(block.starts_with("<system-reminder>\n") && block.ends_with("\n</system-reminder>\n"));
    // One line for each nudge says who speaks, whatever others write.
    CHECK(entries == fitted);
  }
  return 0;
}
