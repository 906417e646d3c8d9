#include "delivery/tmux/tmux.h"

#include <algorithm>

#include "base/number.h"
#include "base/text.h"

namespace townpost {

namespace {

constexpr std::string_view kNumbers =
    "#{pane_id} #{pane_pid} #{pane_dead} #{pane_in_mode} #{pane_synchronized} #{pane_width} #{pane_height} "
    "#{window_panes} #{session_windows} #{alternate_on} #{pane_tty}";
constexpr std::size_t kNumberCount = 11;

std::int64_t number(std::string_view text) { return whole_number(text).value_or(0); }

/// As tmux wants it: a colon ends the session's name, and = forbids every other match.
std::string target_word(const TmuxTarget& target) {
  return target.pane.empty() ? cat("=", target.session, ":") : target.pane;
}

std::vector<std::string> wait(Millis time) {
  return {"run-shell", "-d", cat(time.count() / 1000, ".", std::to_string(1000 + time.count() % 1000).substr(1))};
}

std::vector<std::string> capture_words(const std::string& where, int history) {
  std::vector<std::string> words = {"capture-pane", "-p", "-e", "-t", where};
  if (history > 0) words.insert(words.end(), {"-S", cat("-", history)});
  return words;
}

/// Whether both show something of the same place, so that one command can show it.
bool show_alike(const std::vector<std::string>& one, const std::vector<std::string>& other) {
  return one.size() == other.size() && one.front() == "display-message" && one.size() > 1 &&
         std::equal(one.begin(), one.end() - 1, other.begin());
}

/// Several commands that run one after the other, of which the last alone prints.
std::vector<std::string> in_a_row(const std::vector<std::vector<std::string>>& commands) {
  std::vector<std::string> out;
  for (const auto& command : commands) {
    if (!out.empty()) out.emplace_back(";");
    out.insert(out.end(), command.begin(), command.end());
  }
  return out;
}

/// kNumbers as printed; false if there is no such pane.
bool read_numbers(std::string_view line, TmuxPane& pane) {
  const auto fields = split(trim(line), ' ');
  if (fields.size() < kNumberCount || !fields[0].starts_with('%')) return false;
  pane.id = fields[0];
  pane.pid = number(fields[1]);
  pane.dead = fields[2] == "1";
  pane.in_mode = fields[3] != "0";
  pane.synchronized = fields[4] == "1";
  pane.width = static_cast<int>(number(fields[5]));
  pane.height = static_cast<int>(number(fields[6]));
  pane.alone = fields[7] == "1" && fields[8] == "1";
  pane.fills_the_screen = fields[9] == "1";
  pane.terminal = fields[10];
  return true;
}

std::string without_last_newline(std::string text) {
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

Failure no_such(const TmuxTarget& target) {
  return fail(Code::not_found, cat("there is no tmux session ", for_terminal_line(target.str())));
}

}  // namespace

Result<TmuxTarget> TmuxTarget::parse(std::string_view uri) {
  constexpr std::string_view kScheme = "tmux:";
  auto name = uri.starts_with(kScheme) ? uri.substr(kScheme.size()) : std::string_view();
  TmuxTarget target;
  if (name.starts_with('/')) {  // a name on the usual server may hold slashes, too, but never begins with one
    const auto last = name.rfind('/');
    target.socket = name.substr(0, last);
    name = last == 0 ? std::string_view() : name.substr(last + 1);
  }
  if (target.socket.find_first_of(std::string_view("\n\0", 2)) != std::string::npos) name = {};
  if (name.starts_with('%')) {
    target.pane = name;
    if (name.size() > 1 && name.find_first_not_of("0123456789", 1) == std::string_view::npos) return target;
  } else if (!name.empty() && name.find_first_of(std::string_view(":.\n\0", 4)) == std::string_view::npos) {
    target.session = name;
    return target;
  }
  return fail(Code::usage, cat(for_terminal_line(uri), " names no tmux session"),
              "write tmux:NAME, tmux:%5 or tmux:/SOCKET/%5");
}

Result<std::vector<std::string>> Tmux::run(const std::vector<Words>& commands, std::string input) {
  Words words = {"tmux", "-u"};  // else characters beyond ASCII are printed as _ where the locale is C
  if (!server_.socket_path.empty()) {
    words.insert(words.end(), {"-S", server_.socket_path});
  } else if (!server_.socket_name.empty()) {
    words.insert(words.end(), {"-L", server_.socket_name});
  }
  // What the commands print comes out in one piece. No screen can hold the line that we put between, as nobody knows
  // it.
  const auto border = cat("townpost-", random_hex(random_, 16));
  // Every command that prints wakes the client once more, so that as few as possible do.
  for (std::size_t i = 0; i < commands.size(); ++i) {
    if (i > 0 && show_alike(commands[i - 1], commands[i])) {
      words.back() += cat("\n", border, "\n", commands[i].back());
      continue;
    }
    if (i > 0) words.insert(words.end(), {";", "display-message", "-p", border, ";"});
    words.insert(words.end(), commands[i].begin(), commands[i].end());
  }
  TRY(output, processes_.run({.command = words, .input = std::move(input), .timeout = std::chrono::seconds(10)}));
  if (output.exit_code != 0) {
    const auto said = std::string(trim(output.err));
    const bool absent = said.find("no server") != std::string::npos || said.find("can't find") != std::string::npos ||
                        said.find("error connecting") != std::string::npos;
    return fail(absent ? Code::not_found : Code::unavailable, cat("tmux: ", for_terminal_line(said)));
  }
  std::vector<std::string> parts;
  std::string_view rest = output.out;
  for (auto at = rest.find(border); at != std::string_view::npos; at = rest.find(border)) {
    parts.push_back(without_last_newline(std::string(rest.substr(0, at))));
    rest.remove_prefix(std::min(at + border.size() + 1, rest.size()));
  }
  parts.push_back(without_last_newline(std::string(rest)));
  if (parts.size() != commands.size()) return fail(Code::unavailable, "tmux printed something else than was asked for");
  return parts;
}

Result<std::vector<std::string>> Tmux::sessions() {
  auto printed = run({{"list-sessions", "-F", "#{session_name}"}});
  if (!printed && printed.error().code == Code::not_found) return std::vector<std::string>{};
  if (!printed) return fail(std::move(printed.error()));
  std::vector<std::string> names;
  for (const auto name : split(printed->front(), '\n'))
    if (!name.empty()) names.emplace_back(name);
  return names;
}

Result<std::vector<TmuxPane>> Tmux::panes() {
  auto printed = run({{"list-panes", "-a", "-F", cat(kNumbers, " #{session_name}")}});
  if (!printed && printed.error().code == Code::not_found) return std::vector<TmuxPane>{};
  if (!printed) return fail(std::move(printed.error()));
  std::vector<TmuxPane> panes;
  for (const auto line : split(printed->front(), '\n')) {
    TmuxPane pane;
    if (!read_numbers(line, pane)) continue;
    std::size_t name = 0;
    for (std::size_t field = 0; field < kNumberCount; ++field) name = line.find(' ', name) + 1;
    pane.session = line.substr(name);
    panes.push_back(std::move(pane));
  }
  return panes;
}

Result<TmuxPane> Tmux::pane(const TmuxTarget& target) {
  TRY(seen, view(target, {.count = 0}));
  return seen.pane;
}

Result<TmuxView> Tmux::view(const TmuxTarget& target, const TmuxLooks& looks) {
  const auto where = target_word(target);
  const auto show = [&](std::string_view format) {
    return Words{"display-message", "-p", "-t", where, std::string(format)};
  };
  std::vector<Words> commands = {show(kNumbers),
                                 show("#{session_name}"),
                                 show("#{socket_path}"),
                                 show("#{pane_current_command}"),
                                 show("%s"),
                                 {"list-clients", "-F", "#{client_activity} #{pane_id} #{client_name}"}};
  const std::size_t first_look = commands.size();
  for (int i = 0; i < looks.count; ++i) {
    // All looks in one process: tmux itself waits between them.
    if (i > 0 && looks.apart > Millis(0)) commands.push_back(wait(looks.apart));
    commands.push_back(capture_words(where, looks.history));
  }
  auto result = run(commands);
  if (!result && result.error().message.find("can't find") != std::string::npos) return no_such(target);
  if (!result) return fail(std::move(result.error()));
  auto& printed = *result;
  TmuxView seen;
  // For a pane that is not there tmux prints empty values and is content.
  if (!read_numbers(printed[0], seen.pane)) return no_such(target);
  seen.pane.session = printed[1];
  seen.pane.socket = printed[2];
  seen.pane.command = printed[3];
  if (target.pane.empty() ? seen.pane.session != target.session : seen.pane.id != target.pane) return no_such(target);
  const auto now = number(trim(printed[4]));
  for (const auto line : split(printed[5], '\n')) {
    const auto pane = line.find(' ');
    const auto name = line.find(' ', pane + 1);
    if (pane == std::string_view::npos || name == std::string_view::npos) continue;
    seen.clients.push_back({.name = std::string(line.substr(name + 1)),
                            .pane = std::string(line.substr(pane + 1, name - pane - 1)),
                            .idle_s = now - number(line.substr(0, pane))});
  }
  for (std::size_t i = first_look; i < commands.size(); ++i)
    if (commands[i].front() == "capture-pane") seen.captures.push_back(std::move(printed[i]));
  return seen;
}

Result<std::string> Tmux::capture(const std::string& pane_id, int history) {
  TRY(printed, run({capture_words(pane_id, history)}));
  return printed.front();
}

Result<std::string> Tmux::plain_capture(const std::string& pane_id) {
  TRY(printed, run({{"capture-pane", "-p", "-t", pane_id}}));
  return printed.front();
}

Result<std::string> Tmux::type(const std::string& pane_id, const TmuxTyping& typing) {
  // Also leaves the other modes, and does nothing where there is none.
  std::vector<Words> commands = {{"copy-mode", "-q", "-t", pane_id}};
  if (!typing.text.empty()) {
    const auto buffer = cat("townpost-", random_hex(random_, 16));
    commands.push_back({"load-buffer", "-b", buffer, "-"});
    commands.push_back({"paste-buffer", "-p", "-r", "-d", "-b", buffer, "-t", pane_id});
  }
  if (typing.settle > Millis(0)) commands.push_back(wait(typing.settle));
  if (!typing.keys.empty()) {
    commands.push_back({"send-keys", "-t", pane_id, "-N", std::to_string(typing.repeat)});
    commands.back().insert(commands.back().end(), typing.keys.begin(), typing.keys.end());
  }
  if (!typing.bytes.empty()) commands.push_back({"send-keys", "-t", pane_id, "-l", typing.bytes});
  if (typing.look_after > Millis(0)) commands.push_back(wait(typing.look_after));
  commands.push_back(capture_words(pane_id, 0));
  TRY(printed, run({in_a_row(commands)}, typing.text));
  return printed.front();
}

Result<> Tmux::tell(const std::vector<TmuxClient>& clients, std::string_view text) {
  if (clients.empty()) return {};
  std::string shown;  // the text is a format, and first of all one of strftime
  for (const char c : for_terminal_line(text)) shown += c == '#' ? "##" : c == '%' ? "%%" : std::string(1, c);
  if (shown.starts_with('-')) shown.insert(0, " ");
  if (shown.ends_with(';')) shown.insert(shown.size() - 1, "\\");  // at the end of a word it would end the command
  std::vector<Words> commands;
  commands.reserve(clients.size());
  for (const auto& client : clients) commands.push_back({"display-message", "-c", client.name, "-d", "5000", shown});
  TRY_VOID(run(commands));
  return {};
}

}  // namespace townpost
