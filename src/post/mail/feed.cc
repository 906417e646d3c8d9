#include "post/mail/feed.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>

#include "base/text.h"
#include "post/nudge/readable.h"
#include "post/people/resolve.h"
#include "post/rules/mail_access.h"

namespace townpost {

namespace {

constexpr int kPortion = 500;
/// So far back somebody who names no time is shown what happened.
constexpr std::int64_t kFarthestBack = 100'000;
/// So many entries of a long time are looked into for an agent's, the newest first.
constexpr std::size_t kMostKept = 100'000;

constexpr std::array<std::string_view, 7> kTopics = {"mail", "nudge", "state", "rule", "queue", "channel", "town"};
static_assert(kTopics.size() == static_cast<std::size_t>(last_value(FeedTopic{})) + 1);

/// What a kind of event is about where neither message, nudge nor list says so, and whether it is worth a line to
/// whoever does not ask for every step.
struct Sort {
  FeedTopic topic = FeedTopic::mail;
  bool is_main = false;
};

Sort sort_of(EventKind kind) {
  switch (kind) {
    case EventKind::stored:
    case EventKind::read:
    case EventKind::acked:
    case EventKind::recalled:
    case EventKind::dropped:
      return {FeedTopic::mail, true};
    case EventKind::offered:
    case EventKind::delivered:
    case EventKind::unread:
    case EventKind::archived:
    case EventKind::unarchived:
    case EventKind::deleted:
    case EventKind::pinned:
    case EventKind::unpinned:
      return {FeedTopic::mail, false};
    case EventKind::claimed:
    case EventKind::completed:
    case EventKind::failed:
    case EventKind::dead:
    case EventKind::released:
    case EventKind::lease_ended:
    case EventKind::retried:
    case EventKind::queue_made:
    case EventKind::queue_changed:
    case EventKind::queue_removed:
      return {FeedTopic::queue, true};
    case EventKind::extended:
      return {FeedTopic::queue, false};
    case EventKind::channel_made:
    case EventKind::channel_changed:
    case EventKind::channel_removed:
      return {FeedTopic::channel, true};
    case EventKind::pruned:
      return {FeedTopic::channel, false};
    case EventKind::queued:
    case EventKind::expired:
    case EventKind::lost:
    case EventKind::escalated:
      return {FeedTopic::nudge, true};
    case EventKind::grew:
    case EventKind::leased:
    case EventKind::handed:
    case EventKind::put_back:
    case EventKind::superseded:
      return {FeedTopic::nudge, false};
    case EventKind::agent_state:
    case EventKind::started:
      return {FeedTopic::state, true};
    case EventKind::refused_by_l1:
    case EventKind::refused_by_l3:
    case EventKind::sender_held:
    case EventKind::sender_freed:
    case EventKind::hold:
    case EventKind::hold_ended:
    case EventKind::quarantined:
    case EventKind::quarantine_lifted:
    case EventKind::muted:
    case EventKind::unmuted:
    case EventKind::over_budget:
      return {FeedTopic::rule, true};
    case EventKind::token_made:
    case EventKind::token_revoked:
    case EventKind::left_undone:
    case EventKind::other:
      return {FeedTopic::town, true};
  }
  return {FeedTopic::town, true};
}

FeedTopic topic_of(const Event& event) {
  if (event.nudge) return FeedTopic::nudge;
  if (event.queue || (event.message && sort_of(event.kind).topic == FeedTopic::queue)) return FeedTopic::queue;
  if (event.channel) return FeedTopic::channel;
  return sort_of(event.kind).topic;
}

/// Names, and the words that a reader may see. For one transaction.
class Teller {
 public:
  static Result<Teller> of(Ledger& ledger, const Caller& reader, Instant now, const FeedQuery& query) {
    TRY(self, own_mailbox(ledger, reader));
    TRY(withheld, Withheld::from_reader(ledger, reader));
    Teller out(ledger, reader, now, query, self, std::move(withheld));
    if (query.agent) {
      TRY(agent, resolve_one(ledger, *query.agent));
      out.wanted_ = agent;
    }
    return out;
  }

  std::optional<AgentId> reader() const { return reader_.is_person() ? std::nullopt : std::optional(self_.id); }
  /// Whether it can be of interest, before anything else is read for it.
  bool may_be_wanted(const Event& event) const {
    if (query_.steps == FeedQuery::Steps::main && !sort_of(event.kind).is_main && !is_end_of_nudge(event)) return false;
    return query_.topics.empty() || query_.topics.contains(topic_of(event));
  }
  /// Nothing: it is not wanted.
  Result<std::optional<FeedEntry>> entry(Event event) {
    FeedEntry out{.seq = event.seq, .at = event.at, .kind = event.kind, .topic = topic_of(event)};
    bool concerns_wanted = !wanted_ || (event.agent && *event.agent == wanted_->id);
    out.message = event.message;
    out.nudge = event.nudge;
    if (event.agent) TRY_VOID(name_into(out.agent, *event.agent));
    if (event.message) {
      TRY(concerned, add_message(event, out));
      concerns_wanted = concerns_wanted || concerned;
    }
    if (event.nudge) {
      TRY(nudge, readable_nudge(ledger_, *event.nudge, reader_, withheld_, now_));
      if (nudge) {
        if (is_of_mail(*nudge, event.kind)) return std::optional<FeedEntry>();
        out.from = nudge->from;
        TRY_VOID(name_into(out.agent, nudge->target));
        out.to = {out.agent};
        out.words = nudge->text;
        withheld_.strip(event, *nudge);
        concerns_wanted = concerns_wanted || nudge->sender == wanted_->id || nudge->target == wanted_->id;
      }
    }
    if (!concerns_wanted) return std::optional<FeedEntry>();
    TRY_VOID(add_list(event, out));
    if (!event.message && !event.nudge && event.agent && !event.detail.empty())
      event.detail = withheld_.words(*event.agent, event.detail);
    out.detail = event.detail;
    if (event.kind == EventKind::agent_state) TRY_VOID(add_state(event, out));
    return std::optional(std::move(out));
  }

 private:
  Teller(Ledger& ledger, const Caller& reader, Instant now, const FeedQuery& query, Agent self, Withheld withheld)
      : ledger_(ledger),
        reader_(reader),
        now_(now),
        query_(query),
        self_(std::move(self)),
        withheld_(std::move(withheld)) {}

  /// That something was said is told when it is said; of what tells of mail only trouble is.
  static bool is_end_of_nudge(const Event& event) { return event.nudge && is_end(event.kind); }
  bool is_of_mail(const Nudge& nudge, EventKind kind) const {
    const bool trouble = kind == EventKind::dead || kind == EventKind::expired || kind == EventKind::escalated;
    return query_.steps == FeedQuery::Steps::main && nudge.kind == NudgeKind::mail && !trouble;
  }

  Result<> name_into(std::string& name, AgentId id) {
    auto found = names_.find(id);
    if (found == names_.end()) {
      TRY(agent, ledger_.agent(id));
      found = names_.emplace(id, agent ? agent->address.str() : "").first;
    }
    name = found->second;
    return {};
  }

  /// Whether it concerns the agent that is asked for.
  Result<bool> add_message(Event& event, FeedEntry& out) {
    const bool previewed = event.kind == EventKind::stored && query_.preview > 0;
    auto opened = open_mail(ledger_, *event.message, self_, reader_, now_, previewed ? Parts::all : Parts::bodiless);
    if (!opened) {  // that it happened may be known; what it says may not
      const auto code = opened.error().code;
      return code == Code::not_found || code == Code::forbidden ? Result<bool>(false)
                                                                : Result<bool>(fail(opened.error()));
    }
    const auto& message = opened->message;
    out.from = message.from;
    out.to = message.to;
    out.to.insert(out.to.end(), message.cc.begin(), message.cc.end());
    out.words = message.subject;
    out.thread = opened->thread;
    if (previewed) out.preview = std::string(first_characters(message.body, query_.preview));
    withheld_.strip(event, message);
    if (event.kind == EventKind::stored) {
      out.priority = message.priority;
      out.ack_required = message.ack_required;
      out.reply_by = message.reply_by;
      event.detail.clear();  // the recipients, once more
    }
    if (!wanted_) return true;
    if (message.sender == wanted_->id) return true;
    if (event.kind != EventKind::stored) return false;  // what is done to another one's copy
    TRY(copy, ledger_.delivery(message.id, wanted_->id));
    return copy.has_value();
  }

  Result<> add_list(const Event& event, FeedEntry& out) {
    if (event.queue) {
      TRY(queue, ledger_.queue(*event.queue));
      if (queue) out.queue = queue->name;
    }
    if (event.channel) {
      TRY(channel, ledger_.channel(*event.channel));
      if (channel) out.channel = channel->name;
    }
    return {};
  }

  /// The state's name is kept; why it is so is known while it lasts.
  Result<> add_state(const Event& event, FeedEntry& out) {
    out.state = find_agent_state(event.detail);
    out.detail.clear();
    if (!out.state || !event.agent) return {};
    TRY(presence, ledger_.presence(*event.agent));
    if (presence && presence->state == *out.state && presence->since == event.at)
      out.detail = withheld_.words(*event.agent, presence->detail);
    return {};
  }

  Ledger& ledger_;
  const Caller& reader_;
  Instant now_;
  const FeedQuery& query_;
  Agent self_;
  Withheld withheld_;
  std::optional<Agent> wanted_;
  std::map<AgentId, std::string> names_;
};

/// Goes through the log from behind `after` to its end, or until `each` says stop.
template <class Each>
Result<> walk(Ledger& ledger, std::int64_t after, const std::optional<AgentId>& reader, const Each& each) {
  while (true) {
    TRY(page, ledger.events_after({.after = after, .reader = reader, .limit = kPortion}));
    if (page.resync || page.upto == after) return {};
    for (auto& event : page.events) TRY_VOID(each(std::move(event)));
    after = page.upto;
  }
}

/// The number before the first entry that is as young as `since`. Entries stand in the order of commits, so their
/// instants grow but for what writers at the same time and clocks that were set back do.
Result<std::int64_t> number_before(Ledger& ledger, Instant since, const LogExtent& extent) {
  std::int64_t low = extent.oldest - 1;
  std::int64_t high = extent.newest;
  while (low < high) {
    const auto middle = low + (high - low) / 2;
    TRY(page, ledger.events_after({.after = middle, .reader = {}, .limit = 1}));
    if (page.events.empty() || page.events.front().at >= since)
      high = middle;
    else
      low = page.events.front().seq;
  }
  return low;
}

/// The newest so many that are wanted, behind `after`.
Result<std::vector<FeedEntry>> newest_behind(Ledger& ledger, Teller& teller, std::int64_t after, int limit) {
  std::deque<Event> kept;  // named only once it is known which of them are shown, unless that depends on it
  std::vector<FeedEntry> out;
  TRY_VOID(walk(ledger, after, teller.reader(), [&](Event event) -> Result<> {
    if (teller.may_be_wanted(event)) kept.push_back(std::move(event));
    if (kept.size() > kMostKept) kept.pop_front();
    return {};
  }));
  while (!kept.empty() && std::cmp_less(out.size(), limit)) {
    TRY(entry, teller.entry(std::move(kept.back())));
    kept.pop_back();
    if (entry) out.push_back(std::move(*entry));
  }
  std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace

std::string_view name(FeedTopic topic) { return kTopics[static_cast<std::size_t>(topic)]; }

std::vector<std::string_view> feed_topic_names() { return {kTopics.begin(), kTopics.end()}; }

std::optional<FeedTopic> find_feed_topic(std::string_view word) {
  const auto found = std::find(kTopics.begin(), kTopics.end(), word);
  if (found == kTopics.end()) return std::nullopt;
  return static_cast<FeedTopic>(found - kTopics.begin());
}

Result<FeedPage> Feed::latest(const FeedQuery& query, const Caller& reader) {
  return read_value(town_.store, [&](Ledger& ledger) -> Result<FeedPage> {
    FeedPage out;
    TRY(extent, ledger.log_extent());
    TRY(teller, Teller::of(ledger, reader, town_.clock.now(), query));
    out.upto = extent.newest;
    const auto oldest = extent.oldest - 1;
    if (query.since) {
      TRY(begin, number_before(ledger, *query.since, extent));
      TRY(entries, newest_behind(ledger, teller, begin, query.limit));
      out.entries = std::move(entries);
      return out;
    }
    // Twice as far back each time, until there are enough.
    const auto farthest = std::max(oldest, extent.newest - kFarthestBack);
    for (std::int64_t back = std::int64_t{4} * query.limit;; back *= 4) {
      const auto begin = std::max(farthest, extent.newest - back);
      TRY(entries, newest_behind(ledger, teller, begin, query.limit));
      out.entries = std::move(entries);
      if (begin == farthest || std::cmp_greater_equal(out.entries.size(), query.limit)) return out;
    }
  });
}

Result<FeedPage> Feed::after(std::int64_t number, const FeedQuery& query, const Caller& reader) {
  return read_value(town_.store, [&](Ledger& ledger) -> Result<FeedPage> {
    FeedPage out{.entries = {}, .upto = number};
    TRY(teller, Teller::of(ledger, reader, town_.clock.now(), query));
    while (out.entries.size() < kPortion) {
      TRY(page, ledger.events_after({.after = out.upto, .reader = teller.reader(), .limit = kPortion}));
      out.gap = out.gap || page.resync;
      if (page.upto == out.upto) break;
      out.upto = page.upto;
      for (auto& event : page.events) {
        if (!teller.may_be_wanted(event)) continue;
        TRY(entry, teller.entry(std::move(event)));
        if (entry) out.entries.push_back(std::move(*entry));
      }
    }
    return out;
  });
}

Result<Feed::Stir> Feed::stir_after(std::int64_t number) {
  return read_value(town_.store, [&](Ledger& ledger) -> Result<Stir> {
    Stir out{.upto = number};
    TRY(page, ledger.events_after({.after = number, .reader = {}, .limit = kPortion}));
    out.upto = page.upto;
    out.everybody = out.gap = page.resync;
    for (const auto& event : page.events) {
      if (event.audience == Audience::everybody) out.everybody = true;
      if (event.kind == EventKind::token_revoked) out.revoked.push_back(event.detail);
      if (event.agent) out.agents.insert(*event.agent);
      if (event.message) {
        TRY(message, ledger.message(*event.message, Parts::headers));
        if (message) out.agents.insert(message->sender);
        TRY(copies, ledger.deliveries(*event.message));
        for (const auto& copy : copies) out.agents.insert(copy.mailbox);
        if (!message) out.everybody = true;  // whose it was is not known any more
      }
      if (event.nudge) {
        TRY(nudge, ledger.nudge(*event.nudge));
        if (!nudge) out.everybody = true;
        if (nudge) out.agents.insert({nudge->sender, nudge->target});
      }
    }
    return out;
  });
}

Result<std::int64_t> Feed::newest() {
  TRY(extent, read_value(town_.store, [](Ledger& ledger) { return ledger.log_extent(); }));
  return extent.newest;
}

}  // namespace townpost
