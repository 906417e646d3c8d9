#pragma once
#include <chrono>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/files.h"

namespace townpost::bench {

/// Stands before an OpenCode server on loopback, passes everything on, and notes when the server accepts a prompt.
class RecordingProxy {
 public:
  explicit RecordingProxy(std::string server_port);
  ~RecordingProxy();
  RecordingProxy(const RecordingProxy&) = delete;
  RecordingProxy& operator=(const RecordingProxy&) = delete;

  std::string url() const { return "http://127.0.0.1:" + port_; }

  struct Accepted {
    std::chrono::steady_clock::time_point at;  ///< when the server's answer 2xx came by
    std::string body;                          ///< of the request
  };
  /// The prompt that was accepted since the last call. Gives up unless it is exactly one.
  Accepted take();

 private:
  struct Line {
    FileDescriptor client, server;
    std::string prompt;  ///< the request that is not answered yet, if it is a prompt
  };
  void run();
  void accept_one();
  bool pass_on(Line& line, bool from_client);

  std::string server_port_;
  std::string port_;
  FileDescriptor listener_;
  FileDescriptor stop_;
  std::list<Line> lines_;
  std::mutex mutex_;
  std::vector<Accepted> accepted_;
  std::thread thread_;
};

}  // namespace townpost::bench
