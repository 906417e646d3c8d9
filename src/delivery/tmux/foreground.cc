#include "delivery/tmux/foreground.h"

#include <fcntl.h>
#include <termios.h>

#include <algorithm>
#include <cstdlib>

#include "base/files.h"
#include "base/process_tree.h"
#include "base/text.h"
#include "delivery/session/harness_marks.h"

namespace townpost {

namespace {

constexpr std::size_t kMostLookedAt = 200;

using Names = std::vector<std::string_view>;

bool is_among(std::string_view name, const Names& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// "python" of "python3.11": versions are part of many names.
std::string_view without_version(std::string_view name) {
  const auto end = name.find_last_not_of("0123456789.-");
  return end == std::string_view::npos ? name : name.substr(0, end + 1);
}

/// Whether an interpreter was given no program to run, so that it reads one from the terminal.
bool reads_its_program(const std::vector<std::string>& words) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto& word = words[i];
    if (word == "-i" || word == "--interactive") return true;
    if (!word.starts_with('-') || word == "-c" || word == "-m" || word == "-e" || word == "--eval" || word == "-jar")
      return false;
  }
  return true;
}

bool echoes_nothing(const std::string& terminal) {
  const FileDescriptor tty(::open(terminal.c_str(), O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
  termios settings{};
  if (!tty || ::tcgetattr(tty.get(), &settings) != 0) return false;
  return (settings.c_lflag & ICANON) != 0 && (settings.c_lflag & ECHO) == 0;
}

/// By its arguments, and by the name that the kernel has for it: what it calls itself may be anything.
ProgramKind kind_of_process(int pid, const std::vector<std::string>& names) {
  auto words = words_of_process(pid);
  const auto kind = kind_of_program(words);
  if (kind != ProgramKind::unknown || names.empty()) return kind;
  words.empty() ? words.push_back(names.front()) : void(words.front() = names.front());
  return kind_of_program(words);
}

std::string_view deed_of(ProgramKind kind) {
  switch (kind) {
    case ProgramKind::shell:
      return "a shell, which would run what is typed";
    case ProgramKind::editor:
      return "an editor";
    case ProgramKind::pager:
      return "a pager";
    case ProgramKind::repl:
      return "an interpreter, which would run what is typed";
    case ProgramKind::password:
      return "a program that asks for passwords";
    case ProgramKind::remote:
    case ProgramKind::unknown:
      break;
  }
  return "";
}

}  // namespace

ProgramKind kind_of_program(const std::vector<std::string>& words) {
  static const Names kEditors = {
      "vi",         "vim",    "nvim",  "view", "vimdiff", "ex",  "nano", "pico", "rnano", "emacs", "joe",
      "jed",        "mcedit", "micro", "hx",   "helix",   "kak", "ed",   "ne",   "mg",    "vipe",  "sensible-editor",
      "emacsclient"};
  static const Names kPagers = {"less", "more", "most", "pg", "man", "bat", "batcat", "info", "delta"};
  static const Names kInterpreters = {"python", "pypy",   "node", "deno",  "bun",   "ruby", "perl",
                                      "lua",    "luajit", "php",  "R",     "julia", "ghci", "guile",
                                      "sbcl",   "erl",    "iex",  "scala", "jshell"};
  static const Names kRepls = {"ipython", "bpython", "ptpython", "irb",       "pry",    "psql", "mysql",
                               "mariadb", "sqlite",  "mongosh",  "redis-cli", "gdb",    "lldb", "bc",
                               "dc",      "ftp",     "sftp",     "lftp",      "expect", "pdb"};
  static const Names kPasswords = {"sudo",
                                   "su",
                                   "doas",
                                   "passwd",
                                   "login",
                                   "sulogin",
                                   "ssh-add",
                                   "ssh-keygen",
                                   "gpg",
                                   "pinentry",
                                   "pinentry-curses",
                                   "pinentry-tty",
                                   "chsh",
                                   "chfn",
                                   "kinit",
                                   "cryptsetup",
                                   "systemd-ask-password",
                                   "polkit-agent-helper-1",
                                   "pkexec"};
  static const Names kRemotes = {"ssh",     "mosh",  "mosh-client", "telnet",  "rsh",        "nc",
                                 "ncat",    "socat", "cu",          "minicom", "docker",     "podman",
                                 "kubectl", "lxc",   "nsenter",     "chroot",  "machinectl", "screen",
                                 "tmux",    "tmate", "abduco",      "dtach",   "script"};
  if (words.empty()) return ProgramKind::unknown;
  std::string name = std::filesystem::path(words.front()).filename().string();
  if (name.starts_with('-')) name.erase(0, 1);  // a shell that somebody logged in with
  const auto plain = without_version(name);
  const auto is = [&](const Names& names) { return is_among(name, names) || is_among(plain, names); };
  // A shell that runs a script reads its lines as the script likes, but nobody knows which; it counts as a shell.
  if (is_shell(name) || is_shell(plain)) return ProgramKind::shell;
  if (is(kEditors)) return ProgramKind::editor;
  if (is(kPagers)) return ProgramKind::pager;
  if (is(kRepls)) return ProgramKind::repl;
  if (is(kPasswords)) return ProgramKind::password;
  if (is(kRemotes)) return ProgramKind::remote;
  if (is(kInterpreters) && reads_its_program(words)) return ProgramKind::repl;
  return ProgramKind::unknown;
}

std::string_view deed_of_program(std::string_view name) { return deed_of(kind_of_program({std::string(name)})); }

bool Foreground::has(int pid) const {
  return std::any_of(programs.begin(), programs.end(), [&](const Program& one) { return one.pid == pid; });
}

bool Foreground::has(std::string_view name) const {
  return std::any_of(programs.begin(), programs.end(), [&](const Program& one) {
    return std::find(one.names.begin(), one.names.end(), name) != one.names.end();
  });
}

std::optional<HarnessProfile> Foreground::harness() const {
  for (const auto& one : programs)
    if (auto found = harness_profile(one.harness)) return *found;
  return std::nullopt;
}

std::string Foreground::program() const {
  for (const auto& one : programs)
    if (!one.starts_others && !one.names.empty()) return one.names.front();
  return programs.empty() || programs.front().names.empty() ? std::string() : programs.front().names.front();
}

Foreground foreground_of(const TmuxPane& pane) {
  Foreground out{
      .programs = {}, .hides_what_is_typed = echoes_nothing(pane.terminal), .fills_the_screen = pane.fills_the_screen};
  const auto first = look_at(static_cast<int>(pane.pid));
  if (!first) return out;
  const auto is_in_front = [&](const std::optional<ProcessLook>& look) {
    return look && look->group == first->foreground && !look->is_zombie;
  };
  std::vector<int> processes = {static_cast<int>(pane.pid)};
  for (std::size_t i = 0; i < processes.size() && i < kMostLookedAt; ++i) {
    const int pid = processes[i];
    const auto look = look_at(pid);
    Foreground::Program program{.pid = pid};
    for (const int child : children_of(pid)) {
      processes.push_back(child);
      if (is_in_front(look_at(child))) program.starts_others = true;
    }
    if (!is_in_front(look)) continue;
    program.names = names_of_process(pid);
    program.harness = harness_of_process(*look).value_or("");
    program.kind = kind_of_process(pid, program.names);
    // What an interpreter runs says more than the interpreter.
    if (program.names.size() > 2 && !deed_of_program(program.names.front()).empty() && program.names[2].front() != '-')
      std::swap(program.names.front(), program.names[2]);
    out.programs.push_back(std::move(program));
  }
  return out;
}

std::string forbids_typing(const Foreground& foreground) {
  if (foreground.programs.empty()) return "it is not known what runs there";
  if (foreground.hides_what_is_typed) return "a password is asked for there: typed text does not show";
  const bool has_harness = foreground.harness().has_value();
  for (const auto& one : foreground.programs) {
    // A harness's own helpers, and whatever started it, may be shells.
    if (one.kind == ProgramKind::shell && (has_harness || one.starts_others)) continue;
    const auto deed = deed_of(one.kind);
    if (!deed.empty()) return cat(one.names.empty() ? "something" : one.names.front(), " runs there, ", deed);
  }
  return {};
}

}  // namespace townpost
