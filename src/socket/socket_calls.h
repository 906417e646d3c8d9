#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/files.h"
#include "base/mutex.h"
#include "base/workers.h"
#include "net/frame_server.h"
#include "ops/engine.h"
#include "socket/speech.h"

namespace townpost {

/// Who calls, as the kernel tells it of the process at the other end, and what that process was given.
struct PeerOrigin {
  std::shared_ptr<const Environment> environment;  ///< what `origin` refers to
  Origin origin;
};

/// Serves a town's socket: what commands on this host ask is done here. A call is answered as the command itself would;
/// what it cannot do, or only differently, it leaves to the command. Used by the loop of the server; work is done by
/// `workers`, and by `waiters` what only waits.
class SocketCalls final : public FrameHandler {
 public:
  /// Error: who calls cannot be told (it has gone, or lives in another container).
  using OriginOf = std::function<Result<PeerOrigin>(const Peer&, const std::optional<std::string>& as, Haste)>;
  struct Parts {
    Engine& engine;
    const Clock& clock;
    std::string town;  ///< the `.town` folder
    std::string zone;  ///< TZ of this process
    OriginOf origin_of;
    /// The socket for who succeeds us, if the caller may. Error: forbidden, or there is none.
    std::function<Result<FileDescriptor>(const PeerOrigin&)> give_socket;
    Workers& workers;
    Workers& waiters;
  };
  explicit SocketCalls(Parts parts) : parts_(std::move(parts)) {}
  ~SocketCalls() override;

  /// Takes on nothing more, and says so: whoever asks from now on does it itself. What is being done is answered.
  void leave();

  void connected(const std::shared_ptr<FrameConnection>& connection) override;
  void received(const std::shared_ptr<FrameConnection>& connection, std::string frame) override;
  void closed(const std::shared_ptr<FrameConnection>& connection) override;

 private:
  class Conversation;
  Parts parts_;
  Mutex mutex_;
  std::map<const FrameConnection*, std::shared_ptr<Conversation>> conversations_ GUARDED_BY(mutex_);
  bool leaving_ GUARDED_BY(mutex_) = false;
};

}  // namespace townpost
