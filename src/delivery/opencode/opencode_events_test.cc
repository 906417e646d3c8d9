#include "delivery/opencode/opencode_events.h"

#include <gtest/gtest.h>

namespace townpost {
namespace {

using Kind = SessionEvent::Kind;

SessionEvent event(std::string_view data) {
  const auto found = opencode_event(data);
  EXPECT_TRUE(found) << data;
  return found.value_or(SessionEvent{});
}

// The lines are those of OpenCode 1.18, shortened.

TEST(OpencodeEvents, TellWhenATurnBeginsAndEnds) {
  const auto busy =
      event(R"({"id":"evt_1","type":"session.status","properties":{"sessionID":"ses_1","status":{"type":"busy"}}})");
  EXPECT_EQ(busy.kind, Kind::busy);
  EXPECT_EQ(busy.session, "ses_1");
  EXPECT_EQ(event(R"({"type":"session.status","properties":{"sessionID":"ses_1","status":{"type":"idle"}}})").kind,
            Kind::idle);
  const auto idle = event(R"({"id":"evt_2","type":"session.idle","properties":{"sessionID":"ses_1"}})");
  EXPECT_EQ(idle.kind, Kind::idle);
  EXPECT_EQ(idle.session, "ses_1");
}

TEST(OpencodeEvents, TellThatAPersonMustDecide) {
  const auto asked = event(
      R"({"type":"permission.asked","properties":{"id":"per_1","sessionID":"ses_1","permission":"bash","patterns":["echo hi > x"],"metadata":{},"always":["echo *"]}})");
  EXPECT_EQ(asked.kind, Kind::blocked);
  EXPECT_EQ(asked.session, "ses_1");
  EXPECT_EQ(asked.detail, "bash: echo hi > x");
  EXPECT_EQ(event(R"({"type":"question.asked","properties":{"id":"que_1","sessionID":"ses_1","questions":[]}})").kind,
            Kind::blocked);
}

TEST(OpencodeEvents, TellThatAPersonDecided) {
  for (const auto* type : {"permission.replied", "question.replied", "question.rejected"}) {
    const auto told = event(std::string(R"({"type":")") + type +
                            R"(","properties":{"sessionID":"ses_1","requestID":"per_1","reply":"once"}})");
    EXPECT_EQ(told.kind, Kind::resumed) << type;
    EXPECT_EQ(told.session, "ses_1");
  }
}

TEST(OpencodeEvents, TellThatTheModelDoesNotAnswer) {
  const auto retry = event(
      R"({"type":"session.status","properties":{"sessionID":"ses_1","status":{"type":"retry","attempt":2,"message":"rate limited","next":1794757293706}}})");
  EXPECT_EQ(retry.kind, Kind::stalled);
  EXPECT_EQ(retry.session, "ses_1");
  EXPECT_EQ(retry.detail, "rate limited");
  const auto error = event(
      R"({"type":"session.error","properties":{"sessionID":"ses_1","error":{"name":"UnknownError","data":{"message":"Model not found: none/none."}}}})");
  EXPECT_EQ(error.kind, Kind::stalled);
  EXPECT_EQ(error.detail, "Model not found: none/none.");
}

TEST(OpencodeEvents, TakeATurnThatAPersonStoppedForNoFault) {
  EXPECT_EQ(
      event(
          R"({"type":"session.error","properties":{"sessionID":"ses_1","error":{"name":"MessageAbortedError","data":{"message":"Aborted"}}}})")
          .kind,
      Kind::alive);
}

TEST(OpencodeEvents, ShowTextThatReachedTheSession) {
  const auto shown = event(
      R"({"type":"message.part.updated","properties":{"sessionID":"ses_1","part":{"type":"text","text":"look at hq-n-1","messageID":"msg_1","sessionID":"ses_1","id":"prt_1"},"time":1794757126379}})");
  EXPECT_EQ(shown.kind, Kind::shown);
  EXPECT_EQ(shown.session, "ses_1");
  EXPECT_EQ(shown.detail, "look at hq-n-1");
}

TEST(OpencodeEvents, DoNotTakeTheModelsOwnWordsForTextThatReachedIt) {
  EXPECT_EQ(
      event(
          R"({"type":"message.part.updated","properties":{"sessionID":"ses_1","part":{"id":"prt_2","messageID":"msg_2","sessionID":"ses_1","type":"text","text":"hq-n-1?","time":{"start":1794757131061}},"time":1794757131066}})")
          .kind,
      Kind::alive);
  EXPECT_EQ(event(R"({"type":"message.part.updated","properties":{"part":{"sessionID":"ses_1","type":"tool"}}})").kind,
            Kind::alive);
}

TEST(OpencodeEvents, TellThatASessionIsOver) {
  const auto over = event(R"({"type":"session.deleted","properties":{"info":{"id":"ses_1","title":"x"}}})");
  EXPECT_EQ(over.kind, Kind::ended);
  EXPECT_EQ(over.session, "ses_1");
}

TEST(OpencodeEvents, OfAllFoldersAreWrappedAndMeanTheSame) {
  const auto told = event(
      R"({"directory":"/p","project":"global","payload":{"id":"evt_1","type":"session.status","properties":{"sessionID":"ses_1","status":{"type":"busy"}}}})");
  EXPECT_EQ(told.kind, Kind::busy);
  EXPECT_EQ(told.session, "ses_1");
}

TEST(OpencodeEvents, AreAllProofOfLife) {
  for (const auto* data :
       {R"({"id":"evt_1","type":"server.connected","properties":{}})", R"({"type":"server.heartbeat","properties":{}})",
        R"({"type":"session.status","properties":{"sessionID":"ses_1","status":{"type":"new"}}})",
        R"({"type":"file.edited"})", R"({"type":"session.status","properties":[1]})",
        R"({"type":"message.part.updated","properties":{"part":"text"}})"})
    EXPECT_EQ(event(data).kind, Kind::alive) << data;
}

TEST(OpencodeEvents, AreNothingElse) {
  for (const auto* data : {"", "x", "{}", "[]", "null", R"({"type":7})", R"({"payload":{}})", "{\"type\":\"x\""})
    EXPECT_FALSE(opencode_event(data)) << data;
}

}  // namespace
}  // namespace townpost
