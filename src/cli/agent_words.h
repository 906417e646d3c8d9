#pragma once
#include <string>

#include "base/json.h"
#include "cli/screen.h"
#include "ops/shape.h"

namespace townpost {

// What an agent of `gt status` is said to be, on every screen in the same words.

/// Its state in one word or two (docs/glossary.md): "not running" where its session is over, or it never had one.
std::string state_in_words(const JsonObject& agent);
/// Whether this is what the state of an agent is written as.
bool is_agent_state(const Shape& shape);
/// Whether a person must do something before it goes on.
bool needs_somebody(const JsonObject& agent);
/// Where it runs: "tmux %5", "opencode", "process 4711", "on host build2".
std::string place_of_agent(const JsonObject& agent);
/// What it asks, and what stands in its way.
std::string note_of_agent(const JsonObject& agent, const Screen& screen);

}  // namespace townpost
