// `gt feed`, and what `gt up` prints, as people and programs read them.
#include <gtest/gtest.h>

#include "base/text.h"
#include "cli/expect.h"
#include "support/terminal.h"

namespace townpost {
namespace {

class FeedCommand : public testing::Test {
 protected:
  FeedCommand() { town.agents({"alice", "bob", "carol"}); }
  std::string feed(Words words = {}) const {
    words.insert(words.begin(), "feed");
    const auto out = town.gt(words);
    EXPECT_EQ(out.exit_code, 0) << out.err;
    return out.out;
  }
  TestTown town;
};

bool holds(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

TEST_F(FeedCommand, TellsWhoWroteToWhomInALine) {
  town.send("alice", "bob", "Review the parser branch", {"--ack"});
  const auto line = feed({"--limit", "1"});
  EXPECT_TRUE(holds(line, "alice → bob")) << line;
  EXPECT_TRUE(holds(line, "mail")) << line;
  EXPECT_TRUE(holds(line, "Review the parser branch  (ack)\n")) << line;
}

TEST_F(FeedCommand, ObeysNothingThatSomebodyWrote) {
  town.send("alice", "bob", "red \x1b[31m and \xe2\x80\xae back");
  const auto line = feed({"--limit", "1"});
  EXPECT_TRUE(holds(line, "red \\x1b[31m and \\u{202e} back")) << line;
  EXPECT_EQ(line.find('\x1b'), std::string::npos);
}

TEST_F(FeedCommand, HasEverythingInJson) {
  const auto id = town.send("alice", "bob", "Hello", {"--priority", "urgent"});
  const auto entries = items_of(town.json({"feed", "--type", "mail"}));
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(text_at(entries[0], "message_id"), id);
  EXPECT_EQ(text_at(entries[0], "type"), "mail");
  EXPECT_EQ(text_at(entries[0], "kind"), "stored");
  EXPECT_EQ(text_at(entries[0], "from"), "alice");
  EXPECT_EQ(texts_in(value_at(entries[0], "to")), Words{"bob"});
  EXPECT_EQ(text_at(entries[0], "text"), "Hello");
  EXPECT_EQ(text_at(entries[0], "priority"), "urgent");
  EXPECT_TRUE(is_instant(text_at(entries[0], "at")));
}

TEST_F(FeedCommand, TakesSeveralTypesAndRefusesOthers) {
  town.send("alice", "bob", "Hello");
  EXPECT_EQ(feed({"--type", "rule,state"}), "");
  EXPECT_TRUE(holds(feed({"--type", "rule,mail"}), "Hello"));
  expect_refusal(town, {"feed", "--type", "mial"}, {2, "usage", "mial"});
  expect_refusal(town, {"feed", "--agent", "nobody"}, {4, "not_found", "nobody"});
}

TEST_F(FeedCommand, TellsAnAgentOnlyWhatConcernsIt) {
  town.send("alice", "bob", "between us");
  EXPECT_EQ(feed({"--as", "carol", "--type", "mail"}), "");
  EXPECT_TRUE(holds(feed({"--as", "bob", "--type", "mail"}), "between us"));
}

TEST_F(FeedCommand, FollowsWhatHappensAndMissesNothing) {
  town.send("alice", "bob", "before");
  const auto out = town.shell(R"sh(
    "$GT" feed -f >seen &
    feed=$!
    until grep -q before seen; do sleep 0.05; done
    for i in 1 2 3 4 5; do "$GT" mail send bob -s "number $i" -m "$i" --as alice -q >/dev/null; done
    until grep -q "number 5" seen; do sleep 0.05; done
    kill $feed
    grep -o "number [0-9]" seen
  )sh");
  EXPECT_EQ(out.out, "number 1\nnumber 2\nnumber 3\nnumber 4\nnumber 5\n") << out.err;
}

TEST_F(FeedCommand, FollowsInJsonOneObjectALine) {
  const auto out = town.shell(R"sh(
    "$GT" feed -f --json --type mail >seen &
    feed=$!
    until [ -e .town/run/ear/log ] && [ -n "$(ls .town/run/ear/log)" ]; do sleep 0.05; done
    "$GT" mail send bob -s one -m 1 --as alice -q >/dev/null
    "$GT" mail send bob -s two -m 2 --as alice -q >/dev/null
    until grep -q two seen; do sleep 0.05; done
    kill $feed
    cat seen
  )sh");
  const auto lines = lines_of(out.out);
  ASSERT_EQ(lines.size(), 2u) << out.out << out.err;
  for (const auto& line : lines) EXPECT_TRUE(parse_json(line).has_value()) << line;
}

TEST_F(FeedCommand, EndsWithWhoeverReadsIt) {
  town.send("alice", "bob", "before");
  const auto out = town.shell(R"sh(
    ( "$GT" feed -f; echo "ended $?" >ended ) | head -n 1 >/dev/null &
    i=0
    until [ -s ended ]; do i=$((i + 1)); "$GT" mail send bob -s "go on $i" -m x --as overseer -q >/dev/null; sleep 0.05; done
    cat ended
  )sh");
  EXPECT_EQ(out.out, "ended 0\n") << out.err;
}

TEST_F(FeedCommand, IsWhatUpPrintsInTheForegroundAndNotInTheBackground) {
  const auto out = town.shell(R"sh(
    "$GT" up --as overseer >seen 2>said &
    up=$!
    until grep -q "watching over" said; do sleep 0.05; done
    "$GT" mail send bob -s "seen by up" -m x --as alice -q >/dev/null
    until grep -q "seen by up" seen; do sleep 0.05; done
    kill $up; wait $up
    "$GT" up --detach --as overseer >/dev/null 2>&1
    "$GT" feed -f --limit 1 >followed &
    feed=$!
    "$GT" mail send bob -s "in the background" -m x --as alice -q >/dev/null
    until grep -q "in the background" followed; do sleep 0.05; done
    kill $feed
    "$GT" down --as overseer >/dev/null
    cat seen >&2
    grep -c "seen by up" seen
    grep -c "in the background" .town/log/up.log
  )sh");
  EXPECT_EQ(out.out, "1\n0\n") << out.err;
}

}  // namespace
}  // namespace townpost
