#include "post/supervised.h"

#include <unistd.h>

#include "base/child.h"
#include "base/files.h"
#include "base/process_tree.h"
#include "base/text.h"

namespace townpost {

namespace {

std::filesystem::path folder_of(const std::filesystem::path& town) { return town / "run" / "supervised"; }

/// The agent that a process was noted for. A note that it could not take away does not speak for a later process with
/// the same number.
std::optional<std::string> noted_for(const std::filesystem::path& note, int pid) {
  const auto text = read_file(note, 1024);
  const auto lines = text ? split(*text, '\n') : std::vector<std::string_view>();
  if (lines.size() < 2 || std::string(lines[0]) != process_name(pid)) return std::nullopt;
  return std::string(lines[1]);
}

}  // namespace

SupervisionNote::SupervisionNote(const std::filesystem::path& town, const std::string& address)
    : file_(folder_of(town) / std::to_string(::getpid())) {
  if (make_folders(file_.parent_path()))
    (void)write_file_lightly(file_, cat(process_name(::getpid()), "\n", address, "\n"));
}

SupervisionNote::~SupervisionNote() {
  std::error_code none;
  std::filesystem::remove(file_, none);
}

std::optional<std::string> supervised_agent(const std::filesystem::path& town) {
  std::error_code none;
  const auto folder = folder_of(town);
  // Mostly nobody is supervised, and then the ancestors need not be asked for.
  if (const std::filesystem::directory_iterator notes(folder, none); none || notes == end(notes)) return std::nullopt;
  for (int pid = ::getppid(); pid > 1; pid = parent_of(pid))
    if (auto agent = noted_for(folder / std::to_string(pid), pid)) return agent;
  return std::nullopt;
}

std::optional<int> supervisor_of(const std::filesystem::path& town, const std::string& address) {
  std::error_code none;
  for (const auto& note : std::filesystem::directory_iterator(folder_of(town), none)) {
    const int pid = std::atoi(note.path().filename().c_str());
    if (noted_for(note.path(), pid) == address) return pid;
  }
  return std::nullopt;
}

}  // namespace townpost
