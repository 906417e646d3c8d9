#include "support/postgres_server.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <stdexcept>
#include <thread>

#include "base/text.h"
#include "support/await.h"

namespace townpost {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

namespace {

bool is_gone(pid_t process) {
  const auto stat = read_file(cat("/proc/", process, "/stat"));
  if (!stat) return true;
  const auto name_end = stat->rfind(')');
  return name_end != std::string::npos && stat->substr(name_end).starts_with(") Z");
}

}  // namespace

PostgresServer::PostgresServer(Options options, WithoutData)
    : options_(std::move(options)), folder_([] {
        auto made = TemporaryFolder::make("postgres");
        if (!made) throw std::runtime_error(made.error().message);
        return std::move(*made);
      }()) {
  postgres_tools::give_away(folder());
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  const FileDescriptor kept(ends[0]);
  keeper_ = FileDescriptor(ends[1]);
  // The keeper sleeps until this process is gone, however it went.
  const std::string script =
      "cat >/dev/null; test -d \"$1\" || exit 0; pid=$(head -n 1 \"$1/data/postmaster.pid\") && kill -QUIT \"$pid\"; "
      "for i in 1 2 3 4 5 6 7 8 9; do test -e \"$1/data/postmaster.pid\" || break; sleep 1; done; rm -rf \"$1\"";
  postgres_tools::start({"sh", "-c", script, "sh", folder().string()}, kept.get(), "/dev/null");
}

PostgresServer::PostgresServer(Options options) : PostgresServer(std::move(options), WithoutData{}) {
  postgres_tools::initialise(data());
  start();
}

PostgresServer::~PostgresServer() {
  if (server_ > 0) kill();
}

std::string PostgresServer::url(const std::string& database, const std::string& user) const {
  return cat("postgres://", user, "@/", database, "?host=", folder().string(), "&port=", options_.port);
}

std::string PostgresServer::psql(const std::string& sql, const std::string& database) const {
  return postgres_tools::run({postgres_tools::program("psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d",
                              url(database), "-c", sql});
}

std::string PostgresServer::make_database() {
  const std::string name = cat("town", ++databases_);
  psql(cat("CREATE DATABASE ", name));
  return url(name);
}

void PostgresServer::start() {
  const auto command = postgres_tools::unprivileged(postgres_tools::server_command(folder(), options_));
  const FileDescriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  server_ = postgres_tools::start(command, nothing.get(), folder() / "log");
  postgres_tools::await_ready(folder());
}

void PostgresServer::stop() {
  ::kill(server_, SIGINT);  // "fast": clients are sent away
  ::waitpid(server_, nullptr, 0);
  server_ = -1;
}

std::vector<pid_t> PostgresServer::children() const {
  std::vector<pid_t> out;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const int process = std::atoi(entry.path().filename().c_str());
    if (process <= 0) continue;
    const auto stat = read_file(entry.path() / "stat");
    const auto name_end = stat ? stat->rfind(')') : std::string::npos;
    if (name_end == std::string::npos) continue;
    // "PID (name) STATE PARENT …"
    const auto fields = split(std::string_view(*stat).substr(name_end + 2), ' ');
    if (fields.size() > 1 && fields[1] == std::to_string(server_)) out.push_back(process);
  }
  return out;
}

void PostgresServer::signal_all(int signal) const {
  for (const auto child : children()) ::kill(child, signal);
}

void PostgresServer::kill() {
  ::kill(server_, SIGSTOP);  // so that it starts no more children
  const auto orphans = children();
  signal_all(SIGKILL);
  ::kill(server_, SIGKILL);
  ::waitpid(server_, nullptr, 0);
  server_ = -1;
  for (const auto orphan : orphans) await("a killed server process ends", [&] { return is_gone(orphan); });
}

void PostgresServer::freeze() {
  ::kill(server_, SIGSTOP);
  signal_all(SIGSTOP);
}

void PostgresServer::thaw() {
  signal_all(SIGCONT);
  ::kill(server_, SIGCONT);
}

void PostgresServer::promote() const {
  postgres_tools::run(
      postgres_tools::unprivileged({postgres_tools::program("pg_ctl"), "promote", "-w", "-D", data().string()}));
}

std::unique_ptr<PostgresServer> PostgresServer::make_replica(Options options) const {
  std::unique_ptr<PostgresServer> replica(new PostgresServer(std::move(options), WithoutData{}));
  postgres_tools::run(
      postgres_tools::unprivileged({postgres_tools::program("pg_basebackup"), "-D", replica->data().string(), "-d",
                                    url(), "-R", "-X", "stream", "--checkpoint=fast", "--no-sync"}));
  replica->start();
  return replica;
}

}  // namespace townpost
