// Mail both ways, newest first: what is listed, and how little is looked at for it.
#include "post/mail/traffic.h"

#include "contract/town_fixture.h"

namespace townpost {
namespace {

using Subjects = std::vector<std::string>;

class TrafficTest : public TownTest {
 protected:
  TrafficTest() { limits().enabled = false; }
  static Subjects subjects_of(const Traffic::Page& page) {
    Subjects out;
    for (const auto& sent : page.mails) out.push_back(sent.mail.message.subject);
    return out;
  }
  Traffic::Page page(const TrafficQuery& query, std::string_view who = "max", const Traffic::Bounds& bounds = {}) {
    return must(Traffic(town(), bounds).list(query, caller(who)));
  }
  Subjects listed(const TrafficQuery& query, std::string_view who = "max") { return subjects_of(page(query, who)); }
  /// All pages, as somebody reads them who goes on where it says.
  Subjects paged(TrafficQuery query, const Traffic::Bounds& bounds, int& pages) {
    Subjects out;
    for (pages = 0; pages < 100; ++pages) {
      const auto one = page(query, "max", bounds);
      for (const auto& subject : subjects_of(one)) out.push_back(subject);
      if (!one.next) return out;
      EXPECT_TRUE(!query.before_seq || *one.next < *query.before_seq) << "it does not go on";
      query.before_seq = one.next;
    }
    ADD_FAILURE() << "there is no end of pages";
    return out;
  }
};
ON_EVERY_STORE(TrafficTest);

/// Mail of every standing, with the word "deploy" in some, and a thread.
TEST_P(TrafficTest, AFilterListsWhatIsListedWithoutItAndPasses) {
  const auto first = send("nux", "max", "deploy is red").message;
  const auto answer = reply("max", first.id).message;
  send("slit", "nux", "deploy of others");
  const auto read = send("nux", "max", "deploy was read").message.id;
  mark(read, Mark::read, "max");
  const auto archived = send("nux", "max", "deploy in the archive").message.id;
  mark(archived, Mark::archived, "max");
  const auto deleted = send("nux", "max", "deploy was deleted").message.id;
  mark(deleted, Mark::deleted, "max");
  const auto gone = send("max", "nux", "deploy was sent and is archived").message.id;
  mark(gone, Mark::archived, "nux");
  send("max", "nux", "sent: Deploy");
  send("nux", "max", "MERGED: deploy");
  let_duties_run();
  send("nux", "max", "deploy that no index has yet");

  for (const auto* who : {"max", "nux", "overseer"})
    for (const bool whole_town : {false, true})
      for (const bool unread_only : {false, true}) {
        if (whole_town && who != std::string_view("overseer")) continue;
        const TrafficQuery everything{.whole_town = whole_town, .unread_only = unread_only};
        auto with_words = everything, in_thread = everything, both = everything;
        with_words.words = both.words = "DEPLOY";
        in_thread.thread = both.thread = first.thread;
        Subjects words, thread, words_in_thread;
        for (const auto& sent : page(everything, who).mails) {
          const auto& message = sent.mail.message;
          const bool has_words = fold_case(message.subject).find("deploy") != std::string::npos;
          if (has_words) words.push_back(message.subject);
          if (message.thread == first.thread) thread.push_back(message.subject);
          if (has_words && message.thread == first.thread) words_in_thread.push_back(message.subject);
        }
        const auto where = cat(who, whole_town ? " all" : "", unread_only ? " unread" : "");
        EXPECT_EQ(listed(with_words, who), words) << where;
        EXPECT_EQ(listed(in_thread, who), thread) << where;
        EXPECT_EQ(listed(both, who), words_in_thread) << where;
      }
  EXPECT_EQ(listed({.words = "deploy"}).size(), 6u) << "the test looks at too little";
  EXPECT_EQ(listed({.thread = answer.thread}).size(), 2u);
}

TEST_P(TrafficTest, HoweverRareWhatIsWantedAPageLooksAtABoundedPart) {
  send("nux", "max", "MERGED: first");
  for (int i = 0; i < 20; ++i) send("nux", "max", cat("news ", i));
  send("nux", "max", "MERGED: second");
  for (int i = 20; i < 30; ++i) send("nux", "max", cat("news ", i));
  const TrafficQuery rare{.between = TrafficQuery::Between::programs, .limit = 10};
  const Traffic::Bounds few{.looked = 5};
  const auto newest = page(rare, "max", few);
  EXPECT_TRUE(newest.mails.empty());
  EXPECT_TRUE(newest.next.has_value()) << "it looked at all of it, or does not say how to go on";
  int pages = 0;
  EXPECT_EQ(paged(rare, few, pages), (Subjects{"MERGED: second", "MERGED: first"}));
  EXPECT_GE(pages, 5);
  Subjects all;
  for (int i = 29; i >= 0; --i) all.push_back(cat("news ", i));
  EXPECT_EQ(paged({.between = TrafficQuery::Between::people, .limit = 3}, few, pages), all);
  EXPECT_EQ(page({.between = TrafficQuery::Between::people, .limit = 3}).total, 30);
}

TEST_P(TrafficTest, WordsAreLookedForInABoundedNumberOfBytes) {
  for (int i = 0; i < 8; ++i) {
    auto long_one = letter("max", cat("number ", i));
    long_one.body = cat("deploy ", std::string(1000, static_cast<char>('a' + i)));
    send("nux", long_one);
  }
  const auto found = page({.words = "deploy"}, "max", {.bytes = 3000});
  EXPECT_EQ(subjects_of(found), (Subjects{"number 7", "number 6", "number 5"}));
  EXPECT_EQ(listed({.words = "deploy"}).size(), 8u);
}

TEST_P(TrafficTest, APageHoldsABoundedPartOfTheBodiesAndTheNextOneGoesOn) {
  Subjects wanted;
  for (int i = 0; i < 10; ++i) {
    Letter large = letter("max", cat("large ", i));
    large.body = std::string(1000, 'x');
    send("nux", large);
    wanted.insert(wanted.begin(), cat("large ", i));
  }
  int pages = 0;
  EXPECT_EQ(paged({}, {.shown = 3000}, pages), wanted);
  EXPECT_EQ(pages, 3) << "and this one";
  EXPECT_EQ(paged({}, {.shown = 10}, pages), wanted) << "one that is larger by itself is a page";
  const auto first = page({}, "max", {.shown = 3000});
  EXPECT_EQ(first.total, 10);
  EXPECT_EQ(first.more, 7);
}

}  // namespace
}  // namespace townpost
