#include "net/event_stream_text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text.h"

namespace townpost {
namespace {

std::string text_of(const ServerEvent& event) {
  auto text = event_stream_text(event);
  EXPECT_TRUE(text) << text.error().message;
  return text.value_or("");
}

TEST(EventStreamText, NamesWhatThereIs) {
  EXPECT_EQ(text_of({"mail", "a", "7"}), "event: mail\nid: 7\ndata: a\n\n");
  EXPECT_EQ(text_of({"message", "a", ""}), "data: a\n\n");
  EXPECT_EQ(text_of({"", "", ""}), "data: \n\n");
}

TEST(EventStreamText, WritesALineOfDataForEachLine) {
  EXPECT_EQ(text_of({"", "a\nb\r\nc\rd\n", ""}), "data: a\ndata: b\ndata: c\ndata: d\ndata: \n\n");
}

TEST(EventStreamText, LetsNobodySmuggleAFieldIn) {
  for (const auto& event : {ServerEvent{"a\ndata: x", "", ""}, ServerEvent{"a\rb", "", ""},
                            ServerEvent{"", "", "1\n\ndata: x"}, ServerEvent{"", "", std::string("1\0", 2)}}) {
    const auto text = event_stream_text(event);
    ASSERT_FALSE(text);
    EXPECT_EQ(text.error().code, Code::usage);
  }
}

TEST(EventStreamText, HasAHeartbeatThatIsNoEvent) {
  EventStreamParser parser;
  EXPECT_TRUE(parser.feed(event_stream_heartbeat()).empty());
  EXPECT_EQ(parser.feed(text_of({"", "a", ""})).size(), 1U);
}

RC_GTEST_PROP(EventStreamText, IsReadAsItWasWritten, ()) {
  const auto words = rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab: \xEF\xBB\xBF")));
  const auto lines = rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab: \n\xEF\xBB\xBF")));
  EventStreamParser parser;
  for (int i = 0; i < 3; ++i) {
    ServerEvent event{cat("t", *words), *lines, cat("i", *words)};
    RC_ASSERT(parser.feed(text_of(event)) == std::vector<ServerEvent>{event});
  }
}

}  // namespace
}  // namespace townpost
