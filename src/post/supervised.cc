#include "post/supervised.h"

#include <unistd.h>

#include "base/child.h"
#include "base/files.h"
#include "base/process_tree.h"
#include "base/text.h"

namespace townpost {

namespace {

constexpr std::string_view kSupervisor = "supervisor";
constexpr std::string_view kSession = "session";

std::filesystem::path folder_of(const std::filesystem::path& town) { return town / "run" / "session"; }

void write_note(const std::filesystem::path& folder, int pid, const std::string& address, std::string_view kind) {
  if (make_folders(folder))
    (void)write_file_lightly(folder / std::to_string(pid), cat(process_name(pid), "\n", address, "\n", kind, "\n"));
}

struct Noted {
  std::string address;
  bool supervises = false;
};

/// What a process was noted for. A note that it could not take away does not speak for a later process with the same
/// number.
std::optional<Noted> noted_for(const std::filesystem::path& note, int pid) {
  const auto text = read_file(note, 1024);
  const auto lines = text ? split(*text, '\n') : std::vector<std::string_view>();
  if (lines.size() < 3 || std::string(lines[0]) != process_name(pid)) return std::nullopt;
  return Noted{std::string(lines[1]), lines[2] == kSupervisor};
}

}  // namespace

SupervisionNote::SupervisionNote(const std::filesystem::path& town, const std::string& address)
    : file_(folder_of(town) / std::to_string(::getpid())) {
  write_note(file_.parent_path(), ::getpid(), address, kSupervisor);
}

SupervisionNote::~SupervisionNote() {
  std::error_code none;
  std::filesystem::remove(file_, none);
}

std::optional<std::string> supervised_agent(const std::filesystem::path& town) {
  const auto folder = folder_of(town);
  const auto noted = [&](int pid) { return noted_for(folder / std::to_string(pid), pid); };
  const int parent = ::getppid();
  if (auto found = noted(parent)) return std::move(found->address);
  // Mostly there are no notes at all, and then the other ancestors need not be asked for.
  std::error_code none;
  if (const std::filesystem::directory_iterator notes(folder, none); none || notes == end(notes)) return std::nullopt;
  for (int pid = parent_of(parent); pid > 1; pid = parent_of(pid))
    if (auto found = noted(pid)) return std::move(found->address);
  return std::nullopt;
}

void note_session_process(const std::filesystem::path& town, int pid, const std::string& address) {
  const auto folder = folder_of(town);
  std::error_code none;
  for (const auto& note : std::filesystem::directory_iterator(folder, none)) {  // of those that are gone
    const int other = std::atoi(note.path().filename().c_str());
    if (!noted_for(note.path(), other)) std::filesystem::remove(note.path(), none);
  }
  write_note(folder, pid, address, kSession);
}

std::optional<int> supervisor_of(const std::filesystem::path& town, const std::string& address) {
  std::error_code none;
  for (const auto& note : std::filesystem::directory_iterator(folder_of(town), none)) {
    const int pid = std::atoi(note.path().filename().c_str());
    const auto noted = noted_for(note.path(), pid);
    if (noted && noted->supervises && noted->address == address) return pid;
  }
  return std::nullopt;
}

}  // namespace townpost
