#include "agents/claude_pane.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "base/text.h"

namespace townpost {

namespace {

// The prompt of the input line is followed by a no-break space, unlike any other such sign on the screen.
constexpr std::string_view kPrompt = "❯\u00A0";

std::string_view prompt_line(const std::string& screen) {
  for (const auto line : split(screen, '\n'))
    if (line.starts_with(kPrompt)) return line;
  return {};
}

// A line such as "✻ Crunching… (2s)"; an ended turn leaves "✻ Crunched for 2s".
bool is_spinner(std::string_view line) {
  constexpr std::string_view kSigns[] = {"· ", "✢ ", "✳ ", "✶ ", "✻ ", "✽ ", "* "};
  return std::any_of(std::begin(kSigns), std::end(kSigns), [&](auto sign) { return line.starts_with(sign); }) &&
         line.find("…") != std::string_view::npos;
}

}  // namespace

ClaudePane::ClaudePane(const AgentStage& stage, const AgentStage::Words& arguments, std::string session,
                       const AgentStage::Variables& variables)
    : stage_(stage), session_(std::move(session)) {
  AgentStage::Words words = {"new-session", "-d", "-s", session_, "-x", "120", "-y", "40"};
  for (const auto& [name, value] : variables) {
    words.emplace_back("-e");
    words.push_back(cat(name, "=", value));
  }
  words.push_back(stage_.claude());
  words.insert(words.end(), arguments.begin(), arguments.end());
  words.insert(words.begin(), {"tmux", "-f", "/dev/null"});
  // A server whose last session has just ended still answers while it goes.
  stage_.await("tmux opens a session", [&] {
    const auto done = stage_.run(words);
    if (done.exit_code == 0) return true;
    if (done.err.find("server") == std::string::npos) throw std::runtime_error(cat("tmux: ", done.err));
    return false;
  });
  await_idle();
}

ClaudePane::~ClaudePane() { (void)stage_.run({"tmux", "-f", "/dev/null", "kill-session", "-t", "=" + session_}); }

std::string ClaudePane::tmux(AgentStage::Words words) const {
  words.insert(words.begin(), {"tmux", "-f", "/dev/null"});
  const auto done = stage_.run(words);
  if (done.exit_code != 0) throw std::runtime_error(cat("tmux ", words[3], ": ", done.err));
  return done.out;
}

std::string ClaudePane::pane() const {
  return std::string(trim(tmux({"display-message", "-p", "-t", cat("=", session_, ":"), "#{pane_id}"})));
}

std::string ClaudePane::screen() const { return tmux({"capture-pane", "-p", "-t", cat("=", session_, ":")}); }

std::string ClaudePane::input_line() const {
  const auto now = screen();
  const auto line = prompt_line(now);
  return line.empty() ? "" : std::string(trim(line.substr(kPrompt.size())));
}

// The words are looked for below the input line only: the conversation above may say anything.
bool ClaudePane::idle() const {
  const auto now = screen();
  const auto line = prompt_line(now);
  if (line.empty()) return false;
  const auto below = std::string_view(now).substr(static_cast<std::size_t>(line.data() - now.data()));
  const auto lines = split(now, '\n');
  return below.find("esc to interrupt") == std::string_view::npos &&
         std::none_of(lines.begin(), lines.end(), is_spinner);
}

void ClaudePane::type(const std::string& text) const {
  tmux({"send-keys", "-t", cat("=", session_, ":"), "-l", "--", text});
}

void ClaudePane::press(const std::string& key) const { tmux({"send-keys", "-t", cat("=", session_, ":"), key}); }

void ClaudePane::prompt(const std::string& text) const {
  type(text);
  await(cat("the input line shows ", text), [&] { return !input_line().empty(); });
  press("Enter");
  await(cat("it takes ", text), [&] { return input_line().empty(); });
}

void ClaudePane::await(const std::string& what, const std::function<bool()>& condition) const {
  try {
    stage_.await(what, condition);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(cat(error.what(), "\nthe screen:\n", screen()));
  }
}

void ClaudePane::await_screen(const std::string& text) const {
  await(cat("the screen shows ", text), [&] { return screen().find(text) != std::string::npos; });
}

void ClaudePane::await_idle() const {
  await("the prompt", [this] { return idle(); });
}

}  // namespace townpost
