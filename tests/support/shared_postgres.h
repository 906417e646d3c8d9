#pragma once
#include <filesystem>
#include <string>

#include "base/files.h"

namespace townpost {

/// One PostgreSQL for all test processes of a build folder: started by the first that asks, stopped when nobody has
/// used it for some seconds. Each test gets a schema of its own, which costs a hundredth of a database.
class SharedPostgres {
 public:
  /// A new, empty schema; its url.
  static std::string make_schema();
  static void drop_schema(const std::string& url);

 private:
  SharedPostgres();
  static const SharedPostgres& one();
  void serve(const std::filesystem::path& home);
  std::string url() const;
  void psql(const std::string& sql) const;

  FileDescriptor in_use_;         ///< locked as long as this process may use the server
  std::filesystem::path folder_;  ///< of the server's socket
};

}  // namespace townpost
