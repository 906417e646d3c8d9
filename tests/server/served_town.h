#pragma once
#include <gtest/gtest.h>

#include <string>

#include "cli/expect.h"

namespace townpost {

/// A town with agents alice, bob and carol, and a server that listens wherever there is room.
class ServedTown : public testing::Test {
 protected:
  /// `store`: the url of one on a server; empty: a file of the town's own. `http`: more lines of [http].
  explicit ServedTown(const std::string& store = "", const std::string& http = "");
  ~ServedTown() override;
  /// Where HTTP is answered: "http://127.0.0.1:40123".
  const std::string& url() const { return url_; }
  void begin(const Variables& variables = {});
  /// kill -9, without a word.
  void kill_server();
  /// Its process.
  int server() const;
  /// A number of GET /metrics.
  std::int64_t metric(const std::string& name) const;
  std::string token(const Words& whom) const;

  TestTown town;

 private:
  std::string url_;
  mutable std::string token_of_metrics_;
};

}  // namespace townpost
