#pragma once
#include <functional>
#include <string>
#include <vector>

#include "base/json.h"
#include "ops/op.h"

namespace townpost {

/// A word that may come next, and what it is.
struct Candidate {
  std::string word;
  std::string what;
  friend bool operator==(const Candidate&, const Candidate&) = default;
};

/// Asks an operation that lists what lives in the town; an empty list if it cannot be asked.
using AskTown = std::function<JsonArray(const Op& op)>;

/// What the last of `words` (behind `gt`; it may be empty) can become. Nothing where the shell knows better: files.
std::vector<Candidate> complete(const std::vector<std::string>& words, const AskTown& ask);

}  // namespace townpost
