#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.h"
#include "support/test_town.h"

namespace townpost {
namespace {

using Words = std::vector<std::string>;

constexpr std::int64_t kHour = 3600, kDay = 24 * kHour;

/// A town whose clock runs `seconds` off.
TestTown::Variables off_by(std::int64_t seconds) {
  return {{"LD_PRELOAD", FAKE_CLOCK}, {"FAKE_CLOCK_SECONDS", std::to_string(seconds)}};
}

Words subjects(const Json& mails) {
  Words out;
  for (const auto& mail : mails.as_array()) out.emplace_back(mail.at("subject").as_string());
  return out;
}

class ClockJump : public testing::Test {
 protected:
  ClockJump() { town_.agents({"ann"}); }

  /// Sends one after the other, each at another time of day; the subjects, in the order of sending.
  Words send_at(const std::vector<std::int64_t>& offsets) {
    Words sent;
    for (const auto offset : offsets) {
      sent.push_back(cat("mail ", sent.size(), " sent ", offset, " s off"));
      const auto receipt =
          town_.json({"mail", "send", "-m", "", "ann", "-s", sent.back(), "--thread", "jumps"}, off_by(offset));
      EXPECT_TRUE(receipt.is_object());
    }
    return sent;
  }

  TestTown town_;
};

TEST_F(ClockJump, IsReallySeenByTheProgram) {
  send_at({0, -400 * kDay});
  const auto inbox = town_.json({"mail", "inbox", "--as", "ann"});
  EXPECT_LT(inbox.as_array()[0].at("timestamp").as_string(), inbox.as_array()[1].at("timestamp").as_string())
      << "the newer message carries the older time";
}

TEST_F(ClockJump, BackwardsLeavesMailInTheOrderOfSending) {
  const auto sent = send_at({0, -kHour, +kHour, -kDay, -3000 * kDay, 0, -1});
  auto newest_first = sent;
  std::reverse(newest_first.begin(), newest_first.end());
  EXPECT_EQ(subjects(town_.json({"mail", "inbox", "--as", "ann"})), newest_first);
  EXPECT_EQ(subjects(town_.json({"mail", "inbox", "--as", "ann", "--unread"})), newest_first);
  EXPECT_EQ(subjects(town_.json({"mail", "sent"})), newest_first);
  const auto thread = town_.json({"mail", "thread", "jumps"});
  EXPECT_EQ(subjects(thread.is_object() ? thread.at("messages") : thread), sent) << "a thread is oldest first";
}

TEST_F(ClockJump, BackwardsHidesNoWaitingMail) {
  EXPECT_EQ(town_.gt({"mail", "check", "--as", "ann"}, off_by(+kHour)).exit_code, 1);  // leaves a hint from the future
  send_at({0});
  EXPECT_EQ(town_.gt({"mail", "check", "--as", "ann"}).exit_code, 0);
  EXPECT_EQ(town_.gt({"mail", "check", "--as", "ann"}, off_by(-kDay)).exit_code, 0);
  EXPECT_NE(town_.gt({"mail", "check", "--inject", "--as", "ann"}, off_by(-kDay)).out, "");
}

TEST_F(ClockJump, ForwardDropsNoUnreadMail) {
  send_at({0, +kDay});
  town_.json({"mail", "send", "-m", "", "ann", "-s", "a wisp", "--wisp"});
  town_.json({"mail", "send", "-m", "", "ann", "-s", "later"}, off_by(+40 * kDay));  // carries out what is due by then
  EXPECT_EQ(town_.json({"mail", "inbox", "--as", "ann"}).as_array().size(), 4u);
}

}  // namespace
}  // namespace townpost
