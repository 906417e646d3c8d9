#pragma once
#include <filesystem>
#include <string>

#include "base/files.h"

namespace townpost {

/// One PostgreSQL for all test processes of a build folder: started by the first that asks, stopped when nobody has
/// used it for some seconds. Each database belongs to one test.
class SharedPostgres {
 public:
  /// A new, empty database; its url.
  static std::string make_database();
  static void drop_database(const std::string& url);

 private:
  SharedPostgres();
  static const SharedPostgres& one();
  void serve(const std::filesystem::path& home);
  std::string url(const std::string& database) const;
  void psql(const std::string& sql) const;

  FileDescriptor in_use_;         ///< locked as long as this process may use the server
  std::filesystem::path folder_;  ///< of the server's socket
};

}  // namespace townpost
