#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

namespace townpost {

/// How bytes go through a connected socket that does not block: as they are, or in TLS. It does not own the socket.
class Transport {
 public:
  enum class Next {
    on,  ///< something was done
    when_readable,
    when_writable,
    ended,  ///< the other side says no more
    broken,
  };
  struct Moved {
    Next next = Next::broken;
    std::size_t bytes = 0;
  };
  virtual ~Transport() = default;
  /// `on` once both sides know each other.
  virtual Next shake_hands() = 0;
  virtual Moved read(std::span<char> into) = 0;
  virtual Moved write(std::string_view bytes) = 0;
  /// Says that nothing more comes from us.
  virtual void say_goodbye() = 0;
};

std::unique_ptr<Transport> plain_transport(int fd);

}  // namespace townpost
