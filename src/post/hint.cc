#include "post/hint.h"

#include <charconv>
#include <vector>

#include "base/files.h"
#include "base/text.h"

namespace townpost {

namespace {
constexpr Millis kTrusted = std::chrono::seconds(60);
constexpr std::string_view kVersion = "2";
}  // namespace

bool Hint::says_nothing_waits() const {
  const auto text = read_file(file_, 256);
  if (!text) return false;
  const auto parts = split(trim(*text), ' ');
  if (parts.size() != 6 || parts[0] != kVersion) return false;
  std::int64_t numbers[5] = {};
  for (std::size_t i = 0; i < 5; ++i) {
    const auto& part = parts[i + 1];
    const auto [end, trouble] = std::from_chars(part.data(), part.data() + part.size(), numbers[i]);
    if (trouble != std::errc() || end != part.data() + part.size()) return false;
  }
  const auto [mailbox, bell, registry, channels, at] = numbers;
  const Instant now = clock_.now();
  // A change of the settings may have moved the town to another store.
  const auto settings = modified_ns(town_ / "town.toml");
  if (!settings || *settings / 1'000'000 > at) return false;
  if (Instant{at} > now || Instant{at} < now - kTrusted) return false;
  return bell_.stamp(AgentId{mailbox}) == bell && bell_.stamp(BellKey::registry()) == registry &&
         bell_.stamp(BellKey::channels()) == channels;
}

Hint::Stamps Hint::before_look(AgentId mailbox) const {
  return {mailbox, bell_.stamp(mailbox), bell_.stamp(BellKey::registry()), bell_.stamp(BellKey::channels()),
          clock_.now()};
}

void Hint::nothing_found(const Stamps& s) const {
  if (!bell_.stamps_last()) return;
  const auto line =
      cat(kVersion, " ", s.mailbox.key, " ", s.bell, " ", s.registry, " ", s.channels, " ", s.at.ms, "\n");
  if (auto written = write_file_lightly(file_, line); written) return;
  if (make_folders(file_.parent_path())) (void)write_file_lightly(file_, line);  // no hint is no loss
}

}  // namespace townpost
