#include "post/hint.h"

#include <charconv>
#include <vector>

#include "base/files.h"
#include "base/text.h"

namespace townpost {

namespace {
constexpr Millis kTrusted = std::chrono::seconds(60);
constexpr std::string_view kVersion = "1";
}  // namespace

bool Hint::says_nothing_waits() const {
  const auto text = read_file(file_, 256);
  if (!text) return false;
  const auto parts = split(trim(*text), ' ');
  if (parts.size() != 5 || parts[0] != kVersion) return false;
  std::int64_t numbers[4] = {};
  for (std::size_t i = 0; i < 4; ++i) {
    const auto& part = parts[i + 1];
    const auto [end, trouble] = std::from_chars(part.data(), part.data() + part.size(), numbers[i]);
    if (trouble != std::errc() || end != part.data() + part.size()) return false;
  }
  const auto [mailbox, bell, registry, at] = numbers;
  const Instant now = clock_.now();
  if (Instant{at} > now || Instant{at} < now - kTrusted) return false;
  return bell_.stamp(AgentId{mailbox}) == bell && bell_.stamp(kRegistryBell) == registry;
}

Hint::Stamps Hint::before_look(AgentId mailbox) const {
  return {mailbox, bell_.stamp(mailbox), bell_.stamp(kRegistryBell), clock_.now()};
}

void Hint::nothing_found(const Stamps& s) const {
  const auto line = cat(kVersion, " ", s.mailbox.key, " ", s.bell, " ", s.registry, " ", s.at.ms, "\n");
  if (auto written = write_file_lightly(file_, line); written) return;
  if (make_folders(file_.parent_path())) (void)write_file_lightly(file_, line);  // no hint is no loss
}

}  // namespace townpost
