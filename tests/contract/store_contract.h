#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "contract/must.h"
#include "contract/stores.h"

namespace townpost {

/// What every store must do. Each test gets an empty store of the kind under test; nothing here knows which.
class StoreContract : public ::testing::TestWithParam<StoreKind> {
 protected:
  Store& store() { return *store_; }
  /// Another connection to the same data.
  std::unique_ptr<Store> second_store() { return open_store(*site_); }
  ManualClock& clock() { return clock_; }

  template <class Work>
  auto read(const Work& work) {
    return reading(*store_, work);
  }
  template <class Work>
  void write(const Work& work) {
    writing(*store_, work);
  }

  AgentId add_agent(const std::string& address) {
    AgentId id;
    write([&](Ledger& ledger) {
      id = must(ledger.add_agent(
          {.id = {}, .address = must(Address::parse(address)), .session = "", .created_at = clock_.now()}));
    });
    return id;
  }
  /// An agent that no other part of the test knows.
  AgentId fresh_agent() { return add_agent("fresh" + std::to_string(++fresh_)); }

  using Change = std::function<void(Message&)>;
  /// A message that is not stored yet, with the id it would get.
  Message draft(Ledger& ledger, AgentId from, const Change& change = {}) {
    Message message;
    message.id = MessageId::make(must(ledger.next_seq()), random_);
    message.created_at = clock_.now();
    message.sender = from;
    message.from = must(ledger.agent(from))->address.str();
    message.to = {"mayor/"};
    message.subject = "news";
    message.body = "body";
    message.thread = "thread-" + message.id.str();
    if (change) change(message);
    return message;
  }
  Message post(Ledger& ledger, AgentId from, const std::vector<AgentId>& to, const Change& change = {}) {
    const Message message = draft(ledger, from, change);
    must(ledger.add_message(message));
    for (const auto mailbox : to)
      must(ledger.add_delivery({.message = message.id, .mailbox = mailbox, .priority = message.priority}));
    return message;
  }
  Message post(AgentId from, const std::vector<AgentId>& to, const Change& change = {}) {
    Message message;
    write([&](Ledger& ledger) { message = post(ledger, from, to, change); });
    return message;
  }

  void change_copy(MessageId id, AgentId mailbox, const std::function<void(Delivery&)>& change) {
    write([&](Ledger& ledger) {
      auto copy = must(ledger.delivery(id, mailbox)).value();
      change(copy);
      must(ledger.update_delivery(copy));
    });
  }

 private:
  std::unique_ptr<StoreSite> site_ = GetParam().make_site();
  std::unique_ptr<Store> store_ = open_store(*site_);
  ManualClock clock_;
  SeededRandom random_{20'240'501};
  int fresh_ = 0;
};

template <class Item>
std::vector<MessageId> ids_of(const std::vector<Item>& items) {
  std::vector<MessageId> out;
  for (const auto& item : items) {
    if constexpr (requires { item.message.id; })
      out.push_back(item.message.id);
    else
      out.push_back(item.id);
  }
  return out;
}

inline void PrintTo(const MessageId& id, std::ostream* out) { *out << id.str() << " (seq " << id.seq() << ")"; }
inline void PrintTo(const Instant& at, std::ostream* out) { *out << rfc3339(at); }
inline void PrintTo(const AgentId& id, std::ostream* out) { *out << "agent " << id.key; }

}  // namespace townpost
