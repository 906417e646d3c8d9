#include <fcntl.h>
#include <grp.h>
#include <netinet/in.h>
#include <pwd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "base/text.h"
#include "support/await.h"
#include "support/postgres_server.h"

namespace townpost::postgres_tools {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

namespace {

const passwd* server_user() {
  for (const auto* name : {"postgres", "nobody"})
    if (const passwd* const user = ::getpwnam(name)) return user;
  throw std::runtime_error("there is neither a user postgres nor nobody to run a PostgreSQL as");
}

std::vector<std::string> clean_surroundings() {
  return {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C", "HOME=/", "PGPASSFILE=/dev/null"};
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> out;
  for (const auto& word : words) out.push_back(const_cast<char*>(word.c_str()));
  out.push_back(nullptr);
  return out;
}

}  // namespace

std::string program(const std::string& name) {
  const fs::path path = fs::path("/usr/lib/postgresql/15/bin") / name;
  if (!fs::exists(path))
    throw std::runtime_error(
        cat(path.string(), " is not there: apt-get install postgresql-15 (see the file packages)"));
  return path.string();
}

std::vector<std::string> unprivileged(std::vector<std::string> command) {
  if (::geteuid() != 0) return command;
  const passwd* const user = server_user();
  std::vector<std::string> out = {"setpriv", cat("--reuid=", user->pw_uid), cat("--regid=", user->pw_gid),
                                  "--clear-groups", "--"};
  out.insert(out.end(), command.begin(), command.end());
  return out;
}

void give_away(const fs::path& folder) {
  if (::geteuid() != 0) return;
  const passwd* const user = server_user();
  if (::chown(folder.c_str(), user->pw_uid, user->pw_gid) != 0) throw std::runtime_error("chown failed");
}

std::string run(const std::vector<std::string>& command) {
  auto output = SystemProcesses().run({.command = command,
                                       .input = "",
                                       .environment = clean_surroundings(),
                                       .folder = "/",
                                       .timeout = std::chrono::seconds(120)});
  if (!output) throw std::runtime_error(output.error().message);
  if (output->exit_code != 0)
    throw std::runtime_error(cat(command.front(), " … ", command.back(), ": ", output->err, output->out));
  return std::string(trim(output->out));
}

pid_t start(const std::vector<std::string>& command, int input, const fs::path& log) {
  const auto surroundings = clean_surroundings();
  const auto words = pointers(command);
  const auto variables = pointers(surroundings);
  const FileDescriptor output(::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child > 0) return child;
  ::setsid();  // what ends the test's process group is not meant for this one
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::dup2(input, 0);
  ::dup2(output.get(), 1);
  ::dup2(output.get(), 2);
  if (::chdir("/") == 0) ::execvpe(words[0], words.data(), variables.data());
  ::_exit(127);
}

void initialise(const fs::path& data) {
  // Not the collation C, so that a statement that relies on the database's own shows.
  run(unprivileged({program("initdb"), "-D", data.string(), "-U", "town", "-A", "trust", "-E", "UTF8", "--locale=C",
                    "--locale-provider=icu", "--icu-locale=en-US", "--no-sync", "--no-instructions"}));
  std::ofstream(data / "pg_hba.conf") << "local all guest scram-sha-256\n"
                                         "local all all trust\n"
                                         "local replication all trust\n"
                                         "host all guest all scram-sha-256\n"
                                         "host all all all trust\n"
                                         "host replication all all trust\n";
}

std::vector<std::string> server_command(const fs::path& folder, const PostgresServer::Options& options) {
  std::vector<std::string> out = {program("postgres"), "-D", (folder / "data").string(),  "-k",
                                  folder.string(),     "-p", std::to_string(options.port)};
  std::vector<std::string> settings = {cat("listen_addresses=", options.listen),
                                       "max_connections=200",
                                       "shared_buffers=32MB",
                                       "max_wal_size=128MB",
                                       "autovacuum_naptime=20s",
                                       "recovery_init_sync_method=syncfs"};
  settings.insert(settings.end(), options.settings.begin(), options.settings.end());
  for (const auto& setting : settings) {
    out.emplace_back("-c");
    out.push_back(setting);
  }
  return out;
}

void await_ready(const fs::path& folder) {
  const auto is_ready = [&] {
    // The eighth line says how far the server is.
    const std::string text = read_file(folder / "data" / "postmaster.pid").value_or("");
    const auto lines = split(text, '\n');
    return lines.size() > 7 && (trim(lines[7]) == "ready" || trim(lines[7]) == "standby");
  };
  await("PostgreSQL is ready", is_ready, [&] { return cat("\n", read_file(folder / "log").value_or("(no log)")); });
}

int free_port() {
  const FileDescriptor probe(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  if (::bind(probe.get(), reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      ::getsockname(probe.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
    throw std::runtime_error("no free port");
  return ntohs(address.sin_port);
}

}  // namespace townpost::postgres_tools
