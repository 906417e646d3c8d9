// Names are reused: mail that names a bead is offered only while that bead is its recipient's.
#include "contract/nudge_fixture.h"
#include "post/mail/explain.h"
#include "post/mail/todo.h"
#include "post/nudge/announce.h"
#include "post/nudge/cares.h"

namespace townpost {
namespace {

class PreviousHolderTest : public NudgeTest {
 protected:
  PreviousHolderTest() {
    for (const auto* who : {"nux", "slit", "max"}) starts(who);
  }
  void works_on(std::string_view who, const std::string& bead) { must(Cares(town()).set_hook(who, bead, {})); }
  MessageId send_about(const std::string& bead, const std::string& to, const std::string& subject = "news") {
    Letter wanted = letter(to, subject);
    wanted.bead = bead;
    return send("max", wanted).message.id;
  }
  MessageId send_in_thread(const std::string& thread, const std::string& to) {
    Letter wanted = letter(to);
    wanted.thread = thread;
    return send("max", wanted).message.id;
  }
  Announcement announcement(std::string_view who, Compaction compaction = Compaction::no) {
    return must(announce(town(), caller(who), compaction));
  }
  std::size_t mail_entries(std::string_view who) {
    const auto all = line(who);
    return static_cast<std::size_t>(
        std::count_if(all.begin(), all.end(), [](const Nudge& nudge) { return nudge.kind == NudgeKind::mail; }));
  }
  bool is_listed_as_previous(MessageId id, std::string_view who) {
    for (const auto& mail : inbox(who))
      if (mail.message.id == id) return mail.for_previous_holder;
    ADD_FAILURE() << id.str() << " is not listed at all";
    return false;
  }
};
ON_EVERY_STORE(PreviousHolderTest);

TEST_P(PreviousHolderTest, MailOfTheLastHolderIsListedAndNotAnnounced) {
  works_on("nux", "be-7");
  const MessageId old = send_about("be-7", "nux", "rebase be-7");
  EXPECT_FALSE(is_listed_as_previous(old, "nux"));
  works_on("nux", "be-9");
  EXPECT_TRUE(is_listed_as_previous(old, "nux"));
  const auto told = announcement("nux");
  EXPECT_EQ(told.text, "");
  EXPECT_EQ(told.unread, 0);
  EXPECT_TRUE(announcement("nux", Compaction::yes).text.empty()) << "nor after a compaction";
  EXPECT_TRUE(take("nux", Boundary::start).empty()) << "nor at a start";
}

TEST_P(PreviousHolderTest, OtherMailIsAnnouncedAndCountedAlone) {
  works_on("nux", "be-9");
  send_about("be-7", "nux", "old business");
  send_about("be-9", "nux", "own business");
  send("max", "nux", "for anybody");
  const auto told = announcement("nux");
  EXPECT_TRUE(has(told.text, "2 unread messages")) << told.text;
  EXPECT_TRUE(has(told.text, "own business") && has(told.text, "for anybody")) << told.text;
  EXPECT_FALSE(has(told.text, "old business")) << told.text;
}

TEST_P(PreviousHolderTest, WhenTheBeadComesBackItsMailIsAnnounced) {
  works_on("nux", "be-7");
  works_on("nux", "be-9");
  const MessageId id = send_about("be-7", "nux", "rebase be-7");
  EXPECT_TRUE(take("nux", Boundary::prompt).empty());
  const auto rung = town().bell.stamp(id_of("nux"));
  works_on("nux", "be-7");
  EXPECT_NE(town().bell.stamp(id_of("nux")), rung) << "whoever trusts an earlier look must look again";
  EXPECT_FALSE(is_listed_as_previous(id, "nux"));
  EXPECT_TRUE(has(show("nux", Boundary::prompt).text, "rebase be-7"));
}

TEST_P(PreviousHolderTest, WhoGaveTheirBeadUpAreNotTold) {
  works_on("nux", "be-7");
  const MessageId id = send_about("be-7", "nux");
  works_on("nux", "");
  EXPECT_TRUE(is_listed_as_previous(id, "nux"));
  EXPECT_TRUE(announcement("nux").text.empty());
}

TEST_P(PreviousHolderTest, WithoutWordOnWhatTheyWorkOnEverythingIsTheirs) {
  const MessageId id = send_about("be-7", "nux", "rebase be-7");
  EXPECT_EQ(copy_of(id, "nux").bead, "be-7");
  EXPECT_FALSE(is_listed_as_previous(id, "nux"));
  EXPECT_TRUE(has(announcement("nux").text, "rebase be-7"));
}

TEST_P(PreviousHolderTest, MailInTheThreadOfTheRecipientsBeadIsBoundToIt) {
  works_on("nux", "be-7");
  EXPECT_EQ(copy_of(send_in_thread("be-7", "nux"), "nux").bead, "be-7");
  EXPECT_EQ(copy_of(send_in_thread("be-8", "nux"), "nux").bead, "") << "about a bead that nux never held";
  works_on("nux", "");
  EXPECT_EQ(copy_of(send_in_thread("-", "nux"), "nux").bead, "") << "none is no bead";
}

TEST_P(PreviousHolderTest, EachCopyIsBoundForItself) {
  works_on("nux", "be-7");
  Letter wanted = letter("nux");
  wanted.cc = {"slit"};
  wanted.thread = "be-7";
  const MessageId id = send("max", wanted).message.id;
  EXPECT_EQ(copy_of(id, "nux").bead, "be-7");
  EXPECT_EQ(copy_of(id, "slit").bead, "") << "to slit it is ordinary mail";
  works_on("nux", "be-9");
  works_on("slit", "be-3");
  EXPECT_TRUE(announcement("nux").text.empty());
  EXPECT_FALSE(announcement("slit").text.empty());
  wanted = letter("nux");
  wanted.cc = {"slit"};
  wanted.bead = "be-7";
  const MessageId named = send("max", wanted).message.id;
  for (const auto* who : {"nux", "slit"}) EXPECT_EQ(copy_of(named, who).bead, "be-7") << who;
}

TEST_P(PreviousHolderTest, TypedMailIsBoundByTheBeadInIt) {
  works_on("nux", "be-7");
  Letter answer = letter("nux", "[be-7] HELP_RESPONSE");
  answer.body = "Bead: be-7\n";
  EXPECT_EQ(copy_of(send("max", answer).message.id, "nux").bead, "be-7");
}

TEST_P(PreviousHolderTest, AnAnswerInTheThreadOfABeadIsBoundToIt) {
  works_on("nux", "be-7");
  Letter question = letter("max");
  question.thread = "be-7";
  const MessageId asked = send("nux", question).message.id;
  const MessageId answer = reply("max", asked).message.id;
  works_on("nux", "be-9");
  EXPECT_TRUE(is_listed_as_previous(answer, "nux"));
}

TEST_P(PreviousHolderTest, ItRaisesNoNudgeAndTheReceiptSaysSo) {
  works_on("nux", "be-9");
  Letter wanted = letter("nux");
  wanted.bead = "be-7";
  const Receipt receipt = send("max", wanted);
  EXPECT_EQ(mail_entries("nux"), 0u);
  EXPECT_EQ(receipt.recipients.at(0).state, ReachState::held);
  EXPECT_TRUE(has(receipt.recipients.at(0).reason, "be-7")) << receipt.recipients.at(0).reason;
  send_about("be-9", "nux");
  EXPECT_EQ(mail_entries("nux"), 1u);
}

TEST_P(PreviousHolderTest, ANudgeForMailOfThePreviousHolderOnlyEndsAsSuperseded) {
  works_on("nux", "be-7");
  send_about("be-7", "nux");
  ASSERT_EQ(mail_entries("nux"), 1u);
  const Nudge waiting = line("nux").at(0);
  works_on("nux", "be-9");
  EXPECT_TRUE(take("nux", Boundary::idle).empty());
  EXPECT_EQ(state(waiting), NudgeState::superseded);
  EXPECT_TRUE(has(now(waiting).last_error, "previous holder")) << now(waiting).last_error;
}

TEST_P(PreviousHolderTest, ANudgeForSeveralMailsTellsOnlyOfThoseThatAreTheirs) {
  works_on("nux", "be-7");
  send_about("be-7", "nux", "old business");
  send("max", "nux", "for anybody");
  works_on("nux", "be-9");
  const Parcel parcel = show("nux", Boundary::idle);
  EXPECT_TRUE(has(parcel.text, "for anybody")) << parcel.text;
  EXPECT_FALSE(has(parcel.text, "old business")) << parcel.text;
}

TEST_P(PreviousHolderTest, NothingWaitsBecauseOfIt) {
  works_on("nux", "be-9");
  const MessageId id = send_about("be-7", "nux");
  const Agent nux = agent_of("nux");
  EXPECT_FALSE(must(room().waiting_now(nux)).anything());
  EXPECT_EQ(must(room().first_unread(caller("nux"))), std::nullopt);
  EXPECT_FALSE(must(room().news_for(nux)).arrived);
  EXPECT_FALSE(must(nudges().anything_for(nux.id, Boundary::prompt)));
  works_on("nux", "be-7");
  EXPECT_EQ(must(room().waiting_now(nux)).unread, 1);
  EXPECT_EQ(must(room().first_unread(caller("nux")))->message.id, id);
  EXPECT_TRUE(must(room().news_for(nux)).arrived);
}

TEST_P(PreviousHolderTest, EveryWayOfLookingAtItTellsWhoseItIs) {
  works_on("nux", "be-9");
  const MessageId id = send_about("be-7", "nux", "rebase");
  EXPECT_TRUE(must(room().look(id, caller("nux"))).for_previous_holder);
  EXPECT_TRUE(must(room().read(id, Mailroom::Ack::no, caller("nux"))).for_previous_holder);
  EXPECT_TRUE(must(room().read(id, Mailroom::Ack::yes, caller("nux"))).for_previous_holder);
  EXPECT_TRUE(must(room().thread(id.str(), caller("nux"))).mails.at(0).for_previous_holder);
  EXPECT_TRUE(must(room().search({.text = "rebase"}, caller("nux"))).mails.at(0).for_previous_holder);
}

TEST_P(PreviousHolderTest, ExplainAndWhyTellWhyItIsNotAnnounced) {
  works_on("nux", "be-9");
  const MessageId id = send_about("be-7", "nux");
  const auto told = must(explain(town(), id, caller("overseer")));
  EXPECT_TRUE(told.standings.at(0).for_previous_holder);
  EXPECT_TRUE(has(told.standings.at(0).why, "for the previous holder (bead be-7)")) << told.standings.at(0).why;
  EXPECT_TRUE(has(told.history.at(0).detail, "be-7")) << told.history.at(0).detail;
  const auto obstacles = must(why(town(), "nux"));
  ASSERT_FALSE(obstacles.reasons.empty());
  EXPECT_TRUE(has(obstacles.reasons.at(0), "previous holder")) << obstacles.reasons.at(0);
  works_on("nux", "be-7");
  EXPECT_FALSE(must(explain(town(), id, caller("overseer"))).standings.at(0).for_previous_holder);
}

TEST_P(PreviousHolderTest, NothingIsToBeDoneAboutIt) {
  works_on("nux", "be-7");
  Letter wanted = letter("nux");
  wanted.bead = "be-7";
  wanted.ack_required = true;
  send("max", wanted);
  EXPECT_EQ(must(todo(town(), {}, caller("nux"))).pending.size(), 1u);
  works_on("nux", "be-9");
  EXPECT_TRUE(must(todo(town(), {}, caller("nux"))).pending.empty());
}

TEST_P(PreviousHolderTest, MailThatMovesToAnotherNameKeepsItsBead) {
  const MessageId id = send_about("be-7", "nux");
  must(registry().alias("beads/polecats/nux", "beads/polecats/toast"));
  EXPECT_EQ(copy_of(id, "toast").bead, "be-7");
}

TEST_P(PreviousHolderTest, WhatIsNoBeadIsRefusedAndNothingIsStored) {
  for (const auto& bead : {std::string("two words"), std::string("-"), std::string("line\n"), std::string(201, 'x')}) {
    Letter wanted = letter("nux");
    wanted.bead = bead;
    EXPECT_EQ(error_of(office().send(wanted, caller("max"))).code, Code::usage) << bead;
  }
  EXPECT_TRUE(inbox("nux").empty());
}

}  // namespace
}  // namespace townpost
