#include "bench/opencode_stage.h"

#include <chrono>
#include <thread>

#include "base/json_fields.h"
#include "base/process.h"
#include "base/text.h"
#include "bench/command.h"

namespace townpost::bench {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

namespace {

/// As tools/agents finds or downloads it.
std::string opencode_program() {
  const auto found =
      SystemProcesses().run({.command = {AGENTS_TOOL}, .input = "", .environment = {}, .folder = "/", .timeout = 9min});
  if (!found || found->exit_code != 0) give_up(found ? found->err : found.error().message);
  constexpr std::string_view kName = "opencode=";
  for (const auto line : split(found->out, '\n'))
    if (line.starts_with(kName)) return std::string(line.substr(kName.size()));
  give_up("tools/agents knows no opencode");
}

}  // namespace

OpencodeStage::OpencodeStage(const fs::path& folder) : place_(own_folder()) {
  const auto home = place_.path() / "home";
  const auto config = home / ".config" / "opencode";
  fs::create_directories(config);
  std::vector<std::string> environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8",
                                          cat("HOME=", home.string()),         cat("TMPDIR=", home.string()),
                                          "OPENCODE_DISABLE_AUTOUPDATE=1",     "OPENCODE_DISABLE_MODELS_FETCH=1"};
  for (const auto* kind : {"CONFIG=.config", "DATA=.local/share", "STATE=.local/state", "CACHE=.cache"}) {
    const auto parts = split(kind, '=');
    environment.push_back(cat("XDG_", parts[0], "_HOME=", (home / parts[1]).string()));
  }
  model_.emplace(Companion::Plan{.words = {"node", MODEL_SERVER},
                                 .folder = place_.path(),
                                 .environment = environment,
                                 .log = place_.path() / "model.log"});
  const auto model_url = cat("http://127.0.0.1:", model_->await("listening "));
  const auto written = write_file_durably(
      config / "opencode.json",
      cat(R"({"autoupdate":false,"share":"disabled","model":"fake/m1","small_model":"fake/m1","provider":{"fake":)",
          R"({"npm":"@ai-sdk/openai-compatible","name":"Fake","options":{"baseURL":")", model_url,
          R"(/v1","apiKey":"x"},"models":{"m1":{"name":"m1"}}}}})"));
  if (!written) give_up(written.error().message);
  server_.emplace(Companion::Plan{.words = {opencode_program(), "serve", "--port", "0", "--hostname", "127.0.0.1"},
                                  .folder = folder,
                                  .environment = environment,
                                  .log = place_.path() / "opencode.log"});
  const auto port = std::string(trim(server_->await("listening on http://127.0.0.1:")));
  url_ = cat("http://127.0.0.1:", port);
  session_ = text_in(ask("/session", R"({"title":"bench"})"), "id");
  proxy_.emplace(port);
}

Json OpencodeStage::ask(const std::string& path, const std::string& body) {
  HttpCall call{.method = body.empty() ? "GET" : "POST", .url = url_ + path, .body = body, .timeout = 60s};
  if (!body.empty()) call.headers = {{"Content-Type", "application/json"}};
  const auto answer = client_.exchange(call);
  if (!answer) give_up(answer.error().message);
  auto json = parse_json(answer->body);
  if (!answer->is_good() || !json) give_up(cat(path, " answers ", answer->status, ": ", answer->body));
  return std::move(*json);
}

bool OpencodeStage::turn_has_ended() {
  const auto newest = ask(cat("/session/", session_, "/message?limit=1"));
  if (!newest.is_array() || newest.get_array().empty()) return false;
  const auto& info = member_of(newest.get_array().back(), "info");
  const auto id = std::string(text_in(info, "id"));
  if (text_in(info, "role") != "assistant" || text_in(info, "finish") != "stop" || id == last_answer_) return false;
  if (!member_of(ask("/session/status"), session_).is_null()) return false;
  last_answer_ = id;
  return true;
}

void OpencodeStage::await_turn_end() {
  const auto until = std::chrono::steady_clock::now() + 60s;
  while (!turn_has_ended()) {
    if (std::chrono::steady_clock::now() > until) give_up("OpenCode did not end its turn");
    std::this_thread::sleep_for(20ms);
  }
  // A server has things to do after a turn; whoever is measured next is not to wait for these.
  std::this_thread::sleep_for(300ms);
}

}  // namespace townpost::bench
