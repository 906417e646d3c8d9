#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/deadline.h"
#include "base/files.h"
#include "base/result.h"
#include "net/frames.h"

namespace townpost {

/// One connection to a FrameServer, made of plain system calls: a command starts, asks and ends, so it links nothing
/// for it. For one thread at a time; after an error it is of no use. Closed at the end.
class FrameClient {
 public:
  /// Nothing if nobody listens there. Error: forbidden, if whoever does is another user; timeout; unavailable.
  static Result<std::optional<FrameClient>> connect(const std::filesystem::path& path, const Deadline& deadline);

  /// Error: usage, if it is empty or over kLongestFrame; timeout; refused, if the server has closed the connection.
  Result<> send(std::string_view frame, const Deadline& deadline);
  /// The next frame. Error: timeout or refused.
  Result<std::string> receive(const Deadline& deadline);
  /// The same without waiting: nothing, if none is whole yet.
  Result<std::optional<std::string>> receive_now();
  /// What comes with the next frame. Error: timeout or refused; also refused, if nothing came with it.
  Result<FileDescriptor> receive_descriptor(const Deadline& deadline);
  /// From here on the server can send nothing; what it has sent is still received.
  void hear_no_more();
  /// Readable, when receive_now() may bring more: call that before each wait for it.
  int fd() const { return socket_.get(); }

 private:
  explicit FrameClient(FileDescriptor socket) : socket_(std::move(socket)) {}
  /// Takes what is there; false if there was nothing.
  Result<bool> take_in();

  FileDescriptor socket_;
  FrameReader reader_;
};

}  // namespace townpost
