#include "delivery/harness_marks.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <vector>

namespace townpost {

namespace {

struct Mark {
  std::string_view harness;
  std::vector<std::string_view> programs;   ///< what its process is called
  std::string_view package;                 ///< the folder of its script, where an interpreter runs it
  std::vector<std::string_view> variables;  ///< set for what it starts; a final * stands for anything
  std::vector<std::string_view> settings;   ///< of those: what people set themselves
};

const std::vector<Mark>& marks() {
  static const std::vector<Mark> all = {
      {"claude",
       {"claude", "claude-code"},
       "/@anthropic-ai/claude-code",
       {"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID", "CLAUDE_PID"},
       {}},
      {"codex", {"codex", "codex-cli"}, "/@openai/codex", {"CODEX_*"}, {"CODEX_HOME", "CODEX_API_KEY"}},
      {"opencode",
       {"opencode"},
       "/opencode-ai/",
       {"OPENCODE*"},
       {"OPENCODE_CONFIG*", "OPENCODE_DISABLE_*", "OPENCODE_ENABLE_*", "OPENCODE_EXPERIMENTAL*", "OPENCODE_AUTO_SHARE",
        "OPENCODE_PERMISSION", "OPENCODE_SERVER_*", "OPENCODE_MODELS_*", "OPENCODE_GIT_*", "OPENCODE_INSTALL_*",
        "OPENCODE_BIN_PATH", "OPENCODE_API_KEY"}},
      {"gemini", {"gemini", "gemini-cli"}, "/@google/gemini-cli", {"GEMINI_CLI"}, {}},
      {"copilot", {"copilot"}, "/@github/copilot", {"COPILOT_CLI", "COPILOT_AGENT*"}, {}},
      // Its editor sets CURSOR_TRACE_ID in every terminal, also in a person's.
      {"cursor", {"cursor-agent"}, "/cursor-agent/", {"CURSOR_*"}, {"CURSOR_TRACE_ID", "CURSOR_API_KEY"}},
      {"aider", {"aider"}, "", {}, {}},
      {"amp", {"amp"}, "/@sourcegraph/amp", {"AMP_THREAD_ID"}, {}},
      {"auggie", {"auggie"}, "/@augmentcode/auggie", {"AUGMENT_AGENT"}, {}},
      {"cline", {"cline"}, "", {"CLINE_ACTIVE"}, {}},
      {"crush", {"crush"}, "", {}, {}},
      {"goose", {"goose", "goosed"}, "", {"GOOSE_TERMINAL"}, {}},
      {"qwen", {"qwen"}, "/@qwen-code/", {"QWEN_CODE"}, {}},
      {"agent", {}, "", {"AI_AGENT"}, {}},
  };
  return all;
}

bool matches(std::string_view name, std::string_view pattern) {
  if (!pattern.ends_with('*')) return name == pattern;
  return name.starts_with(pattern.substr(0, pattern.size() - 1));
}

bool any_matches(std::string_view name, const std::vector<std::string_view>& patterns) {
  return std::any_of(patterns.begin(), patterns.end(), [&](auto pattern) { return matches(name, pattern); });
}

/// Whether it runs scripts, so that its own name says nothing.
bool is_interpreter(std::string_view program) {
  constexpr std::array<std::string_view, 6> kBeginnings = {"node", "MainThread", "bun", "deno", "python", "ruby"};
  return std::any_of(kBeginnings.begin(), kBeginnings.end(), [&](auto name) { return program.starts_with(name); });
}

std::optional<std::string_view> harness_called(std::string_view program) {
  for (const auto& mark : marks())
    if (any_matches(program, mark.programs)) return mark.harness;
  return std::nullopt;
}

std::optional<std::string_view> harness_of_script(const std::string& script) {
  for (const auto& mark : marks())
    if (!mark.package.empty() && script.find(mark.package) != std::string::npos) return mark.harness;
  return harness_called(std::filesystem::path(script).stem().string());
}

}  // namespace

std::optional<std::string_view> harness_of_process(const ProcessLook& process) {
  if (auto found = harness_called(process.program)) return found;
  if (!is_interpreter(process.program)) return std::nullopt;
  const auto words = words_of_process(process.pid);
  for (std::size_t i = 1; i < words.size(); ++i)
    if (!words[i].starts_with('-')) return harness_of_script(words[i]);
  // A program that names itself has no words left but that name.
  return words.empty() ? std::nullopt : harness_called(words[0]);
}

bool is_shell(std::string_view program) {
  if (program.starts_with('-')) program.remove_prefix(1);  // one that somebody logged in with
  constexpr std::array<std::string_view, 18> kShells = {"sh",   "bash",    "rbash", "dash", "ash",    "zsh",
                                                        "fish", "ksh",     "mksh",  "oksh", "csh",    "tcsh",
                                                        "yash", "busybox", "nu",    "pwsh", "elvish", "xonsh"};
  return std::find(kShells.begin(), kShells.end(), program) != kShells.end();
}

int harness_above(const std::vector<ProcessLook>& above, std::string_view harness, int said) {
  for (const auto& process : above)
    if (harness_of_process(process) == harness) return process.pid;
  const auto nearest =
      std::find_if(above.begin(), above.end(), [](const ProcessLook& process) { return !is_shell(process.program); });
  // What has the terminal for itself, as an agent program does; a server of terminals or a login does not.
  const bool fits = nearest != above.end() && nearest->pid == said && said > 1 && nearest->foreground > 0 &&
                    nearest->group == nearest->foreground;
  return fits ? said : 0;
}

std::optional<MarkedBy> harness_of_environment(const Environment& environment) {
  for (const auto& name : environment.names())
    for (const auto& mark : marks())
      if (any_matches(name, mark.variables) && !any_matches(name, mark.settings)) return MarkedBy{mark.harness, name};
  return std::nullopt;
}

}  // namespace townpost
