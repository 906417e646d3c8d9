// gt store: what the store is, whether it is sound, bringing it up to date, giving space back.
#include <gtest/gtest.h>

#include "base/text.h"
#include "cli/expect.h"

namespace townpost {
namespace {

using Texts = std::vector<std::string>;

class Store : public testing::Test {
 protected:
  Store() { town.agents({"alice", "bob"}); }
  TestTown town;
};

TEST_F(Store, TellsWhatItIsAndHowMuchItHolds) {
  town.send("overseer", "alice", "one");
  town.send("overseer", "alice", "two");
  const auto info = town.json({"store", "info"});
  EXPECT_EQ(keys_of(info), (Texts{"kind", "place", "schema", "newest_schema", "messages", "agents", "bytes"}));
  EXPECT_EQ(text_at(info, "kind"), "sqlite");
  EXPECT_EQ(text_at(info, "place"), town.store().string());
  EXPECT_EQ(number_at(info, "schema"), number_at(info, "newest_schema"));
  EXPECT_EQ(number_at(info, "messages"), 2);
  EXPECT_GT(number_at(info, "bytes"), 0);
  EXPECT_NE(town.gt({"store", "info"}).out.find("Messages:      2\n"), std::string::npos);
}

TEST_F(Store, InfoHasNoIdsToPrint) {
  const auto quiet = town.gt({"store", "info", "-q"});
  EXPECT_EQ(quiet.exit_code, 0) << quiet.err;
  EXPECT_EQ(quiet.out, "");
}

TEST_F(Store, IsSoundAfterAnyMail) {
  const auto id = town.send("overseer", "alice", "one", {"--cc", "bob", "--wisp"});
  town.json({"mail", "reply-all", id, "-m", "two", "--as", "alice"});
  town.json({"mail", "delete", id, "--as", "bob"});
  town.json({"agent", "alias", "bob", "alice"});
  const auto told = town.json({"store", "check"});
  EXPECT_TRUE(flag_at(told, "sound"));
  EXPECT_EQ(value_at(told, "problems"), Json(JsonArray{}));
}

TEST_F(Store, ThatBreaksAPromiseIsNotSound) {
  town.send("overseer", "alice", "one");
  town.sql("DELETE FROM delivery");
  const auto told = town.gt({"store", "check", "--json"});
  EXPECT_EQ(told.exit_code, 1);
  const auto answer = parse_json(told.out);
  ASSERT_TRUE(answer.has_value()) << told.out;
  EXPECT_FALSE(flag_at(*answer, "sound"));
  EXPECT_EQ(texts_in(value_at(*answer, "problems")).size(), 1u) << told.out;
  EXPECT_EQ(town.gt({"store", "check"}).exit_code, 1);
}

TEST_F(Store, WithDamagedValuesIsToldAboutAndCrashesNobody) {
  town.send("overseer", "alice", "one");
  town.gt({"nudge", "alice", "look"});
  for (const auto& [sql, found] : {std::pair<std::string, std::string>{"message SET grade = 99999999", "grade"},
                                   {"message SET priority = 88", "priority"},
                                   {"message SET created_at = 9223372036854775807", "created_at"},
                                   {"agent SET address = '../..' WHERE address = 'alice'", "not an address"},
                                   {"nudge SET mode = -3", "mode"},
                                   {"message SET subject = CAST(x'c3' AS TEXT)", "UTF-8"}}) {
    SCOPED_TRACE(sql);
    const auto before = town.sql(".dump");
    const auto version = town.sql("PRAGMA user_version");
    town.sql("UPDATE " + sql);
    for (const auto& words : {Words{"mail", "inbox", "alice"},
                              {"mail", "inbox", "alice", "--json"},
                              {"agent", "list"},
                              {"nudge", "list"},
                              {"mail", "search", "one"},
                              {"status"},
                              {"mail", "send", "bob", "-s", "two", "-m", "x"}}) {
      const auto told = town.gt(words);
      EXPECT_TRUE(told.exit_code == 0 || (told.exit_code == 6 && told.err.find("damaged") != std::string::npos))
          << told.exit_code << told.err;
    }
    const auto hook = town.gt({"mail", "check", "--inject", "--as", "alice"});
    EXPECT_EQ(hook.exit_code, 0);
    const auto told = town.gt({"store", "check"});
    EXPECT_EQ(told.exit_code, 1) << told.err;
    EXPECT_NE(told.out.find(found), std::string::npos) << told.out;
    std::filesystem::remove(town.store());
    for (const auto* end : {"-wal", "-shm"}) std::filesystem::remove(town.store().string() + end);
    town.sql(cat("PRAGMA user_version = ", version, ";\n", before));
  }
  EXPECT_TRUE(flag_at(town.json({"store", "check"}), "sound"));
}

TEST_F(Store, ThatIsCopiedOntoItselfStaysAsItWas) {
  const TestTown fresh;
  const auto before = fresh.dump();
  for (const auto* to : {"sqlite:.town/../.town/town.db", "./.town/town.db", "sqlite"})
    expect_refusal(fresh, {"store", "copy", "--to", to, "--as", "overseer"}, {2, "usage", "the same store"});
  EXPECT_EQ(fresh.dump(), before);
  EXPECT_EQ(fresh.gt({"hold", "--all", "--as", "overseer"}).exit_code, 0);
  EXPECT_EQ(fresh.sql("SELECT count(*) FROM watch WHERE hold_until IS NOT NULL"), "1");
}

TEST_F(Store, WithoutItsOwnTimeDoesNotSayThatItHolds) {
  town.sql("DELETE FROM watch");
  EXPECT_EQ(town.gt({"hold", "--all", "--as", "overseer"}).exit_code, 6);
  EXPECT_EQ(town.gt({"store", "check"}).exit_code, 1);
}

TEST_F(Store, IsPurgedOfNotesThatNobodyCameBackFor) {
  town.gt({"mail", "inbox"});
  town.gt({"mail", "check", "--as", "alice"});
  const auto run = town.folder() / ".town" / "run";
  for (const auto* kind : {"hint", "listing"})
    for (const auto& entry : std::filesystem::directory_iterator(run / kind))
      std::filesystem::last_write_time(entry.path(),
                                       std::filesystem::file_time_type::clock::now() - std::chrono::hours(25));
  EXPECT_GT(number_at(town.json({"store", "purge", "--as", "overseer"}), "forgotten"), 0);
  EXPECT_TRUE(std::filesystem::is_empty(run / "listing"));
}

TEST_F(Store, ThatIsUpToDateIsMigratedToTheSame) {
  const auto before = town.dump();
  const auto told = town.json({"store", "migrate"});
  EXPECT_EQ(number_at(told, "from"), number_at(told, "to"));
  EXPECT_EQ(town.dump(), before);
}

TEST_F(Store, OfANewerVersionIsNotMigratedBack) {
  town.sql("PRAGMA user_version = 999");
  expect_refused_untouched(town, {"store", "migrate"}, {6, "unavailable", "newer"});
  EXPECT_EQ(town.sql("PRAGMA user_version"), "999");
}

TEST_F(Store, IsPurgedOfWhatEverybodyDeletedLongAgo) {
  const auto gone = town.send("overseer", "alice", "gone for all", {"--cc", "bob"});
  const auto half = town.send("overseer", "alice", "gone for one", {"--cc", "bob"});
  const auto kept = town.send("overseer", "alice", "kept");
  town.json({"mail", "delete", gone, half, "--as", "alice"});
  town.json({"mail", "delete", gone, "--as", "bob"});
  EXPECT_EQ(number_at(town.json({"store", "purge", "--as", "overseer"}), "purged"), 0) << "deleted only just now";
  town.sql("UPDATE delivery SET deleted_at = deleted_at - 91 * 24 * 3600000 WHERE deleted_at IS NOT NULL");
  EXPECT_EQ(number_at(town.json({"store", "purge", "--older", "92d", "--as", "overseer"}), "purged"), 0);
  EXPECT_EQ(number_at(town.json({"store", "purge", "--as", "overseer"}), "purged"), 1);
  EXPECT_EQ(town.gt({"mail", "read", gone}).exit_code, 4);
  EXPECT_EQ(inbox_ids(town, "bob"), Texts{half});
  EXPECT_EQ(inbox_ids(town, "alice"), Texts{kept});
  EXPECT_TRUE(flag_at(town.json({"store", "check"}), "sound"));
}

TEST_F(Store, ThatIsPurgedTellsByHowMuchItShrank) {
  const std::string long_text(1u << 20, 'x');
  for (int i = 0; i < 3; ++i) {
    const auto sent = town.gt({"mail", "send", "alice", "-s", "long", "-q"}, {}, long_text);
    town.json({"mail", "delete", std::string(trim(sent.out)), "--as", "alice"});
  }
  EXPECT_EQ(number_at(town.json({"store", "purge", "--as", "overseer"}), "bytes_freed"), 0) << "deleted only just now";
  town.sql("UPDATE delivery SET deleted_at = deleted_at - 91 * 24 * 3600000; PRAGMA wal_checkpoint(TRUNCATE)");
  const auto before = std::filesystem::file_size(town.store());
  const auto told = town.json({"store", "purge", "--as", "overseer"});
  EXPECT_GE(number_at(told, "purged"), 2);
  EXPECT_EQ(number_at(told, "bytes_freed"),
            static_cast<std::int64_t>(before - std::filesystem::file_size(town.store())));
  EXPECT_GT(number_at(told, "bytes_freed"), 1 << 20);
}

TEST_F(Store, IsPurgedByPeopleOnly) {
  expect_refused_untouched(town, {"store", "purge", "--as", "alice"}, {5, "forbidden", "people only"});
}

}  // namespace
}  // namespace townpost
