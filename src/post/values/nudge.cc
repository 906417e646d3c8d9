#include "post/values/nudge.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "post/values/id_text.h"

namespace townpost {

namespace {

constexpr std::string_view kIdPrefix = "hq-n-";
constexpr std::array<std::string_view, 4> kModes = {"wait-idle", "immediate", "soon", "queue"};
constexpr std::array<std::string_view, 6> kSources = {"witness", "refinery", "deacon", "user", "system", "agent"};
constexpr std::array<std::string_view, 5> kKinds = {"text", "mail", "health_check", "timer", "dog_done"};
constexpr std::array<std::string_view, 9> kStates = {"queued",     "leased",  "handed", "delivered", "expired",
                                                     "superseded", "dropped", "dead",   "lost"};
static_assert(kModes.size() == static_cast<std::size_t>(last_value(NudgeMode{})) + 1);
static_assert(kSources.size() == static_cast<std::size_t>(last_value(NudgeSource{})) + 1);
static_assert(kKinds.size() == static_cast<std::size_t>(last_value(NudgeKind{})) + 1);
static_assert(kStates.size() == static_cast<std::size_t>(last_value(NudgeState{})) + 1);

}  // namespace

std::string NudgeId::str() const { return id_text(kIdPrefix, key); }

Result<NudgeId> NudgeId::parse(std::string_view text) {
  if (const auto key = id_key(kIdPrefix, text)) return NudgeId{*key};
  return fail(Code::not_found, cat("no nudge ", for_terminal_line(shorten(to_utf8(text), 80))),
              "nudge ids look like hq-n-1a2b3c; " + next("nudge.list", {}, " shows them"));
}

std::vector<std::string_view> nudge_mode_names() { return {kModes.begin(), kModes.end()}; }
std::vector<std::string_view> nudge_state_names() { return {kStates.begin(), kStates.end()}; }
std::string_view name(NudgeMode mode) { return kModes[static_cast<std::size_t>(mode)]; }

Result<NudgeMode> parse_nudge_mode(std::string_view text) {
  for (std::size_t i = 0; i < kModes.size(); ++i)
    if (kModes[i] == text) return static_cast<NudgeMode>(i);
  return fail_argument("mode", cat("invalid mode: \"", for_terminal_line(shorten(to_utf8(text), 40)), "\" is none"),
                       "use wait-idle, immediate, soon or queue");
}

std::string_view name(NudgeKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

NudgeKind kind_of(std::string_view text) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  const auto begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  const auto end = std::min(text.find_first_not_of(kLetters, begin), text.size());
  const auto word = text.substr(begin, end - begin);
  const auto next = end < text.size() ? text[end] : ' ';
  if (next != ':' && next != ' ' && next != '\t' && next != '\r' && next != '\n') return NudgeKind::text;
  if (word == "HEALTH_CHECK") return NudgeKind::health_check;
  if (word == "TIMER") return NudgeKind::timer;
  if (word == "DOG_DONE") return NudgeKind::dog_done;
  return NudgeKind::text;
}

std::string_view name(NudgeSource source) { return kSources[static_cast<std::size_t>(source)]; }

NudgeSource source_of(const Address& address) {
  switch (address.role()) {
    case Role::witness:
      return NudgeSource::witness;
    case Role::refinery:
      return NudgeSource::refinery;
    case Role::deacon:
      return NudgeSource::deacon;
    case Role::human:
      return NudgeSource::user;
    case Role::system:
      return NudgeSource::system;
    default:
      return NudgeSource::agent;
  }
}

std::string_view name(NudgeState state) { return kStates[static_cast<std::size_t>(state)]; }

std::optional<NudgeState> find_nudge_state(std::string_view text) {
  for (std::size_t i = 0; i < kStates.size(); ++i)
    if (kStates[i] == text) return static_cast<NudgeState>(i);
  return std::nullopt;
}

}  // namespace townpost
