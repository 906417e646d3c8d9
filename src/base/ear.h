#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/files.h"

namespace townpost {

/// Waits to be told something: a pipe of its own in each of some folders, until it goes. Whoever has news for a folder
/// tells all ears in it, and which folder it is, so nobody else wakes up, however many processes wait. There is no
/// limit on how many may: watches of files (inotify) are 128 for all processes of a user together. For one thread.
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
  /// Sleeps until it is told, one of the descriptors `also` is readable, or `longest` has passed; then heard().
  std::vector<std::filesystem::path> wait(const std::vector<int>& also, Millis longest);
  /// The folders in which it was told something since the last call, each once; never waits. All of them, if it cannot
  /// be told or was told more than a pipe holds.
  std::vector<std::filesystem::path> heard();

 private:
  std::string name_;
  std::vector<std::filesystem::path> places_;
  std::vector<FileDescriptor> folders_;
  FileDescriptor pipe_;
};

/// Tells every ear in the folder. Never waits and never fails: whoever cannot be told looks again by itself.
void tell_ears(const std::string& folder);

}  // namespace townpost
