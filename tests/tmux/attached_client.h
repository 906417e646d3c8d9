#pragma once
#include <sys/types.h>

#include <filesystem>
#include <string>

#include "base/files.h"

namespace townpost {

/// A person's terminal with a tmux client on it, attached to a session. Detached at the end.
class AttachedClient {
 public:
  AttachedClient(const std::filesystem::path& socket, const std::string& session);
  ~AttachedClient();
  AttachedClient(const AttachedClient&) = delete;
  AttachedClient& operator=(const AttachedClient&) = delete;

  void type(const std::string& keys);
  /// Whether `text` comes up on the terminal.
  bool comes_to_see(const std::string& text);

 private:
  FileDescriptor terminal_;
  pid_t child_ = -1;
  std::string seen_;
};

}  // namespace townpost
