#pragma once
#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/process.h"

namespace townpost {

/// A PostgreSQL 15 of a test's own, never the machine's: data, log and unix socket are in a temporary folder. It is
/// gone with this object, and with the test if that is killed. Everything throws if it does not work.
class PostgresServer {
 public:
  struct Options {
    std::string listen;                 ///< addresses to listen on, besides the socket; none: only the socket
    int port = 5432;                    ///< also part of the socket's name
    std::vector<std::string> settings;  ///< "name=value"
  };
  explicit PostgresServer(Options options);
  PostgresServer() : PostgresServer(Options{}) {}
  ~PostgresServer();
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  const std::filesystem::path& folder() const { return folder_.path(); }  ///< of the socket
  int port() const { return options_.port; }
  /// Through the socket. The user `town` may do everything, `guest` needs a password.
  std::string url(const std::string& database = "postgres", const std::string& user = "town") const;
  /// A new, empty database; its url.
  std::string make_database();
  /// What psql prints for these statements, without decoration.
  std::string psql(const std::string& sql, const std::string& database = "postgres") const;

  void start();
  void stop();           ///< as an administrator does, without waiting for clients
  void kill();           ///< all of its processes, with -9
  void freeze();         ///< all of its processes stand still
  void thaw();           ///< and go on
  void promote() const;  ///< a replica becomes a server of its own

  /// A streaming replica that has what this one has now.
  std::unique_ptr<PostgresServer> make_replica(Options options) const;
  std::unique_ptr<PostgresServer> make_replica() const { return make_replica({}); }

 private:
  struct WithoutData {};
  PostgresServer(Options options, WithoutData);
  std::filesystem::path data() const { return folder() / "data"; }
  std::vector<pid_t> children() const;
  void signal_all(int signal) const;

  Options options_;
  TemporaryFolder folder_;
  pid_t server_ = -1;
  FileDescriptor keeper_;  ///< closed by whatever ends this process; then the keeper cleans up
  int databases_ = 0;
};

namespace postgres_tools {

/// The path of a server program. Throws, naming the package, if it is missing.
std::string program(const std::string& name);
/// The command as somebody whom PostgreSQL accepts: it refuses to run as root.
std::vector<std::string> unprivileged(std::vector<std::string> command);
/// Gives a folder to whom `unprivileged` runs as.
void give_away(const std::filesystem::path& folder);
/// A TCP port that nobody has right now.
int free_port();
/// Runs a command to its end; what it printed. Throws if it fails.
std::string run(const std::vector<std::string>& command);
/// Starts a process that goes on by itself, in a session of its own, with these open files.
pid_t start(const std::vector<std::string>& command, int input, const std::filesystem::path& log);
/// A new cluster in `data`.
void initialise(const std::filesystem::path& data);
/// The command that serves `data` on a socket in `folder`.
std::vector<std::string> server_command(const std::filesystem::path& folder, const PostgresServer::Options& options);
/// Waits until the server of `data` takes connections. Throws with its log if it does not.
void await_ready(const std::filesystem::path& folder);

}  // namespace postgres_tools

}  // namespace townpost
