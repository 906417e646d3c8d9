#include "delivery/session/harness_marks.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <span>
#include <string>

namespace townpost {

namespace {

using Words = std::span<const std::string_view>;

struct Mark {
  std::string_view harness;
  Words programs;            ///< what its process is called
  std::string_view package;  ///< the folder of its script, where an interpreter runs it
  Words variables;           ///< set for what it starts; a final * stands for anything
  Words settings;            ///< of those: what people set themselves
};

template <class... Text>
constexpr std::array<std::string_view, sizeof...(Text)> words(Text... text) {
  return {std::string_view(text)...};
}

// Every command asks these of each process above it, so they are constants: nothing is built at a start.
constexpr auto kClaude = words("claude", "claude-code");
constexpr auto kClaudeSets = words("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID", "CLAUDE_PID");
constexpr auto kCodex = words("codex", "codex-cli");
constexpr auto kCodexSets = words("CODEX_*");
constexpr auto kCodexIsSet = words("CODEX_HOME", "CODEX_API_KEY");
constexpr auto kOpencode = words("opencode");
constexpr auto kOpencodeSets = words("OPENCODE*");
constexpr auto kOpencodeIsSet =
    words("OPENCODE_CONFIG*", "OPENCODE_DISABLE_*", "OPENCODE_ENABLE_*", "OPENCODE_EXPERIMENTAL*",
          "OPENCODE_AUTO_SHARE", "OPENCODE_PERMISSION", "OPENCODE_SERVER_*", "OPENCODE_MODELS_*", "OPENCODE_GIT_*",
          "OPENCODE_INSTALL_*", "OPENCODE_BIN_PATH", "OPENCODE_API_KEY");
constexpr auto kGemini = words("gemini", "gemini-cli");
constexpr auto kGeminiSets = words("GEMINI_CLI");
constexpr auto kCopilot = words("copilot");
constexpr auto kCopilotSets = words("COPILOT_CLI", "COPILOT_AGENT*");
constexpr auto kCursor = words("cursor-agent");
constexpr auto kCursorSets = words("CURSOR_*");
// Its editor sets CURSOR_TRACE_ID in every terminal, also in a person's.
constexpr auto kCursorIsSet = words("CURSOR_TRACE_ID", "CURSOR_API_KEY");
constexpr auto kAider = words("aider");
constexpr auto kAmp = words("amp");
constexpr auto kAmpSets = words("AMP_THREAD_ID");
constexpr auto kAuggie = words("auggie");
constexpr auto kAuggieSets = words("AUGMENT_AGENT");
constexpr auto kCline = words("cline");
constexpr auto kClineSets = words("CLINE_ACTIVE");
constexpr auto kCrush = words("crush");
constexpr auto kGoose = words("goose", "goosed");
constexpr auto kGooseSets = words("GOOSE_TERMINAL");
constexpr auto kQwen = words("qwen");
constexpr auto kQwenSets = words("QWEN_CODE");
constexpr auto kAgentSets = words("AI_AGENT");

constexpr std::array kMarks = {
    Mark{"claude", kClaude, "/@anthropic-ai/claude-code", kClaudeSets, {}},
    Mark{"codex", kCodex, "/@openai/codex", kCodexSets, kCodexIsSet},
    Mark{"opencode", kOpencode, "/opencode-ai/", kOpencodeSets, kOpencodeIsSet},
    Mark{"gemini", kGemini, "/@google/gemini-cli", kGeminiSets, {}},
    Mark{"copilot", kCopilot, "/@github/copilot", kCopilotSets, {}},
    Mark{"cursor", kCursor, "/cursor-agent/", kCursorSets, kCursorIsSet},
    Mark{"aider", kAider, "", {}, {}},
    Mark{"amp", kAmp, "/@sourcegraph/amp", kAmpSets, {}},
    Mark{"auggie", kAuggie, "/@augmentcode/auggie", kAuggieSets, {}},
    Mark{"cline", kCline, "", kClineSets, {}},
    Mark{"crush", kCrush, "", {}, {}},
    Mark{"goose", kGoose, "", kGooseSets, {}},
    Mark{"qwen", kQwen, "/@qwen-code/", kQwenSets, {}},
    Mark{"agent", {}, "", kAgentSets, {}},
};

/// The two letters that some words of all marks begin with: nearly all of what is asked about is passed over by them.
using Beginnings = std::array<bool, 1u << 10>;
constexpr std::size_t place_of(char first, char second) {
  return (static_cast<std::size_t>(first) & 31u) << 5 | (static_cast<std::size_t>(second) & 31u);
}
template <class WordsOf>
constexpr Beginnings beginnings(WordsOf words_of) {
  Beginnings out{};
  for (const auto& mark : kMarks)
    for (const auto word : words_of(mark)) out[place_of(word[0], word[1])] = true;
  return out;
}
constexpr auto kOfPrograms = beginnings([](const Mark& mark) { return mark.programs; });
constexpr auto kOfVariables = beginnings([](const Mark& mark) { return mark.variables; });

bool begins_as_one(std::string_view word, const Beginnings& known) {
  return word.size() >= 2 && known[place_of(word[0], word[1])];
}

bool matches(std::string_view name, std::string_view pattern) {
  if (!pattern.ends_with('*')) return name == pattern;
  return name.starts_with(pattern.substr(0, pattern.size() - 1));
}

bool any_matches(std::string_view name, Words patterns) {
  return std::any_of(patterns.begin(), patterns.end(), [&](auto pattern) { return matches(name, pattern); });
}

/// Whether it runs scripts, so that its own name says nothing.
bool is_interpreter(std::string_view program) {
  constexpr std::array<std::string_view, 6> kBeginnings = {"node", "MainThread", "bun", "deno", "python", "ruby"};
  return std::any_of(kBeginnings.begin(), kBeginnings.end(), [&](auto name) { return program.starts_with(name); });
}

std::optional<std::string_view> harness_called(std::string_view program) {
  if (!begins_as_one(program, kOfPrograms)) return std::nullopt;
  for (const auto& mark : kMarks)
    if (any_matches(program, mark.programs)) return mark.harness;
  return std::nullopt;
}

std::optional<std::string_view> harness_of_script(const std::string& script) {
  for (const auto& mark : kMarks)
    if (!mark.package.empty() && script.find(mark.package) != std::string::npos) return mark.harness;
  return harness_called(std::filesystem::path(script).stem().string());
}

}  // namespace

std::optional<std::string_view> harness_of_process(const ProcessLook& process) {
  if (auto found = harness_called(process.program)) return found;
  if (!is_interpreter(process.program)) return std::nullopt;
  const auto line = words_of_process(process.pid);
  for (std::size_t i = 1; i < line.size(); ++i)
    if (!line[i].starts_with('-')) return harness_of_script(line[i]);
  // A program that names itself has no words left but that name.
  return line.empty() ? std::nullopt : harness_called(line[0]);
}

bool is_shell(std::string_view program) {
  if (program.starts_with('-')) program.remove_prefix(1);  // one that somebody logged in with
  constexpr std::array<std::string_view, 18> kShells = {"sh",   "bash",    "rbash", "dash", "ash",    "zsh",
                                                        "fish", "ksh",     "mksh",  "oksh", "csh",    "tcsh",
                                                        "yash", "busybox", "nu",    "pwsh", "elvish", "xonsh"};
  return std::find(kShells.begin(), kShells.end(), program) != kShells.end();
}

HarnessAbove harness_above(const std::vector<ProcessLook>& above, std::string_view harness, const SaidOfHarness& said) {
  const auto found = [&](std::vector<ProcessLook>::const_iterator own) {
    HarnessAbove out{.own = *own};
    for (auto beyond = own + 1; beyond != above.end(); ++beyond) {
      out.beyond.push_back(beyond->pid);
      out.is_nested = out.is_nested || harness_of_process(*beyond).has_value();
    }
    return out;
  };
  for (auto process = above.begin(); process != above.end(); ++process)
    if (harness_of_process(*process) == harness) return found(process);
  const auto nearest =
      std::find_if(above.begin(), above.end(), [](const ProcessLook& process) { return !is_shell(process.program); });
  // What has the terminal for itself, as an agent program does; a server of terminals or a login does not.
  const bool fits = nearest != above.end() && nearest->pid > 1 &&
                    (said.pid != 0 ? nearest->pid == said.pid : said.is_marked) && nearest->foreground > 0 &&
                    nearest->group == nearest->foreground;
  if (fits) return found(nearest);
  HarnessAbove out;
  for (const auto& process : above) {
    out.beyond.push_back(process.pid);
    out.is_nested = out.is_nested || harness_of_process(process).has_value();
  }
  return out;
}

bool may_be_marked(std::string_view variables) {
  while (!variables.empty()) {
    const auto end = std::min(variables.find('\0'), variables.size());
    const auto entry = variables.substr(0, end);
    variables.remove_prefix(std::min(end + 1, variables.size()));
    if (!begins_as_one(entry, kOfVariables)) continue;
    const auto name = entry.substr(0, entry.find('='));
    if (std::any_of(kMarks.begin(), kMarks.end(), [&](const Mark& mark) { return any_matches(name, mark.variables); }))
      return true;
  }
  return false;
}

std::optional<MarkedBy> harness_of_environment(const Environment& environment) {
  for (const auto& name : environment.names()) {
    if (!begins_as_one(name, kOfVariables)) continue;
    for (const auto& mark : kMarks)
      if (any_matches(name, mark.variables) && !any_matches(name, mark.settings)) return MarkedBy{mark.harness, name};
  }
  return std::nullopt;
}

}  // namespace townpost
