#include <rapidcheck.h>

#include <algorithm>

#include "contract/store_contract.h"

namespace townpost {
namespace {

/// What a mailbox should hold, kept beside the store in the simplest way.
struct ModelCopy {
  MessageId id;
  AgentId sender;
  Priority priority = Priority::normal;
  MessageType type = MessageType::notification;
  bool read = false;
  bool archived = false;
  bool deleted = false;
};

enum class Step { send, read, unread, archive, unarchive, remove };

/// One step of a random life of a mailbox.
struct Action {
  Step step = Step::send;
  unsigned target = 0;  ///< which of the messages sent so far
  Priority priority = Priority::normal;
  MessageType type = MessageType::notification;
  bool from_second = false;
};

void showValue(const Action& action, std::ostream& out) {
  static constexpr const char* kNames[] = {"send", "read", "unread", "archive", "unarchive", "remove"};
  out << kNames[static_cast<int>(action.step)];
  if (action.step == Step::send)
    out << " priority " << static_cast<int>(action.priority) << " type " << static_cast<int>(action.type) << " sender "
        << (action.from_second ? 2 : 1);
  else
    out << " #" << action.target;
}

rc::Gen<std::vector<Action>> actions() {
  const auto action = rc::gen::build<Action>(
      rc::gen::set(&Action::step, rc::gen::weightedElement<Step>({{6, Step::send},
                                                                  {3, Step::read},
                                                                  {1, Step::unread},
                                                                  {2, Step::archive},
                                                                  {1, Step::unarchive},
                                                                  {1, Step::remove}})),
      rc::gen::set(&Action::target, rc::gen::inRange(0u, 1000u)),
      rc::gen::set(&Action::priority,
                   rc::gen::map(rc::gen::inRange(0, 5), [](int n) { return static_cast<Priority>(n); })),
      rc::gen::set(&Action::type,
                   rc::gen::map(rc::gen::inRange(0, 5), [](int n) { return static_cast<MessageType>(n); })),
      rc::gen::set(&Action::from_second, rc::gen::arbitrary<bool>()));
  return rc::gen::container<std::vector<Action>>(action);
}

bool is_on(Shelf shelf, const ModelCopy& copy) {
  if (copy.deleted) return false;
  if (shelf == Shelf::archived) return copy.archived;
  return !copy.archived && (shelf == Shelf::inbox || !copy.read);
}

std::vector<MessageId> expected(const std::vector<ModelCopy>& model, const MailQuery& query) {
  std::vector<ModelCopy> chosen;
  for (const auto& copy : model)
    if (is_on(query.shelf, copy) && (!query.from || copy.sender == *query.from) &&
        (!query.type || copy.type == *query.type))
      chosen.push_back(copy);
  std::sort(chosen.begin(), chosen.end(), [&](const ModelCopy& a, const ModelCopy& b) {
    if (query.shelf != Shelf::archived && a.priority != b.priority) return a.priority < b.priority;
    return a.id > b.id;
  });
  std::vector<MessageId> out;
  for (const auto& copy : chosen) out.push_back(copy.id);
  return out;
}

/// The whole list, page by page, as a front end with a cursor sees it.
std::vector<MessageId> by_pages(Ledger& ledger, MailQuery query) {
  std::vector<MessageId> out;
  while (true) {
    const auto page = ids_of(must(ledger.list(query)));
    if (page.size() > static_cast<std::size_t>(query.limit)) throw std::runtime_error("a page over its limit");
    if (page.empty()) return out;
    out.insert(out.end(), page.begin(), page.end());
    if (out.size() > 10'000) throw std::runtime_error("the pages never end");
    query.after_seq = page.back().seq();
  }
}

TEST_P(StoreContract, ListsAndCountsAreExactAfterAnyLifeOfAMailbox) {
  const bool holds = rc::check("lists and counts match a simple model", [&] {
    const AgentId mailbox = fresh_agent();
    const AgentId neighbour = fresh_agent();
    const AgentId senders[2] = {fresh_agent(), fresh_agent()};
    std::vector<ModelCopy> model;
    write([&](Ledger& ledger) {
      for (const auto& action : *actions()) {
        if (action.step == Step::send) {
          const AgentId sender = senders[action.from_second ? 1 : 0];
          const Message message = post(ledger, sender, {mailbox, neighbour}, [&](Message& m) {
            m.priority = action.priority;
            m.type = action.type;
          });
          model.push_back({message.id, sender, action.priority, action.type});
          continue;
        }
        if (model.empty()) continue;
        ModelCopy& wanted = model[action.target % model.size()];
        Delivery copy = must(ledger.delivery(wanted.id, mailbox)).value();
        if (action.step == Step::read || action.step == Step::unread) wanted.read = action.step == Step::read;
        if (action.step == Step::archive || action.step == Step::unarchive)
          wanted.archived = action.step == Step::archive;
        if (action.step == Step::remove) wanted.deleted = true;
        const auto instant = [&](bool set) { return set ? std::optional(clock().now()) : std::nullopt; };
        copy.read_at = instant(wanted.read);
        copy.archived_at = instant(wanted.archived);
        copy.deleted_at = instant(wanted.deleted);
        must(ledger.update_delivery(copy));
      }
    });
    const int page_size = *rc::gen::inRange(1, 8);
    const auto type = *rc::gen::maybe(rc::gen::element(MessageType::notification, MessageType::task));
    for (const Shelf shelf : {Shelf::inbox, Shelf::unread, Shelf::archived}) {
      MailQuery query{.mailbox = mailbox, .shelf = shelf, .limit = page_size};
      const auto all = expected(model, query);
      RC_ASSERT(read([&](Ledger& ledger) { return by_pages(ledger, query); }) == all);
      RC_ASSERT(read([&](Ledger& ledger) { return must(ledger.count(mailbox, shelf)); }) ==
                static_cast<std::int64_t>(all.size()));
      if (type) query.type = *type;
      query.from = senders[0];
      RC_ASSERT(read([&](Ledger& ledger) { return by_pages(ledger, query); }) == expected(model, query));
    }
    RC_ASSERT(read([&](Ledger& ledger) { return must(ledger.count(neighbour, Shelf::unread)); }) ==
              static_cast<std::int64_t>(model.size()));
  });
  EXPECT_TRUE(holds);
}

TEST_P(StoreContract, UrgentMailComesFirstThenTheNewest) {
  const AgentId nux = add_agent("nux");
  const auto of = [&](Priority priority) { return post(nux, {nux}, [&](Message& m) { m.priority = priority; }).id; };
  const MessageId low = of(Priority::lowest);
  const MessageId urgent = of(Priority::urgent);
  const MessageId normal = of(Priority::normal);
  const MessageId urgent_too = of(Priority::urgent);
  const MessageId high = of(Priority::high);
  EXPECT_EQ(ids_of(read([&](Ledger& ledger) { return must(ledger.list({.mailbox = nux})); })),
            (std::vector<MessageId>{urgent_too, urgent, high, normal, low}));
}

TEST_P(StoreContract, AListShowsEachMessageWithItsOwnCopy) {
  const AgentId nux = add_agent("nux");
  const AgentId slit = add_agent("slit");
  const Message message = post(slit, {slit, nux}, [](Message& m) { m.subject = "hello"; });
  change_copy(message.id, nux, [&](Delivery& copy) { copy.pinned = true; });
  const auto mails = read([&](Ledger& ledger) { return must(ledger.list({.mailbox = nux})); });
  ASSERT_EQ(mails.size(), 1u);
  EXPECT_EQ(mails[0].message, message);
  ASSERT_TRUE(mails[0].delivery.has_value());
  EXPECT_EQ(mails[0].delivery->mailbox, nux);
  EXPECT_TRUE(mails[0].delivery->pinned);
}

TEST_P(StoreContract, APageGoesOnBehindAnItemThatWasArchivedMeanwhile) {
  const AgentId nux = add_agent("nux");
  std::vector<MessageId> sent;
  for (int i = 0; i < 4; ++i) sent.push_back(post(nux, {nux}).id);
  change_copy(sent[2], nux, [&](Delivery& copy) { copy.archived_at = clock().now(); });
  EXPECT_EQ(ids_of(read([&](Ledger& ledger) {
              return must(ledger.list({.mailbox = nux, .after_seq = sent[2].seq(), .limit = 10}));
            })),
            (std::vector<MessageId>{sent[1], sent[0]}));
}

TEST_P(StoreContract, AMailboxThatNobodyHasIsEmpty) {
  read([&](Ledger& ledger) {
    EXPECT_TRUE(must(ledger.list({.mailbox = {4711}})).empty());
    EXPECT_EQ(must(ledger.count({4711}, Shelf::inbox)), 0);
    EXPECT_FALSE(must(ledger.has_wakeful_mail({4711}, clock().now())));
    return true;
  });
}

TEST_P(StoreContract, AThreadIsOldestFirst) {
  const AgentId nux = add_agent("nux");
  const AgentId slit = add_agent("slit");
  const auto in = [](const char* thread) { return [thread](Message& m) { m.thread = thread; }; };
  const Message first = post(nux, {slit}, in("thread-a"));
  post(nux, {slit}, in("thread-b"));
  const Message second = post(slit, {nux}, in("thread-a"));
  read([&](Ledger& ledger) {
    EXPECT_EQ(must(ledger.thread("thread-a")), (std::vector<Message>{first, second}));
    EXPECT_TRUE(must(ledger.thread("thread-")).empty());
    EXPECT_TRUE(must(ledger.thread("")).empty());
    return true;
  });
}

TEST_P(StoreContract, SentMailIsNewestFirstInPages) {
  const AgentId nux = add_agent("nux");
  const AgentId slit = add_agent("slit");
  std::vector<MessageId> wanted;
  for (int i = 0; i < 7; ++i) {
    wanted.insert(wanted.begin(), post(nux, {slit}).id);
    post(slit, {nux});
  }
  for (const int size : {1, 2, 3, 7, 50}) {
    std::vector<MessageId> got;
    std::optional<std::int64_t> before;
    while (true) {
      const auto page = ids_of(read([&](Ledger& ledger) { return must(ledger.sent(nux, before, size)); }));
      if (page.empty() || got.size() > wanted.size()) break;
      got.insert(got.end(), page.begin(), page.end());
      before = page.back().seq();
    }
    EXPECT_EQ(got, wanted) << "in pages of " << size;
  }
}

}  // namespace
}  // namespace townpost
