#include "post/town/hint.h"

#include <vector>

#include "base/files.h"
#include "base/number.h"
#include "base/private_files.h"
#include "base/text.h"

namespace townpost {

namespace {
constexpr Millis kTrusted = std::chrono::seconds(60);
constexpr std::string_view kVersion = "3";
}  // namespace

std::optional<AgentId> Hint::nothing_waits_for() const {
  const auto text = private_text(file_, 256);
  if (!text) return std::nullopt;
  const auto parts = split(trim(*text), ' ');
  if (parts.size() != 7 || parts[0] != kVersion) return std::nullopt;
  std::int64_t numbers[6] = {};
  for (std::size_t i = 0; i < 6; ++i) {
    const auto number = whole_number(parts[i + 1]);
    if (!number) return std::nullopt;
    numbers[i] = *number;
  }
  const auto [mailbox, bell, registry, channels, at, until] = numbers;
  const Instant now = clock_.now();
  // A change of the settings may have moved the town to another store.
  const auto settings = modified_ns(settings_);
  if (!settings || *settings / 1'000'000 > at) return std::nullopt;
  if (Instant{at} > now || Instant{at} < now - kTrusted || Instant{until} <= now) return std::nullopt;
  if (bell_.stamp(AgentId{mailbox}) != bell || bell_.stamp(BellKey::registry()) != registry ||
      bell_.stamp(BellKey::channels()) != channels)
    return std::nullopt;
  return AgentId{mailbox};
}

Hint::Stamps Hint::before_look(AgentId mailbox) const {
  return {mailbox, bell_.stamp(mailbox), bell_.stamp(BellKey::registry()), bell_.stamp(BellKey::channels()),
          clock_.now()};
}

void Hint::nothing_found(const Stamps& s, std::optional<Instant> until) const {
  if (!s.bell || !s.registry || !s.channels) return;
  const auto line = cat(kVersion, " ", s.mailbox.key, " ", *s.bell, " ", *s.registry, " ", *s.channels, " ", s.at.ms,
                        " ", until.value_or(s.at + kTrusted).ms, "\n");
  if (auto written = write_file_lightly(file_, line); written) return;
  if (make_private_folders(folder_holding(file_))) (void)write_file_lightly(file_, line);  // no hint is no loss
}

}  // namespace townpost
