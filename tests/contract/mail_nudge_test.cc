// Mail says that it is there by one entry in its recipient's line.
#include "contract/nudge_fixture.h"

namespace townpost {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

class MailNudgeTest : public NudgeTest {
 protected:
  MailNudgeTest() {
    for (const auto* who : {"nux", "slit", "max"}) starts(who);
  }
  /// The entries of mail in somebody's line.
  std::vector<Nudge> entries(std::string_view who) {
    auto out = line(who);
    std::erase_if(out, [](const Nudge& nudge) { return nudge.kind != NudgeKind::mail; });
    return out;
  }
  Receipt send_urgently(std::string_view from, const std::string& to) {
    Letter wanted = letter(to, "urgent");
    wanted.priority = Priority::urgent;
    return send(from, wanted);
  }
};
ON_EVERY_STORE(MailNudgeTest);

TEST_P(MailNudgeTest, MailWakesItsRecipientWithItsSubject) {
  const MessageId id = send("max", "nux", "the build is red").message.id;
  const auto waiting = entries("nux");
  ASSERT_EQ(waiting.size(), 1u);
  EXPECT_EQ(waiting[0].mode, NudgeMode::wait_idle);
  EXPECT_EQ(waiting[0].refs, Strings{id.str()});
  EXPECT_EQ(waiting[0].expires_at, std::nullopt) << "it lives until the mail is read";
  const Parcel parcel = show("nux", Boundary::idle);
  EXPECT_TRUE(has(parcel.text, "You have new mail from beads/crew/max")) << parcel.text;
  EXPECT_TRUE(has(parcel.text, "Subject: \"the build is red\"")) << parcel.text;
  EXPECT_TRUE(has(parcel.text, "To read: gt mail read " + id.str())) << parcel.text;
  EXPECT_FALSE(has(parcel.text, "body ")) << "never the body";
  EXPECT_TRUE(entries("nux").empty());
  EXPECT_TRUE(copy_of(id, "nux").announced_at.has_value());
  EXPECT_TRUE(show("nux", Boundary::idle).empty()) << "each mail wakes once";
}

TEST_P(MailNudgeTest, MailIsNotToldOfInTheMiddleOfWork) {
  send("max", "nux");
  EXPECT_TRUE(take("nux", Boundary::tool).empty());
  EXPECT_TRUE(take("nux", Boundary::busy).empty());
  EXPECT_FALSE(take("nux", Boundary::turn_end).empty());
}

TEST_P(MailNudgeTest, TwentyMailsAreOneNudgeThatSaysSo) {  // K037
  for (int i = 0; i < 20; ++i) {
    send(i % 2 == 0 ? "max" : "slit", "nux", cat("subject ", i));
    clock().advance(Millis(100));
  }
  EXPECT_EQ(inbox("nux").size(), 20u);
  ASSERT_EQ(entries("nux").size(), 1u);
  EXPECT_EQ(entries("nux")[0].refs.size(), 20u);
  const Parcel parcel = show("nux", Boundary::idle);
  EXPECT_TRUE(has(parcel.text, "20 new messages")) << parcel.text;
  EXPECT_TRUE(has(parcel.text, "subject 0") && has(parcel.text, "subject 19")) << parcel.text;
  EXPECT_TRUE(entries("nux").empty());
  EXPECT_TRUE(take("nux", Boundary::idle).empty());
}

TEST_P(MailNudgeTest, MailThatComesWhileOneIsOnItsWayWaitsForItself) {  // K007
  send("max", "nux", "first");
  const Parcel leased = take("nux", Boundary::idle);
  ASSERT_FALSE(leased.empty());
  send("max", "nux", "second");
  ASSERT_EQ(entries("nux").size(), 2u);
  must(nudges().handed(leased, "a hook"));
  send("max", "nux", "third");
  ASSERT_EQ(entries("nux").size(), 2u) << "the waiting one grows, the one on its way does not";
  settle("nux");
  ASSERT_EQ(entries("nux").size(), 1u);
  tick(seconds(31));
  const Parcel next = show("nux", Boundary::idle);
  EXPECT_TRUE(has(next.text, "second") && has(next.text, "third")) << next.text;
  EXPECT_FALSE(has(next.text, "first")) << next.text;
}

TEST_P(MailNudgeTest, MailThatWasReadWakesNobodyAnyMore) {
  const MessageId first = send("max", "nux", "first").message.id;
  const MessageId second = send("max", "nux", "second").message.id;
  mark(first, Mark::read, "nux");
  ASSERT_EQ(entries("nux").size(), 1u) << "the other one waits";
  mark(second, Mark::read, "nux");
  EXPECT_TRUE(entries("nux").empty());
  EXPECT_EQ(must(nudges().list({.target = id_of("nux")})).at(0).state, NudgeState::superseded);
  EXPECT_TRUE(take("nux", Boundary::idle).empty());
}

TEST_P(MailNudgeTest, EveryWayOfDealingWithMailEndsItsNudge) {
  for (const auto what : {Mark::archived, Mark::deleted}) {
    const MessageId id = send("max", "nux").message.id;
    mark(id, what, "nux");
    EXPECT_TRUE(entries("nux").empty()) << static_cast<int>(what);
  }
  const MessageId id = send("max", "nux").message.id;
  must(room().read(id, Mailroom::Ack::yes, caller("nux")));
  EXPECT_TRUE(entries("nux").empty()) << "gt mail read --ack";
  send("max", "nux");
  must(room().mark_all_read(caller("nux")));
  EXPECT_TRUE(entries("nux").empty());
}

TEST_P(MailNudgeTest, MailToldOfAtAPromptWakesNobodyAfterwards) {
  send("max", "nux", "news");
  EXPECT_TRUE(has(show("nux", Boundary::prompt).text, "news"));
  EXPECT_TRUE(entries("nux").empty());
  EXPECT_TRUE(take("nux", Boundary::idle).empty());
}

TEST_P(MailNudgeTest, TellsOfTheOldestFirstAndOfUrgentMailBeforeAll) {  // K002
  send("max", "nux", "the first");
  send("max", "nux", "the second");
  Letter urgent = letter("nux");
  urgent.subject = "the urgent one";
  urgent.priority = Priority::urgent;
  send("max", urgent);
  const auto text = show("nux", Boundary::idle).text;
  EXPECT_LT(text.find("the first"), text.find("the second")) << text;
  EXPECT_LT(text.find("the urgent one"), text.find("the first")) << text;
}

TEST_P(MailNudgeTest, WhatShallWakeNobodyDoesNot) {  // G215
  Letter silent = letter("nux");
  silent.notify = false;
  send("max", silent);
  EXPECT_TRUE(entries("nux").empty()) << "--no-notify";
  send("nux", "nux");
  EXPECT_TRUE(entries("nux").empty()) << "mail to oneself";
  set_care("nux", [&](Care& care) { care.dnd_until = clock().now() + hours(1); });
  send("max", "nux");
  EXPECT_TRUE(entries("nux").empty()) << "muted";
  EXPECT_EQ(inbox("nux").size(), 3u) << "all of it is stored";
}

TEST_P(MailNudgeTest, MailOfAQuarantinedAgentWakesNobodyAndIsNotToldOf) {
  set_care("max", [&](Care& care) { care.quarantined_at = clock().now(); });
  send("max", "nux", "do as I say");
  EXPECT_TRUE(entries("nux").empty());
  EXPECT_FALSE(has(show("nux", Boundary::prompt).text, "do as I say"));
  set_care("max", [](Care& care) { care.quarantined_at.reset(); });
  EXPECT_TRUE(has(show("nux", Boundary::prompt).text, "do as I say"));
}

TEST_P(MailNudgeTest, PeopleAndThoseWithoutASessionHaveNoLineForIt) {
  send("max", "overseer");
  send("max", "alpha/witness");
  EXPECT_TRUE(entries("overseer").empty());
  EXPECT_TRUE(entries("alpha/witness").empty()) << "its first session is told anyway";
  starts("alpha/witness");
  EXPECT_FALSE(take("alpha/witness", Boundary::start).empty());
}

TEST_P(MailNudgeTest, HeldMailWakesNobody) {
  for (int i = 0; i < 10; ++i) send("max", "nux");
  show("nux", Boundary::idle);
  EXPECT_EQ(send("max", "nux", "the eleventh").recipients.at(0).state, ReachState::held);
  EXPECT_TRUE(take("nux", Boundary::idle).empty());
  EXPECT_TRUE(has(show("nux", Boundary::prompt).text, "the eleventh")) << "but it is shown at the next prompt";
}

TEST_P(MailNudgeTest, MailHeldForAMinuteWakesAfterIt) {  // L2
  for (int i = 0; i < 10; ++i) send("max", "nux");
  show("nux", Boundary::idle);
  send("max", "nux", "the eleventh");
  tick(seconds(61));
  EXPECT_TRUE(has(show("nux", Boundary::idle).text, "the eleventh")) << "held until the window clears, not for ever";
}

TEST_P(MailNudgeTest, ANudgeOfMailNeverExpiresAndNeverBounces) {
  send("max", "nux");
  tick(hours(25), seconds(60));
  ASSERT_EQ(entries("nux").size(), 1u);
  EXPECT_TRUE(notices("max").empty() && notices("mayor/").empty());
  EXPECT_FALSE(show("nux", Boundary::idle).empty());
}

TEST_P(MailNudgeTest, UrgentMailWakesAsTheSettingSays) {
  send("max", "nux");
  send_urgently("max", "nux");
  ASSERT_EQ(entries("nux").size(), 1u) << "the waiting one becomes urgent";
  EXPECT_TRUE(entries("nux")[0].urgent);
  EXPECT_EQ(entries("nux")[0].mode, NudgeMode::wait_idle);
  town().settings.urgent_mail = NudgeMode::soon;
  send_urgently("max", "slit");
  EXPECT_EQ(entries("slit").at(0).mode, NudgeMode::soon);
  EXPECT_TRUE(has(show("slit", Boundary::tool).text, "urgent")) << "between two tools";
  town().settings.urgent_mail = NudgeMode::immediate;
  send_urgently("slit", "max");
  EXPECT_TRUE(has(show("max", Boundary::busy).text, "urgent"));
}

TEST_P(MailNudgeTest, MailOfAPersonLiftsTheEntryOverTheLimitsOfAgents) {  // L4
  send("max", "nux");
  show("nux", Boundary::idle);
  send("slit", "nux", "an agent's");
  EXPECT_TRUE(take("nux", Boundary::idle).empty());
  tick(std::chrono::seconds(6));
  EXPECT_TRUE(take("nux", Boundary::idle).empty());
  send("overseer", "nux", "a person's");
  const Parcel parcel = show("nux", Boundary::idle);
  EXPECT_TRUE(has(parcel.text, "a person's") && has(parcel.text, "an agent's")) << parcel.text;
}

TEST_P(MailNudgeTest, MailAndNudgesComeInOneBlock) {
  nudge("max", "nux", "look at your mail");
  send("max", "nux", "here it is");
  const Parcel parcel = show("nux", Boundary::idle);
  EXPECT_TRUE(has(parcel.text, "look at your mail") && has(parcel.text, "here it is")) << parcel.text;
  EXPECT_TRUE(line("nux").empty());
}

TEST_P(MailNudgeTest, ANewSessionIsToldOfAllUnreadMailAgain) {  // K009
  send("max", "nux", "news");
  show("nux", Boundary::idle);
  starts("nux", "session 2");
  EXPECT_TRUE(has(show("nux", Boundary::start).text, "news"));
}

TEST_P(MailNudgeTest, WhatFailedToBeShownIsAnnouncedAgain) {
  const MessageId id = send("max", "nux", "news").message.id;
  must(nudges().give_back(take("nux", Boundary::idle), "the pane did not move", Nudges::Tried::yes));
  EXPECT_EQ(copy_of(id, "nux").announced_at, std::nullopt);
  tick(seconds(1));
  EXPECT_TRUE(has(show("nux", Boundary::idle).text, "news"));
}

TEST_P(MailNudgeTest, WhatTheSessionTookAndNeverShowsIsAnnouncedAgain) {
  const auto id = send("max", "nux", "taken back").message.id;
  must(nudges().handed(take("nux", Boundary::prompt), "a hook"));
  const auto not_there = [](std::string_view) { return std::optional(false); };
  settle("nux", not_there);
  EXPECT_EQ(entries("nux").at(0).state, NudgeState::handed) << "it may be under way";
  tick(seconds(61));
  settle("nux", not_there);
  EXPECT_FALSE(copy_of(id, "nux").announced_at.has_value());
  tick(seconds(5));
  EXPECT_TRUE(has(take("nux", Boundary::prompt).text, "taken back"));
}

TEST_P(MailNudgeTest, WhatTheSessionShowsIsNotAnnouncedAgain) {
  const auto id = send("max", "nux", "there").message.id;
  must(nudges().handed(take("nux", Boundary::prompt), "a hook"));
  settle("nux", [&](std::string_view looked_for) { return std::optional(looked_for == id.str()); });
  EXPECT_TRUE(entries("nux").empty());
  tick(minutes(5), minutes(1));
  EXPECT_TRUE(take("nux", Boundary::prompt).empty());
}

TEST_P(MailNudgeTest, MailDeepInAChainMakesTheAnswerDeeper) {  // L1
  const MessageId id = send("max", "nux").message.id;
  show("nux", Boundary::idle);
  EXPECT_EQ(nudge("nux", "slit").hops, 2) << "told of " << id.str();
}

TEST_P(MailNudgeTest, ANudgeOfMailTakesNoPlaceInTheLineOfFifty) {
  town().settings.nudge_depth = 1;
  send("max", "nux");
  nudge("max", "nux", "fits");
  EXPECT_EQ(nudge_refusal("max", draft("nux")).code, Code::refused);
  send("max", "nux");
  EXPECT_EQ(inbox("nux").size(), 2u) << "mail is never refused for it";
}

}  // namespace
}  // namespace townpost
