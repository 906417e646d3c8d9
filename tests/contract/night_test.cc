#include <algorithm>

#include "contract/town_fixture.h"
#include "post/announce.h"

namespace townpost {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

/// Two agents that answer whatever they are shown, all night.
class NightTest : public TownTest {
 protected:
  enum class Manner { reply, fresh_message };

  /// Lets nux and slit answer each other for eight hours, a turn taking `turn`; how many messages woke somebody.
  int woken_in_a_night(Millis turn, Manner manner) {
    const Instant morning = clock().now() + hours(8);
    int woken = 0;
    const auto count = [&](const Receipt& receipt) {
      if (receipt.recipients.at(0).state != "held") ++woken;
      return receipt.message;
    };
    Message last = count(send("nux", "slit", "shall we?"));
    std::string speaker = "slit";
    while (clock().now() < morning) {
      must(announced(town(), caller(speaker), must(announce(town(), caller(speaker), Compaction::no))));
      must(room().read(last.id, Mailroom::Ack::yes, caller(speaker)));
      clock().advance(turn);
      const std::string other = speaker == "slit" ? "nux" : "slit";
      const auto answer = manner == Manner::reply
                              ? office().reply(last.id, cat("answer ", clock().now().ms), PostOffice::ReplyTo::sender,
                                               {}, caller(speaker))
                              : office().send(letter(other, cat("and ", clock().now().ms)), caller(speaker));
      if (!answer) {
        EXPECT_EQ(answer.error().code, Code::limited) << answer.error().message;
        refused_ = answer.error();
        return woken;
      }
      last = count(*answer);
      speaker = other;
    }
    return woken;
  }
  std::optional<Error> refused_;
};
ON_EVERY_STORE(NightTest);

TEST_P(NightTest, OfAgentsThatReplyCostsAtMostNineTurns) {
  for (const auto turn : {minutes(1), minutes(5), minutes(9)}) {
    EXPECT_LE(woken_in_a_night(turn, Manner::reply), 9) << turn.count() << " minutes a turn";
    clock().advance(hours(24));
  }
}

TEST_P(NightTest, OfAgentsThatWriteAnewCostsAtMostNineTurns) {
  EXPECT_LE(woken_in_a_night(minutes(5), Manner::fresh_message), 9);
}

TEST_P(NightTest, OfSlowAgentsThatReplyCostsAtMostNineTurns) {
  EXPECT_LE(woken_in_a_night(minutes(20), Manner::reply), 9);
}

TEST_P(NightTest, OfSlowAgentsThatWriteAnewCostsAtMostNineTurns) {
  EXPECT_LE(woken_in_a_night(minutes(20), Manner::fresh_message), 9) << "a turn may well take twenty minutes";
}

TEST_P(NightTest, EndsWithARefusalAndOneEscalation) {
  woken_in_a_night(minutes(5), Manner::reply);
  ASSERT_TRUE(refused_.has_value());
  EXPECT_NE(refused_->message.find("L1"), std::string::npos) << refused_->message;
  const auto thread = inbox("nux").at(0).message.thread;
  const auto escalations = [&] {
    const auto mails = inbox("mayor/");
    return std::count_if(mails.begin(), mails.end(), [&](const Mail& mail) {
      return mail.message.thread == thread && mail.message.type == MessageType::escalation;
    });
  };
  EXPECT_EQ(escalations(), 1);
  const Message last = inbox("nux").at(0).message;
  const std::string speaker = last.hops % 2 == 0 ? "nux" : "slit";
  for (int i = 0; i < 3; ++i)
    EXPECT_FALSE(
        office().reply(last.id, cat("again ", i), PostOffice::ReplyTo::sender, {}, caller(speaker)).has_value());
  EXPECT_EQ(escalations(), 1) << "one for the thread, however often it is tried";
}

TEST_P(NightTest, ALoopIsEscalatedEvenInAThreadWithAnOverdueReply) {
  Letter question = letter("slit", "shall we?");
  question.reply_by = minutes(30);
  const Message first = send("nux", question).message;
  clock().advance(hours(1));
  let_duties_run();
  ASSERT_EQ(inbox("mayor/").size(), 1u) << "the overdue reply is escalated";
  Message last = first;
  std::string speaker = "slit";
  for (int i = 0; i < 20; ++i) {
    const auto answer = office().reply(last.id, cat("answer ", i), PostOffice::ReplyTo::sender, {}, caller(speaker));
    if (!answer) break;
    last = answer->message;
    speaker = speaker == "slit" ? "nux" : "slit";
    clock().advance(minutes(3));
  }
  EXPECT_EQ(inbox("mayor/").size(), 2u) << "and so is the loop";
}

TEST_P(NightTest, APersonsWordStartsTheCountAnew) {
  Message last = send("nux", "slit").message;
  std::string speaker = "slit";
  for (int i = 0; i < 12; ++i) {
    last = reply(speaker, last.id).message;
    speaker = speaker == "slit" ? "nux" : "slit";
    clock().advance(minutes(3));
  }
  EXPECT_GT(last.hops, 8);
  clock().advance(hours(1));
  const Message word = send("overseer", "slit", "go on").message;
  EXPECT_EQ(word.hops, 0);
  EXPECT_EQ(reply("slit", word.id).message.hops, 1);
}

}  // namespace
}  // namespace townpost
