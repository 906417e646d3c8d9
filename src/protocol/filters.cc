#include "protocol/filters.h"

#include <algorithm>

namespace townpost::protocol {

namespace {

template <class Wanted>
std::vector<Message> kept(std::vector<Message> messages, Wanted wanted) {
  messages.erase(
      std::remove_if(messages.begin(), messages.end(), [&wanted](const Message& message) { return !wanted(message); }),
      messages.end());
  return messages;
}

}  // namespace

bool is_about(const Parsed& parsed, std::string_view bead) {
  return !bead.empty() && (parsed.bead_id() == bead || parsed.issue_id() == bead);
}
bool is_completion(const Parsed& parsed) { return parsed.type() && parsed.type()->is_completion(); }
bool is_success(const Parsed& parsed) { return parsed.type() && parsed.type()->outcome == Outcome::success; }

std::vector<Message> of_type(std::vector<Message> messages, std::string_view type) {
  return kept(std::move(messages),
              [type](const Message& message) { return equal_ascii_case(message.parsed.type_name(), type); });
}
std::vector<Message> of_bead(std::vector<Message> messages, std::string_view bead) {
  return kept(std::move(messages), [bead](const Message& message) { return is_about(message.parsed, bead); });
}
std::vector<Message> completions(std::vector<Message> messages) {
  return kept(std::move(messages), [](const Message& message) { return is_completion(message.parsed); });
}
std::vector<Message> successes(std::vector<Message> messages) {
  return kept(std::move(messages), [](const Message& message) { return is_success(message.parsed); });
}
std::vector<Message> pending(std::vector<Message> messages) {
  return kept(std::move(messages), [](const Message& message) { return message.is_pending(); });
}

}  // namespace townpost::protocol
