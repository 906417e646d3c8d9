#include "agents/agent_stage.h"

#include <fstream>
#include <stdexcept>

#include "base/text.h"
#include "net/http_client.h"
#include "support/await.h"

namespace townpost {

namespace fs = std::filesystem;

namespace {

constexpr const char* kKey = "sk-ant-no-key-at-all-but-long-enough";  // any will do; nothing leaves the network

TemporaryFolder new_folder() {
  auto folder = TemporaryFolder::make("townpost-stage");
  if (!folder) throw std::runtime_error(folder.error().message);
  return std::move(*folder);
}

ProcessOutput run_or_throw(const ProcessCall& call) {
  auto output = SystemProcesses().run(call);
  if (!output) throw std::runtime_error(cat(call.command.front(), ": ", output.error().message));
  return *output;
}

/// The value behind `name=` in the lines of tools/agents.
std::string value_of(const std::string& lines, const std::string& name) {
  for (const auto line : split(lines, '\n'))
    if (line.starts_with(name + "=")) return std::string(line.substr(name.size() + 1));
  throw std::runtime_error(cat("tools/agents knows no ", name));
}

}  // namespace

AgentStage::AgentStage(ClaudeVersion version) : place_(new_folder()) {
  // Here and not on the network, because what is missing is downloaded; with the caller's HOME, which holds the cache.
  const auto found = run_or_throw(
      {.command = {AGENTS_TOOL}, .input = "", .environment = {}, .folder = "/", .timeout = std::chrono::minutes(9)});
  if (found.exit_code != 0) throw std::runtime_error(found.err);
  claude_ = value_of(found.out, version == ClaudeVersion::oldest ? "oldest-claude" : "claude");
  opencode_ = value_of(found.out, "opencode");

  for (const auto* name : {"home", "tmp", "logs"}) fs::create_directories(place_.path() / name);
  rules("[]");
  start({"node", MODEL_SERVER, "--log", (place_.path() / "asked").string(), "--rules",
         (place_.path() / "rules.json").string()},
        "model");
  await("the model server listens",
        [this] { return log("model").starts_with("listening ") && log("model").back() == '\n'; });
  model_url_ = cat("http://127.0.0.1:", trim(log("model").substr(10)));
  furnish_home();
}

void AgentStage::furnish_home() const {
  const auto write = [this](const fs::path& file, const std::string& text) {
    fs::create_directories((home() / file).parent_path());
    std::ofstream(home() / file) << text << "\n";
  };
  // Whatever Claude Code would ask a person at its first start, answered; it knows a key by its last 20 characters.
  write(".claude.json",
        cat(R"({"hasCompletedOnboarding":true,"hasSeenAutoDefaultNudge":true,)",
            R"("customApiKeyResponses":{"approved":[")",
            std::string_view(kKey).substr(std::string_view(kKey).size() - 20), R"("],"rejected":[]},"projects":{")",
            town_.folder().string(), R"(":{"hasTrustDialogAccepted":true}}})"));
  write(".claude/settings.json", R"({"permissions":{"defaultMode":"default"}})");
  fs::create_directories(home() / ".config/townpost");  // the agents are the user's, and so is their town
  fs::copy_file(town_.folder() / ".config/townpost/towns", home() / ".config/townpost/towns");
  write(".config/opencode/opencode.json",
        cat(R"({"autoupdate":false,"share":"disabled","model":"fake/m1","small_model":"fake/m1","provider":{"fake":)",
            R"({"npm":"@ai-sdk/openai-compatible","name":"Fake","options":{"baseURL":")", model_url_,
            R"(/v1","apiKey":"x"},"models":{"m1":{"name":"m1"}}}}})"));
}

AgentStage::Variables AgentStage::surroundings(const Variables& more) const {
  Variables out = {
      {"TMPDIR", (place_.path() / "tmp").string()},
      {"TMUX_TMPDIR", (place_.path() / "tmp").string()},
      {"TERM", "xterm-256color"},
      {"ANTHROPIC_BASE_URL", model_url_},
      {"ANTHROPIC_API_KEY", kKey},
      {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"},
      {"DISABLE_TELEMETRY", "1"},
      {"DISABLE_AUTOUPDATER", "1"},
      {"OPENCODE_DISABLE_AUTOUPDATE", "1"},
      {"OPENCODE_DISABLE_MODELS_FETCH", "1"},
      {"PATH", cat(fs::path(gt_program()).parent_path().string(), ":/usr/local/bin:/usr/bin:/bin:/usr/sbin")}};
  for (const auto& [name, value] : more) out[name] = value;
  return out;
}

ProcessOutput AgentStage::run(const Words& command, const Variables& variables, const std::string& input) const {
  std::vector<std::string> environment = {cat("HOME=", home().string()), "LANG=C.UTF-8"};
  for (const auto& [name, value] : surroundings(variables)) environment.push_back(cat(name, "=", value));
  ProcessOutput out;
  network_.on([&] {
    out = run_or_throw({.command = command,
                        .input = input,
                        .environment = environment,
                        .folder = town_.folder().string(),
                        .timeout = kLongestWait});
  });
  return out;
}

void AgentStage::start(const Words& command, const std::string& log, const Variables& variables) const {
  Words words = {"sh", "-c", "log=$1; shift; \"$@\" >\"$log\" 2>&1 </dev/null &", "sh",
                 (place_.path() / "logs" / log).string()};
  words.insert(words.end(), command.begin(), command.end());
  run(words, variables);
}

std::string AgentStage::log(const std::string& name) const {
  return read_file(place_.path() / "logs" / name).value_or("");
}

std::string AgentStage::http(const std::string& url, const std::string& body) const {
  HttpCall call{.method = body.empty() ? "GET" : "POST", .url = url, .body = body, .timeout = kLongestWait};
  if (!body.empty()) call.headers.emplace_back("Content-Type", "application/json");
  std::string out;
  network_.on([&] {
    const auto answer = HttpClient().exchange(call);
    if (!answer) throw std::runtime_error(cat(url, ": ", answer.error().message));
    if (!answer->is_good()) throw std::runtime_error(cat(url, ": ", answer->status, " ", answer->body));
    out = answer->body;
  });
  return out;
}

void AgentStage::rules(const std::string& json) const {
  if (!parse_json(json)) throw std::runtime_error("the rules are no JSON: " + json);
  const auto written = write_file_durably(place_.path() / "rules.json", json);
  if (!written) throw std::runtime_error(written.error().message);
}

std::vector<AgentStage::Request> AgentStage::requests() const {
  std::vector<Request> out;
  const auto lines = read_file(place_.path() / "asked").value_or("");
  for (const auto line : split(lines, '\n')) {
    const auto entry = parse_json(line);
    if (!entry || flag_at(*entry, "aside")) continue;  // the last line may be only half there
    out.push_back({.text = text_at(*entry, "text"), .all = text_at(*entry, "all")});
  }
  return out;
}

int AgentStage::times_told(const std::string& text) const {
  int times = 0;
  for (const auto& request : requests()) times += request.text.find(text) != std::string::npos ? 1 : 0;
  return times;
}

void AgentStage::await_told(const std::string& text) const {
  await(cat("the model is told: ", text), [&] { return times_told(text) > 0; });
}

void AgentStage::await(const std::string& what, const std::function<bool()>& condition) const {
  townpost::await(what, condition, [this] {
    std::string known;
    for (const auto& request : requests()) known += cat("\nthe model was asked: ", request.text);
    for (const auto& entry : fs::directory_iterator(place_.path() / "logs"))
      known += cat("\n", entry.path().filename().string(), ": ", read_file(entry.path()).value_or(""));
    return known;
  });
}

}  // namespace townpost
