#pragma once
#include <libpq-fe.h>

#include <string>
#include <vector>

namespace townpost::bench {

/// A connection to a PostgreSQL as somebody would write it by hand: prepared statements, nothing else.
class HandConnection {
 public:
  explicit HandConnection(const std::string& url);
  ~HandConnection();
  HandConnection(const HandConnection&) = delete;
  HandConnection& operator=(const HandConnection&) = delete;

  void script(const std::string& sql);
  void prepare(const char* name, const char* sql);
  /// Runs a prepared statement; the first column of its first row, or empty if there is none.
  std::string run(const char* name, const std::vector<std::string>& values);

 private:
  PGconn* connection_;
};

}  // namespace townpost::bench
