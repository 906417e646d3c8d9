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

TEST_F(Listening, TakesTheNextPortWhereTheUsualOneIsTakenAndSaysWhere) {
  std::string port;
  const auto taken = listening_socket(port);
  town.settings(cat("[http]\nlisten = \"127.0.0.1:", port, "\"\n"));
  const auto up = town.gt({"up", "--detach"});
  EXPECT_EQ(up.exit_code, 0) << up.err;
  const auto url = text_at(town.json({"status"}), "url");
  const auto at = url.rfind(':');
  ASSERT_NE(at, std::string::npos) << url;
  const int other = std::stoi(url.substr(at + 1)), usual = std::stoi(port);
  EXPECT_TRUE(other > usual && other <= usual + 20) << url;
  for (const auto& told : {up.out, town.gt({"status"}).out, town.gt({"doctor"}).out})
    EXPECT_NE(told.find(url), std::string::npos) << told;
  EXPECT_EQ(town.gt({"down"}).exit_code, 0);
  EXPECT_EQ(text_at(town.json({"status"}), "url"), "") << "nobody answers there";
}

TEST_F(Listening, ToOtherMachinesWithoutTlsIsWarnedOf) {
  constexpr std::string_view kWarning = "is open to other machines without TLS";
  for (const auto* place : {"0.0.0.0:0", "[::]:0"}) {
    const auto up = town.gt({"up", "--detach", "--listen", place});
    EXPECT_EQ(up.exit_code, 0) << up.err;
    EXPECT_NE(up.err.find(kWarning), std::string::npos) << up.err;
    EXPECT_NE(town.gt({"doctor"}).out.find(kWarning), std::string::npos);
    town.gt({"down"});
  }
  EXPECT_EQ(town.gt({"up", "--detach", "--listen", "127.0.0.1:0"}).err.find(kWarning), std::string::npos);
}

TEST_F(Listening, ElsewhereBeginsWithTheNextStartAndIsNotCalledSoBefore) {
  EXPECT_NE(town.gt({"config", "set", "http.listen", "127.0.0.1:0", "--as", "overseer"}).out.find("http.listen is"),
            std::string::npos);
  EXPECT_EQ(town.gt({"up", "--detach"}).exit_code, 0);
  const auto set = town.gt({"config", "set", "http.listen", "off", "--as", "overseer"});
  EXPECT_NE(set.out.find("http.listen will be"), std::string::npos) << set.out;
  EXPECT_NE(text_at(town.json({"status"}), "url"), "");
  EXPECT_EQ(town.gt({"up", "--replace", "--detach"}).exit_code, 0);
  EXPECT_EQ(text_at(town.json({"status"}), "url"), "");
}

TEST_F(Listening, ThatTrustsThisMachineIsShownByStatus) {
  EXPECT_EQ(town.gt({"status"}).out.find("http.trust_loopback"), std::string::npos);
  town.settings("[http]\ntrust_loopback = true\n");
  EXPECT_NE(town.gt({"status"}).out.find("http.trust_loopback is on"), std::string::npos);
}

}  // namespace
}  // namespace townpost
