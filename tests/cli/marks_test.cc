// ack, mark-unread, archive, unarchive, delete, pin, unpin: changing the state of one's own copies.
#include <gtest/gtest.h>

#include "cli/expect.h"
#include "support/terminal.h"

namespace townpost {
namespace {

using Ids = std::vector<std::string>;

class Marks : public testing::Test {
 protected:
  Marks() {
    town.agents({"alice", "bob"});
    first = town.send("overseer", "alice", "first");
    second = town.send("overseer", "alice", "second");
  }
  Json mark(const std::string& verb, const Words& ids) const {
    return town.json(with(with({"mail", verb}, ids), {"--as", "alice"}));
  }
  Json own(const std::string& id) const { return read_as(town, "alice", id); }
  /// Makes mail look older than it is.
  void age_by_hours(const std::string& id, int hours) const {
    town.sql("UPDATE message SET created_at = created_at - " + std::to_string(hours) + " * 3600000 WHERE subject = '" +
             text_at(own(id), "subject") + "'");
  }
  TestTown town;
  std::string first, second;
};

TEST_F(Marks, APersonAtATerminalHasReadWhatIsShownThere) {
  const auto id = town.send("alice", "overseer", "to you", {"--ack"});
  const auto state = [&](const char* key) { return text_at(read_as(town, "overseer", id), key); };
  const auto unread = gt_on_terminal(town, {"mail", "read", id, "--keep-unread"});
  EXPECT_NE(unread.out.find("To mark it read and acknowledge it: gt mail ack " + id), std::string::npos) << unread.out;
  town.gt({"mail", "read", id});
  EXPECT_EQ(state("read_at"), "") << "a script shows it to somebody or to nobody";
  const auto seen = gt_on_terminal(town, {"mail", "read", id});
  EXPECT_NE(seen.out.find("To acknowledge it: gt mail ack " + id), std::string::npos) << seen.out;
  EXPECT_TRUE(is_instant(state("read_at")));
  EXPECT_EQ(state("acked_at"), "");
  gt_on_terminal(town, {"mail", "read", first}, {{"MAIL_IDENTITY", "alice"}});
  EXPECT_FALSE(flag_at(own(first), "read")) << "an agent may lose what it was shown";
  expect_refusal(town, {"mail", "read", id, "--ack", "--keep-unread"}, {2, "usage", "mutually exclusive"});
}

TEST_F(Marks, AckMarksReadAndTellsEachId) {
  const auto told = mark("ack", {first, second});
  EXPECT_EQ(texts_in(told, "id"), (Ids{first, second}));
  EXPECT_EQ(texts_in(told, "state"), (Ids{"read", "read"}));
  EXPECT_TRUE(inbox_ids(town, "alice", {"--unread"}).empty());
  const auto text = town.gt({"mail", "ack", first, "--as", "alice"});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_EQ(text.out, first + " already read\n");
}

// G115
TEST_F(Marks, AckTwiceKeepsTheFirstInstant) {
  mark("ack", {first});
  const auto at = text_at(own(first), "read_at");
  mark("ack", {first});
  mark("mark-read", {first});
  EXPECT_EQ(text_at(own(first), "read_at"), at);
  EXPECT_TRUE(flag_at(own(first), "read"));
}

TEST_F(Marks, AckAcknowledgesOnlyWhereThatWasAskedFor) {
  const auto asked = town.send("overseer", "alice", "please confirm", {"--ack"});
  mark("ack", {first, asked});
  EXPECT_EQ(text_at(own(first), "acked_at"), "");
  EXPECT_TRUE(is_instant(text_at(own(asked), "acked_at")));
}

TEST_F(Marks, AckAllMarksEverythingUnread) {
  mark("ack", {first});
  EXPECT_EQ(texts_in(mark("ack", {"--all"}), "id"), Ids{second});
  EXPECT_EQ(mark("ack", {"--all"}), Json(JsonArray{}));
  EXPECT_TRUE(inbox_ids(town, "alice", {"--unread"}).empty());
}

TEST_F(Marks, SomeUnknownIdsArePartlyDone) {
  for (const auto* verb : {"ack", "mark-unread", "archive", "unarchive", "pin", "unpin", "delete"}) {
    const auto done = town.gt({"mail", verb, first, "hq-m-1a2b3c", "--as", "alice", "--json"});
    EXPECT_EQ(done.exit_code, 9) << verb << done.err;
    const auto told = parse_json(done.out);
    ASSERT_TRUE(told.has_value()) << done.out;
    EXPECT_NE(text_at(told->at(0), "state"), "") << verb;
    EXPECT_EQ(text_at(value_at(told->at(1), "error"), "code"), "not_found") << verb;
    EXPECT_EQ(text_at(told->at(1), "id"), "hq-m-1a2b3c") << verb;
  }
  const auto text = town.gt({"mail", "ack", second, "hq-m-1a2b3c", "--as", "alice"});
  EXPECT_EQ(text.exit_code, 9);
  EXPECT_EQ(lines_of(text.out).size() + lines_of(text.err).size(), 2u) << text.out << text.err;
  EXPECT_TRUE(flag_at(own(second), "read"));
}

TEST_F(Marks, AWordThatIsNoIdRefusesThemAll) {
  for (const auto* verb : {"ack", "mark-unread", "archive", "unarchive", "pin", "unpin", "delete"}) {
    expect_refused_untouched(town, {"mail", verb, first, "nonsense", "--as", "alice"}, {4, "not_found", "nonsense"});
    expect_refused_untouched(town, {"mail", verb, first, "2", "--as", "alice"}, {4, "not_found", "nothing was listed"});
  }
}

TEST_F(Marks, OnlyUnknownIdsAreAnError) {
  expect_refused_untouched(town, {"mail", "ack", "hq-m-1a2b3c", "hq-m-4d5e6f", "--as", "alice"},
                           {4, "not_found", "hq-m-1a2b3c"});
}

TEST_F(Marks, AnothersMailIsNotYoursToChange) {
  for (const auto* verb : {"ack", "mark-unread", "archive", "unarchive", "delete", "pin", "unpin"}) {
    expect_refused_untouched(town, {"mail", verb, first, "--as", "bob"}, {5, "forbidden", first});
    // The human may look at everything, but acts on its own copies unless it says for whom.
    expect_refused_untouched(town, {"mail", verb, first}, {5, "refused", first});
  }
}

TEST_F(Marks, MarkUnreadMakesItWaitAgain) {
  mark("ack", {first, second});
  EXPECT_EQ(town.gt({"mail", "check", "--as", "alice"}).exit_code, 1);
  EXPECT_EQ(texts_in(mark("mark-unread", {first}), "state"), Ids{"unread"});
  EXPECT_EQ(inbox_ids(town, "alice", {"--unread"}), Ids{first});
  EXPECT_EQ(town.gt({"mail", "check", "--as", "alice"}).exit_code, 0);
}

// G320
TEST_F(Marks, ArchivePutsAwayAndTwiceIsNoError) {
  EXPECT_EQ(texts_in(mark("archive", {first}), "state"), Ids{"archived"});
  EXPECT_EQ(inbox_ids(town, "alice"), Ids{second});
  EXPECT_EQ(inbox_ids(town, "alice", {"--archived"}), Ids{first});
  EXPECT_EQ(texts_in(mark("archive", {first}), "state"), Ids{"already archived"});
  expect_refused_untouched(town, {"mail", "archive", "hq-m-1a2b3c", "--as", "alice"}, {4, "not_found", "hq-m-1a2b3c"});
  EXPECT_EQ(texts_in(mark("unarchive", {first}), "state"), Ids{"unarchived"});
  EXPECT_EQ(inbox_ids(town, "alice"), (Ids{second, first}));
}

TEST_F(Marks, ArchivedUnreadMailDoesNotWait) {
  mark("archive", {first, second});
  EXPECT_EQ(town.gt({"mail", "check", "--as", "alice"}).exit_code, 1);
  EXPECT_FALSE(flag_at(own(first), "read")) << "archiving does not read";
}

// G139
TEST_F(Marks, ArchiveStaleTakesWhatIsReadUnpinnedAndOld) {
  const auto pinned = town.send("overseer", "alice", "pinned");
  const auto young = town.send("overseer", "alice", "young");
  mark("ack", {first, pinned, young});
  mark("pin", {pinned});
  for (const auto& id : {first, second, pinned}) age_by_hours(id, 25);
  EXPECT_EQ(texts_in(mark("archive", {"--stale"}), "id"), Ids{first});
  EXPECT_EQ(inbox_ids(town, "alice"), (Ids{young, pinned, second})) << "unread, pinned or young mail was archived";
  EXPECT_EQ(texts_in(mark("archive", {"--stale", "--older", "26h"}), "id"), Ids{});
  mark("unpin", {pinned});
  EXPECT_EQ(texts_in(mark("archive", {"--stale", "--older", "24h"}), "id"), Ids{pinned});
}

TEST_F(Marks, ArchiveStaleLeavesOtherMailboxesAlone) {
  const auto shared = town.send("overseer", "alice", "shared", {"--cc", "bob"});
  mark("ack", {shared});
  town.json({"mail", "ack", shared, "--as", "bob"});
  age_by_hours(shared, 48);
  EXPECT_EQ(texts_in(mark("archive", {"--stale"}), "id"), Ids{shared});
  EXPECT_EQ(inbox_ids(town, "bob"), Ids{shared});
}

TEST_F(Marks, PinIsShownAndUndone) {
  EXPECT_EQ(texts_in(mark("pin", {first}), "state"), Ids{"pinned"});
  EXPECT_TRUE(flag_at(own(first), "pinned"));
  EXPECT_EQ(texts_in(mark("pin", {first}), "state"), Ids{"already pinned"});
  EXPECT_EQ(texts_in(mark("unpin", {first}), "state"), Ids{"unpinned"});
  EXPECT_FALSE(flag_at(own(first), "pinned"));
}

TEST_F(Marks, DeleteHidesItFromTheRecipientAlone) {
  const auto shared = town.send("bob", "alice", "shared", {"--cc", "overseer"});
  EXPECT_EQ(texts_in(mark("delete", {shared}), "state"), Ids{"deleted"});
  EXPECT_EQ(inbox_ids(town, "alice"), (Ids{second, first}));
  EXPECT_EQ(texts_in(town.json({"mail", "search", "shared", "--as", "alice", "--archived"}), "id"), Ids{});
  expect_refused_untouched(town, {"mail", "read", shared, "--as", "alice"}, {4, "not_found", shared});
  expect_refused_untouched(town, {"mail", "delete", shared, "--as", "alice"}, {4, "not_found", shared});
  EXPECT_EQ(inbox_ids(town, "overseer"), Ids{shared});
  EXPECT_EQ(text_at(read_as(town, "bob", shared), "id"), shared);
}

TEST_F(Marks, QuietlyPrintOnlyIds) {
  EXPECT_EQ(town.gt({"mail", "ack", first, second, "-q", "--as", "alice"}).out, first + "\n" + second + "\n");
}

}  // namespace
}  // namespace townpost
