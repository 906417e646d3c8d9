#include "crash/nudge_harness.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <regex>
#include <stdexcept>
#include <thread>

#include "base/deadline.h"
#include "base/text.h"
#include "support/await.h"

namespace townpost {

namespace {

ChildPlan plan_of(const TestTown& town, const TestTown::Words& words, const TestTown::Variables& variables) {
  ChildPlan plan{.command = {"sh", "-c", R"(exec "$0" "$@" 2>&1)", program_for(variables)},
                 .environment = {{"HOME", town.folder().string()}, {"TMUX", ""}, {"TMUX_PANE", ""}},
                 .folder = town.folder().string(),
                 .ends = ChildPlan::Ends::pipes};
  plan.command.insert(plan.command.end(), words.begin(), words.end());
  for (const auto& [name, value] : variables) plan.environment.emplace_back(name, value);
  return plan;
}

Child started(const ChildPlan& plan) {
  auto child = Child::start(plan);
  if (!child) throw std::runtime_error(child.error().message);
  return std::move(*child);
}

/// What has arrived; never waits.
void take_output(int fd, std::string& out) {
  std::array<char, 4096> bytes{};
  for (ssize_t got = 0; (got = ::read(fd, bytes.data(), bytes.size())) > 0;)
    out.append(bytes.data(), static_cast<std::size_t>(got));
}

}  // namespace

std::set<std::string> nudge_ids(const std::string& text) {
  static const std::regex kId("hq-n-[a-z0-9]+");
  std::set<std::string> out;
  for (std::sregex_iterator at(text.begin(), text.end(), kId), end; at != end; ++at) out.insert(at->str());
  return out;
}

Chance::Chance() {
  auto seed = SystemRandom().bits();
  if (const char* given = std::getenv("CRASH_SEED")) seed = std::strtoull(given, nullptr, 10);
  std::printf("to repeat this: CRASH_SEED=%llu\n", static_cast<unsigned long long>(seed));
  random_ = std::make_unique<SeededRandom>(seed);
}

std::chrono::microseconds Chance::within(std::chrono::microseconds longest) {
  return std::chrono::microseconds(below(static_cast<int>(longest.count()) + 1));
}

Victim::Victim(const TestTown& town, const TestTown::Words& words, const TestTown::Variables& variables,
               const std::string& input)
    : child_(started(plan_of(town, words, variables))) {
  if (!input.empty() && ::write(child_.input(), input.data(), input.size()) < 0) throw std::runtime_error("no input");
  child_.close_input();
}

Victim::~Victim() {
  if (!is_running()) return;
  child_.signal(SIGKILL);
  end();
}

Victim::End Victim::kill_after(std::chrono::microseconds delay) {
  std::this_thread::sleep_for(delay);
  child_.signal(SIGKILL);
  return end();
}

Victim::End Victim::end() {
  End out;
  const auto deadline = Deadline::in(kLongestWait);
  while (!child_.exit_code()) {
    if (deadline.left_ms() == 0) throw std::runtime_error(cat("this command never ended: ", out.out));
    pollfd ends[2] = {{child_.end(), POLLIN, 0}, {child_.output(), POLLIN, 0}};
    ::poll(ends, 2, 1000);
    take_output(child_.output(), out.out);
  }
  take_output(child_.output(), out.out);
  out.exit_code = child_.exit_code().value_or(-1);
  out.killed = out.exit_code == 128 + SIGKILL;
  return out;
}

HookedSession::HookedSession(const TestTown& town, std::string agent)
    : town_(town),
      agent_(std::move(agent)),
      transcript_(town.folder() / "transcript.jsonl"),
      program_(started({.command = {"sleep", "infinity"}})) {
  write({{"type", "user"}, {"message", JsonObject{{"role", "user"}, {"content", "an earlier prompt"}}}});
  event("SessionStart");
}

std::string HookedSession::json(const std::string& name, const std::string& prompt) const {
  JsonObject out{{"session_id", "0731"},
                 {"transcript_path", transcript_.string()},
                 {"cwd", town_.folder().string()},
                 {"hook_event_name", name}};
  if (name == "SessionStart") out["source"] = "resume";
  if (name == "UserPromptSubmit") out["prompt"] = prompt.empty() ? "go on" : prompt;
  return to_line(out) + "\n";
}

TestTown::Variables HookedSession::surroundings() const {
  return {{"MAIL_IDENTITY", agent_}, {"CLAUDE_PID", std::to_string(program_.pid())}};
}

void HookedSession::show(const std::string& text) {
  for (const auto& id : nudge_ids(text)) ++shown_[id];
  const JsonObject attachment{{"type", "hook_additional_context"}, {"content", JsonArray{Json(text)}}};
  write({{"type", "attachment"}, {"attachment", attachment}});
  write({{"type", "assistant"}, {"message", JsonObject{{"role", "assistant"}, {"content", "ok"}}}});
}

void HookedSession::write(JsonObject line) {
  if (lines_ > 0) line["parentUuid"] = std::to_string(lines_);
  line["uuid"] = std::to_string(++lines_);
  std::ofstream(transcript_, std::ios::app) << to_line(line) << "\n";
}

bool HookedSession::event(const std::string& name, std::optional<std::chrono::microseconds> delay, int seconds_later) {
  auto variables = surroundings();
  if (seconds_later > 0) {
    variables["LD_PRELOAD"] = FAKE_CLOCK;
    variables["FAKE_CLOCK_SECONDS"] = std::to_string(seconds_later);
  }
  Victim hook(town_, {"signal", "claude", name}, variables, json(name));
  const auto ended = delay ? hook.kill_after(*delay) : hook.end();
  if (ended.killed) return true;
  if (ended.exit_code != 0) throw std::runtime_error(cat("the ", name, " hook failed: ", ended.exit_code));
  if (const auto answer = parse_json(ended.out))
    show(text_at(value_at(*answer, "hookSpecificOutput"), "additionalContext"));
  return false;
}

bool HookedSession::wait_for(const std::function<void()>& nudge, std::optional<std::chrono::microseconds> delay) {
  Victim waiter(town_, {"signal", "claude", "wait"}, surroundings(), json("Stop"));
  nudge();
  const auto ended = delay ? waiter.kill_after(*delay) : waiter.end();
  if (ended.killed || ended.exit_code != 2) return ended.killed;
  // It is woken: the text is a prompt of its own, and its hook sees it.
  const auto prompt = cat("<task-notification>\n", ended.out);
  show(ended.out);
  Victim(town_, {"signal", "claude", "UserPromptSubmit"}, surroundings(), json("UserPromptSubmit", prompt)).end();
  return false;
}

}  // namespace townpost
