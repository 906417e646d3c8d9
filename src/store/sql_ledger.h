#pragma once
#include <vector>

#include "post/store.h"
#include "store/db/database.h"

namespace townpost {

/// The statements of the store: registry in registry_sql.cc, mail in mail_sql.cc, mail_lists_sql.cc and search_sql.cc,
/// log and outbox in log_sql.cc.
class SqlLedger final : public Ledger {
 public:
  explicit SqlLedger(Database& database) : db_(database) {}

  Result<std::vector<Rig>> rigs() override;
  Result<> add_rig(const Rig& rig) override;
  Result<> remove_rig(std::string_view name) override;
  Result<std::vector<Agent>> agents() override;
  Result<std::optional<Agent>> agent(AgentId id) override;
  Result<std::optional<Agent>> find_agent(std::string_view address) override;
  Result<AgentId> add_agent(const Agent& agent) override;
  bool added_somebody() const override { return added_somebody_; }
  Result<std::optional<Agent>> agent_at(std::string_view address) override;
  Result<> update_agent(const Agent& agent) override;
  Result<> add_alias(std::string_view address, AgentId agent) override;
  Result<> remove_alias(std::string_view address) override;
  Result<std::vector<std::string>> aliases(AgentId agent) override;
  Result<> merge_mailboxes(AgentId from, AgentId to) override;

  Result<std::int64_t> next_seq() override;
  Result<> add_message(const Message& message) override;
  Result<> add_delivery(const Delivery& delivery) override;
  Result<> update_delivery(const Delivery& delivery) override;
  Result<> erase_message(MessageId id) override;
  Result<std::optional<Message>> message(MessageId id) override;
  Result<std::optional<MessageId>> message_with_seq(std::int64_t seq) override;
  Result<std::optional<Delivery>> delivery(MessageId id, AgentId mailbox) override;
  Result<std::vector<Delivery>> deliveries(MessageId id) override;
  Result<std::vector<Mail>> list(const MailQuery& query) override;
  Result<std::int64_t> count(AgentId mailbox, Shelf shelf) override;
  Result<bool> has_wakeful_mail(AgentId mailbox, Instant now) override;
  Result<std::vector<MessageId>> stale(AgentId mailbox, Instant before) override;
  Result<std::vector<Message>> thread(std::string_view thread) override;
  Result<std::int64_t> count_sent(AgentId sender) override;
  Result<std::vector<Message>> sent(AgentId sender, std::optional<std::int64_t> before_seq, int limit) override;
  Result<> search(AgentId mailbox, std::string_view query, const std::function<bool(const Mail&)>& keep_going) override;
  Result<std::int64_t> index_for_search(int most) override;
  Result<std::vector<Instant>> send_times(AgentId sender, std::optional<AgentId> mailbox, Instant since,
                                          int most) override;
  Result<std::vector<Message>> with_digest(AgentId sender, std::int64_t digest) override;
  Result<std::vector<MessageId>> replies(MessageId id) override;
  Result<std::vector<Message>> reply_wanted_by(AgentId agent) override;
  Result<std::vector<Message>> reply_wanted_from(AgentId agent) override;
  Result<std::vector<Delivery>> unread_from(AgentId sender, Instant since) override;
  Result<std::optional<KeyedSend>> find_key(AgentId sender, std::string_view key) override;
  Result<> put_key(AgentId sender, std::string_view key, const KeyedSend& send) override;

  Result<> add_event(const Event& event) override;
  Result<std::vector<Event>> events_of(MessageId message) override;
  Result<std::vector<Event>> events_about(AgentId agent, std::string_view kind, Instant since, int most) override;
  Result<> add_duty(const Duty& duty) override;
  Result<std::vector<Duty>> due(Instant now, int most) override;
  Result<> remove_duty(std::int64_t id) override;

 private:
  /// All rows of a statement, each turned into a value by `make`.
  template <class Make>
  auto all(std::string_view sql, std::initializer_list<Param> params, Make make)
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
  auto first(std::string_view sql, std::initializer_list<Param> params, Make make)
      -> Result<std::optional<decltype(make(std::declval<const Row&>()))>> {
    std::optional<decltype(make(std::declval<const Row&>()))> out;
    TRY_VOID(db_.run(sql, params, [&](const Row& row) {
      out = make(row);
      return Next::stop;
    }));
    return out;
  }
  Result<> run(std::string_view sql, std::initializer_list<Param> params) {
    TRY_VOID(db_.run(sql, params));
    return {};
  }

  Database& db_;
  bool added_somebody_ = false;
};

}  // namespace townpost
