#include "post/lists/channel_place.h"

#include <algorithm>

#include "post/people/membership.h"
#include "post/rules/retention.h"

namespace townpost {

Result<std::map<ChannelId, Following>> followed_by(Ledger& ledger, const Agent& reader) {
  std::map<ChannelId, Following> out;
  TRY(subscriptions, ledger.subscriptions_of(reader.id));
  Coverage coverage(ledger, reader);
  for (const auto& subscription : subscriptions) {
    if (!subscription.agent) {
      TRY(covered, coverage.covers(subscription.member));
      if (!covered) continue;
    }
    auto [known, fresh] = out.try_emplace(subscription.channel, Following{subscription.since, subscription.wake});
    if (fresh) continue;
    known->second.since = std::min(known->second.since, subscription.since);
    known->second.wake = known->second.wake || subscription.wake;
  }
  return out;
}

Result<ChannelPlace> ChannelPlace::of(Ledger& ledger, const Channel& channel, const Agent& reader, MessageId joined,
                                      const Withheld& withheld, Instant now) {
  ChannelPlace out(ledger, channel.id, reader.id);
  out.joined_ = joined;
  out.oldest_ = oldest_shown(channel, now);
  out.withheld_ = withheld.authors();
  TRY_VOID(out.load());
  return out;
}

Result<ChannelPlace> ChannelPlace::of(Ledger& ledger, ChannelId channel, AgentId reader) {
  ChannelPlace out(ledger, channel, reader);
  TRY_VOID(out.load());
  return out;
}

Result<> ChannelPlace::load() {
  TRY(cursor, ledger_.cursor(channel_, reader_));
  at_ = cursor.value_or(Cursor{});
  at_.read = std::max(at_.read, joined_);
  at_.announced = std::max(at_.announced, at_.read);
  TRY(authors, ledger_.author_cursors(channel_, reader_));
  for (const auto& [author, at] : authors)
    if (author != reader_) authors_[author] = {std::max(at.read, joined_), std::max(at.announced, joined_)};
  return {};
}

NewsQuery ChannelPlace::behind(MessageId after) const {
  return {.channel = channel_,
          .reader = reader_,
          .after = after,
          .since = oldest_,
          .quarantined = withheld_.empty() ? NewsQuery::Quarantined::included : NewsQuery::Quarantined::left_out};
}

template <class Count>
Result<std::int64_t> ChannelPlace::count_late(MessageId Cursor::*reached, Count count) {
  std::int64_t out = 0;
  for (const auto& [author, at] : authors_) {
    if (withheld_.contains(author)) continue;
    TRY(some, count(author, at.*reached));
    out += some;
  }
  return out;
}

Result<std::int64_t> ChannelPlace::unread() {
  TRY(number, ledger_.count_news(behind(at_.read)));
  TRY(late, count_late(&Cursor::read, [&](AgentId author, MessageId reached) {
        return ledger_.count_news_of(author, at_.read, behind(reached));
      }));
  return number + late;
}

Result<std::int64_t> ChannelPlace::untold() {
  TRY(number, ledger_.count_news(behind(at_.announced)));
  TRY(late, count_late(&Cursor::announced, [&](AgentId author, MessageId reached) {
        return ledger_.count_news_of(author, at_.announced, behind(reached));
      }));
  return number + late;
}

Result<bool> ChannelPlace::is_wakeful() {
  TRY(wakeful, ledger_.has_wakeful_news(behind(at_.read)));
  if (wakeful || authors_.empty()) return wakeful;
  TRY(late, count_late(&Cursor::read, [&](AgentId author, MessageId reached) {
        return ledger_.count_news_of(author, at_.read, behind(reached));
      }));
  return late > 0;
}

Result<std::vector<Message>> ChannelPlace::news(int most) {
  TRY(out, ledger_.news(behind(at_.read), most));
  for (const auto& [author, at] : authors_) {
    if (withheld_.contains(author)) continue;
    TRY(late, ledger_.news_of(author, at_.read, behind(at.read), most));
    std::move(late.begin(), late.end(), std::back_inserter(out));
  }
  std::sort(out.begin(), out.end(), [](const Message& a, const Message& b) { return a.id < b.id; });
  if (out.size() > static_cast<std::size_t>(most)) out.resize(static_cast<std::size_t>(most));
  return out;
}

bool ChannelPlace::is_news(const Message& post) const { return !withheld_.contains(post.sender) && !has_read(post); }

bool ChannelPlace::has_read(const Message& post) const {
  if (post.sender == reader_) return true;
  const auto behind_others = authors_.find(post.sender);
  return post.id <= (behind_others == authors_.end() ? at_.read : behind_others->second.read);
}

Result<> ChannelPlace::read_upto(MessageId upto, const std::set<AgentId>& left_out) {
  return move(&Cursor::read, upto, left_out);
}

Result<> ChannelPlace::told_upto(MessageId upto, const std::set<AgentId>& left_out) {
  return move(&Cursor::announced, upto, left_out);
}

Result<> ChannelPlace::move(MessageId Cursor::*what, MessageId upto, const std::set<AgentId>& left_out) {
  Cursor next = at_;
  next.*what = std::max(next.*what, upto);
  next.announced = std::max(next.announced, next.read);
  for (const auto author : left_out) {
    if (author == reader_ || authors_.contains(author)) continue;
    TRY(passed, ledger_.count_news_of(author, next.announced, behind(at_.read)));
    if (passed == 0) continue;
    authors_[author] = at_;
    TRY_VOID(ledger_.set_author_cursor(channel_, reader_, {author, at_}));
  }
  for (auto known = authors_.begin(); known != authors_.end();) {
    auto& [author, at] = *known;
    if (left_out.contains(author)) {
      ++known;
      continue;
    }
    at.*what = std::max(at.*what, upto);
    at.announced = std::max(at.announced, at.read);
    if (at.read >= next.read && at.announced >= next.announced) {
      TRY_VOID(ledger_.remove_author_cursor(channel_, reader_, author));
      known = authors_.erase(known);
      continue;
    }
    TRY_VOID(ledger_.set_author_cursor(channel_, reader_, {author, at}));
    ++known;
  }
  at_ = next;
  return ledger_.set_cursor(channel_, reader_, at_);
}

}  // namespace townpost
