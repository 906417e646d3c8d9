#pragma once
#include <initializer_list>
#include <vector>

#include "base/files.h"

namespace townpost {

/// Signals that arrive as something to read instead of interrupting. Blocked for the whole process from then on.
class SignalInbox {
 public:
  SignalInbox(std::initializer_list<int> numbers);
  int fd() const { return fd_.get(); }
  std::vector<int> read() const;  ///< never waits

 private:
  FileDescriptor fd_;
};

}  // namespace townpost
