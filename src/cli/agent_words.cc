#include "cli/agent_words.h"

#include <vector>

#include "base/text.h"
#include "cli/render_text.h"
#include "ops/shapes.h"

namespace townpost {

namespace {

/// Not its process, and no session either: nobody has heard of it.
bool was_never_heard_of(const JsonObject& agent) {
  const auto state = text_of(agent, "state");
  return (state.empty() || state == "unknown") && text_of(agent, "session").empty() && number_of(agent, "pid") == 0;
}

}  // namespace

std::string state_in_words(const JsonObject& agent) {
  const auto state = text_of(agent, "state");
  // Who has left and who never came: both are written to, and started, in the same way.
  return was_never_heard_of(agent) || state == "exited" ? "not running" : state;
}

bool is_agent_state(const Shape& shape) {
  return shape.kind() == Shape::Kind::choice && shape.choices() == shapes::agent_state().choices();
}

bool needs_somebody(const JsonObject& agent) { return flag_of(agent, "needs_you"); }

std::string place_of_agent(const JsonObject& agent) {
  const auto state = text_of(agent, "state");
  if (state == "exited" || state == "dead") return "";
  const std::string session = text_of(agent, "session");
  std::string out;
  if (session.starts_with("tmux:"))
    out = cat("tmux ", session.substr(session.rfind(session.find('/') == std::string::npos ? ':' : '/') + 1));
  else if (session.starts_with("opencode:"))
    out = "opencode";
  else if (const auto pid = number_of(agent, "pid"); pid > 0)
    out = cat("process ", pid);
  if (const auto elsewhere = text_of(agent, "on_host"); !elsewhere.empty())
    out += cat(out.empty() ? "on " : " on ", elsewhere);
  return out;
}

std::string note_of_agent(const JsonObject& agent, const Screen& screen) {
  std::vector<std::string> out;
  if (const auto detail = said(agent, "detail", screen); !detail.empty()) out.push_back(detail);
  if (agent.contains("quarantined_at")) out.emplace_back("quarantined");
  if (agent.contains("held_until")) out.emplace_back("held");
  if (agent.contains("sending_held_since")) out.emplace_back("its mail is held (L3)");
  if (const auto held = number_of(agent, "held_sent"); held > 0 && !agent.contains("sending_held_since"))
    out.push_back(held == 1 ? "a message of its own is held" : cat(held, " messages of its own are held"));
  if (flag_of(agent, "dnd")) out.emplace_back("do not disturb");
  if (agent.contains("draft_since")) out.emplace_back("a draft is in its input line");
  if (const auto bead = text_of(agent, "hook"); !bead.empty()) out.push_back(cat("works on ", bead));
  return join(out, " · ");
}

}  // namespace townpost
