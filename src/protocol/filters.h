#pragma once
#include <string_view>
#include <vector>

#include "protocol/message.h"

// What is kept of a list of messages; the order stays.

namespace townpost::protocol {

/// Of that type; "UNKNOWN" keeps those without one. Case does not count.
std::vector<Message> of_type(std::vector<Message> messages, std::string_view type);
/// About that bead: it is their bead or their issue.
std::vector<Message> of_bead(std::vector<Message> messages, std::string_view bead);
/// What ends work: OFFERING_READY, DONE, FAILED, CHECKPOINT, and own types that say so.
std::vector<Message> completions(std::vector<Message> messages);
/// The completions that are a success: OFFERING_READY, DONE.
std::vector<Message> successes(std::vector<Message> messages);
/// Acknowledgement required and not given.
std::vector<Message> pending(std::vector<Message> messages);

bool is_about(const Parsed& parsed, std::string_view bead);
bool is_completion(const Parsed& parsed);
bool is_success(const Parsed& parsed);

}  // namespace townpost::protocol
