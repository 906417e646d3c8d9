#pragma once
#include <string_view>

#include "post/town/store.h"

namespace townpost {

enum class ListKind { group, queue, channel };
std::string_view name(ListKind kind);

/// That `wanted` may become the name of a new group, queue or channel: well formed, no word of the address grammar, and
/// nobody's and nothing's name yet. Error: usage, or refused naming what has it.
Result<> check_new_list(Ledger& ledger, ListKind kind, std::string_view wanted);

/// That an agent that has made `made` lists of this kind may make another. Error: refused.
Result<> check_number_of_lists(ListKind kind, std::int64_t made, const Agent& maker);

/// That no agent but `itself` has a name that differs from this one only in its case. Error: refused.
Result<> check_case(Ledger& ledger, const Address& wanted, std::optional<AgentId> itself = std::nullopt);

/// That a new flat agent of this name would not be taken for a group, queue or channel. Error: refused.
Result<> check_new_flat_name(Ledger& ledger, std::string_view wanted);

/// The name in `dispatch` or `queue:dispatch` (`@ops` for a group): what commands about lists are called with.
std::string list_name(ListKind kind, std::string_view text);
/// The id of a group's or channel's bead: `hq-group-ops`, `hq-channel-builds`. A queue's may have its rig's prefix.
std::string list_bead(ListKind kind, std::string_view name);
/// The name in such an id; empty if it is none.
std::string_view name_in_bead(ListKind kind, std::string_view id);

/// "queue not found: "x"", with the nearest known names.
Failure no_such_list(Ledger& ledger, ListKind kind, std::string_view wanted);

}  // namespace townpost
