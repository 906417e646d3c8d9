#include "post/supervised.h"

#include <unistd.h>

#include "base/child.h"
#include "base/files.h"
#include "base/process_tree.h"
#include "base/text.h"

namespace townpost {

namespace {

std::filesystem::path folder_of(const std::filesystem::path& town) { return town / "run" / "supervised"; }
std::filesystem::path sessions_of(const std::filesystem::path& town) { return town / "run" / "session"; }

bool is_empty(const std::filesystem::path& folder) {
  std::error_code none;
  const std::filesystem::directory_iterator notes(folder, none);
  return none || notes == end(notes);
}

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
  std::vector<std::filesystem::path> folders = {folder_of(town), sessions_of(town)};
  std::erase_if(folders, is_empty);
  if (folders.empty()) return std::nullopt;  // then the ancestors need not be asked for
  for (int pid = ::getppid(); pid > 1; pid = parent_of(pid))
    for (const auto& folder : folders)
      if (auto agent = noted_for(folder / std::to_string(pid), pid)) return agent;
  return std::nullopt;
}

void note_session_process(const std::filesystem::path& town, int pid, const std::string& address) {
  const auto folder = sessions_of(town);
  if (!make_folders(folder)) return;
  std::error_code none;
  for (const auto& note : std::filesystem::directory_iterator(folder, none)) {  // of those that are gone
    const int other = std::atoi(note.path().filename().c_str());
    if (!noted_for(note.path(), other)) std::filesystem::remove(note.path(), none);
  }
  (void)write_file_lightly(folder / std::to_string(pid), cat(process_name(pid), "\n", address, "\n"));
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
