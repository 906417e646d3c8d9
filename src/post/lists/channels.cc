#include "post/lists/channels.h"

#include <algorithm>

#include "base/text.h"
#include "post/lists/channel_place.h"
#include "post/people/doubts.h"
#include "post/people/list_names.h"
#include "post/people/membership.h"
#include "post/people/registry.h"
#include "post/rules/limits.h"
#include "post/rules/mail_access.h"
#include "post/rules/mail_wake.h"
#include "post/rules/posting.h"
#include "post/rules/retention.h"

namespace townpost {

namespace {

constexpr MessageId kBeyondEveryPost{INT64_MAX};

Result<Channel> changeable(Ledger& ledger, std::string_view name, const Caller& caller) {
  TRY(channel, existing_channel(ledger, name));
  if (caller.is_person()) return channel;
  TRY(creator, ledger.agent(channel.creator));
  if (creator && creator->address == caller.address) return channel;
  return fail(Code::forbidden,
              cat("channel ", channel.name, " was made by ", creator ? creator->address.str() : "somebody else"),
              "only its maker and people may change it");
}

Result<ChannelView> view_of(Ledger& ledger, const Channel& channel, Instant now) {
  TRY(posts, ledger.count_posts(channel.id, oldest_shown(channel, now), kBeyondEveryPost));
  TRY(subscribers, ledger.subscriptions(channel.id));
  return ChannelView{channel, posts, std::move(subscribers)};
}

Result<> apply(Channel& channel, const Channels::Limits& limits) {
  constexpr std::int64_t kMostPosts = 1'000'000'000, kMostHours = 1'000'000;
  auto check = [](const std::string& what, std::int64_t value, std::int64_t most) -> Result<> {
    if (value >= 0 && value <= most) return {};
    return fail_argument(what, cat("invalid ", what, ": ", value, " is not between 0 and ", most), "0 = no limit");
  };
  if (limits.retain_count) {
    TRY_VOID(check("retain_count", *limits.retain_count, kMostPosts));
    channel.retain_count = static_cast<int>(*limits.retain_count);
  }
  if (limits.retain_hours) {
    TRY_VOID(check("retain_hours", *limits.retain_hours, kMostHours));
    channel.retain_for = std::chrono::hours(*limits.retain_hours);
  }
  return {};
}

Result<> note(Ledger& ledger, const Channel& channel, EventKind kind, Instant now) {
  return ledger.add_event({.at = now,
                           .kind = kind,
                           .detail = cat(channel.name, channel.closed ? ", closed" : ", open"),
                           .channel = channel.id,
                           .audience = Audience::everybody});
}

/// The subscription of this very mailbox, whatever it was called when it subscribed.
Result<std::optional<Subscription>> subscription_of(Ledger& ledger, ChannelId channel, AgentId agent) {
  TRY(own, ledger.subscriptions_of(agent));
  for (const auto& subscription : own)
    if (subscription.channel == channel && subscription.agent == agent) return std::optional(subscription);
  return std::optional<Subscription>();
}

/// What is done to the channel of that name, in one write; the channel as it then is.
template <class Change>
Result<ChannelView> change_channel(Town& town, std::string_view name, const Caller& caller, Change change) {
  std::optional<ChannelView> out;
  TRY_VOID(write_with_duties(town, [&](Ledger& ledger, Posting&) -> Result<> {
    TRY(channel, changeable(ledger, name, caller));
    const Channel before = channel;
    TRY_VOID(change(ledger, channel));
    if (channel != before) TRY_VOID(note(ledger, channel, EventKind::channel_changed, town.clock.now()));
    TRY(view, view_of(ledger, channel, town.clock.now()));
    out = std::move(view);
    return {};
  }));
  return std::move(*out);
}

}  // namespace

Result<Channel> existing_channel(Ledger& ledger, std::string_view name) {
  TRY(found, ledger.find_channel(list_name(ListKind::channel, name)));
  if (const auto meant = name_in_bead(ListKind::channel, name); !found && !meant.empty()) {
    TRY(by_id, ledger.find_channel(meant));
    found = std::move(by_id);
  }
  if (!found) return no_such_list(ledger, ListKind::channel, name);
  return *found;
}

Result<AllNews> channel_news(Ledger& ledger, const Agent& reader, Instant now) {
  AllNews out;
  if (reader.id.key == 0) return out;
  TRY(followed, followed_by(ledger, reader));
  if (followed.empty()) return out;
  TRY(withheld, Withheld::from_reader(ledger, reader));
  out.left_out = withheld.authors();
  for (const auto& [id, following] : followed) {
    TRY(channel, ledger.channel(id));
    if (!channel) continue;
    TRY(place, ChannelPlace::of(ledger, *channel, reader, following.since, withheld, now));
    TRY(unread, place.unread());
    if (unread == 0) continue;
    TRY(newest, ledger.newest_post(id));
    TRY(untold, place.untold());
    TRY(wakeful, following.wake ? place.is_wakeful() : Result<bool>(false));
    out.channels.push_back({*channel, unread, wakeful, newest, untold > 0});
  }
  std::sort(out.channels.begin(), out.channels.end(),
            [](const ChannelNews& a, const ChannelNews& b) { return a.channel.name < b.channel.name; });
  return out;
}

Result<ChannelView> Channels::create(std::string_view name, const Limits& limits, const Caller& caller) {
  std::optional<ChannelView> out;
  TRY_VOID(write_with_duties(town_, [&](Ledger& ledger, Posting&) -> Result<> {
    const Instant now = town_.clock.now();
    TRY_VOID(check_new_list(ledger, ListKind::channel, name));
    TRY(creator, ensure_agent(ledger, caller.address, now));
    if (!caller.is_person()) {
      TRY(made, ledger.count_channels_of(creator.id));
      TRY_VOID(check_number_of_lists(ListKind::channel, made, creator));
    }
    Channel channel{.id = {}, .name = std::string(name), .creator = creator.id, .created_at = now};
    TRY_VOID(apply(channel, limits));
    TRY(id, ledger.add_channel(channel));
    channel.id = id;
    TRY_VOID(note(ledger, channel, EventKind::channel_made, now));
    out = ChannelView{channel, 0, {}};
    return {};
  }));
  return std::move(*out);
}

Result<std::vector<ChannelView>> Channels::list() {
  return read_value(town_.store, [&](Ledger& ledger) -> Result<std::vector<ChannelView>> {
    TRY(channels, ledger.channels());
    std::vector<ChannelView> out;
    for (const auto& channel : channels) {
      TRY(view, view_of(ledger, channel, town_.clock.now()));
      out.push_back(std::move(view));
    }
    return out;
  });
}

Result<ChannelView> Channels::show(std::string_view name) {
  return read_value(town_.store, [&](Ledger& ledger) -> Result<ChannelView> {
    TRY(channel, existing_channel(ledger, name));
    return view_of(ledger, channel, town_.clock.now());
  });
}

Result<ChannelView> Channels::update(std::string_view name, const Limits& limits, const Caller& caller) {
  return change_channel(town_, name, caller, [&](Ledger& ledger, Channel& channel) -> Result<> {
    TRY_VOID(apply(channel, limits));
    TRY_VOID(ledger.update_channel(channel));
    return note_prune_by_age(ledger, channel);
  });
}

Result<ChannelView> Channels::set_open(std::string_view name, Open open, const Caller& caller) {
  return change_channel(town_, name, caller, [&](Ledger& ledger, Channel& channel) {
    channel.closed = open == Open::no;
    return ledger.update_channel(channel);
  });
}

Result<std::int64_t> Channels::remove(std::string_view name, Posts posts, const Caller& caller) {
  std::int64_t gone = 0;
  TRY_VOID(write_with_duties(town_, [&](Ledger& ledger, Posting&) -> Result<> {
    TRY(channel, changeable(ledger, name, caller));
    TRY(view, view_of(ledger, channel, town_.clock.now()));
    gone = view.posts;
    if (gone > 0 && posts == Posts::refuse)
      return fail(
          Code::refused,
          cat("channel ", channel.name, " has ", gone, gone == 1 ? " post" : " posts", ", which would go with it"),
          "close it, and they stay readable; or add " + next("", {{"force", "true"}}));
    TRY(subscriptions, ledger.subscriptions(channel.id));
    for (const auto& subscription : subscriptions)
      TRY_VOID(ledger.remove_subscription(channel.id, subscription.member));
    TRY_VOID(note(ledger, channel, EventKind::channel_removed, town_.clock.now()));
    return ledger.delete_channel(channel.id, town_.clock.now());
  }));
  return gone;
}

Result<Channels::Subscribed> Channels::subscribe(std::string_view name, const std::optional<std::string>& member,
                                                 Wake wake, const Caller& caller) {
  std::optional<Subscribed> out;
  TRY_VOID(write_with_duties(town_, [&](Ledger& ledger, Posting&) -> Result<> {
    TRY(channel, existing_channel(ledger, name));
    TRY(self, ensure_agent(ledger, caller.address, town_.clock.now()));
    TRY(spelling, member_spelling(ledger, member.value_or(caller.address.str())));
    TRY(newest, ledger.newest_post(channel.id));
    Subscription subscription{
        .channel = channel.id, .member = spelling, .agent = std::nullopt, .wake = wake == Wake::yes, .since = newest};
    TRY(destination, Destination::parse(spelling));
    const bool many = destination.kind == Destination::Kind::group || destination.kind == Destination::Kind::pattern ||
                      destination.kind == Destination::Kind::wildcard;
    if (!many) {
      TRY(agents, expand_member(ledger, spelling));
      if (agents.empty())
        return fail(Code::not_found, cat("unknown subscriber \"", spelling, "\""),
                    next("mail.directory", {}, " lists everybody"));
      TRY(agent, ensure_agent(ledger, agents.front().address, town_.clock.now()));
      subscription.agent = agent.id;
      TRY(known, subscription_of(ledger, channel.id, agent.id));
      if (known) {  // under an earlier name: it goes on under this one
        subscription.since = known->since;
        if (subscription.wake) ledger.ring(agent.id);  // what was posted before may wake it now
        TRY_VOID(ledger.remove_subscription(channel.id, known->member));
      }
    }
    const bool for_others = !subscription.agent || *subscription.agent != self.id;
    if (for_others && !caller.is_person()) {
      TRY_VOID(changeable(ledger, name, caller));
      TRY(subscribers, ledger.subscriptions(channel.id));
      if (subscribers.size() >= kMostMembers)
        return fail(Code::refused, cat("channel ", channel.name, " has ", subscribers.size(), " subscriptions"),
                    "subscribe a group or a pattern instead of many");
    }
    TRY_VOID(ledger.add_subscription(subscription));
    ledger.ring(BellKey::registry());  // who looked before and found nothing must look again
    out = Subscribed{subscription};
    if (!many) return {};
    TRY(members, expand_member(ledger, spelling));
    if (!members.empty()) return {};
    TRY(doubts, Doubts::of(ledger));
    out->doubt = doubts.about(spelling);
    return {};
  }));
  return std::move(*out);
}

Result<bool> Channels::unsubscribe(std::string_view name, const std::optional<std::string>& member,
                                   const Caller& caller) {
  bool removed = false;
  TRY_VOID(write_with_duties(town_, [&](Ledger& ledger, Posting&) -> Result<> {
    TRY(channel, existing_channel(ledger, name));
    TRY(spelling, member_spelling(ledger, member.value_or(caller.address.str())));
    if (spelling != caller.address.str() && !caller.is_person()) TRY_VOID(changeable(ledger, name, caller));
    TRY(done, ledger.remove_subscription(channel.id, spelling));
    removed = done;
    if (done) return {};
    TRY(agent, ledger.find_agent(spelling));
    if (!agent) return {};
    TRY(renamed, subscription_of(ledger, channel.id, agent->id));  // subscribed under an earlier name
    removed = renamed.has_value();
    if (renamed) TRY_VOID(ledger.remove_subscription(channel.id, renamed->member));
    return {};
  }));
  return removed;
}

Result<Channels::Reading> Channels::read(std::string_view name, const ReadQuery& query, const Caller& caller) {
  return read_value(town_.store, [&](Ledger& ledger) -> Result<Reading> {
    TRY(channel, existing_channel(ledger, name));
    TRY(self, own_mailbox(ledger, caller));
    TRY(withheld, Withheld::from_reader(ledger, caller));
    Reading out{.channel = channel, .left_out = withheld.authors()};
    std::optional<ChannelPlace> place;
    std::int64_t unread = 0;
    PostsQuery posts{.channel = channel.id,
                     .reader = self.id,
                     .since = oldest_shown(channel, town_.clock.now()),
                     .limit = query.limit};
    if (self.id.key != 0) {
      TRY(followed, followed_by(ledger, self));
      if (const auto found = followed.find(channel.id); found != followed.end()) {
        posts.joined = found->second.since;
        TRY(here, ChannelPlace::of(ledger, channel, self, posts.joined, withheld, town_.clock.now()));
        TRY(number, here.unread());
        place.emplace(std::move(here));
        unread = number;
      }
    }
    if (query.unread_only && !place)
      return fail(Code::refused, cat(caller.address.str(), " is not subscribed to channel ", channel.name),
                  next("channel.subscribe", {{"name", channel.name}}, ", or read all of it"));
    if (query.unread_only) {
      TRY(news, place->news(query.limit));
      out.posts = std::move(news);
      out.total = unread;
      out.more = unread - static_cast<std::int64_t>(out.posts.size());
    } else {
      if (query.below_seq) posts.below = MessageId::least(*query.below_seq);
      TRY(newest, ledger.newest_posts(posts));
      std::reverse(newest.begin(), newest.end());
      out.posts = std::move(newest);
      TRY(total, ledger.count_posts(channel.id, posts.since, kBeyondEveryPost));
      out.total = total;
      if (!out.posts.empty()) {
        TRY(more, ledger.count_posts(channel.id, posts.since, out.posts.front().id));
        out.more = more;
      }
    }
    if (place && !out.posts.empty()) {
      // The cursor follows only if no unread post was left out before what is shown.
      const auto shown =
          std::count_if(out.posts.begin(), out.posts.end(), [&](const Message& post) { return place->is_news(post); });
      const bool all_shown = query.unread_only || (shown == unread && !query.below_seq);
      if (all_shown && (shown > 0 || out.posts.back().id > place->read())) out.upto = out.posts.back().id;
    }
    TRY(known, ChannelPlace::of(ledger, channel.id, self.id));
    for (auto& post : out.posts) {
      if (known.has_read(post)) out.known.insert(post.id);
      withheld.strip(post);
    }
    return out;
  });
}

Result<> Channels::was_read(const Reading& reading, const Caller& caller) {
  const bool deep = std::any_of(reading.posts.begin(), reading.posts.end(), [&](const Message& post) {
    return post.hops > 0 && !reading.left_out.contains(post.sender);
  });
  if (!reading.upto && !deep) return {};
  return write_with_duties(town_, [&](Ledger& ledger, Posting&) -> Result<> {
    TRY(self, own_mailbox(ledger, caller));
    if (self.id.key == 0) return {};
    TRY(place, ChannelPlace::of(ledger, reading.channel.id, self.id));
    if (deep) {  // what an agent is shown counts for its next message (rule L1)
      for (const auto& post : reading.posts) {
        if (reading.left_out.contains(post.sender)) continue;
        const bool news = reading.upto && place.is_news(post) && post.id <= *reading.upto;
        note_shown(self, post, news ? Showing::first_time : Showing::again, town_.clock.now());
      }
      TRY_VOID(ledger.update_shown(self));
    }
    if (!reading.upto) return {};
    TRY_VOID(place.read_upto(*reading.upto, reading.left_out));
    return settle_mail_nudge(ledger, self.id, town_.clock.now());
  });
}

Result<std::vector<PrunedPost>> Channels::pruned(std::string_view name, int most, const Caller& reader) {
  return read_value(town_.store, [&](Ledger& ledger) -> Result<std::vector<PrunedPost>> {
    TRY(channel, existing_channel(ledger, name));
    TRY(records, ledger.pruned_posts(channel.id, most));
    TRY(withheld, Withheld::from_reader(ledger, reader));
    for (auto& record : records) TRY_VOID(withheld.strip(ledger, record));
    return records;
  });
}

Result<std::vector<Channels::Pruned>> Channels::patrol(const std::optional<std::string>& name) {
  std::vector<Pruned> out;
  TRY_VOID(write_with_duties(town_, [&](Ledger& ledger, Posting&) -> Result<> {
    out.clear();
    std::vector<Channel> channels;
    if (name) {
      TRY(channel, existing_channel(ledger, *name));
      channels = {channel};
    } else {
      TRY(all, ledger.channels());
      channels = std::move(all);
    }
    for (auto& channel : channels) {
      TRY(posts, prune(ledger, channel, town_.clock.now(), Slack::ten_percent));
      out.push_back({channel.name, posts});
    }
    return {};
  }));
  return out;
}

}  // namespace townpost
