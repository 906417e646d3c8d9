#include "contract/store_contract.h"

namespace townpost {
namespace {

TEST_P(StoreContract, AMessageComesBackByteForByte) {
  const AgentId nux = add_agent("nux");
  const AgentId slit = add_agent("slit");
  const Message parent = post(slit, {nux});
  Message stored;
  write([&](Ledger& ledger) {
    stored = post(ledger, nux, {slit}, [&](Message& m) {
      m.grade = Grade::pane;
      m.to = {"slit", "@crew", "*/witness"};
      m.cc = {"mayor/", "overseer"};
      m.subject = "it's \"quoted\"; DROP TABLE message; -- \xF0\x9F\x9A\x80 \xE2\x80\xAE";
      m.body = "line\r\nline\t\x01\x1b[31m\n\n ' \" \\ % _ $1 ?\xED\x9F\xBF \n";
      m.priority = Priority::low;
      m.type = MessageType::escalation;
      m.thread = "thread with spaces 'n' quotes";
      m.reply_to = parent.id;
      m.reply_by = clock().now() + Millis(1);
      m.ack_required = true;
      m.wisp = true;
      m.hops = 7;
      m.digest = INT64_MIN;
    });
  });
  EXPECT_EQ(read([&](Ledger& ledger) { return must(ledger.message(stored.id)); }), stored);
}

TEST_P(StoreContract, EmptyPartsOfAMessageStayEmpty) {
  const AgentId nux = add_agent("nux");
  const Message stored = post(nux, {}, [](Message& m) {
    m.to.clear();
    m.body = "";
  });
  const auto found = read([&](Ledger& ledger) { return must(ledger.message(stored.id)); });
  EXPECT_EQ(found, stored);
  EXPECT_EQ(found->reply_to, std::nullopt);
  EXPECT_EQ(found->digest, std::nullopt);
}

TEST_P(StoreContract, ABodyOfOneMebibyteIsKeptWhole) {
  const AgentId nux = add_agent("nux");
  std::string body;
  while (body.size() < kBodyBytes) body += static_cast<char>('!' + body.size() % 90);
  const Message stored = post(nux, {nux}, [&](Message& m) { m.body = body; });
  EXPECT_TRUE(read([&](Ledger& ledger) { return must(ledger.message(stored.id)); })->body == body);
}

std::vector<std::int64_t> keys_of(const std::vector<MessageId>& ids) {
  std::vector<std::int64_t> out;
  for (const auto id : ids) out.push_back(id.key);
  return out;
}

TEST_P(StoreContract, IdsAreFoundByTheirBeginningAndTheirEnd) {
  const AgentId nux = add_agent("nux");
  const AgentId slit = add_agent("slit");
  const Message mine = post(nux, {slit});
  const Message got = post(slit, {nux});
  const Message foreign = post(slit, {slit});
  const auto alike = [&](const KeysAlike& keys, std::optional<AgentId> whose, int most = 10) {
    return read([&](Ledger& ledger) { return must(ledger.ids_alike(IdsOf::messages, keys, whose, most)); });
  };
  EXPECT_EQ(alike({}, nux), keys_of({got.id, mine.id})) << "what it sent and what it has, the newest first";
  EXPECT_EQ(alike({}, std::nullopt), keys_of({foreign.id, got.id, mine.id}));
  EXPECT_EQ(alike({}, std::nullopt, 1), keys_of({foreign.id}));
  const auto digits = got.id.str().substr(5);
  const auto of_all = [&](std::string_view text) {
    std::vector<std::int64_t> out;
    for (const auto& keys : keys_beginning(text))
      for (const auto key : alike(keys, nux)) out.push_back(key);
    return out;
  };
  EXPECT_EQ(of_all(digits), keys_of({got.id}));
  EXPECT_EQ(alike(keys_ending(digits.substr(1)), nux), keys_of({got.id}));
  EXPECT_TRUE(alike(keys_ending(foreign.id.str().substr(6)), nux).empty()) << "others' are not found";

  write([&](Ledger& ledger) {
    auto copy = *must(ledger.delivery(got.id, nux));
    copy.archived_at = clock().now();
    must(ledger.update_delivery(copy));
  });
  EXPECT_EQ(alike({}, nux), keys_of({got.id, mine.id})) << "the archive is theirs, too";
  write([&](Ledger& ledger) {
    auto copy = *must(ledger.delivery(got.id, nux));
    copy.deleted_at = clock().now();
    must(ledger.update_delivery(copy));
  });
  EXPECT_EQ(alike({}, nux), keys_of({mine.id}));
}

TEST_P(StoreContract, IdsGrowWithEveryMessage) {
  const AgentId nux = add_agent("nux");
  EXPECT_EQ(read([](Ledger& ledger) { return must(ledger.next_seq()); }), 1);
  MessageId last;
  for (int i = 1; i <= 5; ++i) {
    const Message message = post(nux, {nux});
    EXPECT_GT(message.id, last);
    EXPECT_EQ(message.id.seq(), i);
    last = message.id;
  }
}

TEST_P(StoreContract, AMessageIsFoundByItsSequenceNumber) {
  const AgentId nux = add_agent("nux");
  const Message first = post(nux, {nux});
  const Message second = post(nux, {nux});
  read([&](Ledger& ledger) {
    EXPECT_EQ(must(ledger.message_with_seq(first.id.seq())), first.id);
    EXPECT_EQ(must(ledger.message_with_seq(second.id.seq())), second.id);
    EXPECT_EQ(must(ledger.message_with_seq(second.id.seq() + 1)), std::nullopt);
    EXPECT_EQ(must(ledger.message_with_seq(0)), std::nullopt);
    return true;
  });
}

TEST_P(StoreContract, AnErasedMessageIsGoneFromEveryMailbox) {
  const AgentId nux = add_agent("nux");
  const AgentId slit = add_agent("slit");
  const Message kept = post(nux, {nux, slit});
  const Message erased = post(nux, {nux, slit}, [&](Message& m) { m.thread = kept.thread; });
  write([&](Ledger& ledger) { must(ledger.erase_message(erased.id)); });
  read([&](Ledger& ledger) {
    EXPECT_EQ(must(ledger.message(erased.id)), std::nullopt);
    EXPECT_TRUE(must(ledger.deliveries(erased.id)).empty());
    EXPECT_EQ(ids_of(must(ledger.list({.mailbox = nux}))), std::vector<MessageId>{kept.id});
    EXPECT_EQ(must(ledger.count(slit, Shelf::unread)), 1);
    EXPECT_EQ(ids_of(must(ledger.thread(kept.thread))), std::vector<MessageId>{kept.id});
    return true;
  });
}

TEST_P(StoreContract, EveryPartialStateOfACopyIsKeptExactly) {
  const AgentId nux = add_agent("nux");
  const AgentId slit = add_agent("slit");
  using Field = std::optional<Instant> Delivery::*;
  const std::vector<Field> fields = {&Delivery::delivered_at, &Delivery::read_at,    &Delivery::acked_at,
                                     &Delivery::archived_at,  &Delivery::deleted_at, &Delivery::announced_at,
                                     &Delivery::held_until};
  for (unsigned set = 0; set < 1u << fields.size(); ++set) {
    const Message message = post(slit, {nux});
    Delivery wanted{.message = message.id, .mailbox = nux, .priority = message.priority};
    wanted.pinned = set % 3 == 0;
    wanted.held_by = set % 2 == 0 ? "L2" : "";
    wanted.bead = set % 5 == 0 ? "gp-12" : "";
    for (std::size_t i = 0; i < fields.size(); ++i)
      if (set >> i & 1u) wanted.*fields[i] = clock().now() + Millis(static_cast<int>(i));
    change_copy(message.id, nux, [&](Delivery& copy) { copy = wanted; });
    EXPECT_EQ(read([&](Ledger& ledger) { return must(ledger.delivery(message.id, nux)); }), wanted) << "set " << set;
  }
}

TEST_P(StoreContract, CopiesOfOneMessageAreIndependent) {
  const AgentId nux = add_agent("nux");
  const AgentId slit = add_agent("slit");
  const AgentId toast = add_agent("toast");
  const Message message = post(toast, {nux});
  write([&](Ledger& ledger) { must(ledger.add_delivery({.message = message.id, .mailbox = slit, .copy = true})); });
  change_copy(message.id, slit, [&](Delivery& copy) { copy.read_at = copy.archived_at = clock().now(); });
  read([&](Ledger& ledger) {
    EXPECT_EQ(must(ledger.delivery(message.id, nux))->read_at, std::nullopt);
    EXPECT_EQ(must(ledger.count(nux, Shelf::unread)), 1);
    EXPECT_EQ(must(ledger.count(slit, Shelf::unread)), 0);
    EXPECT_EQ(must(ledger.delivery(message.id, toast)), std::nullopt);
    const auto copies = must(ledger.deliveries(message.id));
    EXPECT_EQ(copies.size(), 2u);
    EXPECT_FALSE(copies.front().copy) << "those by cc come last";
    EXPECT_TRUE(copies.back().copy);
    return true;
  });
}

TEST_P(StoreContract, OnlyUnreadMailThatNoRuleHoldsIsWakeful) {
  const AgentId nux = add_agent("nux");
  const AgentId slit = add_agent("slit");
  const auto wakeful = [&] {
    return read([&](Ledger& ledger) { return must(ledger.has_wakeful_mail(nux, clock().now())); });
  };
  EXPECT_FALSE(wakeful());
  const Message message = post(slit, {nux});
  EXPECT_TRUE(wakeful());
  change_copy(message.id, nux, [](Delivery& copy) { copy.held_by = "L2"; });
  EXPECT_FALSE(wakeful());
  const Message other = post(slit, {nux, slit});
  EXPECT_TRUE(wakeful());
  using Field = std::optional<Instant> Delivery::*;
  for (Field field : {&Delivery::read_at, &Delivery::archived_at, &Delivery::deleted_at}) {
    change_copy(other.id, nux, [&](Delivery& copy) { copy.*field = clock().now(); });
    EXPECT_FALSE(wakeful());
    change_copy(other.id, nux, [&](Delivery& copy) { copy.*field = std::nullopt; });
    EXPECT_TRUE(wakeful());
  }
}

TEST_P(StoreContract, AHoldThatEndsByItselfWakesFromItsEndOn) {
  const AgentId nux = add_agent("nux");
  const Message message = post(add_agent("slit"), {nux});
  const Instant end = clock().now() + std::chrono::seconds(60);
  change_copy(message.id, nux, [&](Delivery& copy) {
    copy.held_by = "L2";
    copy.held_until = end;
  });
  read([&](Ledger& ledger) {
    EXPECT_FALSE(must(ledger.has_wakeful_mail(nux, end - Millis(1))));
    EXPECT_TRUE(must(ledger.has_wakeful_mail(nux, end)));
    return true;
  });
}

TEST_P(StoreContract, StaleIsWhatIsReadUnpinnedUnarchivedAndOlder) {
  const AgentId nux = add_agent("nux");
  const AgentId slit = add_agent("slit");
  const auto read_mail = [&](const std::function<void(Delivery&)>& change) {
    const Message message = post(slit, {nux, slit});
    change_copy(message.id, nux, [&](Delivery& copy) {
      copy.read_at = clock().now();
      change(copy);
    });
    return message.id;
  };
  const MessageId stale = read_mail([](Delivery&) {});
  read_mail([](Delivery& copy) { copy.read_at = std::nullopt; });
  read_mail([](Delivery& copy) { copy.pinned = true; });
  read_mail([&](Delivery& copy) { copy.archived_at = clock().now(); });
  read_mail([&](Delivery& copy) { copy.deleted_at = clock().now(); });
  const MessageId stale_too = read_mail([](Delivery&) {});
  clock().advance(Millis(10));
  const Instant boundary = clock().now();
  read_mail([](Delivery&) {});
  read([&](Ledger& ledger) {
    EXPECT_EQ(must(ledger.stale(nux, boundary)), (std::vector<MessageId>{stale, stale_too}));
    EXPECT_EQ(must(ledger.stale(nux, boundary + Millis(1))).size(), 3u);
    EXPECT_TRUE(must(ledger.stale(slit, boundary)).empty());
    return true;
  });
}

TEST_P(StoreContract, TheNewestUnreadMessageAboutATopicIsFound) {
  const AgentId nux = add_agent("nux"), slit = add_agent("slit"), toast = add_agent("toast");
  const Message first = post(nux, {slit, toast}), second = post(nux, {slit}), other = post(slit, {toast});
  write([&](Ledger& ledger) {
    for (const auto* message : {&first, &second, &other}) must(ledger.add_topic(message->id, -7));
  });
  const auto found = [&](AgentId sender, AgentId mailbox, std::int64_t digest = -7) {
    return reading(store(), [&](Ledger& ledger) -> std::optional<MessageId> {
      const auto message = must(ledger.unread_on_topic(sender, digest, mailbox));
      return message ? std::optional(message->id) : std::nullopt;
    });
  };
  EXPECT_EQ(found(nux, slit), second.id);
  EXPECT_EQ(found(nux, toast), first.id);
  EXPECT_EQ(found(toast, slit), std::nullopt) << "another sender's is another matter";
  EXPECT_EQ(found(nux, slit, 8), std::nullopt);
  write([&](Ledger& ledger) {
    auto copy = must(ledger.delivery(second.id, slit)).value();
    copy.read_at = clock().now();
    must(ledger.update_delivery(copy));
  });
  EXPECT_EQ(found(nux, slit), first.id);
  write([&](Ledger& ledger) { must(ledger.erase_message(first.id)); });
  EXPECT_EQ(found(nux, slit), std::nullopt);
  EXPECT_EQ(found(nux, toast), std::nullopt);
}

TEST_P(StoreContract, SendTimesAreNewestFirstSinceAnInstant) {
  const AgentId nux = add_agent("nux");
  const AgentId slit = add_agent("slit");
  const AgentId toast = add_agent("toast");
  const Instant start = clock().now();
  const auto at = [&](int second) { return start + std::chrono::seconds(second); };
  for (int second = 0; second < 6; ++second) {
    clock().set(at(second));
    post(nux, second % 2 == 0 ? std::vector{slit} : std::vector{slit, toast});
    post(slit, {toast});
  }
  read([&](Ledger& ledger) {
    using Instants = std::vector<Instant>;
    EXPECT_EQ(must(ledger.send_times(nux, std::nullopt, {at(3), at(9)}, 10)), (Instants{at(5), at(4), at(3)}));
    EXPECT_EQ(must(ledger.send_times(nux, std::nullopt, {start, at(9)}, 2)), (Instants{at(5), at(4)}));
    EXPECT_EQ(must(ledger.send_times(nux, toast, {start, at(9)}, 10)), (Instants{at(5), at(3), at(1)}));
    EXPECT_EQ(must(ledger.send_times(nux, toast, {at(2), at(9)}, 10)), (Instants{at(5), at(3)}));
    EXPECT_EQ(must(ledger.send_times(nux, toast, {start, at(9)}, 1)), Instants{at(5)});
    EXPECT_EQ(must(ledger.send_times(nux, slit, {start, at(9)}, 10)).size(), 6u);
    EXPECT_TRUE(must(ledger.send_times(toast, std::nullopt, {start, at(9)}, 10)).empty());
    EXPECT_TRUE(must(ledger.send_times(nux, std::nullopt, {start, at(9)}, 0)).empty());
    EXPECT_EQ(must(ledger.send_times(nux, std::nullopt, {start, at(2)}, 2)), (Instants{at(2), at(1)}))
        << "what lies in the future takes no place";
    EXPECT_EQ(must(ledger.send_times(nux, toast, {start, at(3)}, 10)), (Instants{at(3), at(1)}));
    return true;
  });
}

TEST_P(StoreContract, EqualDigestsOfOneSenderAreFoundNewestFirst) {
  const AgentId nux = add_agent("nux");
  const AgentId slit = add_agent("slit");
  const auto with = [](std::int64_t digest) { return [digest](Message& m) { m.digest = digest; }; };
  const Message first = post(nux, {slit}, with(-5));
  post(nux, {slit}, with(6));
  post(nux, {slit});
  post(slit, {nux}, with(-5));
  const Message second = post(nux, {slit}, with(-5));
  read([&](Ledger& ledger) {
    EXPECT_EQ(must(ledger.with_digest(nux, -5)), (std::vector<Message>{second, first}));
    EXPECT_TRUE(must(ledger.with_digest(nux, 7)).empty());
    return true;
  });
}

TEST_P(StoreContract, RepliesAreFoundOldestFirst) {
  const AgentId nux = add_agent("nux");
  const Message question = post(nux, {nux});
  const auto answer = [&](Message& m) { m.reply_to = question.id; };
  const Message first = post(nux, {nux}, answer);
  post(nux, {nux});
  const Message second = post(nux, {nux}, answer);
  EXPECT_EQ(read([&](Ledger& ledger) { return must(ledger.replies(question.id)); }),
            (std::vector<MessageId>{first.id, second.id}));
  EXPECT_TRUE(read([&](Ledger& ledger) { return must(ledger.replies(first.id)); }).empty());
}

TEST_P(StoreContract, RepliesOwedAreListedForBothSidesUntilTheyAreSettled) {
  const AgentId nux = add_agent("nux");
  const AgentId slit = add_agent("slit");
  const AgentId toast = add_agent("toast");
  const auto wanted = [&](Message& m) { m.reply_by = clock().now() + Millis(1); };
  const Message first = post(nux, {slit, toast}, wanted);
  const Message second = post(nux, {slit}, wanted);
  write([&](Ledger& ledger) {
    must(ledger.owe_reply(first, slit));
    must(ledger.owe_reply(first, toast));
    must(ledger.owe_reply(first, toast));  // twice is once
    must(ledger.owe_reply(second, slit));
  });
  using Ids = std::vector<MessageId>;
  read([&](Ledger& ledger) {
    EXPECT_EQ(ids_of(must(ledger.replies_owed_to(nux, 10))), (Ids{second.id, first.id}));
    EXPECT_EQ(ids_of(must(ledger.replies_owed_to(nux, 1))), Ids{second.id});
    EXPECT_EQ(ids_of(must(ledger.replies_owed_by(slit, 10))), (Ids{second.id, first.id}));
    EXPECT_EQ(ids_of(must(ledger.replies_owed_by(toast, 10))), Ids{first.id});
    EXPECT_EQ(must(ledger.replies_owed_by(toast, 10)).at(0).body, "") << "bodies are not read";
    EXPECT_EQ(must(ledger.debtors(first.id)), (std::vector<AgentId>{slit, toast}));
    return true;
  });
  write([&](Ledger& ledger) {
    must(ledger.settle_reply(first.id, toast));
    must(ledger.erase_message(second.id));
  });
  read([&](Ledger& ledger) {
    EXPECT_EQ(ids_of(must(ledger.replies_owed_to(nux, 10))), Ids{first.id});
    EXPECT_EQ(must(ledger.debtors(first.id)), std::vector<AgentId>{slit});
    EXPECT_TRUE(must(ledger.replies_owed_by(toast, 10)).empty());
    EXPECT_TRUE(must(ledger.debtors(second.id)).empty());
    return true;
  });
}

TEST_P(StoreContract, UnreadCopiesOfASenderAreFoundSinceAnInstant) {
  const AgentId nux = add_agent("nux");
  const AgentId slit = add_agent("slit");
  const AgentId toast = add_agent("toast");
  post(nux, {slit});
  clock().advance(Millis(1));
  const Instant since = clock().now();
  const Message both = post(nux, {slit, toast});
  const Message deleted = post(nux, {slit});
  post(slit, {toast});
  change_copy(both.id, slit, [&](Delivery& copy) { copy.read_at = clock().now(); });
  change_copy(deleted.id, slit, [&](Delivery& copy) { copy.deleted_at = clock().now(); });
  const auto unread = read([&](Ledger& ledger) { return must(ledger.unread_from(nux, since)); });
  ASSERT_EQ(unread.size(), 1u);
  EXPECT_EQ(unread[0].message, both.id);
  EXPECT_EQ(unread[0].mailbox, toast);
}

TEST_P(StoreContract, AKeyBelongsToItsSenderAndKeepsTheLastAnswer) {
  const AgentId nux = add_agent("nux");
  const AgentId slit = add_agent("slit");
  const std::string key = "k'1\" é";
  write([&](Ledger& ledger) {
    must(ledger.put_key(nux, key, {{11}, -1, clock().now()}));
    must(ledger.put_key(slit, key, {{12}, 2, clock().now()}));
    must(ledger.put_key(nux, key, {{13}, INT64_MAX, clock().now() + Millis(5)}));
  });
  read([&](Ledger& ledger) {
    const auto found = must(ledger.find_key(nux, key)).value();
    EXPECT_EQ(found.message, MessageId{13});
    EXPECT_EQ(found.digest, INT64_MAX);
    EXPECT_EQ(found.at, clock().now() + Millis(5));
    EXPECT_EQ(must(ledger.find_key(slit, key))->message, MessageId{12});
    EXPECT_FALSE(must(ledger.find_key(nux, "other")).has_value());
    return true;
  });
}

}  // namespace
}  // namespace townpost
