#pragma once
#include <string>

#include "post/caller.h"
#include "post/town.h"

namespace townpost {

enum class Compaction { no, yes };

/// What a prompt is told about waiting mail: a block that announces each message once, later one line with the count,
/// or nothing. With Compaction::yes everything unacknowledged is announced again. Reaching a prompt begins a turn.
Result<std::string> announce(Town& town, const Caller& caller, Compaction compaction);

/// The block itself: tiers, ids, senders, subjects, no bodies; at most 4,000 characters. `told` gets how many are in
/// it.
std::string announcement_block(const std::vector<Mail>& news, std::int64_t unread, std::size_t& told);

}  // namespace townpost
