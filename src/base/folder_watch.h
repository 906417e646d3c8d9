#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/files.h"

namespace townpost {

/// Tells which files of some folders were written. Changes add up until they are read, so none between two looks is
/// missed. The folders are made if they are not there. For one thread.
class FolderWatch {
 public:
  explicit FolderWatch(std::vector<std::filesystem::path> folders);

  /// Readable when something changed; -1 if the system refuses to watch.
  int fd() const { return notifier_.get(); }
  /// Why the system refuses to watch, for people; empty if it watches. Then read() compares the files with those of its
  /// last call, and is to be called every second (kUnwatchedLook).
  const std::string& refusal() const { return refusal_; }

  struct Changes {
    std::vector<std::filesystem::path> files;  ///< each once; hidden ones are not told
    bool missed = false;                       ///< there were more than the system could remember
  };
  Changes read();

 private:
  void watch(const std::filesystem::path& folder);
  Changes look();
  std::vector<std::filesystem::path> folders_;
  FileDescriptor notifier_;
  std::map<int, std::filesystem::path> watched_;
  std::string refusal_;
  std::map<std::filesystem::path, std::string> seen_;  ///< what each file looked like, where nobody tells
};

constexpr Millis kUnwatchedLook = std::chrono::seconds(1);

}  // namespace townpost
