// gt mail inbox, read, peek: looking at mail.
#include <gtest/gtest.h>

#include "base/text.h"
#include "cli/expect.h"

namespace townpost {
namespace {

using Ids = std::vector<std::string>;

// G119
TEST(Inbox, OfNothingIsAnEmptyList) {
  const TestTown town;
  town.agents({"alice"});
  town.rigs({"beads"});
  for (const auto& words : {Words{"mail", "inbox"},
                            {"mail", "inbox", "alice"},
                            {"mail", "inbox", "beads/witness"},
                            {"mail", "inbox", "--archived"},
                            {"inbox"},
                            {"mail", "sent"},
                            {"mail", "search", "anything"}}) {
    EXPECT_EQ(town.gt(with(words, {"--json"})).out, "[]\n") << join(words, " ");
    const auto text = town.gt(words);
    EXPECT_EQ(text.exit_code, 0) << join(words, " ") << text.err;
    EXPECT_EQ(text.out, "") << join(words, " ");
  }
  // A mailbox that nobody has ever written to, seen by its owner.
  EXPECT_EQ(town.gt({"mail", "inbox", "--json"}, {{"GT_ROLE", "beads/crew/new"}}).out, "[]\n");
}

// G117
TEST(Inbox, ListsUrgentMailFirstThenTheNewest) {
  const TestTown town;
  town.agents({"alice"});
  const auto low = town.send("overseer", "alice", "low", {"--priority", "low"});
  const auto urgent_old = town.send("overseer", "alice", "urgent", {"--urgent"});
  const auto normal_old = town.send("overseer", "alice", "normal");
  const auto urgent_new = town.send("overseer", "alice", "urgent too", {"--urgent"});
  const auto normal_new = town.send("overseer", "alice", "normal too");
  EXPECT_EQ(inbox_ids(town, "alice"), (Ids{urgent_new, urgent_old, normal_new, normal_old, low}));
}

TEST(Inbox, PrintsOneLineAMessageIntoAPipe) {
  const TestTown town;
  town.agents({"alice"});
  const auto id = town.send("overseer", "alice", "Tests are red", {"--urgent"});
  EXPECT_EQ(town.gt({"mail", "inbox", "--as", "alice"}).out, id + " 0 now overseer Tests are red [unread · urgent]\n");
  EXPECT_EQ(town.gt({"mail", "inbox", "--as", "alice", "-q"}).out, id + "\n");
}

TEST(Inbox, ChoosesByStateSenderAndType) {
  const TestTown town;
  town.agents({"alice", "bob"});
  const auto read = town.send("overseer", "alice", "read");
  const auto task = town.send("bob", "alice", "task", {"--type", "task"});
  const auto archived = town.send("bob", "alice", "archived");
  const auto deleted = town.send("bob", "alice", "deleted");
  town.json({"mail", "ack", read, "--as", "alice"});
  town.json({"mail", "archive", archived, "--as", "alice"});
  town.json({"mail", "delete", deleted, "--as", "alice"});
  EXPECT_EQ(inbox_ids(town, "alice"), (Ids{task, read}));
  EXPECT_EQ(inbox_ids(town, "alice", {"--all"}), (Ids{task, read}));
  EXPECT_EQ(inbox_ids(town, "alice", {"--unread"}), Ids{task});
  EXPECT_EQ(inbox_ids(town, "alice", {"--archived"}), Ids{archived});
  EXPECT_EQ(inbox_ids(town, "alice", {"--from", "overseer"}), Ids{read});
  for (const auto* type : {"task", "TASK", "Task"})  // G077
    EXPECT_EQ(inbox_ids(town, "alice", {"--type", type}), Ids{task}) << type;
  EXPECT_EQ(inbox_ids(town, "alice", {"--limit", "1"}), Ids{task});
}

TEST(Inbox, ChoosesByWhatTheProtocolSays) {
  const TestTown town;
  town.agents({"alice", "bob"});
  const auto done = town.send("bob", "alice", "[ol-1] DONE");
  const auto offered = town.send("bob", "alice", "[ol-2] OFFERING_READY");
  town.send("bob", "alice", "[ol-2] PROGRESS");
  town.send("bob", "alice", "hello");
  EXPECT_EQ(inbox_ids(town, "alice", {"--type", "DONE"}), Ids{done});
  EXPECT_EQ(inbox_ids(town, "alice", {"--completions"}), (Ids{offered, done}));
  EXPECT_EQ(inbox_ids(town, "alice", {"--completions", "--bead", "ol-2"}), Ids{offered});
  EXPECT_EQ(inbox_ids(town, "alice", {"--pending"}), Ids{offered});
  EXPECT_EQ(texts_in(town.json({"mail", "inbox", "--bead", "ol-2", "--as", "alice"}), "protocol_type"),
            (Ids{"PROGRESS", "OFFERING_READY"}));
  expect_refused_untouched(town, {"mail", "inbox", "--type", "DNE", "--as", "alice"}, {2, "usage", "\"DNE\""});
}

// G112
TEST(Inbox, OfAnotherIsSeenWithoutBodiesAndWithoutAnyChange) {
  const TestTown town;
  town.agents({"alice", "bob"});
  town.send("overseer", "alice", "Private", {"-m", "secret words", "--ack"});
  const auto before = town.dump();
  const auto seen = town.gt({"mail", "inbox", "alice", "--as", "bob", "--json"});
  EXPECT_EQ(seen.exit_code, 0) << seen.err;
  EXPECT_NE(seen.out.find("Private"), std::string::npos);
  EXPECT_EQ(seen.out.find("secret words"), std::string::npos) << "an agent saw another's body";
  EXPECT_EQ(town.dump(), before);
  const auto human = town.gt({"mail", "inbox", "alice", "--json"});
  EXPECT_NE(human.out.find("secret words"), std::string::npos) << "the human may see everything";
  EXPECT_EQ(town.dump(), before);
}

TEST(Read, SaysInPlainWordsWhoSpeaks) {
  const TestTown town;
  town.agents({"alice", "bob"});
  const auto from = [&](const Words& sent_as, const Variables& variables) {
    const auto sent = town.gt(with({"mail", "send", "alice", "-s", "Hi", "-m", "x", "-q"}, sent_as), variables);
    EXPECT_EQ(sent.exit_code, 0) << sent.err;
    return lines_of(town.gt({"mail", "read", std::string(trim(sent.out)), "--as", "alice"}).out).at(0);
  };
  EXPECT_EQ(from({}, {{"MAIL_IDENTITY", "bob"}}), "From: bob (env), an agent");
  EXPECT_EQ(from({}, {}), "From: overseer (script), a script of your user");
  EXPECT_EQ(from({"--as", "overseer"}, {}), "From: overseer (flag), your user, by --as");
}

TEST(Read, ShowsTheMessageMarksItDeliveredAndNotRead) {
  const TestTown town;
  town.agents({"alice"});
  const auto id = town.send("overseer", "alice", "Subject", {"-m", "line one\nline two", "--urgent"});
  const auto shown = town.gt({"mail", "read", id, "--as", "alice"});
  EXPECT_EQ(shown.exit_code, 0);
  for (const auto* part : {"Subject", "From: overseer", "To: alice", "line one\nline two\n", "Priority: urgent"})
    EXPECT_NE(shown.out.find(part), std::string::npos) << part << " is missing in\n" << shown.out;
  EXPECT_NE(shown.out.find("gt mail ack " + id), std::string::npos) << shown.out;
  const auto mail = town.json({"mail", "inbox", "--as", "alice"}).at(0);
  EXPECT_TRUE(is_instant(text_at(mail, "delivered_at")));
  EXPECT_FALSE(flag_at(mail, "read"));
}

TEST(Read, WithAckMarksItRead) {
  const TestTown town;
  town.agents({"alice"});
  const auto id = town.send("overseer", "alice", "Subject", {"--ack"});
  const auto mail = town.json({"mail", "read", id, "--ack", "--as", "alice"});
  EXPECT_TRUE(flag_at(mail, "read"));
  EXPECT_TRUE(is_instant(text_at(mail, "acked_at")));
  EXPECT_EQ(town.gt({"mail", "read", id, "--as", "alice"}).out.find("gt mail ack"), std::string::npos);
}

TEST(Read, TakesAPositionInTheCallersLastListing) {
  const TestTown town;
  town.agents({"alice", "bob"});
  const auto first = town.send("overseer", "alice", "first");
  const auto second = town.send("overseer", "alice", "second");
  expect_refusal(town, {"mail", "read", "1", "--as", "alice"}, {4, "not_found", "nothing was listed yet"});
  EXPECT_EQ(inbox_ids(town, "alice"), (Ids{second, first}));
  town.send("overseer", "alice", "third");
  EXPECT_EQ(text_at(read_as(town, "alice", "1"), "id"), second) << "the position moved with the mailbox";
  EXPECT_EQ(text_at(read_as(town, "alice", "2"), "id"), first);
  expect_refusal(town, {"mail", "read", "3", "--as", "alice"}, {4, "not_found", "number 3"});
  expect_refusal(town, {"mail", "read", "0", "--as", "alice"}, {4, "not_found", "no message 0"});
  expect_refusal(town, {"mail", "read", "1", "--as", "bob"}, {4, "not_found", "nothing was listed yet"});
}

TEST(Read, OfAnothersMailIsForbiddenUnlessYouArePartOfTheThread) {
  const TestTown town;
  town.agents({"alice", "bob", "carol"});
  const auto id = town.send("alice", "bob", "Between us");
  for (const auto* verb : {"read", "explain", "thread"})
    expect_refused_untouched(town, {"mail", verb, id, "--as", "carol"}, {5, "forbidden", "carol"});
  expect_refused_untouched(town, {"mail", "reply", id, "-m", "x", "--as", "carol"}, {5, "forbidden", "carol"});
  town.send("alice", "carol", "Joins", {"--reply-to", id});
  EXPECT_EQ(text_at(read_as(town, "carol", id), "id"), id);
}

// G112
TEST(Read, ByTheSenderOrByThePersonChangesNothing) {
  const TestTown town;
  town.agents({"alice", "bob"});
  const auto id = town.send("alice", "bob", "Hi");
  const auto before = town.dump();
  read_as(town, "alice", id);
  read_as(town, "overseer", id);
  EXPECT_EQ(town.dump(), before);
  expect_refused_untouched(town, {"mail", "read", id, "--ack", "--as", "alice"}, {5, "refused", id});
}

// G112
TEST(Read, ByACopyReaderLeavesThePrimaryRecipientAlone) {
  const TestTown town;
  town.agents({"alice", "bob"});
  const auto id = town.send("overseer", "alice", "Hi", {"--cc", "bob", "--ack"});
  town.json({"mail", "read", id, "--ack", "--as", "bob"});
  town.json({"mail", "archive", id, "--as", "bob"});
  town.json({"mail", "pin", id, "--as", "bob"});
  EXPECT_EQ(keys_of(town.json({"mail", "inbox", "--as", "alice"}).at(0)), message_keys())
      << "alice's copy has instants";
  EXPECT_FALSE(flag_at(town.json({"mail", "inbox", "--as", "alice"}).at(0), "pinned"));
  EXPECT_EQ(inbox_ids(town, "alice", {"--unread"}), Ids{id});
  EXPECT_TRUE(inbox_ids(town, "bob").empty());
}

TEST(Read, TellsThePersonTheFirstRecipientsInstants) {
  const TestTown town;
  town.agents({"alice", "bob"});
  const auto id = town.send("bob", "alice", "Hi");
  EXPECT_FALSE(flag_at(read_as(town, "bob", id), "read"));
  town.json({"mail", "ack", id, "--as", "alice"});
  EXPECT_TRUE(flag_at(read_as(town, "bob", id), "read"));
  EXPECT_TRUE(is_instant(text_at(read_as(town, "overseer", id), "read_at")));
}

TEST(Peek, ShowsTheFirstUnreadShortAndChangesNothing) {
  const TestTown town;
  town.agents({"alice"});
  town.send("overseer", "alice", "later");
  const auto id = town.send("overseer", "alice", "now", {"--urgent", "-m", std::string(1000, 'x')});
  const auto before = town.dump();
  const auto mail = town.json({"mail", "peek", "--as", "alice"});
  EXPECT_EQ(text_at(mail, "id"), id);
  EXPECT_LE(length_in_characters(text_at(mail, "preview")), 120u);
  const auto text = town.gt({"mail", "peek", "--as", "alice"});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_NE(text.out.find("gt mail read " + id), std::string::npos) << text.out;
  EXPECT_EQ(town.dump(), before);
}

TEST(Peek, OfNothingExitsWithOne) {
  const TestTown town;
  EXPECT_EQ(town.gt({"mail", "peek"}).exit_code, 1);
  EXPECT_EQ(town.gt({"mail", "peek", "--json"}).exit_code, 1);
}

}  // namespace
}  // namespace townpost
