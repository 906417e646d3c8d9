#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace townpost {

/// One HTTP/1.1 answer, read piece by piece as it arrives: with a length, in chunks or up to the end of the connection.
/// Interim answers (100 Continue) are passed over. Error: refused, if it is no such answer or too large.
class ResponseReader {
 public:
  static constexpr std::size_t kLongestBody = 8u << 20;
  /// endless: there is no limit, because the body is taken as it comes.
  enum class Body { bounded, endless };

  explicit ResponseReader(Body body);
  ~ResponseReader();
  ResponseReader(ResponseReader&&) noexcept;
  ResponseReader& operator=(ResponseReader&&) noexcept;
  ResponseReader(const ResponseReader&) = delete;
  ResponseReader& operator=(const ResponseReader&) = delete;

  Result<> feed(std::string_view bytes);
  /// The server has closed the connection. An error unless the answer is whole by that.
  Result<> end_of_input();

  bool head_is_there() const;
  bool is_whole() const;
  /// Whether the server will answer another request on the same connection.
  bool keeps_connection() const;
  int status() const;
  /// Lower case, without parameters: "application/json".
  std::string content_type() const;
  /// What has been read of the body since the last call.
  std::string take_body();

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace townpost
