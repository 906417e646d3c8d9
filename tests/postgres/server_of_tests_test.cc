#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "postgres/fixture.h"
#include "support/await.h"
#include "support/postgres_server.h"

namespace townpost {
namespace {

TEST(ServerOfTests, IsGoneWithATestThatIsKilled) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const pid_t test = ::fork();
  if (test == 0) {
    const PostgresServer server;
    const std::string folder = server.folder().string();
    (void)!::write(ends[1], folder.data(), folder.size());
    ::close(ends[1]);
    ::pause();
  }
  ::close(ends[1]);
  const std::string folder = must(read_all(ends[0], 4096));
  ::close(ends[0]);
  ASSERT_TRUE(std::filesystem::exists(std::filesystem::path(folder) / "data" / "postmaster.pid")) << folder;
  ::kill(test, SIGKILL);
  ::waitpid(test, nullptr, 0);
  await("the folder is gone", [&] { return !std::filesystem::exists(folder); });
}

TEST(ServerOfTests, KeepsItsDataWhenItIsStoppedAndStarted) {
  PostgresServer server;
  server.psql("CREATE TABLE kept (n INTEGER); INSERT INTO kept VALUES (1)");
  server.stop();
  server.start();
  EXPECT_EQ(server.psql("SELECT count(*) FROM kept"), "1");
}

}  // namespace
}  // namespace townpost
