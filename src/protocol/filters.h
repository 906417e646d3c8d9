#pragma once
#include <string_view>
#include <vector>

#include "protocol/typed_message.h"

// What is kept of a list of messages; the order stays.

namespace townpost::protocol {

/// Of that type; "UNKNOWN" keeps those without one. Case does not count.
std::vector<TypedMessage> of_type(std::vector<TypedMessage> messages, std::string_view type);
/// About that bead: it is their bead or their issue.
std::vector<TypedMessage> of_bead(std::vector<TypedMessage> messages, std::string_view bead);
/// What ends work: OFFERING_READY, DONE, FAILED, CHECKPOINT, and own types that say so.
std::vector<TypedMessage> completions(std::vector<TypedMessage> messages);
/// The completions that are a success: OFFERING_READY, DONE.
std::vector<TypedMessage> successes(std::vector<TypedMessage> messages);
/// Acknowledgement required and not given.
std::vector<TypedMessage> pending(std::vector<TypedMessage> messages);

bool is_about(const Parsed& parsed, std::string_view bead);
bool is_completion(const Parsed& parsed);
bool is_success(const Parsed& parsed);

}  // namespace townpost::protocol
