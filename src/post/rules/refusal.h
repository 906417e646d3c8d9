#pragma once
#include "post/rules/limits.h"
#include "post/rules/posting.h"

namespace townpost {

/// What was refused: enough to tell whom it concerns.
struct Refused {
  Agent sender;
  std::vector<std::string> to;
  std::string thread;  ///< empty: a new one
};

/// Notes a refusal by L1 or L3, in a write that itself succeeds: of a loop somebody is told once per thread; whoever is
/// refused three times in ten minutes for sending too much is held, and a person is told once.
Result<> note_refusal(Town& town, Ledger& ledger, Posting& posting, const Refused& refused, const Ruling& ruling);

/// The error that the caller of a refused operation gets.
Failure refused_by(const Ruling& ruling);

}  // namespace townpost
