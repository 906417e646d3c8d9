#pragma once
#include <csignal>
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

/// While it lives, this thread may write into a pipe that nobody reads any more: the write fails, and nobody is killed.
/// To ignore SIGPIPE would be a setting of the whole process, which is not a library's to make.
class SigpipeHeldBack {
 public:
  SigpipeHeldBack();
  ~SigpipeHeldBack();
  SigpipeHeldBack(const SigpipeHeldBack&) = delete;
  SigpipeHeldBack& operator=(const SigpipeHeldBack&) = delete;

 private:
  sigset_t sigpipe_{};
  sigset_t before_{};
  bool was_pending_ = false;
};

}  // namespace townpost
