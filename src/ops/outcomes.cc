#include "ops/outcomes.h"

#include <algorithm>

#include "base/text.h"
#include "ops/views.h"

namespace townpost {

Result<Answer> told(const std::vector<MarkOutcome>& outcomes) {
  const auto failed =
      std::count_if(outcomes.begin(), outcomes.end(), [](const MarkOutcome& o) { return o.error.has_value(); });
  if (outcomes.size() == 1 && failed == 1) return fail(*outcomes.front().error);
  if (failed > 0 && failed == static_cast<std::ptrdiff_t>(outcomes.size())) {
    Error error = *outcomes.front().error;
    error.message = cat("none of ", outcomes.size(), " could be changed; the first: ", error.message);
    return fail(std::move(error));
  }
  JsonArray out;
  for (const auto& outcome : outcomes) {
    JsonObject entry;
    entry["id"] = outcome.id;
    if (outcome.error) {
      entry["error"] = views::problem(*outcome.error);
    } else {
      entry["state"] = outcome.state;
    }
    out.push_back(std::move(entry));
  }
  return Answer{.json = std::move(out), .outcome = failed > 0 ? Outcome::partial : Outcome::done};
}

Result<Answer> each_id(const Args& args, const std::function<Result<std::string>(MessageId)>& work) {
  std::vector<MarkOutcome> outcomes;
  for (const auto& text : args.list("id")) {
    auto state = work(*MessageId::parse(text));
    if (!state && state.error().code == Code::unavailable) return Failure(state.error());
    MarkOutcome outcome{.id = text, .state = state ? *state : "", .error = std::nullopt};
    if (!state) outcome.error = state.error();
    outcomes.push_back(std::move(outcome));
  }
  return told(outcomes);
}

}  // namespace townpost
