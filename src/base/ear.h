#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/files.h"

namespace townpost {

/// Waits to be told something: a pipe of its own in each of some folders, until it goes. Whoever has news for a folder
/// tells all ears in it, so nobody else wakes up, however many processes wait. There is no limit on how many may:
/// watches of files (inotify) are 128 for all processes of a user together. For one thread.
class Ear {
 public:
  /// The folders are made if they are missing. What is told from here on is heard.
  explicit Ear(const std::vector<std::filesystem::path>& folders);
  ~Ear();
  Ear(const Ear&) = delete;
  Ear& operator=(const Ear&) = delete;

  /// Whether it can be told: else it wakes up every second, so that its owner looks.
  bool can_hear() const { return static_cast<bool>(pipe_); }
  /// Readable once it was told something; -1 if it cannot be told.
  int fd() const { return pipe_.get(); }
  /// Sleeps until it is told, one of the descriptors `also` is readable, or `longest` has passed; then it forgets what
  /// it was told. What was told since the last call counts.
  void wait(const std::vector<int>& also, Millis longest);
  void forget();

 private:
  std::string name_;
  std::vector<FileDescriptor> folders_;
  FileDescriptor pipe_;
};

/// Tells every ear in the folder. Never waits and never fails: whoever cannot be told looks again by itself.
void tell_ears(const std::filesystem::path& folder);

}  // namespace townpost
