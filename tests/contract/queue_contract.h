#pragma once
#include "contract/store_contract.h"

namespace townpost {

/// A store with two workers, for queues.
class QueueContract : public StoreContract {
 protected:
  static constexpr Millis kLease = std::chrono::minutes(10);

  AgentId nux() const { return nux_; }
  AgentId slit() const { return slit_; }

  QueueId add(const Queue& queue) {
    QueueId id;
    write([&](Ledger& ledger) { id = must(ledger.add_queue(queue)); });
    return id;
  }
  QueueId add(const std::string& name) {
    return add({.id = {}, .name = name, .claimers = "*", .created_at = clock().now()});
  }
  /// A message in the queue.
  MessageId put(QueueId queue, int rank = 0) {
    MessageId id;
    write([&](Ledger& ledger) {
      id = post(ledger, nux_, {}).id;
      must(ledger.add_item({.message = id, .queue = queue, .rank = rank}));
    });
    return id;
  }
  QueueItem item(MessageId id) {
    return read([&](Ledger& ledger) { return must(ledger.item(id)).value(); });
  }
  std::optional<QueueItem> claim(QueueId queue, AgentId who) { return claim_at(store(), queue, who); }
  std::optional<QueueItem> claim_at(Store& where, QueueId queue, AgentId who) {
    std::optional<QueueItem> out;
    const Instant now = clock().now();
    must(where.look_then_write([&](Ledger& ledger) -> Result<> {
      TRY_VOID(ledger.take_turn());
      TRY(claimed, ledger.claim_next(queue, who, now, now + kLease));
      if (claimed) out = claimed->item;
      return {};
    }));
    return out;
  }
  std::vector<QueueItem> end_leases(QueueId queue, int max_attempts) {
    std::vector<QueueItem> out;
    write([&](Ledger& ledger) { out = must(ledger.end_leases(queue, max_attempts, clock().now())); });
    return out;
  }
  QueueCounts counts(QueueId queue, int max_attempts = 5) {
    return read([&](Ledger& ledger) { return must(ledger.count_items(queue, max_attempts, clock().now())); });
  }
  /// Whether a conditional change was done; one that answers with an item tells how it then is.
  template <class Change>
  bool change(const Change& work) {
    bool done = false;
    write([&](Ledger& ledger) {
      const auto answer = must(work(ledger));
      done = answer ? true : false;
      if constexpr (requires { answer->message; }) {
        if (answer) {
          EXPECT_EQ(must(ledger.item(answer->message)), answer);
        }
      }
    });
    return done;
  }

 private:
  AgentId nux_ = add_agent("nux");
  AgentId slit_ = add_agent("slit");
};

inline void PrintTo(const QueueCounts& c, std::ostream* out) {
  *out << c.available << " available, " << c.processing << " processing, " << c.completed << " completed, " << c.failed
       << " failed";
}
inline void PrintTo(const QueueItem& i, std::ostream* out) {
  *out << i.message.str() << " in queue " << i.queue.key << ", state " << static_cast<int>(i.state) << ", rank "
       << i.rank << ", attempts " << i.attempts << ", holder " << (i.holder ? i.holder->key : 0) << ", claimed "
       << (i.claimed_at ? i.claimed_at->ms : 0) << ", lease until " << i.lease_until.ms << ", ended "
       << (i.ended_at ? i.ended_at->ms : 0) << ", reason \"" << i.reason << "\"";
}

}  // namespace townpost
