#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "store/db/libpq.h"

namespace townpost {

/// Where a PostgreSQL is: a url as libpq takes it, completed by its variables (PGHOST, PGPASSFILE, …) and files.
/// Several hosts are several places to look for the one that answers. Nothing it says holds the password.
class PostgresAddress {
 public:
  /// Whether this is a url of PostgreSQL at all, right or wrong.
  static bool is_one(const std::string& url);
  /// Error: usage, with libpq's reason.
  static Result<PostgresAddress> parse(const Libpq& pq, const std::string& url);

  /// "db.example:5432/town"
  std::string place() const;
  /// The command that tries the same by hand.
  std::string psql() const;
  std::size_t hosts() const { return hosts_.size(); }

  /// What a connection is made of: keywords and values.
  using Parameters = std::vector<std::pair<std::string, std::string>>;
  Parameters parameters() const;
  /// The same with one host of several.
  Parameters parameters(std::size_t host) const;

 private:
  struct Host {
    std::string name;
    std::string address;
    std::string port;
  };
  std::string option(const std::string& keyword) const;

  std::string url_;
  std::map<std::string, std::string> options_;  ///< those that are set, without the password
  std::vector<Host> hosts_;
};

}  // namespace townpost
