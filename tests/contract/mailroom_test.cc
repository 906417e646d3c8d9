#include "contract/town_fixture.h"

namespace townpost {
namespace {

using Strings = std::vector<std::string>;
using Ack = Mailroom::Ack;
using std::chrono::hours;

class MailroomTest : public TownTest {};
ON_EVERY_STORE(MailroomTest);

TEST_P(MailroomTest, AnInboxIsEverythingNotArchivedUrgentFirst) {
  send("nux", "max", "first");
  Letter urgent = letter("max", "urgent");
  urgent.priority = Priority::urgent;
  const Message gone = send("nux", "max", "gone").message;
  send("nux", urgent);
  const Message read = send("nux", "max", "read").message;
  mark(gone.id, Mark::archived, "max");
  mark(read.id, Mark::read, "max");
  EXPECT_EQ(subjects("max"), (Strings{"urgent", "read", "first"}));
  EXPECT_EQ(subjects("max", Shelf::unread), (Strings{"urgent", "first"}));
  EXPECT_EQ(subjects("max", Shelf::archived), Strings{"gone"});
}

TEST_P(MailroomTest, TheInboxOfSomebodyUnknownIsEmpty) {
  EXPECT_TRUE(inbox("never-seen").empty());
  EXPECT_TRUE(inbox("beads/witness").empty());
}

TEST_P(MailroomTest, LookingChangesNothing) {
  const Message message = send("nux", "max").message;
  const Delivery before = copy_of(message.id, "max");
  const auto rings = bell().rings(id_of("max"));
  inbox("max");
  must(room().inbox({.whose = "max"}, caller("slit")));
  must(room().inbox({.whose = "max"}, caller("overseer")));
  must(room().search({.text = "body"}, caller("max")));
  must(room().thread(message.id.str(), caller("max")));
  must(room().sent(std::nullopt, 10, caller("nux")));
  must(room().first_unread(caller("max")));
  must(room().read(message.id, Ack::no, caller("overseer")));
  must(room().read(message.id, Ack::no, caller("nux")));
  EXPECT_EQ(copy_of(message.id, "max"), before);
  EXPECT_EQ(events(message.id), Strings{"stored"});
  EXPECT_EQ(bell().rings(id_of("max")), rings);
}

TEST_P(MailroomTest, AnotherAgentSeesHeadersOnly) {
  send("nux", "max");
  EXPECT_TRUE(must(room().inbox({.whose = "max"}, caller("slit"))).headers_only);
  EXPECT_FALSE(must(room().inbox({.whose = "max"}, caller("overseer"))).headers_only);
  EXPECT_FALSE(must(room().inbox({.whose = "max"}, caller("max"))).headers_only);
}

TEST_P(MailroomTest, ReadingDeliversButDoesNotMarkRead) {
  const Message message = send("nux", "max").message;
  const Mail shown = must(room().read(message.id, Ack::no, caller("max")));
  EXPECT_EQ(shown.message, message);
  EXPECT_EQ(shown.delivery->delivered_at, clock().now());
  EXPECT_FALSE(copy_of(message.id, "max").read_at.has_value());
  EXPECT_EQ(events(message.id), (Strings{"stored", "delivered"}));
  clock().advance(hours(1));
  must(room().read(message.id, Ack::no, caller("max")));
  EXPECT_EQ(copy_of(message.id, "max").delivered_at, clock().now() - hours(1)) << "the first time counts";
  EXPECT_EQ(events(message.id).size(), 2u);
}

TEST_P(MailroomTest, ReadingWithAckMarksRead) {
  const Message message = send("nux", "max").message;
  must(room().read(message.id, Ack::yes, caller("max")));
  EXPECT_EQ(copy_of(message.id, "max").read_at, clock().now());
  EXPECT_FALSE(copy_of(message.id, "max").acked_at.has_value()) << "nobody asked for that";
  EXPECT_EQ(error_of(room().read(message.id, Ack::yes, caller("overseer"))).code, Code::refused);
}

TEST_P(MailroomTest, ReadingAtATerminalMarksReadAndAcknowledgesNothing) {
  Letter what = letter("max");
  what.ack_required = true;
  const Message message = send("nux", what).message;
  const Mail shown = must(room().read(message.id, Ack::is_read, caller("max")));
  EXPECT_EQ(shown.delivery->read_at, clock().now());
  EXPECT_EQ(copy_of(message.id, "max").read_at, clock().now());
  EXPECT_FALSE(copy_of(message.id, "max").acked_at.has_value());
  EXPECT_EQ(events(message.id), (Strings{"stored", "delivered", "read"}));
  clock().advance(hours(1));
  must(room().read(message.id, Ack::is_read, caller("max")));
  EXPECT_EQ(copy_of(message.id, "max").read_at, clock().now() - hours(1)) << "the first time counts";
  EXPECT_EQ(events(message.id).size(), 3u);
  EXPECT_EQ(must(room().read(message.id, Ack::is_read, caller("overseer"))).message, message) << "not its own mail";
}

TEST_P(MailroomTest, MarkingReadAcknowledgesWhereThatIsWanted) {
  Letter what = letter("max");
  what.ack_required = true;
  const Message message = send("nux", what).message;
  EXPECT_EQ(mark(message.id, Mark::read, "max").change, (MarkChange{true, EventKind::acked}));
  EXPECT_EQ(copy_of(message.id, "max").acked_at, clock().now());
  EXPECT_EQ(copy_of(message.id, "max").read_at, clock().now());
}

TEST_P(MailroomTest, EveryMarkMayBeRepeated) {
  const Message message = send("nux", "max").message;
  for (const Mark what : {Mark::read, Mark::unread, Mark::pinned, Mark::unpinned, Mark::archived, Mark::unarchived}) {
    const MarkOutcome first = mark(message.id, what, "max");
    const Delivery after = copy_of(message.id, "max");
    const auto told = events(message.id).size();
    clock().advance(hours(1));
    const MarkOutcome again = mark(message.id, what, "max");
    EXPECT_FALSE(first.error.has_value());
    EXPECT_FALSE(again.error.has_value());
    EXPECT_EQ(again.change, (MarkChange{false, first.change.event}));
    EXPECT_EQ(copy_of(message.id, "max"), after);
    EXPECT_EQ(events(message.id).size(), told);
  }
}

TEST_P(MailroomTest, ACopyReaderNeverChangesThePrimaryRecipientsState) {
  Letter what = letter("max");
  what.cc = {"slit"};
  const Message message = send("nux", what).message;
  must(room().read(message.id, Ack::yes, caller("slit")));
  mark(message.id, Mark::archived, "slit");
  EXPECT_FALSE(copy_of(message.id, "max").delivered_at.has_value());
  EXPECT_FALSE(copy_of(message.id, "max").read_at.has_value());
  EXPECT_EQ(inbox("max").size(), 1u);
}

TEST_P(MailroomTest, EachOfSeveralIdsHasItsOwnOutcome) {
  const Message own = send("nux", "max").message;
  const Message foreign = send("nux", "slit").message;
  const auto outcomes =
      must(room().mark({own.id.str(), "hq-m-99", foreign.id.str(), "rubbish\x1b"}, Mark::read, caller("max")));
  ASSERT_EQ(outcomes.size(), 4u);
  EXPECT_EQ(outcomes[0].change, (MarkChange{true, EventKind::read}));
  EXPECT_EQ(outcomes[1].error->code, Code::not_found);
  EXPECT_EQ(outcomes[2].error->code, Code::forbidden);
  EXPECT_EQ(outcomes[3].error->code, Code::not_found);
  EXPECT_EQ(outcomes[3].id.find('\x1b'), std::string::npos);
  EXPECT_TRUE(copy_of(own.id, "max").read_at.has_value());
  EXPECT_FALSE(copy_of(foreign.id, "slit").read_at.has_value());
}

TEST_P(MailroomTest, DeletedMailIsHiddenFromItsOwnerOnly) {
  Letter what = letter("max");
  what.to.push_back("slit");
  const Message message = send("nux", what).message;
  mark(message.id, Mark::deleted, "max");
  EXPECT_TRUE(inbox("max").empty());
  EXPECT_EQ(error_of(room().read(message.id, Ack::no, caller("max"))).code, Code::not_found);
  EXPECT_TRUE(must(room().search({.text = "body"}, caller("max"))).mails.empty());
  EXPECT_EQ(inbox("slit").size(), 1u);
  EXPECT_EQ(must(room().sent(std::nullopt, 10, caller("nux"))).size(), 1u);
}

TEST_P(MailroomTest, AllUnreadMailIsAcknowledgedAtOnce) {
  for (int i = 0; i < 3; ++i) send("nux", "max");
  EXPECT_EQ(must(room().mark_all_read(caller("max"))).size(), 3u);
  EXPECT_TRUE(inbox("max", Shelf::unread).empty());
  EXPECT_TRUE(must(room().mark_all_read(caller("max"))).empty());
}

TEST_P(MailroomTest, StaleMailIsReadUnpinnedAndOlder) {
  const Message old_read = send("nux", "max", "old").message;
  const Message old_unread = send("nux", "max", "unread").message;
  const Message pinned = send("nux", "max", "pinned").message;
  clock().advance(hours(24));
  const Message young = send("nux", "max", "young").message;
  for (const auto& message : {old_read, pinned, young}) mark(message.id, Mark::read, "max");
  mark(pinned.id, Mark::pinned, "max");
  clock().advance(Millis(1));
  const auto outcomes = must(room().archive_stale(hours(24), caller("max")));
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_EQ(outcomes[0].id, old_read.id.str());
  EXPECT_EQ(subjects("max"), (Strings{"young", "pinned", "unread"}));
}

TEST_P(MailroomTest, AThreadIsOldestFirstWithWhatTheViewerHasNotRead) {
  const Message first = send("nux", "max", "Original topic").message;
  const Message second = reply("max", first.id).message;
  const Message third = reply("nux", second.id).message;
  reply("nux", third.id);
  mark(first.id, Mark::read, "max");
  for (const auto& id : {first.thread, second.id.str()}) {
    const ThreadView view = must(room().thread(id, caller("max")));
    EXPECT_EQ(view.subject, "Original topic");
    EXPECT_EQ(view.mails.size(), 4u);
    EXPECT_EQ(view.mails.front().message.id, first.id);
    EXPECT_EQ(view.unread, 2);
    EXPECT_EQ(view.participants, (Strings{"beads/crew/max", "beads/polecats/nux"}));
  }
}

TEST_P(MailroomTest, AThreadThatBeginsWithAReplyHasABareSubject) {
  const Message only = send("nux", "max", "Re: Original topic").message;
  EXPECT_EQ(must(room().thread(only.thread, caller("max"))).subject, "Original topic");
}

TEST_P(MailroomTest, OnlyThoseInAThreadAndPeopleReadIt) {
  const Message message = send("nux", "max").message;
  EXPECT_EQ(error_of(room().thread(message.thread, caller("slit"))).code, Code::forbidden);
  EXPECT_EQ(error_of(room().read(message.id, Ack::no, caller("slit"))).code, Code::forbidden);
  EXPECT_TRUE(room().thread(message.thread, caller("overseer")).has_value());
  EXPECT_EQ(error_of(room().thread("thread-000000000000", caller("overseer"))).code, Code::not_found);
}

TEST_P(MailroomTest, SentMailShowsEachCopysState) {
  Letter what = letter("max");
  what.cc = {"slit"};
  const Message message = send("nux", what).message;
  mark(message.id, Mark::read, "max");
  const auto sent = must(room().sent(std::nullopt, 10, caller("nux")));
  ASSERT_EQ(sent.size(), 1u);
  ASSERT_EQ(sent[0].copies.size(), 2u);
  EXPECT_EQ(sent[0].copies[0].address, "beads/crew/max");
  EXPECT_TRUE(sent[0].copies[0].delivery.read_at.has_value());
  EXPECT_FALSE(sent[0].copies[1].delivery.read_at.has_value());
}

TEST_P(MailroomTest, TheSenderSeesTheStateOfTheFirstRecipientItAddressed) {
  Letter what = letter("max");
  what.to.push_back("nux");  // registered before max
  const Message message = send("slit", what).message;
  const Mail shown = must(room().read(message.id, Ack::no, caller("slit")));
  ASSERT_TRUE(shown.delivery.has_value());
  EXPECT_EQ(shown.delivery->mailbox, id_of("max"));
}

TEST_P(MailroomTest, ReplyOwedIsSeenByBothSidesUntilItIsGiven) {
  Letter what = letter("max");
  what.reply_by = hours(1);
  what.cc = {"slit"};
  const Message question = send("nux", what).message;
  auto owed = must(room().owed(caller("nux"), Parts::headers));
  ASSERT_EQ(owed.to_me.size(), 1u);
  EXPECT_EQ(owed.to_me[0].by, Strings{"beads/crew/max"});
  EXPECT_FALSE(owed.to_me[0].overdue);
  EXPECT_EQ(must(room().owed(caller("max"), Parts::headers)).by_me.size(), 1u);
  EXPECT_TRUE(must(room().owed(caller("slit"), Parts::headers)).by_me.empty()) << "by cc nothing is owed";
  clock().advance(hours(1) + Millis(1));
  EXPECT_TRUE(must(room().owed(caller("max"), Parts::headers)).by_me.at(0).overdue);
  reply("max", question.id);
  EXPECT_TRUE(must(room().owed(caller("nux"), Parts::headers)).to_me.empty());
  EXPECT_TRUE(must(room().owed(caller("max"), Parts::headers)).by_me.empty());
}

TEST_P(MailroomTest, WaitingEndsAtOnceForMailThatNoRuleHolds) {
  send("nux", "max");
  EXPECT_TRUE(must(room().news_for(agent_of("max"))).arrived);
  EXPECT_FALSE(must(room().news_for(agent_of("slit"))).arrived);
}

TEST_P(MailroomTest, TheDirectoryIsSortedByKindThenAddressAndAllOfItTakesMail) {
  register_agent("zed");
  register_agent("deacon/dogs/fido");
  std::vector<std::pair<std::string, std::string>> listed;
  for (const auto& entry : must(room().directory({}))) listed.emplace_back(entry.type, entry.address);
  EXPECT_TRUE(std::is_sorted(listed.begin(), listed.end()));
  EXPECT_EQ(std::adjacent_find(listed.begin(), listed.end()), listed.end()) << "nobody twice";
  EXPECT_EQ(listed.size(), 12u);
  limits().enabled = false;
  for (const auto& [kind, address] : listed) EXPECT_EQ(send("zed", address).recipients.size(), 1u) << address;
}

}  // namespace
}  // namespace townpost
