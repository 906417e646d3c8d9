#include <rapidcheck.h>

#include <algorithm>

#include "base/text.h"
#include "contract/store_contract.h"

namespace townpost {
namespace {

std::vector<MessageId> candidates(Ledger& ledger, AgentId mailbox, std::string_view query) {
  std::vector<MessageId> out;
  must(ledger.search(mailbox, MailLedger::SearchIn::own_mail, query, [&](const Mail& mail) {
    out.push_back(mail.message.id);
    return true;
  }));
  return out;
}

bool holds(const std::vector<MessageId>& ids, MessageId id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

class Searching {
 public:
  Searching(Store& store, AgentId mailbox) : store_(store), mailbox_(mailbox) {}
  std::vector<MessageId> operator()(std::string_view query) const {
    return reading(store_, [&](Ledger& ledger) { return candidates(ledger, mailbox_, query); });
  }

 private:
  Store& store_;
  AgentId mailbox_;
};

TEST_P(StoreContract, SearchOffersWhatContainsTheQueryBeforeAndAfterIndexing) {
  const AgentId nux = add_agent("nux");
  const AgentId slit = add_agent("slit");
  const std::vector<std::string> texts = {
      "deploy is red",
      "say \"hello\" to AND OR NOT",
      "NEAR(a b) * ^abc col:abc -abc (paren",
      "100% a_b 'quoted' \\backslash;",
      "日本語のメール",
      "łódź i Żółw",
      "مرحبا بالعالم",
      "नमस्ते दुनिया",
      "🚀🚀🚀 to the moon",
      "שלום עולם",
  };
  std::vector<MessageId> sent;
  for (const auto& text : texts) sent.push_back(post(slit, {nux}, [&](Message& m) { m.body = text; }).id);
  const Searching search(store(), nux);
  const std::vector<std::pair<std::string, std::size_t>> queries = {
      {"deploy is red", 0}, {"red", 0},   {"\"hello\"", 1}, {"\"", 1},     {"AND", 1},
      {"AND OR", 1},        {"*", 2},     {"(", 2},         {"(paren", 2}, {"NEAR(a b)", 2},
      {"^abc", 2},          {"col:", 2},  {"-ab", 2},       {"%", 3},      {"a_b", 3},
      {"'quoted'", 3},      {"\\ba", 3},  {"日本語", 4},    {"語", 4},     {"łód", 5},
      {"Żółw", 5},          {"مرحبا", 6}, {"नमस्", 7},       {"🚀🚀🚀", 8},    {"🚀", 8},
      {"לום", 9},           {"e", 0},     {"de", 0}};
  const auto check_all = [&](const std::string& when) {
    for (const auto& [query, wanted] : queries)
      EXPECT_TRUE(holds(search(query), sent[wanted])) << when << ": " << query << " is in: " << texts[wanted];
  };
  check_all("before indexing");
  for (std::int64_t left = -1; left != 0;) {
    write([&](Ledger& ledger) { left = must(ledger.index_for_search(3)); });
    check_all(cat("with ", left, " to index"));
  }
}

TEST_P(StoreContract, QueriesThatLookLikeIndexSyntaxAreOnlyText) {
  const AgentId nux = add_agent("nux");
  post(nux, {nux}, [](Message& m) { m.body = "plain"; });
  const auto search_all = [&] {
    for (const auto* query :
         {"\"", "\"\"\"", "\"\"\"\"", "AND", "OR NOT", "* * *", "(((", ")))", "a AND", "NEAR(", "^^^", "{a b}:c",
          "text:", "--;", "'''", "$1$2$3", "\\\\\\", "a\"b\"c", "\xE2\x80\xAE\xE2\x80\xAE\x01"})
      EXPECT_NO_THROW(read([&](Ledger& ledger) { return candidates(ledger, nux, query); })) << query;
  };
  search_all();
  write([](Ledger& ledger) { must(ledger.index_for_search(10)); });
  search_all();
}

TEST_P(StoreContract, AnySubstringOfAnyTextIsAmongTheCandidates) {
  const auto letters = rc::gen::element<std::string>("a", "B", "é", "\"", "*", "(", " ", "ß", "日", "я", "🚀", "'", "\n",
                                                     "-", "A", "ND", "µ", "İ");
  const bool found_always = rc::check("a substring finds its message, indexed or not", [&] {
    const AgentId mailbox = fresh_agent();
    const auto parts = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(letters));
    const auto start = *rc::gen::inRange<std::size_t>(0, parts.size());
    const auto length = *rc::gen::inRange<std::size_t>(1, parts.size() - start + 1);
    const auto piece =
        join({parts.begin() + static_cast<long>(start), parts.begin() + static_cast<long>(start + length)}, "");
    const Message message = post(mailbox, {}, [&](Message& m) { m.body = join(parts, ""); });
    const Searching search(store(), mailbox);
    RC_ASSERT(search(piece) == std::vector<MessageId>{message.id});
    write([](Ledger& ledger) { must(ledger.index_for_search(1000)); });
    RC_ASSERT(search(piece) == std::vector<MessageId>{message.id});
  });
  EXPECT_TRUE(found_always);
}

TEST_P(StoreContract, SearchOffersOwnMailOnlySentAndReceivedNewestFirst) {
  const AgentId nux = add_agent("nux");
  const AgentId slit = add_agent("slit");
  const AgentId toast = add_agent("toast");
  const MessageId received = post(slit, {nux}).id;
  post(slit, {toast});
  const MessageId sent = post(nux, {slit}).id;
  const MessageId to_itself = post(nux, {nux}).id;
  const std::vector<MessageId> wanted = {to_itself, sent, received};
  const Searching search(store(), nux);
  for (const auto* query : {"bo", "body"}) EXPECT_EQ(search(query), wanted) << query << " before indexing";
  write([](Ledger& ledger) { must(ledger.index_for_search(2)); });
  for (const auto* query : {"bo", "body"}) EXPECT_EQ(search(query), wanted) << query << " half indexed";
  write([](Ledger& ledger) { must(ledger.index_for_search(100)); });
  for (const auto* query : {"bo", "body"}) EXPECT_EQ(search(query), wanted) << query << " indexed";
  EXPECT_TRUE(Searching(store(), fresh_agent())("body").empty());
}

TEST_P(StoreContract, SearchHandsOverTheSearchersOwnCopy) {
  const AgentId nux = add_agent("nux");
  const AgentId slit = add_agent("slit");
  post(slit, {nux, slit});
  post(nux, {slit});
  for (const auto* query : {"y", "body"}) {
    std::vector<std::optional<AgentId>> copies;
    read([&](Ledger& ledger) {
      must(ledger.search(nux, MailLedger::SearchIn::own_mail, query, [&](const Mail& mail) {
        copies.push_back(mail.delivery ? std::optional(mail.delivery->mailbox) : std::nullopt);
        return true;
      }));
      return true;
    });
    EXPECT_EQ(copies, (std::vector<std::optional<AgentId>>{std::nullopt, nux}));
  }
}

TEST_P(StoreContract, SearchLooksAtSenderSubjectAndBody) {
  const AgentId furiosa = add_agent("furiosa");
  const MessageId id = post(furiosa, {furiosa}, [](Message& m) {
                         m.subject = "war rig";
                         m.body = "green place";
                       }).id;
  write([](Ledger& ledger) { must(ledger.index_for_search(100)); });
  for (const auto* query : {"furiosa", "war rig", "green"})
    EXPECT_TRUE(holds(Searching(store(), furiosa)(query), id)) << query;
  EXPECT_TRUE(Searching(store(), furiosa)("citadel").empty());
}

TEST_P(StoreContract, SearchStopsWhenItIsTold) {
  const AgentId nux = add_agent("nux");
  for (int i = 0; i < 6; ++i) {
    post(nux, {nux});
    if (i == 2) write([](Ledger& ledger) { must(ledger.index_for_search(100)); });
  }
  for (const auto* query : {"bo", "body"})
    for (const std::size_t stop_after : {1u, 3u, 5u}) {
      std::size_t seen = 0;
      read([&](Ledger& ledger) {
        must(ledger.search(nux, MailLedger::SearchIn::own_mail, query,
                           [&](const Mail&) { return ++seen < stop_after; }));
        return true;
      });
      EXPECT_EQ(seen, stop_after) << query;
    }
}

TEST_P(StoreContract, IndexingGoesOnWhereItStoppedAndTellsWhatIsLeft) {
  const AgentId nux = add_agent("nux");
  for (int i = 0; i < 5; ++i) post(nux, {nux});
  const auto index = [&](int most) {
    std::int64_t left = -1;
    write([&](Ledger& ledger) { left = must(ledger.index_for_search(most)); });
    return left;
  };
  EXPECT_EQ(index(2), 3);
  EXPECT_EQ(index(2), 1);
  EXPECT_EQ(index(2), 0);
  EXPECT_EQ(index(2), 0);
  post(nux, {nux});
  EXPECT_EQ(index(2), 0);
  EXPECT_EQ(Searching(store(), nux)("body").size(), 6u);
}

TEST_P(StoreContract, AnErasedMessageIsNoCandidateEvenIfItWasIndexed) {
  const AgentId nux = add_agent("nux");
  const Message erased = post(nux, {nux});
  const Message kept = post(nux, {nux});
  write([&](Ledger& ledger) {
    must(ledger.index_for_search(100));
    must(ledger.erase_message(erased.id));
  });
  EXPECT_EQ(Searching(store(), nux)("body"), std::vector<MessageId>{kept.id});
}

}  // namespace
}  // namespace townpost
