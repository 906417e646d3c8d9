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

Result<std::vector<std::string>> ids_of(const Args& args) {
  auto ids = args.list("id");
  for (const auto& id : ids)
    if (!id.empty() && std::all_of(id.begin(), id.end(), [](char c) { return c >= '0' && c <= '9'; }))
      return fail(Code::usage, cat("\"", id, "\" is a position, not an id; positions are for reading only"),
                  "use the message's id, such as hq-m-1a2b3c");
  return ids;
}

Result<Answer> each_id(const Args& args, const std::function<Result<std::string>(MessageId)>& work) {
  TRY(ids, ids_of(args));
  std::vector<MarkOutcome> outcomes;
  for (const auto& text : ids) {
    auto one = [&]() -> Result<std::string> {
      TRY(id, MessageId::parse(text));
      return work(id);
    };
    auto state = one();
    if (!state && state.error().code == Code::unavailable) return Failure(state.error());
    MarkOutcome outcome{
        .id = for_terminal_line(shorten(to_utf8(text), 80)), .state = state ? *state : "", .error = std::nullopt};
    if (!state) outcome.error = state.error();
    outcomes.push_back(std::move(outcome));
  }
  return told(outcomes);
}

}  // namespace townpost
