#pragma once
#include <functional>
#include <memory>
#include <optional>

#include "base/files.h"
#include "net/loop_core.h"

namespace townpost {

/// Takes in whoever connects to a listening socket. Where the process has no descriptor left it waits a little and goes
/// on: clients wait in the backlog meanwhile. For the loop's thread.
class Acceptor final : public EndWatcher, public std::enable_shared_from_this<Acceptor> {
 public:
  struct Asks {
    std::function<void(FileDescriptor)> accepted;  ///< of a socket that does not block and no child inherits
    std::function<bool()> make_room;               ///< closes something that can be spared; false if there is nothing
  };
  Acceptor(std::shared_ptr<LoopCore> core, FileDescriptor socket, Asks asks);

  void start();
  /// Takes in those who have connected until now, and nobody after them.
  void close();

  void readable() override;
  void writable() override {}

 private:
  void take_in(int most);

  std::shared_ptr<LoopCore> core_;
  std::optional<Watched> socket_;
  Asks asks_;
};

}  // namespace townpost
