#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"

namespace townpost::bench {

FileDescriptor connected_to(std::uint16_t port);
/// Gives up if not all of it can be sent.
void say(const FileDescriptor& fd, std::string_view bytes);
/// What is there, or comes. Gives up if the server hangs up.
std::string hear(const FileDescriptor& fd);

/// How a kind of server is talked to.
struct Language {
  /// The first word of a connection; empty: none.
  std::string greeting;
  /// The request of a connection that has the number `request` of all.
  std::function<std::string(std::size_t connection, std::size_t request)> request;
  /// How many bytes of `heard` the answer has; 0: it is not whole yet. Gives up if it is not the one that is wanted.
  std::function<std::size_t(std::string_view heard)> answer;
};

/// Connections to one server, each of which asks again as soon as it is answered. One thread.
class Connections {
 public:
  Connections(std::uint16_t port, std::size_t number, Language language);
  /// Asks so many things, and waits for all answers; how many were answered a second.
  double rate(std::size_t requests);

 private:
  struct One {
    FileDescriptor socket;
    std::string heard;
  };
  Language language_;
  FileDescriptor poll_;
  std::vector<One> all_;
  std::size_t asked_ever_ = 0;
};

}  // namespace townpost::bench
