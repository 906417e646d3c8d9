#include "support/shared_postgres.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <fstream>
#include <stdexcept>

#include "base/text.h"
#include "store/db/postgres.h"
#include "support/postgres_server.h"

namespace townpost {

namespace fs = std::filesystem;

namespace {

// $1 = folder of the build, $2 = folder of the server, then the server's command. Stops the server when nobody had the
// lock `use` nine times in a row, or at once when the file `leave` says that no test will come any more; nobody can
// come in between, because whoever wants it takes the lock `start` first.
constexpr const char* kKeeper = R"sh(
home=$1 folder=$2; shift 2
"$@" </dev/null >"$folder/log" 2>&1 &
server=$!
free=0
while sleep 1; do
  exec 8>>"$home/start" 9>>"$home/use"
  flock 8
  if flock -n 9; then free=$((free + 1)); else free=0; fi
  if [ $free -ge 9 ] || { [ $free -ge 1 ] && [ -e "$home/leave" ]; } || ! kill -0 $server; then
    kill -QUIT $server
    wait $server
    rm -rf "$folder" "$home/place" "$home/leave"
    exit
  fi
  exec 8>&- 9>&-
done
)sh";

constexpr std::string_view kSearchPath = "&options=-csearch_path%3D";

FileDescriptor locked(const fs::path& file, int how) {
  FileDescriptor lock(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!lock || ::flock(lock.get(), how) != 0) throw std::runtime_error(cat("cannot lock ", file.string()));
  return lock;
}

bool answers(const fs::path& folder) {
  const int server = std::atoi(read_file(folder / "data" / "postmaster.pid").value_or("0").c_str());
  return server > 0 && ::kill(server, 0) == 0;
}

}  // namespace

SharedPostgres::SharedPostgres() {
  const fs::path home = POSTGRES_TEST_FOLDER;
  fs::create_directories(home);
  const auto starting = locked(home / "start", LOCK_EX);
  in_use_ = locked(home / "use", LOCK_SH);
  folder_ = read_file(home / "place").value_or("");
  if (folder_.empty() || !answers(folder_)) serve(home);
  postgres_tools::await_ready(folder_);
  auto connection = PostgresDatabase::open(url(), std::nullopt);
  if (!connection) throw std::runtime_error(connection.error().message);
  connection_ = std::move(*connection);
}

void SharedPostgres::serve(const fs::path& home) {
  std::string pattern = (fs::temp_directory_path() / "postgres-shared-XXXXXX").string();
  if (!::mkdtemp(pattern.data())) throw std::runtime_error("no temporary folder");
  folder_ = pattern;
  postgres_tools::give_away(folder_);
  postgres_tools::initialise(folder_ / "data");
  std::vector<std::string> command = {"sh", "-c", kKeeper, "sh", home.string(), folder_.string()};
  // Nobody pulls the plug of this one.
  const auto server = postgres_tools::server_command(folder_, {.listen = "", .settings = {"fsync=off"}});
  for (const auto& word : postgres_tools::unprivileged(server)) command.push_back(word);
  const FileDescriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  postgres_tools::start(command, nothing.get(), "/dev/null");
  std::ofstream(home / "place") << folder_.string();
}

const SharedPostgres& SharedPostgres::one() {
  static const SharedPostgres kOne;
  return kOne;
}

std::string SharedPostgres::url() const { return cat("postgres://town@/postgres?host=", folder_.string()); }

void SharedPostgres::run(const std::string& statements) {
  const auto& server = one();
  const std::lock_guard lock(server.mutex_);
  const auto done = server.connection_->run_script(statements);
  if (!done) throw std::runtime_error(cat(statements, ": ", done.error().message));
}

std::string SharedPostgres::make_schema() {
  static std::atomic<int> count = 0;
  const std::string name = cat("town_", ::getpid(), "_", ++count);
  // One of this name is left from a process that had our number and was killed.
  run(cat("DROP SCHEMA IF EXISTS ", name, " CASCADE; CREATE SCHEMA ", name));
  return cat(one().url(), kSearchPath, name);
}

void SharedPostgres::drop_schema(const std::string& url) { run(cat("DROP SCHEMA ", schema_of(url), " CASCADE")); }

std::string SharedPostgres::schema_of(const std::string& url) {
  return url.substr(url.find(kSearchPath) + kSearchPath.size());
}

}  // namespace townpost
