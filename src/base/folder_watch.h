#pragma once
#include <filesystem>

#include "base/files.h"

namespace townpost {

/// Tells when files of a folder change, appear or are touched. Changes add up until they are drained, so none between
/// two looks is missed. The folder is made if it is not there.
class FolderWatch {
 public:
  explicit FolderWatch(const std::filesystem::path& folder);
  /// Readable when something changed; -1 if the folder cannot be watched.
  int fd() const { return notifier_.get(); }
  void drain() const;

 private:
  FileDescriptor notifier_;
};

}  // namespace townpost
