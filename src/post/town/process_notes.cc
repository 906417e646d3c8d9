#include "post/town/process_notes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <thread>
#include <vector>

#include "base/child.h"
#include "base/files.h"
#include "base/private_files.h"
#include "base/text.h"
#include "base/user_folder.h"

namespace townpost {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kSupervisor = "supervisor";
constexpr std::string_view kName = "name";
constexpr std::size_t kMostBytes = 64u << 10;

std::string_view name(ProcessNotes::Kind kind) {
  switch (kind) {
    case ProcessNotes::Kind::supervisor:
      return kSupervisor;
    case ProcessNotes::Kind::name:
      return kName;
    case ProcessNotes::Kind::session:
      break;
  }
  return "session";
}

/// One line of a note: kind, address and town, separated by tabs. A process has one for each town.
struct Line {
  std::string kind, address, town;
};

struct Note {
  std::string process;
  std::vector<Line> lines;
};

std::optional<Note> read_note(const fs::path& file) {
  const auto text = read_file(file, kMostBytes);
  if (!text) return std::nullopt;
  const auto lines = split(*text, '\n');
  Note note{std::string(lines[0]), {}};
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto fields = split(lines[i], '\t');
    if (fields.size() == 3)
      note.lines.push_back({std::string(fields[0]), std::string(fields[1]), std::string(fields[2])});
  }
  return note;
}

std::string to_text(const Note& note) {
  std::string out = note.process + "\n";
  for (const auto& line : note.lines) out += cat(line.kind, "\t", line.address, "\t", line.town, "\n");
  return out;
}

/// A folder as a note spells it: one line, whatever it is called.
std::string spelled(const fs::path& town) {
  std::error_code none;
  auto out = fs::weakly_canonical(town, none).string();
  for (char& c : out)
    if (c == '\n' || c == '\t') c = '?';
  return out;
}

}  // namespace

fs::path ProcessNotes::folder_of_user() {
  const auto folder = user_folder();
  return folder.empty() ? folder : folder / "session";
}

fs::path ProcessNotes::file_of(const std::string& process) const {
  return folder_ / process.substr(0, process.find('.'));
}

void ProcessNotes::note(const std::string& process, Kind kind, const std::string& address, const fs::path& town) const {
  if (folder_.empty() || process.empty()) return;
  if (!make_own_folder(folder_.parent_path()) || !make_own_folder(folder_)) return;
  std::error_code none;
  for (const auto& file : fs::directory_iterator(folder_, none))  // of processes that are gone
    if (const auto other = read_note(file.path()); other && !process_runs(other->process))
      fs::remove(file.path(), none);
  auto note = read_note(file_of(process)).value_or(Note{});
  if (note.process != process) note = {process, {}};
  const auto where = spelled(town);
  const Line own{std::string(name(kind)), address, where};
  const auto same =
      std::find_if(note.lines.begin(), note.lines.end(), [&](const Line& line) { return line.town == where; });
  if (same != note.lines.end())
    *same = own;
  else
    note.lines.push_back(own);
  (void)write_file_lightly(file_of(process), to_text(note));
}

FileDescriptor ProcessNotes::lock() const {
  constexpr Millis kLongest = std::chrono::seconds(2);
  constexpr Millis kAskAgain(10);  // a lock cannot be waited for with a limit
  if (folder_.empty()) return FileDescriptor();
  const auto above = folder_.parent_path();
  if (!make_own_folder(above)) return FileDescriptor();
  FileDescriptor file = open_private(above / "naming.lock", O_RDWR | O_CREAT);
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  for (Millis left = kLongest; file && ::fcntl(file.get(), F_OFD_SETLK, &whole) != 0; left -= kAskAgain) {
    if (left <= Millis(0)) return FileDescriptor();
    std::this_thread::sleep_for(kAskAgain);
  }
  return file;
}

void ProcessNotes::forget(const std::string& process) const {
  if (folder_.empty() || process.empty()) return;
  std::error_code none;
  fs::remove(file_of(process), none);
}

void ProcessNotes::forget_agent(const std::string& address, const fs::path& town) const {
  if (folder_.empty()) return;
  const auto where = spelled(town);
  std::error_code none;
  for (const auto& file : fs::directory_iterator(folder_, none)) {
    auto note = read_note(file.path());
    if (!note) continue;
    const auto dropped =
        std::erase_if(note->lines, [&](const Line& line) { return line.address == address && line.town == where; });
    if (dropped == 0) continue;
    if (note->lines.empty())
      fs::remove(file.path(), none);
    else
      (void)write_file_lightly(file.path(), to_text(*note));
  }
}

bool ProcessNotes::is_session(const std::string& process) const {
  if (folder_.empty() || process.empty()) return false;
  // Asked by every command of each process above it, and hardly any has a note.
  const auto file = cat(folder_.native(), "/", std::string_view(process).substr(0, process.find('.')));
  struct stat found {};
  if (::lstat(file.c_str(), &found) != 0) return false;
  const auto note = read_note(file);
  return note && note->process == process &&
         std::any_of(note->lines.begin(), note->lines.end(), [](const Line& line) { return line.kind != kName; });
}

std::optional<std::string> ProcessNotes::address_of(const std::string& process, const fs::path& town) const {
  if (folder_.empty() || process.empty()) return std::nullopt;
  const auto note = read_note(file_of(process));
  if (!note || note->process != process) return std::nullopt;
  const auto where = spelled(town);
  for (const auto& line : note->lines)
    if (line.town == where) return line.address;
  return std::nullopt;
}

std::vector<fs::path> ProcessNotes::towns_of(const std::string& process) const {
  std::vector<fs::path> out;
  if (folder_.empty() || process.empty()) return out;
  const auto note = read_note(file_of(process));
  if (!note || note->process != process) return out;
  for (const auto& line : note->lines) out.emplace_back(line.town);
  return out;
}

std::optional<int> ProcessNotes::supervisor_of(const std::string& address, const fs::path& town) const {
  if (folder_.empty()) return std::nullopt;
  const auto where = spelled(town);
  std::error_code none;
  for (const auto& file : fs::directory_iterator(folder_, none)) {
    const auto note = read_note(file.path());
    if (!note || !process_runs(note->process)) continue;
    for (const auto& line : note->lines)
      if (line.kind == kSupervisor && line.address == address && line.town == where)
        return std::atoi(note->process.c_str());
  }
  return std::nullopt;
}

SupervisionNote::SupervisionNote(const ProcessNotes& notes, const std::string& address, const fs::path& town)
    : notes_(notes), process_(process_name(::getpid())) {
  notes_.note(process_, ProcessNotes::Kind::supervisor, address, town);
}

SupervisionNote::~SupervisionNote() { notes_.forget(process_); }

}  // namespace townpost
