#pragma once
#include <functional>

#include "base/files.h"

namespace townpost {

/// A network with nothing but loopback, which nothing can leave. Whatever runs on it is killed with this object, and
/// with the test if that is killed. Throws, saying what is needed, where it cannot be made.
class LoopbackNetwork {
 public:
  LoopbackNetwork();
  ~LoopbackNetwork();
  LoopbackNetwork(const LoopbackNetwork&) = delete;
  LoopbackNetwork& operator=(const LoopbackNetwork&) = delete;

  /// Does `work` there: what it connects to and whatever it starts is on this network. Other threads stay where they
  /// are.
  void on(const std::function<void()>& work) const;

 private:
  FileDescriptor space_;
  FileDescriptor keeper_;  ///< closed by whatever ends this process; then the keeper cleans up
  int keeper_process_ = -1;
};

}  // namespace townpost
