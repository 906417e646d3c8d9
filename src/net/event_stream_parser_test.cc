#include "net/event_stream_parser.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "base/text.h"

namespace townpost {
namespace {

std::vector<ServerEvent> read_whole(std::string_view text, std::size_t longest = EventStreamParser::kLongest) {
  return EventStreamParser(longest).feed(text);
}

std::vector<std::string> data_of(const std::vector<ServerEvent>& events) {
  std::vector<std::string> data;
  data.reserve(events.size());
  for (const auto& event : events) data.push_back(event.data);
  return data;
}

using Data = std::vector<std::string>;

TEST(EventStreamParser, ReadsTypeDataAndId) {
  EXPECT_EQ(read_whole("event: put\ndata: a\nid: 7\n\n"), (std::vector<ServerEvent>{{"put", "a", "7"}}));
}

TEST(EventStreamParser, CallsAnEventWithoutATypeMessage) {
  EXPECT_EQ(read_whole("event: put\ndata: a\n\ndata: b\n\n").at(1).type, "message");
}

TEST(EventStreamParser, KeepsTheLastIdUntilThereIsANewOne) {
  const auto events = read_whole("id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n");
  EXPECT_EQ(events.at(1).id, "1");
  EXPECT_EQ(events.at(2).id, "");
}

TEST(EventStreamParser, JoinsLinesOfData) {
  EXPECT_EQ(data_of(read_whole("data: a\ndata:\ndata:b\n\n")), Data{"a\n\nb"});
}

TEST(EventStreamParser, TakesOneSpaceOffAValue) { EXPECT_EQ(data_of(read_whole("data:  a\n\n")), Data{" a"}); }

TEST(EventStreamParser, KnowsEveryEndOfALine) {
  EXPECT_EQ(data_of(read_whole("data: a\r\n\r\ndata: b\r\rdata: c\n\n")), (Data{"a", "b", "c"}));
}

TEST(EventStreamParser, PassesOverCommentsAndStrangeFields) {
  EXPECT_EQ(data_of(read_whole(": heartbeat\n\nretry: 10\nnonsense\ndata: a\n\n")), Data{"a"});
}

TEST(EventStreamParser, PassesOverTheByteOrderMark) {
  EXPECT_EQ(data_of(read_whole("\xEF\xBB\xBF"
                               "data: a\n\n")),
            Data{"a"});
}

TEST(EventStreamParser, TellsNothingOfAnEventThatIsNotWhole) { EXPECT_TRUE(read_whole("data: a\ndata: b\n").empty()); }

TEST(EventStreamParser, PassesOverAnEventWithoutData) { EXPECT_TRUE(read_whole("event: put\n\n").empty()); }

TEST(EventStreamParser, DropsAnEventThatIsTooLongAndGoesOn) {
  for (const auto* text :
       {"data: 12345678901234567890\n\ndata: b\n\n", "data: 12345\ndata: 67890\ndata: 12345\n\ndata: b\n\n",
        ":2345678901234567890\ndata: a\n\ndata: b\n\n"}) {
    EventStreamParser parser(16);
    EXPECT_EQ(data_of(parser.feed(text)), Data{"b"}) << text;
    EXPECT_EQ(parser.dropped(), 1U) << text;
  }
}

RC_GTEST_PROP(EventStreamParser, ReadsTheSameHoweverTheTextIsCut, ()) {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(
      rc::gen::elementOf(std::vector<std::string>{"data: ", "data", "event: ", "id:", ":", "a", "bc", "\n", "\n\n",
                                                  "\r", "\r\n", "\r\r", "\xEF\xBB\xBF", std::string(1, '\0')}));
  const auto text = join(pieces, "");
  const auto longest = *rc::gen::inRange<std::size_t>(1, 20);
  EventStreamParser parser(longest);
  std::vector<ServerEvent> events;
  for (std::string_view rest = text; !rest.empty();) {
    const auto cut = *rc::gen::inRange<std::size_t>(1, rest.size() + 1);
    for (auto& event : parser.feed(rest.substr(0, cut))) events.push_back(std::move(event));
    rest.remove_prefix(cut);
  }
  RC_ASSERT(events == read_whole(text, longest));
}

}  // namespace
}  // namespace townpost
