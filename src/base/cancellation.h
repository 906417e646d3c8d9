#pragma once
#include <atomic>

#include "base/files.h"

namespace townpost {

/// Somebody no longer wants the answer of a call. For any thread: one cancels, others ask or sleep at fd().
class Cancellation {
 public:
  Cancellation();
  void cancel();
  bool is_cancelled() const { return cancelled_.load(std::memory_order_acquire); }
  /// Readable from the moment it is cancelled; -1 if the system gave none.
  int fd() const { return bell_.get(); }

 private:
  std::atomic<bool> cancelled_ = false;
  FileDescriptor bell_;
};

}  // namespace townpost
