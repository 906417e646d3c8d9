#include "ops/outcomes.h"

#include <algorithm>

#include "base/text.h"
#include "ops/views.h"

namespace townpost {

Result<Answer> told(const std::vector<OfOneId>& all) {
  const auto failed = std::count_if(all.begin(), all.end(), [](const OfOneId& one) { return !one.state; });
  if (all.size() == 1 && failed == 1) return fail(all.front().state.error());
  if (failed > 0 && failed == static_cast<std::ptrdiff_t>(all.size())) {
    Error error = all.front().state.error();
    error.message = cat("none of ", all.size(), " could be changed; the first: ", error.message);
    return fail(std::move(error));
  }
  JsonArray out;
  for (const auto& [id, state] : all) {
    JsonObject entry;
    entry["id"] = id;
    if (state)
      entry["state"] = *state;
    else
      entry["error"] = views::problem(state.error());
    out.push_back(std::move(entry));
  }
  return Answer{.json = std::move(out), .outcome = failed > 0 ? Outcome::partial : Outcome::done};
}

Result<Answer> told(const std::vector<MarkOutcome>& outcomes) {
  std::vector<OfOneId> all;
  for (const auto& [id, change, error] : outcomes) {
    const auto state = cat(change.changed ? "" : "already ", name(change.event));
    all.push_back({id, error ? Result<std::string>(fail(*error)) : state});
  }
  return told(all);
}

Result<Answer> each_id(const Args& args, const std::function<Result<std::string>(MessageId)>& work) {
  std::vector<OfOneId> all;
  for (const auto& text : args.list("id")) {
    auto state = work(*MessageId::parse(text));
    if (!state && state.error().code == Code::unavailable) return Failure(state.error());
    all.push_back({text, std::move(state)});
  }
  return told(all);
}

}  // namespace townpost
