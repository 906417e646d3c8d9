#include <algorithm>

#include "contract/town_fixture.h"
#include "post/mail/recall.h"
#include "post/nudge/cares.h"
#include "post/people/resolve.h"
#include "post/values/presence.h"

namespace townpost {
namespace {

using Strings = std::vector<std::string>;
using std::chrono::hours;

class PostOfficeTest : public TownTest {
 protected:
  Error refusal(std::string_view from, const Letter& what) { return error_of(office().send(what, caller(from))); }
};
ON_EVERY_STORE(PostOfficeTest);

TEST_P(PostOfficeTest, ALetterArrivesAsItWasWritten) {
  Letter what = letter("beads/crew/max", "Hallo – «é»");
  what.cc = {"mayor"};
  what.body = "line\n\n  indented \n";
  what.priority = Priority::high;
  what.type = MessageType::task;
  what.ack_required = true;
  const Receipt receipt = send("nux", what);
  const auto mails = inbox("max");
  ASSERT_EQ(mails.size(), 1u);
  const Message& message = mails[0].message;
  EXPECT_EQ(message, receipt.message);
  EXPECT_EQ(message.from, "beads/polecats/nux");
  EXPECT_EQ(message.to, Strings{"beads/crew/max"});
  EXPECT_EQ(message.cc, Strings{"mayor/"});
  EXPECT_EQ(message.subject, what.subject);
  EXPECT_EQ(message.body, what.body);
  EXPECT_EQ(message.priority, Priority::high);
  EXPECT_EQ(message.type, MessageType::task);
  EXPECT_TRUE(message.ack_required);
  EXPECT_EQ(message.created_at, clock().now());
  EXPECT_FALSE(mails[0].delivery->read_at.has_value());
  EXPECT_TRUE(copy_of(message.id, "mayor/").copy);
}

TEST_P(PostOfficeTest, ANewMessageStartsAThreadOfItsOwn) {
  const Message first = send("nux", "max").message;
  const Message second = send("nux", "max").message;
  EXPECT_NE(first.id, second.id);
  EXPECT_TRUE(first.thread.starts_with("thread-")) << first.thread;
  EXPECT_EQ(first.thread.size(), std::string("thread-").size() + 12);
  EXPECT_NE(first.thread, second.thread);
  EXPECT_EQ(first.type, MessageType::notification);
  EXPECT_EQ(first.priority, Priority::normal);
}

TEST_P(PostOfficeTest, TheBellRingsAfterTheCommitForEachRecipientOnly) {
  const auto nux = bell().rings(id_of("nux"));
  const auto max = bell().rings(id_of("max"));
  send("nux", "max");
  EXPECT_EQ(bell().rings(id_of("max")), max + 1);
  EXPECT_EQ(bell().rings(id_of("nux")), nux);
}

TEST_P(PostOfficeTest, AllRecipientsOrNone) {
  Letter what = letter("max");
  what.to.push_back("slit");
  what.cc = {"nobody-of-that-name"};
  EXPECT_EQ(refusal("nux", what).code, Code::not_found);
  EXPECT_TRUE(inbox("max").empty());
  EXPECT_TRUE(inbox("slit").empty());
}

TEST_P(PostOfficeTest, EachMailboxGetsOneCopyHoweverOftenItIsNamed) {
  Letter what = letter("beads/crew/max");
  what.to.insert(what.to.end(), {"max", "crew/max", "@crew", "beads/crew/*"});
  what.cc = {"beads/max"};
  const Receipt receipt = send("nux", what);
  EXPECT_EQ(receipt.recipients.size(), 1u);
  EXPECT_EQ(inbox("max").size(), 1u);
  EXPECT_FALSE(copy_of(receipt.message.id, "max").copy) << "to comes before cc";
}

TEST_P(PostOfficeTest, TheSenderOfAListGetsNoCopyUnlessItAsks) {
  send("nux", "@polecats");
  EXPECT_TRUE(inbox("nux").empty());
  EXPECT_EQ(inbox("slit").size(), 1u);
  Letter what = letter("@polecats");
  what.include_self = true;
  send("nux", what);
  EXPECT_EQ(inbox("nux").size(), 1u);
}

TEST_P(PostOfficeTest, WhoeverNamesItselfGetsItsMail) {
  const Receipt receipt = send("nux", "nux");
  EXPECT_EQ(inbox("nux").size(), 1u);
  EXPECT_EQ(receipt.recipients.at(0).state, ReachState::muted) << "mail to yourself wakes nobody";
}

TEST_P(PostOfficeTest, TextThatCannotBeSentIsRefusedAndNothingIsStored) {
  const std::vector<std::pair<std::string, std::string>> wrong = {{"", ""},
                                                                  {std::string(501, 's'), "b"},
                                                                  {"two\nlines", "b"},
                                                                  {"cr\rhere", "b"},
                                                                  {"s", std::string(kBodyBytes + 1, 'b')},
                                                                  {std::string("nul\0", 4), "b"},
                                                                  {"s", std::string("nul\0", 4)},
                                                                  {"\xff", "b"},
                                                                  {"s", "\xc3\x28"},
                                                                  {"s", "\xed\xa0\x80"}};
  for (const auto& [subject, body] : wrong)
    EXPECT_EQ(refusal("nux", {{.subject = subject, .body = body}, {"max"}}).code, Code::usage) << subject.substr(0, 20);
  EXPECT_EQ(refusal("nux", {{.subject = "s"}, {}}).code, Code::usage);
  EXPECT_TRUE(inbox("max").empty());
}

TEST_P(PostOfficeTest, TextAtTheLimitsIsSent) {
  const Receipt receipt =
      send("nux", {{.subject = std::string(500, 's'), .body = std::string(kBodyBytes, 'b')}, {"max"}});
  EXPECT_EQ(receipt.message.body.size(), kBodyBytes);
  send("nux", {{.subject = "s", .body = ""}, {"max"}});
}

TEST_P(PostOfficeTest, AThousandRecipientsAreTheMost) {
  limits().enabled = false;
  writing(store(), [&](Ledger& ledger) {
    for (int i = 0; i < 1001; ++i)
      must(ledger.add_agent({.id = {}, .address = must(Address::parse(cat("alpha/crew/c", i)))}));
  });
  const Error error = refusal("nux", letter("@crew/alpha"));
  EXPECT_EQ(error.code, Code::usage);
  must(registry().remove_agent("alpha/crew/c0"));
  EXPECT_EQ(send("nux", "@crew/alpha").recipients.size(), 1000u);
}

TEST_P(PostOfficeTest, NamesAreCountedBeforeAnybodyIsLookedFor) {
  Letter many = letter("zz0");
  for (int i = 1; i < 1000; ++i) many.to.push_back(cat("zz", i));
  EXPECT_EQ(refusal("nux", many).code, Code::not_found);
  EXPECT_EQ(machine().asked, 1) << "for all of them at once";
  many.cc.push_back("max");
  EXPECT_EQ(refusal("nux", many).code, Code::usage);
  const std::vector<std::string> same(1001, "max");
  many.to = same;
  EXPECT_EQ(refusal("nux", many).code, Code::usage) << "whoever they are";
  EXPECT_EQ(machine().asked, 1);
}

TEST_P(PostOfficeTest, AReplyGoesToTheSenderInTheSameThread) {
  const Message question = send("nux", "max", "Where is it?").message;
  const Message answer = reply("max", question.id).message;
  EXPECT_EQ(answer.to, Strings{"beads/polecats/nux"});
  EXPECT_EQ(answer.thread, question.thread);
  EXPECT_EQ(answer.reply_to, question.id);
  EXPECT_EQ(answer.type, MessageType::reply);
  EXPECT_EQ(answer.subject, "Re: Where is it?");
  EXPECT_EQ(reply("nux", answer.id).message.subject, "Re: Where is it?");
}

TEST_P(PostOfficeTest, AnAnswerFinishesWhatItAnswers) {
  Letter question = letter("max", "Where is it?");
  question.cc = {"slit"};
  question.ack_required = true;
  const MessageId asked = send("nux", question).message.id;
  const MessageId answer = reply("max", asked).message.id;
  const Delivery copy = copy_of(asked, "max");
  EXPECT_TRUE(copy.delivered_at && copy.read_at && copy.acked_at);
  EXPECT_FALSE(copy_of(asked, "slit").read_at) << "it answered nothing";
  const auto history = reading(store(), [&](Ledger& ledger) { return must(ledger.events_of(asked)); });
  EXPECT_EQ(history.back().kind, EventKind::acked);
  EXPECT_EQ(history.back().detail, "by the answer " + answer.str());
  EXPECT_FALSE(copy_of(answer, "nux").read_at) << "who asked reads the answer itself";
}

TEST_P(PostOfficeTest, AnAnswerBySendFinishesItToo) {
  const MessageId asked = send("nux", "max").message.id;
  Letter answer = letter("nux", "HELP_RESPONSE");
  answer.reply_to = asked;
  send("max", answer);
  EXPECT_TRUE(copy_of(asked, "max").read_at);
  EXPECT_FALSE(copy_of(asked, "max").acked_at) << "nobody asked for that";
}

TEST_P(PostOfficeTest, AnAnswerMayLeaveWhatItAnswersUnread) {
  Letter question = letter("max");
  question.ack_required = true;
  const MessageId asked = send("nux", question).message.id;
  must(
      office().reply(asked, "later", PostOffice::ReplyTo::sender, {.answered = Answered::stays_unread}, caller("max")));
  const Delivery copy = copy_of(asked, "max");
  EXPECT_FALSE(copy.read_at || copy.acked_at);
}

TEST_P(PostOfficeTest, AnAnswerToOnesOwnMessageMarksNothing) {
  const MessageId asked = send("nux", "max").message.id;
  reply("nux", asked);
  EXPECT_FALSE(copy_of(asked, "max").read_at);
}

TEST_P(PostOfficeTest, AReplyToAllReachesEverybodyButTheReplier) {
  Letter what = letter("max");
  what.to.push_back("slit");
  what.cc = {"mayor/"};
  const Message question = send("nux", what).message;
  const Receipt answer = must(office().reply(question.id, "here", PostOffice::ReplyTo::everyone, {}, caller("max")));
  Strings reached;
  for (const auto& recipient : answer.recipients) reached.push_back(recipient.address);
  std::sort(reached.begin(), reached.end());
  EXPECT_EQ(reached, (Strings{"beads/polecats/nux", "beads/polecats/slit", "mayor/"}));
}

TEST_P(PostOfficeTest, OnlyMailOnesOwnCanBeAnswered) {
  const Message question = send("nux", "max").message;
  const auto stranger = office().reply(question.id, "hm", PostOffice::ReplyTo::sender, {}, caller("slit"));
  EXPECT_EQ(error_of(stranger).code, Code::forbidden);
  const auto unknown = office().reply(MessageId{99}, "hm", PostOffice::ReplyTo::sender, {}, caller("slit"));
  EXPECT_EQ(error_of(unknown).code, Code::not_found);
}

TEST_P(PostOfficeTest, TheSameKeyAndContentGiveTheFirstAnswerAgain) {
  Letter what = letter("max");
  what.key = "k";
  const Receipt first = send("nux", what);
  clock().advance(hours(24) - Millis(1));
  const Receipt again = send("nux", what);
  EXPECT_TRUE(again.repeated);
  EXPECT_EQ(again.message, first.message);
  EXPECT_EQ(inbox("max").size(), 1u);
  ASSERT_EQ(again.recipients.size(), first.recipients.size());
  EXPECT_EQ(again.recipients[0].address, first.recipients[0].address);
  EXPECT_EQ(again.recipients[0].state, first.recipients[0].state) << "the first answer, not another one";
}

TEST_P(PostOfficeTest, AKeyExpiresAfterADay) {
  Letter what = letter("max");
  what.key = "k";
  const Receipt first = send("overseer", what);
  clock().advance(hours(24));
  const Receipt second = send("overseer", what);
  EXPECT_FALSE(second.repeated);
  EXPECT_NE(second.message.id, first.message.id);
  EXPECT_EQ(inbox("max").size(), 2u);
}

TEST_P(PostOfficeTest, AKeyUsedForALetterThatAskedForLessIsAConflict) {
  Letter what = letter("max");
  what.key = "k";
  send("nux", what);
  Letter urgent = what;
  urgent.priority = Priority::urgent;
  EXPECT_EQ(refusal("nux", urgent).code, Code::key_conflict);
  Letter asking = what;
  asking.ack_required = true;
  EXPECT_EQ(refusal("nux", asking).code, Code::key_conflict);
  EXPECT_TRUE(send("nux", what).repeated);
}

TEST_P(PostOfficeTest, TheSameAnswerToAnotherMessageIsSent) {
  const Message first = send("nux", "max", "question").message;
  const Message second = send("nux", "max", "question").message;
  const auto answer = [&](const Message& to) {
    return must(office().reply(to.id, "yes", PostOffice::ReplyTo::sender, {}, caller("max")));
  };
  const Receipt one = answer(first);
  const Receipt other = answer(second);
  EXPECT_FALSE(other.duplicate);
  EXPECT_EQ(other.message.thread, second.thread);
  EXPECT_EQ(subjects("nux"), (Strings{"Re: question", "Re: question"}));
  EXPECT_TRUE(answer(second).duplicate) << "rule L5: the same answer again";
  EXPECT_EQ(answer(first).message.id, one.message.id);
}

TEST_P(PostOfficeTest, AKeyUsedForOtherContentIsAConflict) {
  Letter what = letter("max");
  what.key = "k";
  send("nux", what);
  what.body += "!";
  EXPECT_EQ(refusal("nux", what).code, Code::key_conflict);
  EXPECT_EQ(inbox("max").size(), 1u);
  send("slit", what);  // another sender's keys are its own
  what.key = "";
  EXPECT_EQ(refusal("nux", what).code, Code::usage);
}

TEST_P(PostOfficeTest, TheReceiptTellsWhatWasDoneToWakeEach) {
  must(registry().add_agent({.address = "beads/crew/max", .session = "tmux:max"}, {}));
  EXPECT_EQ(send("nux", "max").recipients.at(0).state, ReachState::queued);
  EXPECT_EQ(send("nux", "slit").recipients.at(0).state, ReachState::no_session);
  Letter quiet = letter("max");
  quiet.notify = false;
  EXPECT_EQ(send("nux", quiet).recipients.at(0).state, ReachState::muted);
}

TEST_P(PostOfficeTest, TheReceiptTellsHowARecipientIsNow) {
  must(registry().add_agent({.address = "beads/crew/max", .session = "tmux:max"}, {}));
  const AgentId max = must(read_value(town().store, [](Ledger& ledger) { return resolve_one(ledger, "max"); })).id;
  const PresenceFiles files(town().folder);
  int number = 0;
  const auto state_after = [&](AgentState state) {
    files.write({.agent = max, .state = state, .session = "tmux:max", .detail = "permission for Bash"});
    return send("overseer", "max", cat("subject ", ++number)).recipients.at(0);
  };
  EXPECT_EQ(state_after(AgentState::running).state, ReachState::queued);
  EXPECT_EQ(state_after(AgentState::idle).state, ReachState::queued);
  EXPECT_NE(state_after(AgentState::idle).nudge, "") << "the entry in its line";
  EXPECT_TRUE(state_after(AgentState::idle).from_outside);
  EXPECT_EQ(state_after(AgentState::blocked).state, ReachState::blocked);
  EXPECT_NE(state_after(AgentState::blocked).reason.find("permission for Bash"), std::string::npos);
  EXPECT_EQ(state_after(AgentState::stalled).state, ReachState::blocked);
  EXPECT_EQ(state_after(AgentState::deaf).state, ReachState::blocked);
  EXPECT_EQ(state_after(AgentState::exited).state, ReachState::asleep);
  EXPECT_EQ(state_after(AgentState::dead).state, ReachState::asleep);
  must(Cares(town()).disturb_not("max", std::nullopt, caller("overseer")));
  const auto muted = state_after(AgentState::idle);
  EXPECT_EQ(muted.state, ReachState::muted);
  must(Cares(town()).hold(std::nullopt, std::nullopt, caller("overseer")));
  EXPECT_EQ(state_after(AgentState::idle).state, ReachState::held);
}

TEST_P(PostOfficeTest, AnIdleSessionWithHooksIsSpokenToOnlyWhereNoHookWaits) {
  must(registry().add_agent({.address = "beads/crew/max"}, {}));
  const AgentId max = must(read_value(town().store, [](Ledger& ledger) { return resolve_one(ledger, "max"); })).id;
  const PresenceFiles files(town().folder);
  const auto carried = [&](AgentState state, const std::string& subject) {
    const Presence presence{.agent = max, .state = state, .harness = Harness::of_word("claude"), .session = "tmux:%5"};
    files.write(presence);
    must(town().store.write([&](Ledger& ledger) { return ledger.set_presence(presence); }));
    return send("overseer", "max", subject).recipients.at(0).from_outside;
  };
  EXPECT_FALSE(carried(AgentState::running, "one")) << "its hooks speak at the next boundary";
  EXPECT_TRUE(carried(AgentState::idle, "two")) << "nobody waits beside it";
}

TEST_P(PostOfficeTest, MailOfAQuarantinedSenderIsHeld) {
  must(registry().add_agent({.address = "beads/crew/max", .session = "tmux:max"}, {}));
  must(Cares(town()).quarantine("nux", caller("overseer")));
  const auto state = send("nux", "max").recipients.at(0);
  EXPECT_EQ(state.state, ReachState::held);
  EXPECT_EQ(state.nudge, "");
  EXPECT_FALSE(state.from_outside);
}

TEST_P(PostOfficeTest, ARepeatedKeyTellsOfTheSameNudge) {
  must(registry().add_agent({.address = "beads/crew/max", .session = "tmux:max"}, {}));
  Letter what = letter("max");
  what.key = "once";
  const auto first = send("nux", what).recipients.at(0);
  const auto again = send("nux", what).recipients.at(0);
  EXPECT_NE(first.nudge, "");
  EXPECT_EQ(again.nudge, first.nudge);
  EXPECT_FALSE(again.from_outside) << "it is not carried twice";
}

TEST_P(PostOfficeTest, AnUnknownRecipientIsRegisteredOnlyWhenAsked) {
  Letter what = letter("newcomer");
  EXPECT_EQ(refusal("nux", what).code, Code::not_found);
  what.unknown = Unknown::create;
  send("nux", what);
  EXPECT_EQ(inbox("newcomer").size(), 1u);
}

TEST_P(PostOfficeTest, AFirstWriteRegistersItsSender) {
  send("newcomer", "max");
  EXPECT_EQ(must(registry().agent("newcomer")).address.str(), "newcomer");
  EXPECT_EQ(inbox("max").at(0).message.from, "newcomer");
}

TEST_P(PostOfficeTest, TheTownsOwnVoiceReadsNoMail) {
  EXPECT_EQ(refusal("nux", letter("townpost")).code, Code::refused);
}

TEST_P(PostOfficeTest, APersonRecallsWhatIsUnread) {
  const Message read = send("nux", "max").message;
  clock().advance(hours(2));
  const Message unread = send("nux", "max").message;
  mark(read.id, Mark::read, "max");
  EXPECT_EQ(inbox("max").size(), 2u);
  EXPECT_EQ(must(recall(town(), "nux", clock().now() - hours(1), caller("overseer"))).copies, 1);
  ASSERT_EQ(inbox("max").size(), 1u);
  EXPECT_EQ(inbox("max").at(0).message.id, read.id);
  EXPECT_EQ(events(unread.id).back(), "recalled");
}

}  // namespace
}  // namespace townpost
