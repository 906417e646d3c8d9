#include "post/rules/duties.h"

#include <algorithm>

#include "base/text.h"
#include "post/rules/mail_access.h"
#include "post/rules/retention.h"

namespace townpost {

namespace {

constexpr int kShare = 4;
constexpr const char* kUndone = "left undone";  // kept in words: sql_admin.cc looks for them, too
constexpr Millis kPutOff = std::chrono::minutes(10);
constexpr std::size_t kMostReminded = 20;  // by one message of an agent; the others find it in gt todo
constexpr std::size_t kQuoted = 80;        ///< characters of an agent's words in what the town says

Result<> drop_wisp(Town& town, Ledger& ledger, const Message& wisp, Instant now) {
  TRY(copies, ledger.deliveries(wisp.id));
  TRY(item, ledger.item(wisp.id));  // a queue counts what it has done, so it keeps its messages
  const bool waiting = item || std::any_of(copies.begin(), copies.end(),
                                           [](const Delivery& d) { return (!d.read_at && !d.deleted_at) || d.pinned; });
  TRY(next, ledger.next_seq());
  const bool newest = wisp.id.seq() + 1 == next;  // the next message is counted from it, so it must stay until then
  if (waiting || newest)                          // unread mail never vanishes by age: ask again later
    return ledger.add_duty({.due_at = now + town.settings.wisp_age, .kind = kDropWisp, .message = wisp.id});
  TRY_VOID(ledger.erase_message(wisp.id));
  return ledger.add_event(
      {.at = now, .kind = "dropped", .message = wisp.id, .detail = "a wisp, read and past its age"});
}

Result<> prune_by_age(Ledger& ledger, const Duty& duty, Instant now) {
  TRY(channel, ledger.channel({std::atoll(duty.detail.c_str())}));
  if (!channel) return {};
  TRY_VOID(prune(ledger, *channel, now, Slack::ten_percent));
  channel->prune_at.reset();
  TRY_VOID(ledger.update_channel(*channel));
  TRY(oldest, ledger.oldest_post_at(channel->id));
  if (oldest && *oldest + channel->retain_for <= now)
    return {};  // it had to stay for now; the next post notes it again
  return note_prune_by_age(ledger, *channel);
}

Result<> remind(Posting& posting, Ledger& ledger, const Message& message) {
  TRY(owing, still_owing(ledger, message));
  const auto cause = Address::parse(message.from);
  if (cause && cause->role() != Role::human && owing.size() > kMostReminded)
    owing.erase(owing.begin() + kMostReminded, owing.end());
  for (const auto& agent : owing)
    TRY_VOID(posting.store({.to = agent.address,
                            .subject = cat("Reminder: ", message.from, " waits for your reply to its mail ",
                                           in_quotes(message.subject, kQuoted)),
                            .body = cat("The reply is wanted by ", rfc3339(*message.reply_by),
                                        ".\nTo answer: gt mail reply ", message.id.str(), " -m \"...\"\n"),
                            .thread = message.thread,
                            .caused_by = message.from}));
  return {};
}

Result<> escalate_overdue(Town& town, Posting& posting, Ledger& ledger, const Message& message) {
  TRY(owing, still_owing(ledger, message));
  if (owing.empty()) return {};
  const auto others = owing.size() - 1;
  const std::string who =
      cat(owing.front().address.str(), others == 0 ? "" : cat(" and ", others, others == 1 ? " other" : " others"));
  std::vector<std::string> names;
  for (std::size_t i = 0; i < owing.size() && i < kMostReminded; ++i) names.push_back(owing[i].address.str());
  if (names.size() < owing.size()) names.push_back("…");
  TRY_VOID(posting.store(
      {.to = town.settings.escalation,
       .subject = cat("Overdue: ", who, others == 0 ? " has" : " have", " not answered ", message.from, ", who wrote ",
                      in_quotes(message.subject, kQuoted)),
       .body = cat(message.from, " asked for a reply by ", rfc3339(*message.reply_by),
                   ".\nNot answered by: ", join(names, ", "), "\nThe message: gt mail read ", message.id.str(), "\n"),
       .thread = message.thread,
       .type = MessageType::escalation,
       .priority = Priority::high,
       .caused_by = message.from}));
  return {};
}

Result<> carry_out(Town& town, Ledger& ledger, Posting& posting, const Duty& duty, Instant now) {
  TRY_VOID(ledger.remove_duty(duty.id));
  if (duty.kind == kPruneChannel) return prune_by_age(ledger, duty, now);
  if (!duty.message) return {};
  TRY(message, ledger.message(*duty.message, Parts::headers));
  if (!message) return {};
  if (duty.kind == kDropWisp) return drop_wisp(town, ledger, *message, now);
  if (!message->reply_by) return {};
  TRY(quarantined, is_quarantined(ledger, message->sender));
  if (quarantined) {  // nobody is told of it now; lifting the quarantine gives it back
    Duty later = duty;
    later.due_at = now + kPutOff;
    return ledger.add_duty(later);
  }
  if (duty.kind == kRemindOfReply) return remind(posting, ledger, *message);
  if (duty.kind == kReplyOverdue) return escalate_overdue(town, posting, ledger, *message);
  return {};
}

/// An error of the store may pass, so the duty waits; any other would come again for ever, so it ends.
Result<> leave_undone(Ledger& ledger, const Duty& duty, const Error& error, Instant now) {
  TRY_VOID(ledger.remove_duty(duty.id));
  const bool may_pass = error.code == Code::unavailable;
  if (may_pass) {
    Duty later = duty;
    later.due_at = now + kPutOff;
    TRY_VOID(ledger.add_duty(later));
  }
  return note_undone(ledger, duty.message, cat(duty.kind, may_pass ? " was put off: " : " was ended: ", error.message),
                     now);
}

}  // namespace

Result<std::vector<Agent>> still_owing(Ledger& ledger, const Message& message) {
  std::vector<Agent> out;
  TRY(debtors, ledger.debtors(message.id));
  for (const auto debtor : debtors) {
    TRY(agent, ledger.agent(debtor));
    if (agent) out.push_back(*agent);
  }
  return out;
}

Result<> carry_out_duties(Town& town, Ledger& ledger, Posting& posting) {
  const Instant now = town.clock.now();
  TRY(due, ledger.due(now, kShare));
  for (const auto& duty : due) {
    TRY(trouble, ledger.attempt([&] { return carry_out(town, ledger, posting, duty, now); }));
    if (trouble) TRY_VOID(leave_undone(ledger, duty, *trouble, now));
  }
  return {};
}

Result<std::vector<Event>> left_undone(Ledger& ledger, Window window, int most) {
  TRY(system, ledger.find_agent(Address::system().str()));
  if (!system) return std::vector<Event>();
  return ledger.events_about(system->id, kUndone, window, most);
}

Result<> note_undone(Ledger& ledger, std::optional<MessageId> message, const std::string& what, Instant now) {
  constexpr int kMostCompared = 50;
  TRY(earlier, left_undone(ledger, {now - std::chrono::hours(1), now}, kMostCompared));
  for (const auto& event : earlier)
    if (event.detail == what && event.message == message) return {};
  TRY(system, ledger.find_agent(Address::system().str()));
  return ledger.add_event({.at = now,
                           .kind = kUndone,
                           .message = message,
                           .agent = system ? std::optional(system->id) : std::nullopt,
                           .detail = what});
}

}  // namespace townpost
