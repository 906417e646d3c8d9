#pragma once
#include <atomic>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/files.h"

namespace townpost {

/// A wire to a PostgreSQL that breaks once, at a word that the client sends: stands between client and server as a unix
/// socket of its own. Connections that come later pass untouched.
class LossyWire {
 public:
  enum class Break {
    never,
    before_server_hears,   ///< the word is lost; the server waits for ever, holding what it holds
    before_client_hears,   ///< the server does what was asked, its answer is lost
    server_hears_late,     ///< the client is cut off at once, the server gets the word a moment later
    server_hangs_up_late,  ///< the word is lost; a moment later the server sees that the client is gone
  };
  /// To the server whose socket this url names as its host.
  explicit LossyWire(std::string url);
  ~LossyWire();
  LossyWire(const LossyWire&) = delete;
  LossyWire& operator=(const LossyWire&) = delete;

  /// The same url, through this wire.
  std::string url() const;
  void break_at(const std::string& word, Break how);
  /// How often a client has spoken after its server did, on all connections.
  int round_trips() const { return round_trips_; }

 private:
  void accept_all();
  void carry(int client, int server);
  bool pass_on(int from, int to, int client, int server);

  TemporaryFolder folder_;
  std::string server_url_;
  std::string server_folder_;
  int listener_ = -1;
  std::mutex mutex_;
  std::string word_;
  Break how_ = Break::never;
  std::atomic<int> round_trips_ = 0;
  std::atomic<bool> ended_ = false;
  std::vector<std::thread> carriers_;
  std::thread acceptor_;
};

}  // namespace townpost
