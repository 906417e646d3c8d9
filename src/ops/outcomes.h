#pragma once
#include <string>
#include <vector>

#include "ops/op.h"
#include "post/mail/mailroom.h"

namespace townpost {

/// What became of one id of several.
struct OfOneId {
  std::string id;
  Result<std::string> state;
};

/// The answer of a call with several ids: the one error if there is only that, else every outcome.
Result<Answer> told(const std::vector<OfOneId>& all);
Result<Answer> told(const std::vector<MarkOutcome>& outcomes);

/// Runs `work`, which answers with the new state, for each id of the call by itself.
Result<Answer> each_id(const Args& args, const std::function<Result<std::string>(MessageId)>& work);

}  // namespace townpost
