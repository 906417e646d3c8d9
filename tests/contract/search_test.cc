#include <rapidcheck.h>

#include "contract/town_fixture.h"

namespace townpost {
namespace {

using Strings = std::vector<std::string>;

class SearchTest : public TownTest {
 protected:
  Strings found(const SearchQuery& query, std::string_view who = "max") {
    Strings out;
    for (const auto& mail : must(room().search(query, caller(who))).mails) out.push_back(mail.message.subject);
    return out;
  }
  Strings found_text(const std::string& wanted) { return found(SearchQuery{.text = wanted}); }
  void index_everything() {
    writing(store(), [](Ledger& ledger) { must(ledger.index_for_search(1'000'000)); });
  }
  void write_to_max(const std::string& subject, const std::string& body) {
    send("nux", {{.subject = subject, .body = body}, {"max"}});
  }
};
ON_EVERY_STORE(SearchTest);

TEST_P(SearchTest, IsLiteral) {
  limits().enabled = false;
  write_to_max("dot", "a.b");
  write_to_max("cross", "axb");
  write_to_max("percent", "100% sure_thing");
  for (int indexed = 0; indexed < 2; ++indexed) {
    EXPECT_EQ(found_text("a.b"), Strings{"dot"});
    EXPECT_EQ(found_text("a%b"), Strings{});
    EXPECT_EQ(found_text("0% s"), Strings{"percent"});
    EXPECT_EQ(found_text("e_t"), Strings{"percent"});
    EXPECT_EQ(found_text("xb"), Strings{"cross"});
    index_everything();
  }
}

TEST_P(SearchTest, LooksWhereItIsTold) {
  write_to_max("apple", "pear");
  EXPECT_EQ(found_text("apple"), Strings{"apple"});
  EXPECT_EQ(found({.text = "apple", .subject = false}), Strings{});
  EXPECT_EQ(found({.text = "pear", .body = false}), Strings{});
  EXPECT_EQ(found_text("polecats/nux"), Strings{"apple"}) << "the sender counts";
  EXPECT_EQ(found({.text = "apple", .from = "nux"}), Strings{"apple"});
  EXPECT_EQ(found({.text = "apple", .from = "slit"}), Strings{});
}

TEST_P(SearchTest, OfAPersonCoversTheTownIfWanted) {
  write_to_max("apple", "pear");
  send("slit", {{.subject = "melon", .body = "a pear and a fig"}, {"nux"}});
  for (int indexed = 0; indexed < 2; ++indexed) {
    EXPECT_EQ(found_text("pear"), Strings{"apple"}) << "max has only its own";
    EXPECT_EQ(found({.text = "pear"}, "overseer"), Strings{});
    EXPECT_EQ(found({.text = "pear", .whole_town = true}, "overseer"), (Strings{"melon", "apple"}));
    EXPECT_EQ(found({.text = "ea", .whole_town = true}, "overseer"), (Strings{"melon", "apple"}))
        << "without the index";
    EXPECT_EQ(found({.text = "fig", .from = "slit", .whole_town = true}, "overseer"), Strings{"melon"});
    index_everything();
  }
  const auto error = error_of(room().search({.text = "pear", .whole_town = true}, caller("max")));
  EXPECT_EQ(error.code, Code::forbidden);
}

TEST_P(SearchTest, IsNewestFirstSinceAnInstantAndLimited) {
  write_to_max("one", "pear");
  clock().advance(std::chrono::hours(1));
  const Instant later = clock().now();
  write_to_max("two", "pear");
  write_to_max("three", "pear");
  EXPECT_EQ(found_text("pear"), (Strings{"three", "two", "one"}));
  EXPECT_EQ(found({.text = "pear", .since = later}), (Strings{"three", "two"}));
  EXPECT_EQ(found({.text = "pear", .limit = 1}), Strings{"three"});
}

TEST_P(SearchTest, IsForOwnMailOnly) {
  write_to_max("secret", "pear");
  EXPECT_EQ(found({.text = "pear"}, "slit"), Strings{});
  EXPECT_EQ(found({.text = "pear"}, "nux"), Strings{"secret"}) << "what one sent is one's own";
}

TEST_P(SearchTest, LeavesArchivedMailOutUnlessAsked) {
  write_to_max("old", "pear");
  mark(inbox("max").at(0).message.id, Mark::archived, "max");
  EXPECT_EQ(found_text("pear"), Strings{});
  EXPECT_EQ(found({.text = "pear", .archived = true}), Strings{"old"});
}

TEST_P(SearchTest, AnEmptyOrBrokenQueryIsAnError) {
  EXPECT_EQ(error_of(room().search({.text = ""}, caller("max"))).code, Code::usage);
  EXPECT_EQ(error_of(room().search({.text = "\xff"}, caller("max"))).code, Code::usage);
}

TEST_P(SearchTest, FindsTheSameBeforeAndAfterIndexingInAnyScriptAndCase) {
  limits().enabled = false;
  // Upper and lower case of scripts old and new, and letters that fold in an unusual way.
  const Strings pairs = {"aA",     "éÉ", "ßẞ",       "σς", "k\u212A", "sſ", "яЯ", "აᲐ",
                         "ꭰᎠ", "𐐨𐐀", "𞤢𞤀", "ⱥȺ", "ꞑꞐ",      "ǆǅ", "ΐΐ"};
  for (const auto& pair : pairs) {
    const auto low = std::string(first_characters(pair, 1));
    const auto high = pair.substr(low.size());
    const auto thrice = [](const std::string& letter) { return letter + letter + letter; };
    write_to_max(pair, thrice(high));
    const SearchQuery query{.text = thrice(low), .subject = false, .limit = 1000};
    const auto before = found(query);
    EXPECT_EQ(before.size(), fold_case(low) == fold_case(high) ? 1u : 0u) << pair;
    index_everything();
    EXPECT_EQ(found(query), before) << pair << ": indexing changes no answer";
    EXPECT_EQ(found({.text = thrice(high), .subject = false}), Strings{pair}) << pair;
  }
}

TEST_P(SearchTest, FindsAnyPieceOfAnyTextInEitherCase) {
  limits().enabled = false;
  const auto letter =
      rc::gen::element<std::string>("a", "A", "é", "É", "я", "Я", "Σ", "日", "\"", "*", " ", "(", "-", "🚀");
  int number = 0;
  const bool always = rc::check("a folded piece finds its message, indexed or not", [&] {
    const auto parts = *rc::gen::nonEmpty(rc::gen::container<Strings>(letter));
    const auto from = *rc::gen::inRange<std::size_t>(0, parts.size());
    const Strings piece(parts.begin() + static_cast<long>(from), parts.end());
    const std::string subject = cat("mail ", ++number);
    write_to_max(subject, join(parts, ""));
    const SearchQuery query{.text = fold_case(join(piece, "")), .subject = false, .sender = false, .limit = 1};
    RC_ASSERT(found(query) == Strings{subject});
    index_everything();
    RC_ASSERT(found(query) == Strings{subject});
  });
  EXPECT_TRUE(always);
}

}  // namespace
}  // namespace townpost
