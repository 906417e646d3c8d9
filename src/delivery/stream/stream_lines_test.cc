#include "delivery/stream/stream_lines.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "base/json_fields.h"
#include "base/text.h"

namespace townpost {
namespace {

using Kind = SessionEvent::Kind;

const Injection kNudge{.text = "look at\nhq-n-1 \"now\" \xF0\x9F\x98\x80", .ids = {"hq-n-1"}};

SessionEvent claude(std::string_view line) {
  const auto event = stream_event(StreamDialect::claude, line);
  EXPECT_TRUE(event) << line;
  return event.value_or(SessionEvent{});
}

TEST(StreamLines, TellClaudeInOneLine) {
  const auto line = stream_message(StreamDialect::claude, kNudge);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const auto read = parse_json(trim(line)).value_or(Json());
  EXPECT_EQ(text_in(read, "type"), "user");
  const auto& message = member_of(read, "message");
  EXPECT_EQ(text_in(message, "role"), "user");
  ASSERT_EQ(list_in(message, "content").size(), 1U);
  EXPECT_EQ(text_in(list_in(message, "content")[0], "type"), "text");
  EXPECT_EQ(text_in(list_in(message, "content")[0], "text"), kNudge.text);
}

TEST(StreamLines, GiveTheSameNudgesTheSameUuid) {
  const auto uuid = [](std::vector<std::string> ids, std::string text) {
    const auto line = stream_message(StreamDialect::claude, {.text = std::move(text), .ids = std::move(ids)});
    return std::string(text_in(parse_json(trim(line)).value_or(Json()), "uuid"));
  };
  const auto one = uuid({"hq-n-1"}, "a");
  EXPECT_EQ(one, uuid({"hq-n-1"}, "b"));
  EXPECT_NE(one, uuid({"hq-n-2"}, "a"));
  EXPECT_NE(one, uuid({"hq-n-1", "hq-n-2"}, "a"));
  ASSERT_EQ(one.size(), 36U);
  EXPECT_EQ(one[14], '4');
  EXPECT_NE(std::string("89ab").find(one[19]), std::string::npos) << one;
}

TEST(StreamLines, WithoutNudgesHaveNoIdThatWouldMakeTheNextOneARepeat) {
  for (const auto dialect : {StreamDialect::claude, StreamDialect::lines}) {
    const auto line = stream_message(dialect, {.text = "You have new mail"});
    const auto read = parse_json(trim(line)).value_or(Json());
    ASSERT_TRUE(read.is_object());
    EXPECT_FALSE(read.get_object().contains("id") || read.get_object().contains("uuid")) << line;
  }
  const auto lines = parse_json(trim(stream_message(StreamDialect::lines, {.text = "x"}))).value_or(Json());
  EXPECT_EQ(to_line(member_of(lines, "ids")), "[]");
}

// The lines are those of Claude Code 2.1, shortened.

TEST(StreamLines, OfClaudeOpenEveryTurnWithTheSession) {
  const auto event = claude(R"({"type":"system","subtype":"init","cwd":"/w","session_id":"b2e8","tools":["Bash"]})");
  EXPECT_EQ(event.kind, Kind::busy);
  EXPECT_EQ(event.session, "b2e8");
}

TEST(StreamLines, OfClaudeShowWhatReachedIt) {
  const auto event = claude(
      R"({"type":"user","message":{"role":"user","content":[{"type":"text","text":"first hq-n-1"}]},"session_id":"b2e8","parent_tool_use_id":null,"uuid":"03f3","isReplay":true})");
  EXPECT_EQ(event.kind, Kind::shown);
  EXPECT_EQ(event.detail, "first hq-n-1");
  EXPECT_EQ(claude(R"({"type":"user","message":{"role":"user","content":"bare"},"isReplay":true})").detail, "bare");
}

TEST(StreamLines, OfClaudeTellThatItWorks) {
  EXPECT_EQ(claude(R"({"type":"assistant","message":{"content":[{"type":"text","text":"ok"}]},"session_id":"b"})").kind,
            Kind::busy);
  EXPECT_EQ(
      claude(
          R"({"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"hq-n-1","tool_use_id":"t"}]}})")
          .kind,
      Kind::busy);
}

TEST(StreamLines, OfClaudeTellThatItIsIdle) {
  const auto event = claude(
      R"({"duration_api_ms":46,"session_id":"b2e8","is_error":false,"subtype":"success","api_error_status":null,"result":"ok","type":"result"})");
  EXPECT_EQ(event.kind, Kind::idle);
  EXPECT_EQ(event.session, "b2e8");
  EXPECT_EQ(claude(R"({"type":"result","subtype":"error_max_turns","is_error":true})").kind, Kind::idle);
}

TEST(StreamLines, OfClaudeTellThatTheModelDoesNotAnswer) {
  const auto retry =
      claude(R"({"type":"system","subtype":"api_retry","attempt":1,"error_status":529,"error":"overloaded"})");
  EXPECT_EQ(retry.kind, Kind::stalled);
  EXPECT_EQ(retry.detail, "overloaded");
  const auto result = claude(
      R"({"type":"result","subtype":"success","is_error":true,"api_error_status":529,"result":"API Error: 529","session_id":"b"})");
  EXPECT_EQ(result.kind, Kind::stalled);
  EXPECT_EQ(result.detail, "API Error: 529");
}

TEST(StreamLines, OfClaudeTellThatAPersonMustDecide) {
  const auto event = claude(
      R"({"type":"control_request","request_id":"d72f","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"touch x"}}})");
  EXPECT_EQ(event.kind, Kind::blocked);
  EXPECT_EQ(event.detail, "Bash");
  EXPECT_EQ(claude(R"({"type":"control_cancel_request","request_id":"d72f"})").kind, Kind::resumed);
}

TEST(StreamLines, OfClaudeAreProofOfLife) {
  EXPECT_EQ(claude(R"({"type":"command_lifecycle","command_uuid":"1","state":"queued","session_id":"b"})").kind,
            Kind::alive);
}

TEST(StreamLines, OfAnyProgramSayPlainlyWhatIs) {
  const auto line = stream_message(StreamDialect::lines, kNudge);
  const auto read = parse_json(trim(line)).value_or(Json());
  EXPECT_EQ(text_in(read, "type"), "message");
  EXPECT_EQ(text_in(read, "text"), kNudge.text);
  EXPECT_EQ(to_line(member_of(read, "ids")), R"(["hq-n-1"])");
  EXPECT_FALSE(text_in(read, "id").empty());

  const std::vector<std::pair<std::string, Kind>> kinds{
      {"busy", Kind::busy},       {"idle", Kind::idle},   {"blocked", Kind::blocked}, {"resumed", Kind::resumed},
      {"stalled", Kind::stalled}, {"shown", Kind::shown}, {"ended", Kind::ended},     {"alive", Kind::alive}};
  for (const auto& [type, kind] : kinds) {
    const auto event =
        stream_event(StreamDialect::lines, cat(R"({"type":")", type, R"(","text":"words","session":"s"})"));
    ASSERT_TRUE(event) << type;
    EXPECT_EQ(event->kind, kind) << type;
    EXPECT_EQ(event->detail, "words");
    EXPECT_EQ(event->session, "s");
  }
}

TEST(StreamLines, PassOverWhatIsNotForUs) {
  for (const auto dialect : {StreamDialect::claude, StreamDialect::lines})
    for (const auto* line :
         {"", "  ", "Loading…", "{", "{}", "[]", "7", R"({"type":7})", R"({"text":"x"})", "\xFF\xFE"})
      EXPECT_FALSE(stream_event(dialect, line)) << line;
  EXPECT_FALSE(stream_event(StreamDialect::lines, R"({"type":"message"})"));
}

TEST(StreamLines, ArePutTogetherFromPieces) {
  StreamLines lines(StreamDialect::lines);
  EXPECT_TRUE(lines.feed("noise\n{\"type\":").empty());
  const auto events = lines.feed("\"busy\"}\r\n\n{\"type\":\"idle\"}\n{\"ty");
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].kind, Kind::busy);
  EXPECT_EQ(events[1].kind, Kind::idle);
  EXPECT_EQ(lines.feed("pe\":\"ended\"}\n").at(0).kind, Kind::ended);
}

TEST(StreamLines, ThatAreTooLongAreDroppedAndTold) {
  StreamLines lines(StreamDialect::lines, 20);
  EXPECT_TRUE(lines.feed(R"({"type":"idle","text":)").empty());
  EXPECT_TRUE(lines.feed(std::string(1000, 'x')).empty());
  const auto events = lines.feed("\n{\"type\":\"busy\"}\n");
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].kind, Kind::alive);
  EXPECT_EQ(events[0].detail, "a line was too long and is dropped");
  EXPECT_EQ(events[1].kind, Kind::busy);
}

}  // namespace
}  // namespace townpost
