#include "delivery/opencode/opencode_session.h"

#include <gtest/gtest.h>

#include "base/json_fields.h"
#include "base/text.h"
#include "delivery/opencode/fake_opencode_test.h"

namespace townpost {
namespace {

using namespace std::chrono_literals;
using Outcome = Injected::Outcome;
using Trouble = FakeOpencode::Trouble;
using Words = std::vector<std::string>;

class OpencodeSessionTest : public testing::Test {
 protected:
  OpencodeSessionTest() { opencode_.add("ses_1"); }

  OpencodeSession session(const std::string& id = "ses_1", Millis timeout = 10s) {
    return {OpencodeAddress{opencode_.url(), id}, clock_, timeout};
  }
  static Injection nudge(const std::string& id = "hq-n-1", Injection::At at = Injection::At::idle) {
    return {.text = cat("look at ", id), .ids = {id}, .at = at};
  }

  ManualClock clock_{{1'794'757'126'397}};
  FakeOpencode opencode_;
};

TEST_F(OpencodeSessionTest, IsIdleWhileTheServerTellsNothingElse) {
  EXPECT_EQ(session().look().state, SessionState::idle);
}

TEST_F(OpencodeSessionTest, IsBusyDuringATurn) {
  opencode_.status("ses_1", "busy");
  EXPECT_EQ(session().look().state, SessionState::busy);
}

TEST_F(OpencodeSessionTest, IsBusyWhileTheModelDoesNotAnswer) {
  opencode_.status("ses_1", "retry");
  const auto look = session().look();
  EXPECT_EQ(look.state, SessionState::busy);
  EXPECT_EQ(look.detail, "the model does not answer: \"rate limited\"");
}

TEST_F(OpencodeSessionTest, IsBlockedByAnOpenPermissionRequest) {
  opencode_.status("ses_1", "busy");
  opencode_.open_request("permission", {{"sessionID", "ses_1"}, {"permission", "bash"}});
  const auto look = session().look();
  EXPECT_EQ(look.state, SessionState::blocked);
  EXPECT_EQ(look.detail, "a permission request is open: \"bash\"");
}

TEST_F(OpencodeSessionTest, IsBlockedByAnOpenQuestion) {
  opencode_.status("ses_1", "busy");
  opencode_.open_request("question", {{"sessionID", "ses_1"}});
  EXPECT_EQ(session().look().detail, "a question is open");
}

TEST_F(OpencodeSessionTest, IsBlockedByWhatItsSubagentAsks) {
  opencode_.status("ses_1", "busy");
  opencode_.parent("ses_child", "ses_1");
  opencode_.open_request("permission", {{"sessionID", "ses_child"}, {"permission", "edit"}});
  EXPECT_EQ(session().look().state, SessionState::blocked);
}

TEST_F(OpencodeSessionTest, IsNotBlockedByWhatAnotherSessionAsks) {
  opencode_.add("ses_2");
  opencode_.status("ses_1", "busy");
  opencode_.open_request("permission", {{"sessionID", "ses_2"}, {"permission", "bash"}});
  EXPECT_EQ(session().look().state, SessionState::busy);
}

TEST_F(OpencodeSessionTest, IsNotIdleBecauseItWorksInAnotherFolder) {
  opencode_.add("ses_2", "/home/max/other work");
  opencode_.status("ses_2", "busy");
  EXPECT_EQ(session("ses_2").look().state, SessionState::busy);
  EXPECT_EQ(session("ses_1").look().state, SessionState::idle);
}

TEST_F(OpencodeSessionTest, IsGoneIfTheServerDoesNotKnowIt) {
  const auto look = session("ses_other").look();
  EXPECT_EQ(look.state, SessionState::gone);
  EXPECT_EQ(look.detail, cat("no session ses_other on ", opencode_.url()));
}

TEST_F(OpencodeSessionTest, IsGoneIfTheServerIsGone) {
  const auto url = cat("http://127.0.0.1:", unused_port());
  OpencodeSession gone({url, "ses_1"}, clock_);
  EXPECT_EQ(gone.look().state, SessionState::gone);
  const auto injected = gone.inject(nudge());
  EXPECT_EQ(injected.outcome, Outcome::not_started);
  EXPECT_EQ(injected.detail, cat("cannot reach ", url, ": Connection refused"));
}

TEST_F(OpencodeSessionTest, IsGivenItsTextAsOneMessage) {
  const auto injected = session().inject(nudge());
  EXPECT_EQ(injected.outcome, Outcome::handed);
  EXPECT_EQ(opencode_.texts("ses_1"), Words{"look at hq-n-1"});
  const auto message = opencode_.session("ses_1").order.at(0);
  EXPECT_EQ(injected.detail, cat("the server took it (204) as message ", message));
  EXPECT_EQ(message.substr(0, 16), "msg_1dfdc68fd000") << "ids are in the order of time, as the server's own";
}

TEST_F(OpencodeSessionTest, IsAskedAndPromptedOverOneConnection) {
  session().inject(nudge());
  EXPECT_EQ(opencode_.asked(),
            (Words{"GET /session/ses_1", "GET /session/status", "POST /session/ses_1/prompt_async"}));
  EXPECT_EQ(opencode_.connections(), 1U);
}

TEST_F(OpencodeSessionTest, IsNotAskedAgainAfterALook) {
  auto given = session();
  given.look();
  given.inject(nudge());
  EXPECT_EQ(opencode_.asked(),
            (Words{"GET /session/ses_1", "GET /session/status", "POST /session/ses_1/prompt_async"}));
}

TEST_F(OpencodeSessionTest, IsAskedAgainIfTheLookIsOld) {
  auto given = session();
  EXPECT_EQ(given.look().state, SessionState::idle);
  opencode_.status("ses_1", "busy");
  clock_.advance(1s);
  EXPECT_EQ(given.inject(nudge()).outcome, Outcome::not_started);
  opencode_.status("ses_1", "");
  EXPECT_EQ(given.inject(nudge()).outcome, Outcome::handed) << "a look counts once";
}

TEST_F(OpencodeSessionTest, IsAskedOnceForTheProof) {
  auto given = session();
  given.inject(nudge());
  const auto before = opencode_.asked().size();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(given.shows("hq-n-1"), true);
  EXPECT_EQ(opencode_.asked().size(), before + 1);
}

TEST_F(OpencodeSessionTest, KeepsItsAgentAndModel) {
  session().inject(nudge());
  const auto body = parse_json(opencode_.requests().back().body).value_or(Json());
  EXPECT_EQ(text_in(body, "agent"), "plan");
  EXPECT_EQ(to_line(member_of(body, "model")), R"({"providerID":"fake","modelID":"m1"})");
}

TEST_F(OpencodeSessionTest, KeepsItsAgentOnAServerThatTellsItPerMessageOnly) {
  session().inject(nudge("hq-n-1"));
  opencode_.forget_agent("ses_1");
  session().inject(nudge("hq-n-2"));
  const auto body = parse_json(opencode_.requests().back().body).value_or(Json());
  EXPECT_EQ(text_in(body, "agent"), "plan");
}

TEST_F(OpencodeSessionTest, IsLeftAloneWhileItIsNotIdle) {
  opencode_.status("ses_1", "busy");
  EXPECT_EQ(session().inject(nudge()).outcome, Outcome::not_started);
  opencode_.open_request("permission", {{"sessionID", "ses_1"}, {"permission", "bash"}});
  const auto injected = session().inject(nudge());
  EXPECT_EQ(injected.outcome, Outcome::not_started);
  EXPECT_EQ(injected.detail, "a permission request is open: \"bash\"");
  EXPECT_TRUE(opencode_.texts("ses_1").empty());
}

TEST_F(OpencodeSessionTest, IsPromptedDuringATurnIfThatIsWanted) {
  opencode_.status("ses_1", "busy");
  EXPECT_EQ(session().inject(nudge("hq-n-1", Injection::At::any)).outcome, Outcome::handed);
  EXPECT_EQ(opencode_.texts("ses_1"), Words{"look at hq-n-1"});
}

TEST_F(OpencodeSessionTest, ShowsWhatItWasGiven) {
  auto given = session();
  EXPECT_EQ(given.shows("hq-n-1"), false);
  given.inject(nudge());
  EXPECT_EQ(given.shows("hq-n-1"), true);
  EXPECT_EQ(session().shows("hq-n-1"), true) << "for another program, too";
  EXPECT_EQ(session().shows("hq-n-2"), false);
  EXPECT_EQ(session("ses_other").shows("hq-n-1"), std::nullopt);
}

TEST_F(OpencodeSessionTest, TakesARepeatForTheSameMessage) {
  auto given = session();
  opencode_.trouble(Trouble::takes_and_hangs_up);
  EXPECT_EQ(given.inject(nudge()).outcome, Outcome::failed);
  opencode_.trouble(Trouble::none);
  clock_.advance(2s);
  EXPECT_EQ(given.inject(nudge()).outcome, Outcome::handed);
  EXPECT_EQ(opencode_.texts("ses_1"), Words{"look at hq-n-1"});
  EXPECT_EQ(given.inject(nudge("hq-n-2")).outcome, Outcome::handed);
  EXPECT_EQ(opencode_.texts("ses_1"), (Words{"look at hq-n-1", "look at hq-n-2"}));
}

TEST_F(OpencodeSessionTest, OfTwoIsTheOneThatWasMeant) {
  opencode_.add("ses_2");
  session("ses_2").inject(nudge("hq-n-2"));
  session("ses_1").inject(nudge("hq-n-1"));
  EXPECT_EQ(opencode_.texts("ses_1"), Words{"look at hq-n-1"});
  EXPECT_EQ(opencode_.texts("ses_2"), Words{"look at hq-n-2"});
}

TEST_F(OpencodeSessionTest, FailsIfTheServerHangsUpOrSaysNothing) {
  opencode_.trouble(Trouble::hangs_up);
  EXPECT_EQ(session().inject(nudge()).outcome, Outcome::failed);
  opencode_.trouble(Trouble::never_answers);
  EXPECT_EQ(session("ses_1", 100ms).inject(nudge()).outcome, Outcome::failed);
}

TEST_F(OpencodeSessionTest, FailsWithTheServersWords) {
  opencode_.trouble(Trouble::refuses);
  const auto injected = session().inject(nudge());
  EXPECT_EQ(injected.outcome, Outcome::failed);
  EXPECT_EQ(injected.detail, cat(opencode_.url(), " answers 500: out of luck"));
}

TEST_F(OpencodeSessionTest, SaysThatThePasswordIsWrongAndNeverShowsIt) {
  opencode_.trouble(Trouble::locked);
  OpencodeSession locked({cat("http://opencode:sesame@127.0.0.1:", opencode_.port()), "ses_1"}, clock_);
  EXPECT_EQ(locked.look().state, SessionState::unknown);
  const auto injected = locked.inject(nudge());
  EXPECT_EQ(injected.outcome, Outcome::failed);
  EXPECT_EQ(injected.detail, cat(opencode_.url(), " wants another password"));
}

TEST_F(OpencodeSessionTest, OfAnOlderServerIsPromptedInATurn) {
  opencode_.trouble(Trouble::no_async);
  const auto injected = session("ses_1", 200ms).inject(nudge());
  EXPECT_EQ(injected.outcome, Outcome::shown) << injected.detail;
  EXPECT_EQ(opencode_.texts("ses_1"), Words{"look at hq-n-1"});
}

TEST_F(OpencodeSessionTest, KeepsStrangeTextWhole) {
  const std::string text = "quote \" and \\ and \n and \x01 and ä\xF0\x9F\x98\x80 </script>";
  session().inject({.text = text + "\xFF", .ids = {"hq-n-1"}});
  EXPECT_EQ(opencode_.texts("ses_1"), Words{text + "\xEF\xBF\xBD"});
}

TEST_F(OpencodeSessionTest, CanBeMade) {
  const auto id = create_opencode_session(opencode_.url(), "witness", "/a b");
  ASSERT_TRUE(id) << id.error().message;
  EXPECT_EQ(*id, "ses_new");
  EXPECT_EQ(opencode_.requests().back().target, "/session?directory=%2Fa%20b");
  EXPECT_EQ(opencode_.requests().back().body, R"({"title":"witness"})");
}

TEST_F(OpencodeSessionTest, CanBeUsedOnceTheServerAnswers) {
  EXPECT_TRUE(wait_until_opencode_is_ready(opencode_.url(), 10s));
  opencode_.trouble(Trouble::locked);
  const auto locked = wait_until_opencode_is_ready(opencode_.url(), 10s);
  ASSERT_FALSE(locked);
  EXPECT_EQ(locked.error().code, Code::forbidden);
  const auto late = wait_until_opencode_is_ready(cat("http://127.0.0.1:", unused_port()), 60ms);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Code::timeout);
}

}  // namespace
}  // namespace townpost
