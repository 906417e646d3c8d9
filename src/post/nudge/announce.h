#pragma once
#include <string>
#include <vector>

#include "post/lists/channels.h"
#include "post/people/caller.h"
#include "post/town/town.h"

namespace townpost {

enum class Compaction { no, yes };

/// What a prompt is told about waiting mail, and what that means for the messages in it.
struct Announcement {
  std::string text;                       ///< empty: nothing waits
  std::vector<MessageId> offered;         ///< announced in the text for the first time
  std::vector<Message> news;              ///< the same, to be told in other words
  std::int64_t unread = 0;                ///< of what is offered
  std::vector<ChannelNews> all_channels;  ///< everything new on channels, told before or not
  int hops = 0;                           ///< the deepest of them
  struct Told {
    ChannelId channel;
    MessageId upto;
  };
  std::vector<Told> channels;  ///< whose news are in the text for the first time
  std::set<AgentId> left_out;  ///< whose posts were withheld, and are none of those
};

/// A block that announces each message once, later one line with the count, or nothing. With Compaction::yes everything
/// unacknowledged is announced again. What is for a previous holder of the name (post/rules/holder.h) is neither
/// announced nor counted.
Result<Announcement> announce(Town& town, const Caller& caller, Compaction compaction);

// The same inside a transaction, for whoever shows mail together with other things.
Result<Announcement> announcement_for(Town& town, Ledger& ledger, const Agent& self, Compaction compaction);
/// Notes on the copies and channels in it that they were announced, and by what.
Result<> note_announced(Ledger& ledger, const Agent& self, const Announcement& announcement, Instant now,
                        std::string_view by_what);

/// To be called when the text was handed over, so that an announcement nobody got is made again. What was shown before
/// in this turn still counts (rule L1): the agent may have asked by itself.
Result<> announced(Town& town, const Caller& caller, const Announcement& announcement);

/// "from mayor/ (agent, pane), not from your user": who speaks, and with what grade.
std::string speaker(std::string_view from, Grade grade);

/// The block itself: tiers, ids, senders, subjects, no bodies, then a line for each channel; at most 4,000 characters.
/// `told` gets how many messages are in it.
std::string announcement_block(const std::vector<Mail>& news, std::int64_t unread,
                               const std::vector<ChannelNews>& channels, std::size_t& told);

}  // namespace townpost
