#include "base/process_tree.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/files.h"
#include "base/text.h"

namespace townpost {

namespace {
constexpr int kDeepest = 64;  // no chain of parents is longer; a process may get a new one while we look
constexpr std::size_t kMostBytes = 1u << 20;
constexpr std::size_t kStart = 19;  // the field of /proc/PID/stat: in ticks since the machine was started

std::optional<Instant> start_of_machine() {
  constexpr std::string_view kName = "\nbtime ";
  const auto stat = read_file("/proc/stat", kMostBytes);
  const auto at = stat ? stat->find(kName) : std::string::npos;
  if (at == std::string::npos) return std::nullopt;
  return Instant{1000 * std::atoll(stat->c_str() + at + kName.size())};
}

}  // namespace

std::vector<std::string> process_fields(int pid) {
  std::vector<std::string> out;
  const auto stat = read_file(cat("/proc/", pid, "/stat"), 4096);
  const auto behind = stat ? stat->rfind(')') : std::string::npos;  // the program's own name may hold anything
  if (behind == std::string::npos) return out;
  for (const auto field : split(trim(std::string_view(*stat).substr(behind + 1)), ' ')) out.emplace_back(field);
  return out;
}

bool is_zombie(int pid) {
  const auto fields = process_fields(pid);
  return !fields.empty() && (fields[0] == "Z" || fields[0] == "X");
}

std::optional<Instant> start_of(int pid) {
  const auto fields = process_fields(pid);
  const auto machine = start_of_machine();
  if (fields.size() <= kStart || !machine) return std::nullopt;
  return *machine + Millis(1000 * std::atoll(fields[kStart].c_str()) / ::sysconf(_SC_CLK_TCK));
}

int parent_of(int pid) {
  const auto fields = process_fields(pid);
  return fields.size() > 1 ? std::atoi(fields[1].c_str()) : 0;
}

std::vector<int> children_of(int pid) {
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
