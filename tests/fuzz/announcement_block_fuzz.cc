#include <map>

#include "fuzz/fuzz.h"
#include "post/nudge/announce.h"

using namespace townpost;

namespace {

Mail mail(std::string_view line) {
  Mail out;
  const auto first = line.empty() ? 0u : static_cast<unsigned char>(line[0]);
  out.message.id = {(std::int64_t{first} << 50) + 1};
  out.message.priority = static_cast<Priority>(first % 5);
  out.message.from = first % 3 == 0   ? "overseer"
                     : first % 3 == 1 ? "townpost"
                                      : std::string(64, 'r') + "/crew/" + std::string(64, 'n');
  out.message.subject = to_utf8(line);
  return out;
}

/// A channel's name is a list name, so only its length and the count behind it vary.
std::vector<ChannelNews> channels(std::size_t number, std::size_t size) {
  std::vector<ChannelNews> out(number);
  for (auto& one : out) {
    one.channel.name = std::string(1 + size % 64, 'c');
    one.unread = 1 + static_cast<std::int64_t>(size);
  }
  return out;
}

}  // namespace

/// Each line is the subject of a message; its first byte also decides priority and sender. The size decides the rest.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<Mail> news;
  for (auto rest = fuzz::as_text(data, size); !rest.empty();) news.push_back(mail(fuzz::take(rest, '\n')));
  std::stable_sort(news.begin(), news.end(),
                   [](const Mail& a, const Mail& b) { return a.message.priority < b.message.priority; });

  for (const std::int64_t more : {0, 1, 9'000'000}) {
    std::size_t told = 0;
    const auto unread = static_cast<std::int64_t>(news.size()) + more;
    const auto block = announcement_block(news, unread, channels(more == 1 ? size % 100 : 0, size), told);
    CHECK(told <= news.size() && (told > 0 || news.empty()));
    CHECK(length_in_characters(block) <= 4000);
    CHECK(fuzz::is_harmless(block, fuzz::Lines::several) && block.find('`') == std::string::npos);
    // The brackets are ours: the block's two tags and, where mail waits, the two <id> of its last line.
    const auto brackets = unread > 0 ? 4 : 2;
    CHECK(std::count(block.begin(), block.end(), '<') == brackets);
    CHECK(std::count(block.begin(), block.end(), '>') == brackets);
    CHECK(block.starts_with("<system-reminder>\n") && block.ends_with("\n</system-reminder>\n"));
    // One line a message, whatever its subject holds.
    std::size_t entries = 0;
    for (std::string_view rest = block; !rest.empty();)
      if (fuzz::take(rest, '\n').starts_with("- hq-m-")) ++entries;
    CHECK(entries == told);
  }
  return 0;
}
