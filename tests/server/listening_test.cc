// Where the town's server answers HTTP, and how people learn of it.
#include <gtest/gtest.h>

#include "base/text.h"
#include "cli/expect.h"
#include "net/little_server_test.h"

namespace townpost {
namespace {

class Listening : public testing::Test {
 protected:
  ~Listening() override { town.gt({"down"}); }
  const TestTown town;
};

TEST_F(Listening, InTheBackgroundWhereItMustAndCannotSaysWhy) {
  std::string port;
  const auto taken = listening_socket(port);
  const auto place = cat("127.0.0.1:", port);
  expect_refusal(town, {"up", "--detach", "--listen", place},
                 {6, "unavailable", cat("did not stay: another program listens on ", place)});
  EXPECT_EQ(town.gt({"down"}).exit_code, 1) << "nothing is left running";
}

}  // namespace
}  // namespace townpost
