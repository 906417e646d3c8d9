// Copies that name a bead, as every store must keep and count them.
#include "contract/store_contract.h"

namespace townpost {
namespace {

class HolderContract : public StoreContract {
 protected:
  Message post_for(const std::string& bead, Priority priority = Priority::normal) {
    const Message message = post(slit(), {nux()}, [&](Message& m) { m.priority = priority; });
    change_copy(message.id, nux(), [&](Delivery& copy) { copy.bead = bead; });
    return message;
  }
  void works_on(const std::string& hook) {
    write([&](Ledger& ledger) { must(ledger.set_care(Care{.agent = nux(), .holds = HeldBead::of_word(hook)})); });
  }
  std::vector<MessageId> offered() {
    return read([&](Ledger& ledger) {
      const auto mails = must(ledger.list({.mailbox = nux(), .shelf = Shelf::offered}));
      EXPECT_EQ(must(ledger.count(nux(), Shelf::offered)), static_cast<std::int64_t>(mails.size()));
      return ids_of(mails);
    });
  }
  bool wakeful() {
    return read([&](Ledger& ledger) { return must(ledger.has_wakeful_mail(nux(), clock().now())); });
  }
  AgentId nux() const { return nux_; }
  AgentId slit() const { return slit_; }

 private:
  AgentId nux_ = add_agent("nux");
  AgentId slit_ = add_agent("slit");
};
INSTANTIATE_TEST_SUITE_P(, HolderContract, ::testing::ValuesIn(store_kinds()),
                         [](const auto& kind) { return kind.param.name; });

using Ids = std::vector<MessageId>;

TEST_P(HolderContract, TheBeadOfACopyIsKeptByteForByte) {
  const Message message = post(slit(), {});
  const Delivery wanted{.message = message.id, .mailbox = nux(), .bead = "gp-1' \xE2\x82\xAC"};
  write([&](Ledger& ledger) { must(ledger.add_delivery(wanted)); });
  EXPECT_EQ(read([&](Ledger& ledger) { return must(ledger.delivery(message.id, nux())); }), wanted);
  change_copy(message.id, nux(), [](Delivery& copy) { copy.bead = "gp-2"; });
  EXPECT_EQ(read([&](Ledger& ledger) { return must(ledger.delivery(message.id, nux()))->bead; }), "gp-2");
}

TEST_P(HolderContract, OnlyMailForTheHolderOfItsBeadIsOffered) {
  const Message first = post_for("gp-1");
  const Message second = post_for("gp-2", Priority::urgent);
  const Message plain = post_for("", Priority::low);
  EXPECT_EQ(offered(), (Ids{second.id, first.id, plain.id})) << "nobody told what nux works on: everything fits";
  works_on("");
  EXPECT_EQ(offered(), (Ids{second.id, first.id, plain.id})) << "known, but never given a bead";
  works_on("gp-1");
  EXPECT_EQ(offered(), (Ids{first.id, plain.id}));
  works_on("gp-2");
  EXPECT_EQ(offered(), (Ids{second.id, plain.id}));
  works_on("-");
  EXPECT_EQ(offered(), Ids{plain.id});
  read([&](Ledger& ledger) {
    EXPECT_EQ(must(ledger.count(nux(), Shelf::unread)), 3) << "it is unread nevertheless";
    EXPECT_EQ(must(ledger.list({.mailbox = nux(), .shelf = Shelf::unread})).size(), 3u);
    EXPECT_EQ(must(ledger.list({.mailbox = nux(), .shelf = Shelf::inbox})).size(), 3u);
    return true;
  });
}

TEST_P(HolderContract, WhatAnotherWorksOnDoesNotMatter) {
  const Message message = post_for("gp-1");
  write([&](Ledger& ledger) { must(ledger.set_care(Care{.agent = slit(), .holds = HeldBead::told("gp-2")})); });
  EXPECT_EQ(offered(), Ids{message.id});
}

TEST_P(HolderContract, WhatWasDealtWithIsNotOfferedAndNotCountedTwice) {
  works_on("gp-2");
  const Message other = post_for("gp-1");
  const Message own = post_for("gp-2");
  using Field = std::optional<Instant> Delivery::*;
  for (Field field : {&Delivery::read_at, &Delivery::archived_at, &Delivery::deleted_at})
    for (const auto id : {other.id, own.id}) {
      change_copy(id, nux(), [&](Delivery& copy) { copy.*field = clock().now(); });
      EXPECT_EQ(offered(), id == own.id ? Ids{} : Ids{own.id});
      change_copy(id, nux(), [&](Delivery& copy) { copy.*field = std::nullopt; });
    }
}

TEST_P(HolderContract, MailForAPreviousHolderWakesNobody) {
  post_for("gp-1");
  EXPECT_TRUE(wakeful());
  works_on("gp-2");
  EXPECT_FALSE(wakeful());
  works_on("gp-1");
  EXPECT_TRUE(wakeful());
}

TEST_P(HolderContract, PagesOfOfferedMailFollowEachOther) {
  works_on("gp-1");
  Ids wanted;
  for (int i = 0; i < 9; ++i) {
    const Message message = post_for(i % 3 == 0 ? "gp-9" : i % 3 == 1 ? "gp-1" : "");
    if (i % 3 != 0) wanted.insert(wanted.begin(), message.id);
  }
  Ids found;
  std::optional<std::int64_t> after;
  while (true) {
    const auto page = read([&](Ledger& ledger) {
      return must(ledger.list({.mailbox = nux(), .shelf = Shelf::offered, .after_seq = after, .limit = 2}));
    });
    if (page.empty()) break;
    for (const auto& mail : page) found.push_back(mail.message.id);
    after = found.back().seq();
  }
  EXPECT_EQ(found, wanted);
}

}  // namespace
}  // namespace townpost
