#include "cli/complete.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace townpost {
namespace {

using Words = std::vector<std::string>;

JsonArray town(const Op& op) {
  if (op.name == "mail.directory")
    return parse_json(R"([{"type":"session","address":"coder","description":"builds"},
                          {"type":"crew","address":"api/crew/max","description":""},
                          {"type":"queue","address":"queue:jobs","description":"open"},
                          {"type":"channel","address":"channel:news","description":""}])")
        ->get_array();
  if (op.name == "mail.inbox") return parse_json(R"([{"id":"hq-m-1abc","subject":"Hi"}])")->get_array();
  return {};
}

Words words_for(const Words& typed) {
  Words out;
  for (const auto& one : complete(typed, town)) out.push_back(one.word);
  return out;
}

TEST(Complete, BeginsWithCommands) {
  EXPECT_EQ(words_for({"mai"}), Words{"mail"});
  EXPECT_EQ(words_for({"mail", "unr"}), Words{"unread"}) << "another word, for who begins with it";
  EXPECT_EQ(words_for({"mail", "sh"}), Words{"show"});
  const auto all = words_for({"mail", ""});
  EXPECT_EQ(std::count(all.begin(), all.end(), "show"), 0);
  EXPECT_EQ(words_for({"mail", "una"}), Words{"unarchive"});
  EXPECT_EQ(words_for({"queue", "sho"}), Words{"show"});
  EXPECT_EQ(words_for({"no-such-thing", ""}), Words{});
}

TEST(Complete, FindsWhatLivesInTheTown) {
  EXPECT_EQ(words_for({"mail", "send", "co"}), Words{"coder"});
  EXPECT_EQ(words_for({"mail", "send", "coder", "queue:"}), Words{"queue:jobs"});
  EXPECT_EQ(words_for({"--as", "api"}), Words{}) << "no command was named yet";
  EXPECT_EQ(words_for({"mail", "inbox", "--as", "api"}), Words{"api/crew/max"});
  EXPECT_EQ(words_for({"mail", "ack", "hq"}), Words{"hq-m-1abc"});
  EXPECT_EQ(words_for({"queue", "show", ""}), Words{"jobs"}) << "a channel is none";
}

TEST(Complete, KnowsOptionsAndTheirValues) {
  EXPECT_EQ(words_for({"mail", "send", "--ur"}), Words{"--urgent"});
  EXPECT_EQ(words_for({"mail", "send", "--priority", "l"}), (Words{"low", "lowest"}));
  EXPECT_EQ(words_for({"mail", "send", "--priority=ur"}), Words{"--priority=urgent"});
  EXPECT_EQ(words_for({"mail", "send", "-s", "co"}), Words{}) << "a subject is anything";
  EXPECT_EQ(words_for({"mail", "send", "--", "--js"}), Words{}) << "behind -- there are no options";
}

TEST(Complete, SaysWhatACandidateIs) {
  EXPECT_EQ(complete({"mail", "ack", "hq-m-1"}, town), (std::vector<Candidate>{{"hq-m-1abc", "Hi"}}));
}

TEST(Complete, SurvivesAnyWords) {
  for (const auto& entry : op_table()) {
    Words words;
    for (const auto word : split(entry.name, '.')) words.emplace_back(word);
    for (const std::string last : {"", "-", "--", "--=", "=", "\xff", "--as"}) {
      auto typed = words;
      typed.push_back(last);
      (void)complete(typed, town);
      typed.emplace_back("");
      (void)complete(typed, town);
    }
  }
}

}  // namespace
}  // namespace townpost
