#include "ops/notifier.h"

#include <algorithm>
#include <utility>

#include "base/advice.h"
#include "base/files.h"
#include "base/text.h"
#include "post/town/trusted_towns.h"

namespace townpost {

namespace {

/// So many alarms altogether in the time in which one agent raises one.
constexpr std::size_t kMostAtOnce = 10;
constexpr std::size_t kMostRunning = 10;
constexpr std::size_t kLongest = 300;
constexpr std::string_view kMail = "mail";

bool is_to_a_person(const FeedEntry& entry) {
  return std::any_of(entry.to.begin(), entry.to.end(), [](const std::string& to) {
    const auto address = Address::parse(to);
    return address && address->role() == Role::human;
  });
}

std::string with_reason(std::string_view text, const std::string& reason) {
  return reason.empty() ? std::string(text) : cat(text, ": ", reason);
}

Alarm alarm(const std::string& agent, std::string_view why, std::string_view text) {
  return {agent, std::string(why), for_terminal_line(shorten(to_utf8(text), kLongest))};
}

}  // namespace

Notify notify_in(const std::filesystem::path& town) {
  const auto toml = read_file(town / "town.toml", 1u << 20);
  return toml ? notify_of(*toml) : Notify();
}

std::optional<Alarm> alarm_of(const FeedEntry& entry) {
  if (entry.kind == EventKind::agent_state && entry.state) {
    const auto state = *entry.state;
    if (state != AgentState::blocked && state != AgentState::stalled && state != AgentState::deaf &&
        state != AgentState::dead)
      return std::nullopt;
    return alarm(entry.agent, name(state), with_reason(cat(entry.agent, " is ", name(state)), entry.detail));
  }
  if (entry.kind == EventKind::sender_held)
    return alarm(entry.agent, "held", with_reason(cat(entry.agent, " sends too much; its mail is held"), entry.detail));
  if (entry.kind == EventKind::stored && entry.priority == Priority::urgent && is_to_a_person(entry))
    return alarm(entry.from, kMail, cat("urgent mail from ", entry.from, ": ", entry.words));
  return std::nullopt;
}

bool Notifier::is_too_soon(const Alarm& alarm, Millis spacing) {
  const Instant now = town_.clock.now();
  auto& [agents, lately] = alarm.why == kMail ? mail_ : states_;
  const auto is_past = [&](Instant at) { return at > now || now - at >= spacing; };  // or the clock was set back
  while (!lately.empty() && is_past(lately.front())) lately.pop_front();
  std::erase_if(agents, [&](const auto& one) { return is_past(one.second); });
  if (agents.contains(alarm.agent) || lately.size() >= kMostAtOnce) return true;
  agents[alarm.agent] = now;
  lately.push_back(now);
  return false;
}

bool Notifier::tell_of(const FeedEntry& entry) {
  std::erase_if(running_, [](Child& child) { return child.exit_code().has_value(); });
  const auto what = alarm_of(entry);
  if (!what) return false;
  const auto notify = notify_in(town_.folder);
  if (is_too_soon(*what, notify.spacing)) return false;
  run(*what, notify.command);
  return notify.bell;
}

/// The settings of a town that somebody else gave us start nothing.
bool Notifier::may_run(const std::vector<std::string>& command) {
  if (command.empty() || running_.size() >= kMostRunning) return false;
  if (TrustedTowns(environment_).judge(town_.folder).standing == TrustedTowns::Standing::trusted) return true;
  if (!std::exchange(warned_, true))
    tell_("notify.command of town.toml is not run, because you have not trusted this town (" + called("trust") + ")");
  return false;
}

void Notifier::run(const Alarm& alarm, const std::vector<std::string>& command) {
  if (!may_run(command)) return;
  auto child = Child::start(
      {.command = command,
       .environment = {{"GT_NOTIFY_TEXT", alarm.text}, {"GT_NOTIFY_AGENT", alarm.agent}, {"GT_NOTIFY_WHY", alarm.why}},
       .ends = ChildPlan::Ends::log,
       .log = (town_.folder / "log" / "notify.log").string(),
       .detached = true});
  if (child) {
    running_.push_back(std::move(*child));
    return;
  }
  if (!std::exchange(warned_, true)) tell_(cat("notify.command: ", child.error().message));
}

}  // namespace townpost
