#include "delivery/tmux/harness_profile.h"

#include <algorithm>

#include "base/text.h"

namespace townpost {

namespace {

using Where = HarnessProfile::BusyLine::Where;

// As seen on the screens of Claude Code 2.1, Codex 0.166, Gemini CLI 0.61, Copilot CLI 1.0 and OpenCode 1.18.
const std::vector<HarnessProfile>& profiles() {
  static const std::vector<HarnessProfile> all = {
      {.name = "claude",
       .input = HarnessProfile::Input::ruled,
       .prompt = "❯",
       .other_prompt = "!",
       // The line below vanishes as soon as there is a draft; the spinner ("✻ Pondering…") stays. When the turn is
       // over it says "✻ Pondered for 3s", without the dots.
       .busy = {{Where::below, "", "esc to interrupt"},
                {Where::above, "·✢✳✶✻✽*", "…"},
                {Where::above, "·✢✳✶✻✽*", "esc to interrupt"}},
       // They change how a turn runs, and how much it costs. It breaks them the same way where it quotes others.
       .keywords = {"ultra-think", "ultra-code", "ultra-plan", "ultra-review"}},
      {.name = "codex",
       .input = HarnessProfile::Input::open,
       .prompt = "›",
       .busy = {{Where::above, "•◦", "esc to interrupt)"}}},
      {.name = "gemini",
       .input = HarnessProfile::Input::open,
       .prompt = ">",
       .busy = {{Where::above, "", "(esc to cancel"}},
       .placeholders = {"Type your message"}},
      {.name = "copilot",
       .input = HarnessProfile::Input::ruled,
       .prompt = "❯",
       .other_prompt = "!",
       .busy = {{Where::above, "", "esc to cancel"},
                {Where::below, "", "esc to cancel"},
                {Where::below, "", "esc to interrupt"}},
       .placeholders = {"Type @ to mention", "Enter @ to mention"}},
      {.name = "opencode",
       .input = HarnessProfile::Input::boxed,
       .prompt = "┃",
       .busy = {{Where::below, "", "esc interrupt"}, {Where::below, "", "esc again to interrupt"}},
       .placeholders = {"Ask anything…", "Ask anything..."}},
      {.name = "raw"},
  };
  return all;
}

}  // namespace

Result<HarnessProfile> harness_profile(std::string_view name) {
  const auto& all = profiles();
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& profile) { return profile.name == name; });
  if (found != all.end()) return *found;
  return fail(Code::not_found, cat("no harness ", for_terminal_line(name), " is known"),
              "claude, codex, gemini, copilot, opencode or raw");
}

const HarnessProfile& raw_profile() { return profiles().back(); }

}  // namespace townpost
