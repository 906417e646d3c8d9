#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/environment.h"
#include "base/files.h"

namespace townpost {

/// What this user's processes are known to be: which of them is an agent's session, and by which name. The notes belong
/// to the user and not to a town, so they hold in every town; each ends with its process. Any thread may note and ask.
class ProcessNotes {
 public:
  /// `folder` may be empty: then nothing is noted and nobody is known.
  explicit ProcessNotes(std::filesystem::path folder) : folder_(std::move(folder)) {}
  /// Below the user's runtime folder, else below the system's temporary one. Empty if it is not the user's own.
  static std::filesystem::path folder_of_user();

  enum class Kind {
    session,     ///< everything below the process speaks for the agent
    supervisor,  ///< the same, and it is the `gt agent run` of the agent
    name,        ///< only the name that was given where variables alone tell of a session; below it others may run, too
  };
  /// `process` (see process_name) speaks for `address` in the town of this folder.
  void note(const std::string& process, Kind kind, const std::string& address, const std::filesystem::path& town) const;
  void forget(const std::string& process) const;
  /// Nobody is noted as `address` of this town any more: its agent was removed, or its session given to another.
  void forget_agent(const std::string& address, const std::filesystem::path& town) const;

  /// While it is held, nobody else who takes it gives a session its name. Empty where nothing is noted, or where
  /// somebody keeps it for too long.
  FileDescriptor lock() const;

  /// Whether this very process is noted as a session.
  bool is_session(const std::string& process) const;
  /// Who it was noted as, in this town.
  std::optional<std::string> address_of(const std::string& process, const std::filesystem::path& town) const;
  /// The towns in which it is noted, the first one first.
  std::vector<std::filesystem::path> towns_of(const std::string& process) const;
  /// The process that supervises this agent on this host, if one does.
  std::optional<int> supervisor_of(const std::string& address, const std::filesystem::path& town) const;

 private:
  std::filesystem::path file_of(const std::string& process) const;
  std::filesystem::path folder_;
};

/// While this lives, everything that the calling process starts speaks for one agent: `gt agent run` has it.
class SupervisionNote {
 public:
  SupervisionNote(const ProcessNotes& notes, const std::string& address, const std::filesystem::path& town);
  ~SupervisionNote();
  SupervisionNote(const SupervisionNote&) = delete;
  SupervisionNote& operator=(const SupervisionNote&) = delete;

 private:
  const ProcessNotes& notes_;
  std::string process_;
};

}  // namespace townpost
