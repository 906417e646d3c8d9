// One open town that many callers share: its settings as they are now, and nobody's patience but the caller's own.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/text.h"
#include "engine/engine_fixture.h"
#include "store/db/postgres.h"
#include "store/db/sqlite.h"

namespace townpost {
namespace {

class OpenTownTest : public EngineTest {
 protected:
  void settings(const std::string& more) {
    const auto store = url_.empty() ? std::string() : cat("[store]\nurl = \"", url_, "\"\n");
    ASSERT_TRUE(write_file_lightly(folder_.path() / ".town" / "town.toml", cat(store, more)).has_value());
  }
  std::string own_address() { return std::string(answer("whoami", {}, "overseer").at("address").get_string()); }
  /// A connection that holds the town's turn to write.
  std::unique_ptr<Database> writer() {
    auto database = url_.empty() ? Result<std::unique_ptr<Database>>(SqliteDatabase::open(
                                       folder_.path() / ".town" / "town.db", SqliteDatabase::Mode::existing))
                                 : postgres_.open(url_, std::nullopt);
    EXPECT_TRUE(database.has_value() && (*database)->begin(Access::write).has_value());
    return std::move(*database);
  }
};
INSTANTIATE_TEST_SUITE_P(Stores, OpenTownTest, ::testing::Values(Kept::sqlite, Kept::postgres),
                         [](const auto& kept) { return kept.param == Kept::sqlite ? "sqlite" : "postgres"; });

TEST_P(OpenTownTest, HasTheSettingsOfNow) {
  EXPECT_EQ(own_address(), "overseer");
  settings("[town]\nhuman = \"user\"\n");
  EXPECT_EQ(own_address(), "user");
  settings("[town]\nhuman = \"overseer\"\n");
  EXPECT_EQ(own_address(), "overseer") << "a change within the same moment is seen, too";
}

TEST_P(OpenTownTest, GoesOnByWhatWasValidWhileItsSettingsAreBroken) {
  settings("[town]\nhuman = \"user\"\n");
  EXPECT_EQ(own_address(), "user");
  settings("[town\nhuman = \"over");
  const auto told = call("whoami", {}, "overseer");
  ASSERT_TRUE(told.has_value()) << told.error().message;
  EXPECT_EQ(told->json.at("address").get_string(), "user");
  ASSERT_EQ(told->notices.size(), 1u);
  EXPECT_NE(told->notices[0].find("what its settings were before goes on"), std::string::npos) << told->notices[0];
  settings("");
  EXPECT_EQ(own_address(), "overseer");
}

TEST_P(OpenTownTest, GivesEachCallerItsOwnPatience) {
  add_agent("max");
  Request hook = by("overseer");  // the first to open it, in a process that has not yet
  hook.haste = Haste::hook;
  LocalHost fresh(program_, Serves::many);
  LocalEngine engine(fresh);
  ASSERT_TRUE(call(engine, "whoami", {}, hook).has_value());
  const auto other = writer();
  const JsonObject mail = {{"to", JsonArray{"max"}}, {"subject", "s"}, {"body", "b"}};
  std::thread patient([&] {
    Request request = by("overseer");
    EXPECT_TRUE(call(engine, "mail.send", mail, request).has_value());
  });
  hook.started_at = host_.clock().now();
  EXPECT_EQ(call(engine, "mail.send", mail, hook).error().code, Code::unavailable) << "nobody waits for a hook";
  Request brief = by("overseer");
  brief.deadline = host_.clock().now() + Millis(50);
  EXPECT_EQ(call(engine, "mail.send", mail, brief).error().code, Code::timeout);
  other->rollback();
  patient.join();
}

/// A server that does not answer, until it is let.
class SilentServer final : public PostgresDoor {
 public:
  Result<std::unique_ptr<Database>> open(const std::string&, std::optional<Millis>) override {
    std::unique_lock lock(mutex_);
    asked_ = true;
    changed_.notify_all();
    changed_.wait(lock, [&] { return answers_; });
    return fail(Code::unavailable, "nobody is there");
  }
  Result<std::unique_ptr<Bell>> bell(const std::string&) override { return fail(Code::unavailable, "nobody is there"); }
  std::shared_ptr<const Clock> clock(Database&) override { return nullptr; }
  void await_question() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return asked_; });
  }
  void answer() {
    const std::lock_guard lock(mutex_);
    answers_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool asked_ = false;
  bool answers_ = false;
};

using OpeningTownsTest = OpenTownTest;
INSTANTIATE_TEST_SUITE_P(Stores, OpeningTownsTest, ::testing::Values(Kept::sqlite),
                         [](const auto&) { return "sqlite"; });

TEST_P(OpeningTownsTest, OneWhoseServerDoesNotAnswerKeepsCallersOfNoOtherWaiting) {
  SilentServer server;
  const Program program{.input = input_, .postgres = server, .called = "gt"};
  LocalHost host(program, Serves::many);
  const auto elsewhere = *TemporaryFolder::make("townpost-silent");
  Request request = by("overseer");
  ASSERT_TRUE(host.make_town({.folder = elsewhere.path(), .name = "silent"}, request).has_value());
  const auto silent = elsewhere.path() / ".town";
  ASSERT_TRUE(write_file_lightly(silent / "town.toml", "[store]\nurl = \"postgres://nobody/town\"\n").has_value());

  std::thread waiting([&] { EXPECT_EQ(host.open(silent, by("overseer")).error().message, "nobody is there"); });
  server.await_question();
  EXPECT_TRUE(host.open(folder_.path() / ".town", request).has_value());
  Request brief = by("overseer");
  brief.deadline = host.clock().now() + Millis(20);
  EXPECT_FALSE(host.open(silent, brief).has_value()) << "whoever comes to the same town waits as long as it can";
  server.answer();
  waiting.join();
}

TEST_P(OpeningTownsTest, ATownInThePlaceOfAnotherIsOpenedAnew) {
  add_agent("max");
  std::filesystem::remove_all(folder_.path() / ".town");
  Request request = by("overseer");
  ASSERT_TRUE(host_.make_town({.folder = folder_.path(), .name = "second"}, request).has_value());
  EXPECT_EQ(call("agent.show", {{"address", "max"}}, "overseer").error().code, Code::not_found);
}

}  // namespace
}  // namespace townpost
