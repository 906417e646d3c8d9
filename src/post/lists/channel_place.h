#pragma once
#include <map>
#include <set>
#include <vector>

#include "post/rules/withheld.h"
#include "post/town/store.h"

namespace townpost {

/// How somebody follows a channel: by itself, or by a pattern or group.
struct Following {
  MessageId since;  ///< what came before is no news
  bool wake = false;
};
/// The channels that `reader` follows.
Result<std::map<ChannelId, Following>> followed_by(Ledger& ledger, const Agent& reader);

/// Where a reader is on a channel: what is news to it, and how it moves on. What is withheld from it is no news now,
/// and it never moves past that: once nothing is withheld any more it is unread, and told of.
class ChannelPlace {
 public:
  static Result<ChannelPlace> of(Ledger& ledger, const Channel& channel, const Agent& reader, MessageId joined,
                                 const Withheld& withheld, Instant now);
  /// To move on only: with what was withheld when it was shown something, which need not be what is withheld now.
  static Result<ChannelPlace> of(Ledger& ledger, ChannelId channel, AgentId reader);

  Result<std::int64_t> unread();
  Result<std::int64_t> untold();                ///< those that no prompt told of
  Result<bool> is_wakeful();                    ///< whether one of them is held by no rule
  Result<std::vector<Message>> news(int most);  ///< the oldest unread ones
  bool is_news(const Message& post) const;
  bool has_read(const Message& post) const;  ///< or written it
  MessageId read() const { return at_.read; }

  /// It was shown, or told of, all of its news up to there, but for what `left_out` wrote.
  Result<> read_upto(MessageId upto, const std::set<AgentId>& left_out);
  Result<> told_upto(MessageId upto, const std::set<AgentId>& left_out);

 private:
  ChannelPlace(Ledger& ledger, ChannelId channel, AgentId reader)
      : ledger_(ledger), channel_(channel), reader_(reader) {}
  Result<> load();
  NewsQuery behind(MessageId after) const;
  /// Of authors whose posts were withheld and are no more: they are behind the cursor.
  template <class Count>
  Result<std::int64_t> count_late(MessageId Cursor::*reached, Count count);
  Result<> move(MessageId Cursor::*what, MessageId upto, const std::set<AgentId>& left_out);

  Ledger& ledger_;
  ChannelId channel_;
  AgentId reader_;
  MessageId joined_;
  Instant oldest_;
  std::set<AgentId> withheld_;
  Cursor at_;
  std::map<AgentId, Cursor> authors_;  ///< with whom it has not come so far
};

}  // namespace townpost
