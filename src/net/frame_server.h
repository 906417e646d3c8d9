#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "net/frames.h"
#include "net/server_loop.h"
#include "net/socket_file.h"

namespace townpost {

/// One client of a FrameServer. Any thread may use it; it outlives the server if need be.
class FrameConnection {
 public:
  virtual ~FrameConnection() = default;
  virtual const Peer& peer() const = 0;
  /// False once it is closed. It is closed, too, if the client leaves more than Limits::unsent unread, and by a frame
  /// that is empty or over kLongestFrame. What the system takes at once leaves in the calling thread.
  virtual bool send(std::string frame) = 0;
  /// True: the system has it, and the client reads it, whatever it does next. False: the client gets nothing of it,
  /// because it listens no longer (FrameClient::hear_no_more) or has something else to read first.
  virtual bool send_at_once(std::string_view frame) = 0;
  /// The same, and the client gets `descriptor` with it, as one of its own (FrameClient::receive_descriptor).
  virtual bool send_descriptor(std::string_view frame, int descriptor) = 0;
  /// What was sent still leaves; nothing that comes in is given to the handler any more.
  virtual void close() = 0;
};

/// What a FrameServer is for. Called in the loop's thread: must not block. What is thrown ends the connection.
class FrameHandler {
 public:
  virtual ~FrameHandler() = default;
  virtual void connected(const std::shared_ptr<FrameConnection>& connection) { (void)connection; }
  virtual void received(const std::shared_ptr<FrameConnection>& connection, std::string frame) = 0;
  /// The server stops, and reads no further frame of it: close() it now, as it is done here, or once its answers are
  /// sent.
  virtual void ending(const std::shared_ptr<FrameConnection>& connection) { connection->close(); }
  /// Once for each that was connected. A client that closes only its own direction counts as gone.
  virtual void closed(const std::shared_ptr<FrameConnection>& connection) { (void)connection; }
};

struct FrameCore;

/// Listens on a unix socket for frames of this user's processes (net/frames.h); root's are let in, too, and others are
/// turned away. Any thread may use it.
class FrameServer {
 public:
  struct Limits {
    std::size_t connections = 1024;                ///< over it: closed at once
    std::size_t unsent = 2 * kLongestFrame;        ///< of one connection
    std::size_t unread = 64u << 20;                ///< of all frames together that have only begun; over it: closed
    Millis frame_time = std::chrono::seconds(30);  ///< from the first byte of a frame to its last
    int backlog = 1024;
  };
  struct Counters {
    std::uint64_t accepted = 0;
    std::uint64_t turned_away = 0;
    std::uint64_t frames_in = 0;
    std::uint64_t frames_out = 0;
    std::uint64_t connections = 0;  ///< now
  };

  /// Loop and handler must outlive it. Error: as of SocketFile::listen().
  static Result<std::unique_ptr<FrameServer>> listen(ServerLoop& loop, const std::filesystem::path& path,
                                                     const Limits& limits, FrameHandler& handler);
  ~FrameServer();
  FrameServer(const FrameServer&) = delete;
  FrameServer& operator=(const FrameServer&) = delete;

  /// Takes in nobody any more, takes the name away and lets the handler end its connections; those that are left after
  /// `grace` are closed as they are. Returns when that is done; the handler is not called after that. Not to be called
  /// in the loop.
  void stop(Millis grace);
  Counters counters() const;

 private:
  FrameServer(std::shared_ptr<FrameCore> core, SocketFile file);

  std::shared_ptr<FrameCore> core_;
  std::optional<SocketFile> file_;
};

}  // namespace townpost
