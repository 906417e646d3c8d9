#include "protocol/filters.h"

#include <algorithm>

namespace townpost::protocol {

namespace {

template <class Wanted>
std::vector<TypedMessage> kept(std::vector<TypedMessage> messages, Wanted wanted) {
  messages.erase(std::remove_if(messages.begin(), messages.end(),
                                [&wanted](const TypedMessage& message) { return !wanted(message); }),
                 messages.end());
  return messages;
}

}  // namespace

bool is_about(const Parsed& parsed, std::string_view bead) {
  return !bead.empty() && (parsed.bead_id() == bead || parsed.issue_id() == bead);
}
bool is_completion(const Parsed& parsed) { return parsed.type() && parsed.type()->is_completion(); }
bool is_success(const Parsed& parsed) { return parsed.type() && parsed.type()->outcome == Outcome::success; }

std::vector<TypedMessage> of_type(std::vector<TypedMessage> messages, std::string_view type) {
  return kept(std::move(messages),
              [type](const TypedMessage& message) { return equal_ascii_case(message.parsed.type_name(), type); });
}
std::vector<TypedMessage> of_bead(std::vector<TypedMessage> messages, std::string_view bead) {
  return kept(std::move(messages), [bead](const TypedMessage& message) { return is_about(message.parsed, bead); });
}
std::vector<TypedMessage> completions(std::vector<TypedMessage> messages) {
  return kept(std::move(messages), [](const TypedMessage& message) { return is_completion(message.parsed); });
}
std::vector<TypedMessage> successes(std::vector<TypedMessage> messages) {
  return kept(std::move(messages), [](const TypedMessage& message) { return is_success(message.parsed); });
}
std::vector<TypedMessage> pending(std::vector<TypedMessage> messages) {
  return kept(std::move(messages), [](const TypedMessage& message) { return message.is_pending(); });
}

}  // namespace townpost::protocol
