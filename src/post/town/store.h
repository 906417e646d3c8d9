#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "post/town/lists_ledger.h"
#include "post/town/log_ledger.h"
#include "post/town/nudge_ledger.h"
#include "post/town/turn.h"
#include "post/values/agent.h"
#include "post/values/mail.h"
#include "post/values/message.h"

namespace townpost {

/// So long a key stands for the send it was first used for.
constexpr Millis kKeyLife = std::chrono::hours(24);

/// The answer given to an idempotency key.
struct KeyedSend {
  MessageId message;
  std::int64_t digest = 0;
  Instant at;
  std::string answer;  ///< what became of each recipient, to be told again
};

enum class Shelf {
  inbox,
  unread,
  archived,
  offered,  ///< unread, and neither for a previous holder of its bead nor from somebody in quarantine
};

/// How much of a message is read: everything, all but its body, or all but its body and recipients, which may be long.
enum class Parts { all, bodiless, headers };

/// Which mail of a mailbox, in the order priority, then newest first (archived: newest first).
struct MailQuery {
  AgentId mailbox;
  Shelf shelf = Shelf::inbox;
  std::optional<AgentId> from;
  std::optional<MessageType> type;
  std::optional<std::int64_t> after_seq;  ///< go on behind this item of the last page
  int limit = 50;
  Parts parts = Parts::all;
};

/// Who sent a message of a thread to whom: one for each recipient, `to` is nobody where there is none.
struct ThreadLink {
  MessageId message;
  AgentId from;
  std::optional<AgentId> to;
  std::optional<MessageId> reply_to;
  MessageType type = MessageType::notification;
  friend bool operator==(const ThreadLink&, const ThreadLink&) = default;
};

/// Rigs, agents and their other names, as one transaction sees them. Belongs to the thread of its transaction.
class RegistryLedger {
 public:
  virtual ~RegistryLedger() = default;
  virtual Result<std::vector<Rig>> rigs() = 0;
  virtual Result<> add_rig(const Rig& rig) = 0;
  virtual Result<> remove_rig(std::string_view name) = 0;

  virtual Result<std::vector<Agent>> agents() = 0;               ///< all that are not removed, by address
  virtual Result<std::vector<Agent>> agents_with_process() = 0;  ///< of them: those that are known by a process
  virtual Result<std::optional<Agent>> agent(AgentId id) = 0;
  /// By canonical address or alias, removed ones too.
  virtual Result<std::optional<Agent>> find_agent(std::string_view address) = 0;
  virtual Result<AgentId> add_agent(const Agent& agent) = 0;
  /// Whether this transaction added somebody: then whoever trusts an old look at the registry must look again.
  virtual bool added_somebody() const = 0;
  virtual Result<> update_agent(const Agent& agent) = 0;
  /// Notes what the agent was shown last (rule L1), and nothing else of it.
  virtual Result<> update_shown(const Agent& agent) = 0;

  /// The agent whose own address this is, removed or not; aliases do not count.
  virtual Result<std::optional<Agent>> agent_at(std::string_view address) = 0;
  virtual Result<> add_alias(std::string_view address, AgentId agent) = 0;
  virtual Result<> remove_alias(std::string_view address) = 0;
  virtual Result<std::vector<std::string>> aliases(AgentId agent) = 0;
  /// All mail, sent and received, of `from` becomes `to`'s; a message that both have keeps `to`'s copy. What rules and
  /// people decided about `from` goes along: the stricter wins.
  virtual Result<> merge_mailboxes(AgentId from, AgentId to) = 0;
};

/// What an id is one of.
enum class IdsOf { messages, nudges, pruned_posts };

/// Messages and their copies, as one transaction sees them. Belongs to the thread of its transaction.
class MailLedger {
 public:
  virtual ~MailLedger() = default;
  /// The sequence number that the next message of the town gets.
  virtual Result<std::int64_t> next_seq() = 0;
  virtual Result<> add_message(const Message& message) = 0;
  virtual Result<> add_delivery(const Delivery& delivery) = 0;
  virtual Result<> update_delivery(const Delivery& delivery) = 0;
  /// Removes the message and its copies for good.
  virtual Result<> erase_message(MessageId id) = 0;

  virtual Result<std::optional<Message>> message(MessageId id, Parts parts = Parts::all) = 0;
  virtual Result<std::optional<MessageId>> message_with_seq(std::int64_t seq) = 0;
  virtual Result<std::optional<Delivery>> delivery(MessageId id, AgentId mailbox) = 0;
  virtual Result<std::vector<Delivery>> deliveries(MessageId id) = 0;

  /// Keys like these, the newest first, at most `most`: of what `whose` sent, has, or has claimed; of everybody's if
  /// nobody is named. What was pruned is nobody's.
  virtual Result<std::vector<std::int64_t>> ids_alike(IdsOf kind, const KeysAlike& keys, std::optional<AgentId> whose,
                                                      int most) = 0;

  virtual Result<std::vector<Mail>> list(const MailQuery& query) = 0;
  virtual Result<std::int64_t> count(AgentId mailbox, Shelf shelf) = 0;
  virtual Result<std::int64_t> count_held(AgentId mailbox, Instant now) = 0;  ///< unread mail that a rule holds back
  /// Of each sender that has any: its messages that a rule holds back from somebody who has not read them.
  virtual Result<std::map<AgentId, std::int64_t>> count_held_sent(Instant now) = 0;
  /// Whether something of Shelf::offered waits that no rule holds back (any longer).
  virtual Result<bool> has_wakeful_mail(AgentId mailbox, Instant now) = 0;
  /// When a rule next lets go of unread mail that it holds back.
  virtual Result<std::optional<Instant>> next_hold_end(AgentId mailbox, Instant now) = 0;
  /// Ids of mail that is read, unpinned, unarchived and sent before `before`.
  virtual Result<std::vector<MessageId>> stale(AgentId mailbox, Instant before) = 0;
  virtual Result<std::vector<Message>> thread(std::string_view thread, Parts parts = Parts::all) = 0;  ///< oldest first
  virtual Result<std::vector<ThreadLink>> thread_links(std::string_view thread) = 0;                   ///< oldest first
  /// Ids of what is on the shelf, in no order.
  virtual Result<std::vector<MessageId>> ids(AgentId mailbox, Shelf shelf) = 0;
  virtual Result<std::int64_t> count_sent(AgentId sender, std::optional<std::int64_t> before_seq) = 0;
  virtual Result<std::vector<Message>> sent(AgentId sender, std::optional<std::int64_t> before_seq, int limit,
                                            Parts parts = Parts::all) = 0;
  /// Messages to or from `mailbox`, or everybody's with the mailbox's copies, that may contain `query`, newest first;
  /// the caller verifies each. Stops when told.
  enum class SearchIn { own_mail, town };
  virtual Result<> search(AgentId mailbox, SearchIn where, std::string_view query,
                          const std::function<bool(const Mail&)>& keep_going) = 0;
  /// Brings the search index up to date, at most `most` messages; how many are still to do.
  virtual Result<std::int64_t> index_for_search(int most) = 0;

  /// When `sender` sent its messages within `window`, newest first, at most `most`; with `mailbox`, only those to it.
  /// Posts that were pruned since count as well.
  virtual Result<std::vector<Instant>> send_times(AgentId sender, std::optional<AgentId> mailbox, Window window,
                                                  int most) = 0;
  /// The longest chain of answers that one of these messages stands in, of the newest `most`.
  virtual Result<int> most_hops_sent(AgentId sender, Window window, int most) = 0;
  virtual Result<std::vector<Message>> with_digest(AgentId sender, std::int64_t digest) = 0;
  /// Notes what the message is about, as a number that is the same for the same.
  virtual Result<> add_topic(MessageId message, std::int64_t digest) = 0;
  /// The newest message about that from `sender` which is unread in `mailbox`, without its body.
  virtual Result<std::optional<Message>> unread_on_topic(AgentId sender, std::int64_t digest, AgentId mailbox) = 0;
  virtual Result<std::vector<MessageId>> replies(MessageId id) = 0;
  /// `debtor` owes a reply to the message; until it is settled.
  virtual Result<> owe_reply(const Message& message, AgentId debtor) = 0;
  virtual Result<> settle_reply(MessageId message, AgentId debtor) = 0;
  virtual Result<std::vector<AgentId>> debtors(MessageId message) = 0;  ///< in the order they were addressed
  /// Messages without bodies to which a reply is owed still: to `agent`, or by it. Newest first, at most `most`.
  virtual Result<std::vector<Message>> replies_owed_to(AgentId agent, int most) = 0;
  virtual Result<std::vector<Message>> replies_owed_by(AgentId agent, int most) = 0;
  /// Unread copies of what `sender` sent since `since`.
  virtual Result<std::vector<Delivery>> unread_from(AgentId sender, Instant since) = 0;

  virtual Result<std::optional<KeyedSend>> find_key(AgentId sender, std::string_view key) = 0;
  virtual Result<> put_key(AgentId sender, std::string_view key, const KeyedSend& send) = 0;
};

/// Everything of the town, as one transaction sees it. It belongs to the thread that runs the transaction, and ends
/// with it: nothing keeps one.
class Ledger : public RegistryLedger,
               public MailLedger,
               public GroupLedger,
               public QueueLedger,
               public ChannelLedger,
               public NudgeLedger,
               public LifeLedger,
               public LogLedger,
               public OutboxLedger {
 public:
  /// In Store::look_then_write: waits until no other writer is before this one. From here on it may change anything;
  /// what it read until then may have changed, and the time has gone on. Any other write has its turn already.
  virtual Result<> take_turn() = 0;
  /// Runs `work` as a part of this transaction. If it fails it has changed nothing, its error is the answer, and the
  /// transaction goes on. Error: the whole transaction cannot go on.
  virtual Result<std::optional<Error>> attempt(const std::function<Result<>()>& work) = 0;
};

/// May be run again if the store lost its connection before the commit: it sets what it captures, and never adds to it.
using Transaction = std::function<Result<>(Ledger&)>;

/// Where the town's state is. A write that returned success is on stable storage; one that returned an error left
/// nothing behind. Whether several threads may call at once is the implementation's to say: SqlStore serves one thread
/// at a time, StorePool and GroupCommitStore any number. `work` may run on another thread than its caller's, which
/// waits meanwhile.
class Store {
 public:
  virtual ~Store() = default;
  /// One transaction. Error: what `work` failed with; unavailable, if it is not begun within the caller's patience.
  virtual Result<> run(Access access, const Transaction& work, const Patience& patience) = 0;

  Result<> read(const Transaction& work) { return run(Access::read, work, {}); }
  Result<> write(const Transaction& work) { return run(Access::write, work, {}); }
  /// A write that looks first whether there is anything to do, for what many try at once: until Ledger::take_turn() it
  /// only reads, beside the writers where the store can, and waits for nobody.
  Result<> look_then_write(const Transaction& work) { return run(Access::look_first, work, {}); }
};

/// The value that `work` finds, in one read.
template <class Work>
auto read_value(Store& store, Work work) -> decltype(work(std::declval<Ledger&>())) {
  std::optional<typename decltype(work(std::declval<Ledger&>()))::value_type> out;
  TRY_VOID(store.read([&](Ledger& ledger) -> Result<> {
    TRY(value, work(ledger));
    out.emplace(std::move(value));
    return {};
  }));
  return std::move(*out);
}

}  // namespace townpost
