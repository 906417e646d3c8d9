#include "post/rules/limits.h"

#include <algorithm>
#include <set>

#include "base/text.h"

namespace townpost {

namespace {

constexpr Millis kMinute = std::chrono::minutes(1);
constexpr Millis kHour = std::chrono::hours(1);
constexpr Millis kDay = std::chrono::hours(24);
constexpr Millis kTurn = std::chrono::hours(1);  // so long that a night of slower turns has at most nine

bool applies_to(const Limits& limits, const Agent& sender) {
  return limits.enabled && sender.address.role() != Role::human && sender.address.role() != Role::system;
}

/// When the window has room again, if `times` (newest first) fill it: seconds from now.
std::optional<std::int64_t> full_for(const std::vector<Instant>& times, int most, Millis window, Instant now) {
  if (most <= 0 || static_cast<int>(times.size()) < most) return std::nullopt;
  const Instant makes_room = times[static_cast<std::size_t>(most) - 1] + window;
  if (makes_room <= now) return std::nullopt;
  return (makes_room - now).count() / 1000 + 1;
}

/// When `sender` sent mail and nudges, newest first.
Result<std::vector<Instant>> times_sent(Ledger& ledger, AgentId sender, std::optional<AgentId> recipient, Window window,
                                        int most) {
  TRY(times, ledger.send_times(sender, recipient, window, most));
  TRY(nudges, ledger.nudge_times(sender, recipient, window, most));
  times.insert(times.end(), nudges.begin(), nudges.end());
  std::sort(times.begin(), times.end(), [](Instant a, Instant b) { return a > b; });
  return times;
}

/// Whether what was shown to it last belongs to the turn of now. A time to come is of a clock that was wrong.
bool is_same_turn(const Agent& agent, Instant now) {
  return agent.shown_at && *agent.shown_at <= now && now - *agent.shown_at < kTurn;
}

/// Those with a session: a name that was only written to does not allow more wakes.
Result<std::int64_t> count_live_agents(Ledger& ledger) {
  TRY(presences, ledger.presences());
  return std::count_if(presences.begin(), presences.end(),
                       [](const Presence& presence) { return !is_over(presence.state); });
}

}  // namespace

int hops_of(const Agent& sender, const std::optional<Message>& parent, Instant now) {
  if (sender.address.role() == Role::human || sender.address.role() == Role::system) return 0;
  int deepest = parent ? parent->hops : 0;
  if (is_same_turn(sender, now)) deepest = std::max(deepest, sender.shown_hops);
  return deepest + 1;
}

bool was_shown_something(const Agent& agent, Instant now) { return agent.shown_hops > 0 && is_same_turn(agent, now); }

void note_shown(Agent& reader, int hops, Instant now) {
  reader.shown_hops = is_same_turn(reader, now) ? std::max(reader.shown_hops, hops) : hops;
  reader.shown_at = now;
}

void note_shown(Agent& reader, const Message& message, Showing shown, Instant now) {
  if (message.from == Address::human().str() && shown == Showing::first_time) reader.shown_hops = 0;
  note_shown(reader, message.hops, now);
}

std::optional<Ruling> hops_hold(const Limits& limits, int hops) {
  if (!limits.enabled || limits.hops_held <= 0 || hops <= limits.hops_held) return std::nullopt;
  return Ruling{"L1", cat("L1: ", hops, " answers in a chain (over ", limits.hops_held, " wake nobody)"), {}};
}

std::optional<Ruling> hops_refusal(const Limits& limits, int hops) {
  if (!limits.enabled || limits.hops_refused <= 0 || hops <= limits.hops_refused) return std::nullopt;
  return Ruling{
      "L1", cat("L1: this would be answer ", hops, " in a chain; over ", limits.hops_refused, " are refused"), {}};
}

Result<std::optional<Ruling>> PairRule::hold(AgentId recipient) {
  std::optional<Ruling> none;
  if (!applies_to(limits_, sender_)) return none;
  const bool to_itself = sender_.id == recipient;
  const int per_minute = to_itself ? limits_.self_per_minute : limits_.pair_per_minute;
  const int most = std::max(per_minute, limits_.pair_per_hour);
  const Window hour{now_ - kHour, now_};
  if (!sent_) {
    const int enough = std::max({limits_.self_per_minute, limits_.pair_per_minute, limits_.pair_per_hour});
    TRY(all, times_sent(ledger_, sender_.id, std::nullopt, hour, enough));
    sent_ = all.size();
  }
  const auto reached = [&](int limit) { return limit > 0 && sent_ >= static_cast<std::size_t>(limit); };
  if (!reached(per_minute) && !reached(limits_.pair_per_hour)) return none;
  TRY(times, times_sent(ledger_, sender_.id, recipient, hour, most));
  auto held = [&](int limit, std::string_view window, std::int64_t seconds) {
    return Ruling{"L2", cat("L2: over ", limit, " to this recipient in ", window, "; held for ", seconds, " s"),
                  seconds};
  };
  if (auto seconds = full_for(times, per_minute, kMinute, now_))
    return std::optional(held(per_minute, "a minute", *seconds));
  if (auto seconds = full_for(times, limits_.pair_per_hour, kHour, now_))
    return std::optional(held(limits_.pair_per_hour, "an hour", *seconds));
  return none;
}

Result<std::optional<Ruling>> sender_refusal(Ledger& ledger, const Limits& limits, const Agent& sender, Instant now) {
  std::optional<Ruling> none;
  if (!applies_to(limits, sender)) return none;
  const bool coordinates = sender.address.role() == Role::mayor || sender.address.role() == Role::deacon;
  const int factor = coordinates ? 5 : 1;
  const int per_hour = limits.sender_per_hour * factor;
  const int per_day = limits.sender_per_day * factor;
  TRY(times, times_sent(ledger, sender.id, std::nullopt, {now - kDay, now}, std::max(per_hour, per_day)));
  auto refused = [&](int most, std::string_view window, std::int64_t seconds) {
    return Ruling{"L3", cat("L3: ", sender.address.str(), " sent ", most, " messages in ", window), seconds};
  };
  if (auto seconds = full_for(times, per_hour, kHour, now))
    return std::optional(refused(per_hour, "an hour", *seconds));
  if (auto seconds = full_for(times, per_day, kDay, now)) return std::optional(refused(per_day, "a day", *seconds));
  return none;
}

Result<> WakeRule::count_town() {
  if (wakes_) return {};
  TRY(wakes, ledger_.count_wakes_by_agents({now_ - kHour, now_}));
  wakes_ = wakes;
  if (limits_.town_wakes_per_hour <= 0 || wakes < limits_.town_wakes_per_hour) {
    most_ = wakes + 1;  // not reached, however many agents there are
    return {};
  }
  TRY(agents, count_live_agents(ledger_));
  most_ = std::max<std::int64_t>(limits_.town_wakes_per_hour, 10 * agents);
  return {};
}

Result<std::optional<Ruling>> WakeRule::hold(AgentId recipient, bool urgent) {
  std::optional<Ruling> none;
  if (!limits_.enabled) return none;
  TRY_VOID(count_town());
  if (*wakes_ == 0) return none;
  const int per_hour = urgent ? limits_.urgent_wakes_per_hour : limits_.wakes_per_hour;
  TRY(times, ledger_.wakes_by_agents(recipient, urgent, {now_ - kHour, now_}, std::max(per_hour, 1)));
  auto held = [&](std::string_view why, std::int64_t seconds) {
    return std::optional(Ruling{"L4", cat("L4: ", why, "; the next in ", seconds, " s"), seconds});
  };
  if (!urgent && limits_.wake_spacing_s > 0)
    if (auto seconds = full_for(times, 1, std::chrono::seconds(limits_.wake_spacing_s), now_))
      return held("agents woke it just now", *seconds);
  if (auto seconds = full_for(times, per_hour, kHour, now_))
    return held(cat("agents woke it ", per_hour, " times in an hour"), *seconds);
  if (*wakes_ < most_) return none;
  return std::optional(Ruling{"L6", cat("L6: agents woke each other ", *wakes_, " times in an hour in this town"), 60});
}

Result<std::optional<Instant>> WakeRule::hold_mail(AgentId recipient) {
  constexpr int kMostTold = 100;  // in one block there are fewer
  std::optional<Instant> none;
  if (!limits_.enabled || limits_.mail_spacing_s <= 0) return none;
  const Millis spacing = std::chrono::seconds(limits_.mail_spacing_s);
  if (!newest_) {
    TRY(found, ledger_.wakes({now_ - spacing, now_}));
    newest_ = std::move(found);
  }
  const auto was_woken = [&](std::optional<Instant> at) {
    return std::any_of(newest_->begin(), newest_->end(), [&](const Wake& wake) {
      return wake.agent == recipient && wake.at > now_ - spacing && (!at || wake.at == *at);
    });
  };
  if (!was_woken(std::nullopt)) return none;
  // What it was told of with a prompt of its own interrupted nobody: a wake is noted at the very instant of the mail.
  TRY(told, ledger_.events_about(recipient, EventKind::offered, {Instant{0}, now_}, kMostTold));
  for (const auto& event : told)
    if (was_woken(event.at)) return std::optional(event.at + spacing);
  return none;
}

namespace {

/// The same recipients in another order are the same.
std::vector<std::string> sorted(std::vector<std::string> addresses) {
  std::sort(addresses.begin(), addresses.end());
  return addresses;
}

}  // namespace

std::int64_t content_digest(const Message& draft) {
  std::uint64_t digest = digest64("mail");
  for (const auto& address : sorted(draft.to)) digest = digest64(address, digest64("to", digest));
  for (const auto& address : sorted(draft.cc)) digest = digest64(address, digest64("cc", digest));
  if (draft.reply_to) digest = digest64(draft.reply_to->str(), digest64("reply_to", digest));
  digest = digest64(draft.subject, digest64("subject", digest));
  return static_cast<std::int64_t>(digest64(draft.body, digest64("body", digest)));
}

bool same_content(const Message& a, const Message& b) {
  return sorted(a.to) == sorted(b.to) && sorted(a.cc) == sorted(b.cc) && a.reply_to == b.reply_to &&
         a.subject == b.subject && a.body == b.body;
}

namespace {

/// Whether this message reached all of them: an address may stand for others by now, a queue or channel may be another
/// of that name, and a person may have taken it back.
Result<bool> reached_all(Ledger& ledger, MessageId message, const std::vector<Delivery>& copies,
                         const Destinations& all) {
  std::set<AgentId> had;
  for (const auto& copy : copies)
    if (!copy.deleted_at || copy.delivered_at) had.insert(copy.mailbox);
  const auto has_it = [&](AgentId mailbox) { return had.contains(mailbox); };
  if (!std::all_of(all.mailboxes.begin(), all.mailboxes.end(), has_it)) return false;
  if (all.queue) {
    TRY(item, ledger.item(message));
    if (!item || item->queue != *all.queue) return false;
  }
  if (all.channel) {
    TRY(post, ledger.post(message));
    if (!post || post->channel != *all.channel || post->recalled_at) return false;
  }
  return true;
}

}  // namespace

Result<std::optional<Message>> duplicate_of(Ledger& ledger, const Limits& limits, const Message& draft,
                                            const Destinations& all, Instant now) {
  std::optional<Message> none;
  if (!limits.enabled || limits.duplicate_minutes <= 0 || !draft.digest) return none;
  TRY(candidates, ledger.with_digest(draft.sender, *draft.digest));
  for (const auto& earlier : candidates) {
    if (!same_content(earlier, draft)) continue;
    TRY(copies, ledger.deliveries(earlier.id));
    TRY(same, reached_all(ledger, earlier.id, copies, all));
    if (!same) continue;
    const Millis age = now - earlier.created_at;
    if (age >= Millis(0) && age < std::chrono::minutes(limits.duplicate_minutes)) return std::optional(earlier);
    for (const auto& copy : copies)
      if (!copy.read_at && !copy.archived_at && !copy.deleted_at) return std::optional(earlier);
  }
  return none;
}

}  // namespace townpost
