#pragma once
#include <map>
#include <set>
#include <vector>

#include "post/town/store.h"
#include "store/columns.h"
#include "store/db/database.h"

namespace townpost {

/// So many keys go into one statement; where there are fewer, the others are NULL, which equals nothing.
constexpr std::size_t kMany = 40;
#define ANY_OF_MANY                                                                                       \
  "$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, " \
  "$23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37, $38, $39, $40"

/// The statements of the store: registry in registry_sql.cc, mail in mail_sql.cc, mail_lists_sql.cc and search_sql.cc,
/// groups, queues and channels in group_sql.cc, queue_sql.cc, channel_sql.cc and posts_sql.cc, what is taken back in
/// recall_sql.cc, nudges in nudge_sql.cc, agents' lives in life_sql.cc, tokens in token_sql.cc, the log in log_sql.cc,
/// the outbox in outbox_sql.cc. For the thread of its transaction.
class SqlLedger final : public Ledger {
 public:
  /// What has been numbered so far, with what this transaction gave; the store's own count goes up at its end.
  struct Numbers {
    std::int64_t last_event = 0;
    std::int64_t last_duty = 0;
    friend bool operator==(const Numbers&, const Numbers&) = default;
  };
  /// What was given, and what of it the store knows of.
  struct Count {
    std::optional<Numbers> given;
    std::optional<Numbers> stored;
    Instant newest_event_at;
  };

  SqlLedger(Database& database, Access access) : SqlLedger(database, access, {}) {}
  /// Another one of the same transaction, which goes on counting where the last one was.
  SqlLedger(Database& database, Access access, const Count& count) : db_(database), access_(access), count_(count) {}
  const Count& count() const { return count_; }
  /// Before the commit: numbers are counted up, once for all that the transaction gave. With finish() listeners will be
  /// told, too.
  Result<> settle();
  Result<> finish();
  const std::vector<BellKey>& rung() const { return rung_; }

  Result<> take_turn() override;
  Result<std::vector<Rig>> rigs() override;
  Result<> add_rig(const Rig& rig) override;
  Result<> remove_rig(std::string_view name) override;
  Result<std::vector<Agent>> agents() override;
  Result<std::vector<Agent>> agents_with_process() override;
  Result<std::optional<Agent>> agent(AgentId id) override;
  Result<std::optional<Agent>> find_agent(std::string_view address) override;
  Result<AgentId> add_agent(const Agent& agent) override;
  bool added_somebody() const override { return added_somebody_; }
  Result<std::optional<Agent>> agent_at(std::string_view address) override;
  Result<> update_agent(const Agent& agent) override;
  Result<> update_shown(const Agent& agent) override;
  Result<> add_alias(std::string_view address, AgentId agent) override;
  Result<> remove_alias(std::string_view address) override;
  Result<std::vector<std::string>> aliases(AgentId agent) override;
  Result<> merge_mailboxes(AgentId from, AgentId to) override;

  Result<std::int64_t> next_seq() override;
  Result<> add_message(const Message& message) override;
  Result<> add_delivery(const Delivery& delivery) override;
  Result<> update_delivery(const Delivery& delivery) override;
  Result<> erase_message(MessageId id) override;
  Result<std::optional<Message>> message(MessageId id, Parts parts) override;
  Result<std::optional<MessageId>> message_with_seq(std::int64_t seq) override;
  Result<std::optional<Delivery>> delivery(MessageId id, AgentId mailbox) override;
  Result<std::vector<Delivery>> deliveries(MessageId id) override;
  Result<std::vector<std::int64_t>> ids_alike(IdsOf kind, const KeysAlike& keys, std::optional<AgentId> whose,
                                              int most) override;
  Result<std::vector<Mail>> list(const MailQuery& query) override;
  Result<std::vector<Mail>> newest(const NewestQuery& query) override;
  Result<std::int64_t> count(AgentId mailbox, Shelf shelf) override;
  Result<std::int64_t> count_held(AgentId mailbox, Instant now) override;
  Result<std::map<AgentId, std::int64_t>> count_held_sent(Instant now) override;
  Result<bool> has_wakeful_mail(AgentId mailbox, Instant now) override;
  Result<std::optional<Instant>> next_hold_end(AgentId mailbox, Instant now) override;
  Result<std::vector<MessageId>> stale(AgentId mailbox, Instant before) override;
  Result<std::vector<Message>> thread(std::string_view thread, Parts parts) override;
  Result<std::vector<ThreadLink>> thread_links(std::string_view thread) override;
  Result<std::vector<MessageId>> ids(AgentId mailbox, Shelf shelf) override;
  Result<std::int64_t> count_sent(AgentId sender, std::optional<std::int64_t> before_seq) override;
  Result<std::vector<Message>> sent(AgentId sender, std::optional<std::int64_t> before_seq, int limit,
                                    Parts parts) override;
  Result<> search(AgentId mailbox, SearchIn where, std::string_view query,
                  const std::function<bool(const Mail&)>& keep_going) override;
  Result<std::int64_t> index_for_search(int most) override;
  Result<> add_topic(MessageId message, std::int64_t digest) override;
  Result<std::optional<Message>> unread_on_topic(AgentId sender, std::int64_t digest, AgentId mailbox) override;
  Result<int> most_hops_sent(AgentId sender, Window window, int most) override;
  Result<std::vector<Instant>> send_times(AgentId sender, std::optional<AgentId> mailbox, Window window,
                                          int most) override;
  Result<std::vector<Message>> with_digest(AgentId sender, std::int64_t digest) override;
  Result<std::vector<MessageId>> replies(MessageId id) override;
  Result<> owe_reply(const Message& message, AgentId debtor) override;
  Result<> settle_reply(MessageId message, AgentId debtor) override;
  Result<std::vector<AgentId>> debtors(MessageId message) override;
  Result<std::vector<Message>> replies_owed_to(AgentId agent, int most) override;
  Result<std::vector<Message>> replies_owed_by(AgentId agent, int most) override;
  Result<std::vector<Delivery>> unread_from(AgentId sender, Instant since) override;
  Result<std::optional<KeyedSend>> find_key(AgentId sender, std::string_view key) override;
  Result<> put_key(AgentId sender, std::string_view key, const KeyedSend& send) override;

  Result<std::vector<Group>> groups() override;
  Result<std::vector<std::string>> group_names() override;
  Result<std::optional<Group>> find_group(std::string_view name) override;
  Result<> add_group(const Group& group) override;
  Result<> remove_group(std::string_view name) override;
  Result<> bind_bare_name(std::string_view group) override;
  Result<std::int64_t> count_groups_of(AgentId creator) override;
  Result<bool> add_member(std::string_view group, std::string_view member) override;
  Result<bool> remove_member(std::string_view group, std::string_view member) override;

  Result<std::vector<Queue>> queues() override;
  Result<std::optional<Queue>> find_queue(std::string_view name) override;
  Result<std::optional<Queue>> queue(QueueId id) override;
  Result<std::optional<Queue>> queue_of(MessageId message) override;
  Result<QueueId> add_queue(const Queue& queue) override;
  Result<> update_queue(const Queue& queue) override;
  Result<> delete_queue(QueueId id, Instant now) override;
  Result<> add_item(const QueueItem& item) override;
  Result<std::optional<QueueItem>> item(MessageId message) override;
  Result<std::optional<Claimed>> claim_next(QueueId queue, AgentId holder, Instant now, Instant until) override;
  Result<std::vector<QueueItem>> end_leases(QueueId queue, int max_attempts, Instant now) override;
  Result<std::optional<QueueItem>> complete_item(MessageId message, AgentId holder, Instant now) override;
  Result<std::optional<QueueItem>> release_item(MessageId message, AgentId holder) override;
  Result<std::optional<QueueItem>> fail_item(MessageId message, AgentId holder, int max_attempts,
                                             std::string_view reason, Instant now) override;
  Result<std::optional<QueueItem>> extend_lease(MessageId message, AgentId holder, Instant until) override;
  Result<> move_leases(Instant since, Millis by, Millis longest) override;
  Result<bool> retry_item(MessageId message) override;
  Result<std::vector<QueueItem>> take_back_items(AgentId sender, Instant since) override;
  Result<std::optional<MessageId>> oldest_available(QueueId queue) override;
  Result<> withhold_items(AgentId sender) override;
  Result<std::int64_t> count_withheld_items(QueueId queue) override;
  Result<std::int64_t> count_leased(QueueId queue, Instant now) override;
  Result<QueueCounts> count_items(QueueId queue, int max_attempts, const LeaseTime& time) override;
  Result<QueueStir> stir(QueueId queue, Instant now) override;
  Result<std::optional<QueueOffer>> find_offer(std::string_view name, Instant now) override;
  void foresee_claim(std::string_view caller, std::string_view queue, Instant now) override;
  void foresee_end(std::string_view caller, MessageId message) override;
  Result<std::optional<Instant>> next_lease_end(QueueId queue) override;
  Result<std::vector<QueueItem>> items(QueueId queue, ItemState state, int most) override;

  Result<std::vector<Channel>> channels() override;
  Result<std::optional<Channel>> find_channel(std::string_view name) override;
  Result<std::optional<Channel>> channel(ChannelId id) override;
  Result<ChannelId> add_channel(const Channel& channel) override;
  Result<> update_channel(const Channel& channel) override;
  Result<> delete_channel(ChannelId id, Instant now) override;
  Result<std::int64_t> count_channels_of(AgentId creator) override;
  Result<> add_post(ChannelId channel, const Message& message, std::string_view held_by) override;
  Result<> prune_post(const PrunedPost& record) override;
  Result<std::optional<PrunedPost>> pruned_post(MessageId message) override;
  Result<std::vector<PrunedPost>> pruned_posts(ChannelId channel, int most) override;
  Result<std::optional<Post>> post(MessageId message) override;
  Result<std::vector<Message>> news(const NewsQuery& query, int limit) override;
  Result<std::int64_t> count_news(const NewsQuery& query) override;
  Result<bool> has_wakeful_news(const NewsQuery& query) override;
  Result<std::vector<Message>> news_of(AgentId author, MessageId upto, const NewsQuery& query, int limit) override;
  Result<std::int64_t> count_news_of(AgentId author, MessageId upto, const NewsQuery& query) override;
  Result<std::vector<Message>> newest_posts(const PostsQuery& query) override;
  Result<std::int64_t> count_posts(ChannelId channel, Instant since, MessageId below) override;
  Result<MessageId> newest_post(ChannelId channel) override;
  Result<std::optional<Instant>> oldest_post_at(ChannelId channel) override;
  Result<std::vector<MessageId>> surplus_posts(ChannelId channel, std::int64_t keep, int most) override;
  Result<std::vector<MessageId>> old_posts(ChannelId channel, Instant before, int most) override;
  Result<std::vector<Subscription>> subscriptions(ChannelId channel) override;
  Result<std::vector<Subscription>> subscriptions_of(AgentId agent) override;
  Result<std::vector<Subscription>> waking_subscriptions(ChannelId channel) override;
  Result<bool> add_subscription(const Subscription& subscription) override;
  Result<bool> remove_subscription(ChannelId channel, std::string_view member) override;
  Result<std::optional<Cursor>> cursor(ChannelId channel, AgentId reader) override;
  Result<> set_cursor(ChannelId channel, AgentId reader, const Cursor& cursor) override;
  Result<std::vector<AuthorCursor>> author_cursors(ChannelId channel, AgentId reader) override;
  Result<> set_author_cursor(ChannelId channel, AgentId reader, const AuthorCursor& cursor) override;
  Result<> remove_author_cursor(ChannelId channel, AgentId reader, AgentId author) override;
  Result<std::vector<Post>> posts_of(AgentId sender, Instant since) override;
  Result<> recall_posts(ChannelId channel, AgentId author, const std::vector<MessageId>& posts, Instant now) override;
  Result<bool> is_kept_for(const Post& recalled, AgentId reader) override;

  Result<std::int64_t> next_nudge_seq(std::int64_t count) override;
  Result<> add_nudge(const Nudge& nudge) override;
  Result<> update_nudge(const Nudge& nudge) override;
  Result<std::optional<Nudge>> nudge(NudgeId id) override;
  Result<std::vector<Nudge>> pending_nudges(AgentId target) override;
  Result<std::vector<Nudge>> pending_nudges_of(const std::vector<AgentId>& targets) override;
  Result<std::vector<AgentId>> agents_with_nudges() override;
  Result<std::vector<Nudge>> nudges(const NudgeQuery& query) override;
  Result<std::vector<Nudge>> outlived_nudges(AwakeTime now, int most) override;
  Result<std::vector<Nudge>> overdue_nudges(AwakeTime now, int most) override;
  Result<std::optional<AwakeTime>> next_nudge_deadline() override;
  Result<std::vector<Instant>> nudge_times(AgentId sender, std::optional<AgentId> target, Window window,
                                           int most) override;
  Result<> erase_ended_nudges(Instant before, int most) override;

  Result<std::optional<Presence>> presence(AgentId agent) override;
  Result<std::vector<Presence>> presences() override;
  Result<std::vector<Presence>> presences_of(const std::vector<AgentId>& agents) override;
  Result<> set_presence(const Presence& presence) override;
  Result<Care> care(AgentId agent) override;
  Result<std::vector<Care>> cares() override;
  Result<std::vector<Care>> cares_of(const std::vector<AgentId>& agents) override;
  Result<std::vector<Agent>> quarantined_agents() override;
  Result<> set_care(const Care& care) override;
  Result<Watch> watch() override;
  Result<> set_watch(const Watch& watch) override;
  Result<> add_wake(const Wake& wake) override;
  Result<std::vector<Instant>> wakes_by_agents(AgentId agent, bool urgent, Window window, int most) override;
  Result<std::int64_t> count_wakes_by_agents(Window window) override;
  Result<std::int64_t> count_wakes(AgentId agent, Window window) override;
  Result<std::vector<Wake>> wakes(Window window) override;
  Result<> forget_wakes(Instant before) override;

  Result<std::vector<Token>> tokens() override;
  Result<std::vector<Token>> tokens_of(AgentId agent) override;
  Result<std::optional<Token>> find_token(std::string_view id) override;
  Result<> add_token(const Token& token) override;
  Result<> update_token(const Token& token) override;
  Result<bool> remove_token(std::string_view id) override;
  Result<> note_token_use(std::string_view id, Instant now, Instant since) override;
  Result<> forget_tokens(Instant now, Instant before) override;

  Result<> add_event(const Event& event) override;
  Result<std::vector<Event>> events_of(MessageId message) override;
  Result<std::vector<Event>> events_of(NudgeId nudge) override;
  Result<std::vector<Event>> events_about(AgentId agent, EventKind kind, Window window, int most) override;
  Result<LogPage> events_after(const LogQuery& query) override;
  Result<LogExtent> log_extent() override;
  Result<bool> forget_events(Instant before, std::int64_t keep, int most) override;
  /// The log is complete from behind `upto` on, at the best: something before that was erased.
  Result<> note_events_gone(std::int64_t upto);
  Result<> add_duty(const Duty& duty) override;
  Result<bool> has_ready_duties(DutyOwner owner, Instant now) override;
  Result<std::vector<Duty>> lease_duties(DutyOwner owner, Instant now, Instant until, int most) override;
  Result<bool> finish_duty(const Duty& leased) override;
  Result<bool> fail_duty(const Duty& leased, Instant again) override;
  Result<bool> put_off_duty(const Duty& leased, Instant again) override;
  Result<std::vector<Duty>> duties(DutyOwner owner, int most) override;
  void ring(const BellKey& key) override;
  Result<std::optional<Error>> attempt(const std::function<Result<>()>& work) override;

 private:
  /// All rows of a statement, each turned into a value by `make`.
  template <class Make>
  auto all(Sql sql, std::initializer_list<Param> params, Make make)
      -> Result<std::vector<decltype(make(std::declval<const Row&>()))>> {
    std::vector<decltype(make(std::declval<const Row&>()))> out;
    TRY_VOID(db_.run(sql, params, [&](const Row& row) {
      out.push_back(make(row));
      return Next::go_on;
    }));
    return out;
  }
  /// The first row of a statement, if there is one.
  template <class Make>
  auto first(Sql sql, std::initializer_list<Param> params, Make make)
      -> Result<std::optional<decltype(make(std::declval<const Row&>()))>> {
    std::optional<decltype(make(std::declval<const Row&>()))> out;
    TRY_VOID(db_.run(sql, params, [&](const Row& row) {
      out = make(row);
      return Next::stop;
    }));
    return out;
  }
  /// All rows of a statement about some agents: `for_one` takes one of them as $1, `for_many` ends in IN (ANY_OF_MANY).
  template <class Make>
  auto all_of(const std::vector<AgentId>& agents, Sql for_one, Sql for_many, Make make)
      -> Result<std::vector<decltype(make(std::declval<const Row&>()))>> {
    if (agents.size() == 1) return all(for_one, {agents.front().key}, make);
    std::vector<decltype(make(std::declval<const Row&>()))> out;
    for (std::size_t at = 0; at < agents.size(); at += kMany) {
      std::vector<Param> keys(kMany, Param(std::nullopt));
      for (std::size_t i = 0; i < kMany && at + i < agents.size(); ++i) keys[i] = agents[at + i].key;
      TRY_VOID(db_.execute(for_many, keys, [&](const Row& row) {
        out.push_back(make(row));
        return Next::go_on;
      }));
    }
    return out;
  }
  Result<> run(Sql sql, std::initializer_list<Param> params) {
    return db_.execute_later(sql, {params.begin(), params.size()});
  }
  /// The same with a whole value.
  template <class Value>
  Result<> run(Sql sql, const columns::Values<Value>& values) {
    return db_.execute_later(sql, values.params());
  }
  /// Adds a value whose key the statement makes, and returns that.
  template <class Value>
  Result<std::int64_t> add_numbered(Sql sql, const Value& value) {
    std::int64_t key = 0;
    TRY_VOID(db_.execute(sql, columns::values(value).params().subspan(1), [&](const Row& row) {
      key = row.integer(0);
      return Next::go_on;
    }));
    return key;
  }
  /// The one number that a statement finds.
  Result<std::int64_t> counted(Sql sql, std::initializer_list<Param> params) {
    TRY(number, first(sql, params, [](const Row& row) { return row.integer(0); }));
    return number.value_or(0);
  }
  /// Whether the statement changed a row.
  Result<bool> changes(Sql sql, std::initializer_list<Param> params) {
    TRY(rows, db_.run(sql, params));
    return rows > 0;
  }
  /// The error for a store without its row of the town's own time: nothing would be held, counted or ended.
  static Failure no_watch();
  static Failure no_numbers();
  Next take_numbers(const Row& row);
  /// take_turn(), if it has none yet; `first` is done in it at once.
  Result<> take_turn_for(std::vector<Question> first);
  Result<> need_numbers();
  struct LogState {
    LogExtent extent;
    std::int64_t swept = 0;
  };
  Result<LogState> log_state();
  /// What is asked for whoever calls, before it is asked.
  void foresee_caller(std::string_view address);
  void foresee_watch();
  void foresee(Sql sql, std::initializer_list<Param> params) { db_.foresee(sql, {params.begin(), params.size()}); }
  /// The one item that a statement changed, if it did.
  Result<std::optional<QueueItem>> changed_item(Sql sql, std::initializer_list<Param> params);

  Database& db_;
  Access access_;
  bool added_somebody_ = false;
  std::vector<BellKey> rung_;  ///< each once, in the order they were first rung
  std::set<BellKey> known_rings_;
  Count count_;
};

}  // namespace townpost
