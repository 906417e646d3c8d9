#pragma once
#include "ops/op.h"

namespace townpost {

/// Whether the operation can be done for somebody as far away as the caller is: only the caller's own process has its
/// terminal, only its own host its files and programs. Error: forbidden.
Result<> admit_from(const Op& op, From from);

/// Whether the caller may call `op` with these arguments, as its row says. Error: forbidden, naming who may; or why it
/// cannot be told who is calling.
Result<> admit(const Op& op, Call& call);

/// What the row answers without a store, about the caller's own mail; nothing if it must be asked.
std::optional<Answer> answer_without_store(const Op& op, Call& call);

/// The only way to run an operation, for every front end: asks the gate, then the handler. What is refused, and what a
/// script does in a person's name, is noted in the town's log.
Result<Answer> perform(const Op& op, Call& call);

/// What `gt status` tells of that log: the last day's, without those of a person at a terminal.
struct Refusals {
  std::int64_t count = 0;
  std::string last;
};
Refusals refusals_of(const std::filesystem::path& town, Instant now);

}  // namespace townpost
