#include "base/process_tree.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>

#include "base/files.h"
#include "base/seclusion.h"
#include "base/text.h"

namespace townpost {

namespace {
constexpr int kDeepest = 1 << 22;  // the kernel has no more processes: whoever starts many inside each other is found
constexpr std::size_t kMostBytes = 1u << 20;
constexpr std::size_t kLongestName = 80;  // 15 bytes for a program, 64 for a thread of the kernel, and its brackets

std::optional<Instant> start_of_machine() {
  constexpr std::string_view kName = "\nbtime ";
  const auto stat = read_file("/proc/stat", kMostBytes);
  const auto at = stat ? stat->find(kName) : std::string::npos;
  if (at == std::string::npos) return std::nullopt;
  return Instant{1000 * std::atoll(stat->c_str() + at + kName.size())};
}

/// Consoles, serial lines, pseudo terminals: whatever the kernel numbers as one.
bool is_terminal(const struct stat& file) {
  const auto major = gnu_dev_major(file.st_rdev);
  return S_ISCHR(file.st_mode) && (major == 4 || major == 5 || (major >= 128 && major <= 143) || major == 204);
}

}  // namespace

std::optional<ProcessLook> look_at(int pid) {
  reach_outside("a process is looked at");
  // Every command walks up its ancestors: one read, because the kernel gives the whole line at once, and nothing of it
  // is copied.
  const FileDescriptor file(::open(cat("/proc/", pid, "/stat").c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 1024> room{};
  const ssize_t got = file ? ::read(file.get(), room.data(), room.size() - 1) : -1;
  if (got <= 0) return std::nullopt;
  const std::string_view line(room.data(), static_cast<std::size_t>(got));
  const auto begin = line.find('(');
  // The program's own name may hold anything, but not much of it; behind it are numbers.
  const auto end = line.substr(0, begin + kLongestName).rfind(')');
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return std::nullopt;
  std::array<const char*, 20> fields{};  // proc(5) counts them from 3 on
  std::size_t at = end + 1;
  for (auto& field : fields) {
    if (at >= line.size()) return std::nullopt;
    field = line.data() + at + 1;
    at = line.find(' ', at + 1);
  }
  const auto number = [&](std::size_t field) { return std::atoi(fields[field - 3]); };
  return ProcessLook{.pid = pid,
                     .parent = number(4),
                     .program = std::string(line.substr(begin + 1, end - begin - 1)),
                     .start = std::atoll(fields[22 - 3]),
                     .group = number(5),
                     .terminal = number(7),
                     .foreground = number(8),
                     .is_zombie = *fields[0] == 'Z' || *fields[0] == 'X'};
}

std::vector<ProcessLook> ancestors_of(int pid) {
  std::vector<ProcessLook> out;
  pid = pid == ::getpid() ? ::getppid() : parent_of(pid);
  while (pid > 0 && out.size() < static_cast<std::size_t>(kDeepest)) {
    auto look = look_at(pid);
    if (!look) break;
    pid = look->parent;
    out.push_back(std::move(*look));
  }
  return out;
}

std::vector<std::string> words_of_process(int pid) {
  std::vector<std::string> out;
  const auto line = read_file(cat("/proc/", pid, "/cmdline"), kMostBytes);
  if (!line) return out;
  for (const auto word : split(*line, '\0')) out.emplace_back(word);
  if (!out.empty() && out.back().empty()) out.pop_back();
  return out;
}

std::optional<std::string> variables_text(int pid) {
  reach_outside("a process is looked at");
  const FileDescriptor file(::open(cat("/proc/", pid, "/environ").c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return std::nullopt;
  std::string out;
  std::array<char, 2048> part{};
  while (out.size() <= 8 * kMostBytes) {
    const ssize_t got = ::read(file.get(), part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    out.append(part.data(), static_cast<std::size_t>(got));
    if (static_cast<std::size_t>(got) < part.size()) return out;  // of this file the kernel gives all that is asked for
  }
  return std::nullopt;
}

std::map<std::string, std::string> variables_of_process(int pid) {
  const auto text = variables_text(pid);
  return text ? variables_in(*text) : std::map<std::string, std::string>();
}

std::map<std::string, std::string> variables_in(std::string_view text) {
  std::map<std::string, std::string> out;
  for (const auto entry : split(text, '\0'))
    if (const auto equals = entry.find('='); equals != std::string_view::npos && equals > 0)
      out.emplace(entry.substr(0, equals), entry.substr(equals + 1));
  return out;
}

std::optional<Instant> start_of(int pid) {
  const auto look = look_at(pid);
  const auto machine = start_of_machine();
  if (!look || !machine) return std::nullopt;
  return *machine + Millis(1000 * look->start / ::sysconf(_SC_CLK_TCK));
}

bool is_at_terminal(int pid) {
  reach_outside("a process is looked at");
  for (const int end : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    struct stat file {};
    if (pid == ::getpid() ? ::isatty(end) == 1
                          : ::stat(cat("/proc/", pid, "/fd/", end).c_str(), &file) == 0 && is_terminal(file))
      return true;
  }
  return false;
}

int parent_of(int pid) {
  const auto look = look_at(pid);
  return look ? look->parent : 0;
}

std::optional<std::filesystem::path> working_folder_of(int pid) {
  reach_outside("a process is looked at");
  std::error_code none;
  auto folder = std::filesystem::read_symlink(cat("/proc/", pid, "/cwd"), none);
  return none ? std::nullopt : std::optional(std::move(folder));
}

bool is_zombie(int pid) {
  const auto look = look_at(pid);
  return look && look->is_zombie;
}

std::vector<int> all_processes() {
  reach_outside("processes are looked at");
  std::vector<int> out;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", none))
    if (const int pid = std::atoi(entry.path().filename().c_str()); pid > 0) out.push_back(pid);
  return out;
}

std::vector<int> children_of(int pid) {
  reach_outside("a process is looked at");
  std::vector<int> out;
  std::error_code none;
  for (const auto& task : std::filesystem::directory_iterator(cat("/proc/", pid, "/task"), none)) {
    const auto children = read_file(task.path() / "children", kMostBytes);
    if (!children) continue;
    for (const auto child : split(trim(*children), ' '))
      if (!child.empty()) out.push_back(std::atoi(std::string(child).c_str()));
  }
  return out;
}

bool runs_within(int pid, int ancestor) {
  for (int depth = 0; pid > 0 && depth < kDeepest; ++depth, pid = parent_of(pid))
    if (pid == ancestor) return true;
  return false;
}

std::vector<std::string> names_of_process(int pid) {
  std::vector<std::string> out;
  if (const auto name = read_file(cat("/proc/", pid, "/comm"), 256)) out.emplace_back(trim(*name));
  const auto line = read_file(cat("/proc/", pid, "/cmdline"), kMostBytes);
  if (!line) return out;
  const auto words = split(*line, '\0');
  for (std::size_t i = 0; i < words.size() && i < 2; ++i)
    if (!words[i].empty()) out.push_back(std::filesystem::path(words[i]).filename().string());
  return out;
}

}  // namespace townpost
