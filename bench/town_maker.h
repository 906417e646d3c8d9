#pragma once
#include <cstdint>
#include <filesystem>

#include "base/result.h"
#include "post/values/agent.h"

namespace townpost::bench {

/// A mailbox of a filled town.
struct Mailbox {
  AgentId id;
  std::string address;
};

struct FilledTown {
  std::filesystem::path folder;
  std::filesystem::path store() const { return folder / ".town" / "town.db"; }
  Mailbox worker;    ///< one of 500 with about the same number of messages
  Mailbox thousand;  ///< exactly 1,000 messages, spread evenly over the life of the town
  Mailbox idle;      ///< 100 messages, all of them read
};

/// Fills the new town in `folder`: so many messages of 200 to 2,000 bytes between 500 agents, one every twenty seconds
/// up to now, 95 of 100 read. The same town for the same number, but for the hour.
Result<FilledTown> fill_town(const std::filesystem::path& folder, std::int64_t messages);

/// How many messages its store holds.
Result<std::int64_t> stored_messages(const FilledTown& town);

}  // namespace townpost::bench
