#pragma once
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>

#include "base/files.h"
#include "store/db/database.h"

namespace townpost {

/// One PostgreSQL for all test processes of a build folder: started by the first that asks, stopped when nobody has
/// used it for some seconds. Each test gets a schema of its own, which costs a hundredth of a database.
class SharedPostgres {
 public:
  /// A new, empty schema; its url.
  static std::string make_schema();
  static void drop_schema(const std::string& url);
  static std::string schema_of(const std::string& url);
  /// Runs statements as the one who may do everything, on this process's own connection.
  static void run(const std::string& statements);

 private:
  SharedPostgres();
  static const SharedPostgres& one();
  void serve(const std::filesystem::path& home);
  std::string url() const;

  FileDescriptor in_use_;         ///< locked as long as this process may use the server
  std::filesystem::path folder_;  ///< of the server's socket
  mutable std::mutex mutex_;      ///< of the connection
  std::unique_ptr<Database> connection_;
};

}  // namespace townpost
