#include "post/rules/duties.h"

#include <algorithm>

#include "base/text.h"
#include "post/rules/mail_access.h"
#include "post/rules/retention.h"
#include "post/values/shell_words.h"

namespace townpost {

namespace {

constexpr int kShare = 4;
constexpr Millis kPutOff = std::chrono::minutes(10);
constexpr int kMostAttempts = 12;  // with the pauses between them, about three days
constexpr Millis kLongestPause = std::chrono::hours(12);
constexpr int kEventsForgotten = 500;      // by one write, at most
constexpr std::size_t kMostReminded = 20;  // by one message of an agent; the others find it in gt todo
constexpr std::size_t kQuoted = 80;        ///< characters of an agent's words in what the town says

/// One duty in hand.
struct Task {
  Town& town;
  Ledger& ledger;
  Posting& posting;
  const Duty& duty;
  Instant now;
};
/// When to do it again; nothing: it is done.
using Again = std::optional<Instant>;
using MessageWork = Result<Again> (*)(const Task&, const Message&);

Result<Again> drop_wisp(const Task& task, const Message& wisp) {
  auto& ledger = task.ledger;
  TRY(copies, ledger.deliveries(wisp.id));
  TRY(item, ledger.item(wisp.id));  // a queue counts what it has done, so it keeps its messages
  const bool waiting = item || std::any_of(copies.begin(), copies.end(),
                                           [](const Delivery& d) { return (!d.read_at && !d.deleted_at) || d.pinned; });
  TRY(next, ledger.next_seq());
  const bool newest = wisp.id.seq() + 1 == next;  // the next message is counted from it, so it must stay until then
  if (waiting || newest)                          // unread mail never vanishes by age: ask again later
    return Again(task.now + task.town.settings.wisp_age);
  TRY_VOID(ledger.erase_message(wisp.id));
  TRY_VOID(ledger.add_event(
      {.at = task.now, .kind = EventKind::dropped, .message = wisp.id, .detail = "a wisp, read and past its age"}));
  return Again();
}

Result<Again> prune_by_age(const Task& task) {
  auto& ledger = task.ledger;
  TRY(channel, ledger.channel({std::atoll(task.duty.detail.c_str())}));
  if (!channel) return Again();
  TRY_VOID(prune(ledger, *channel, task.now, Slack::ten_percent));
  channel->prune_at.reset();
  TRY_VOID(ledger.update_channel(*channel));
  TRY(oldest, ledger.oldest_post_at(channel->id));
  const bool had_to_stay = oldest && *oldest + channel->retain_for <= task.now;  // the next post notes it again
  if (!had_to_stay) TRY_VOID(note_prune_by_age(ledger, *channel));
  return Again();
}

Result<Again> forget_events(const Task& task) {
  const auto& settings = task.town.settings;
  TRY(more, task.ledger.forget_events(task.now - settings.log_age, settings.log_entries, kEventsForgotten));
  return more ? Again(task.now) : Again();
}

Result<Again> remind(const Task& task, const Message& message) {
  TRY(owing, still_owing(task.ledger, message));
  const auto cause = Address::parse(message.from);
  if (cause && cause->role() != Role::human && owing.size() > kMostReminded)
    owing.erase(owing.begin() + kMostReminded, owing.end());
  for (const auto& agent : owing)
    TRY_VOID(task.posting.store({.to = agent.address,
                                 .subject = cat("Reminder: ", message.from, " waits for your reply to its mail ",
                                                in_quotes(message.subject, kQuoted)),
                                 .body = cat("The reply is wanted by ", rfc3339(*message.reply_by), ".\nTo answer: ",
                                             typed(ShellCommand::answer_mail, message.id.str()), "\n"),
                                 .thread = message.thread,
                                 .caused_by = message.from,
                                 .quotes = message.sender}));
  return Again();
}

Result<Again> escalate_overdue(const Task& task, const Message& message) {
  TRY(owing, still_owing(task.ledger, message));
  if (owing.empty()) return Again();
  const auto others = owing.size() - 1;
  const std::string who =
      cat(owing.front().address.str(), others == 0 ? "" : cat(" and ", others, others == 1 ? " other" : " others"));
  std::vector<std::string> names;
  for (std::size_t i = 0; i < owing.size() && i < kMostReminded; ++i) names.push_back(owing[i].address.str());
  if (names.size() < owing.size()) names.push_back("…");
  TRY_VOID(task.posting.store({.to = task.town.settings.escalation,
                               .subject = cat("Overdue: ", who, others == 0 ? " has" : " have", " not answered ",
                                              message.from, ", who wrote ", in_quotes(message.subject, kQuoted)),
                               .body = cat(message.from, " asked for a reply by ", rfc3339(*message.reply_by),
                                           ".\nNot answered by: ", join(names, ", "),
                                           "\nThe message: ", typed(ShellCommand::read_mail, message.id.str()), "\n"),
                               .thread = message.thread,
                               .type = MessageType::escalation,
                               .priority = Priority::high,
                               .caused_by = message.from,
                               .quotes = message.sender}));
  return Again();
}

/// What is done for a message, as long as that is there.
template <MessageWork work>
Result<Again> with_message(const Task& task) {
  if (!task.duty.message) return Again();
  TRY(message, task.ledger.message(*task.duty.message, Parts::headers));
  if (!message) return Again();
  return work(task, *message);
}

/// What is done about a reply that is owed. While the sender is in quarantine nobody is told of it; lifting the
/// quarantine gives it back.
template <MessageWork work>
Result<Again> with_debt(const Task& task, const Message& message) {
  if (!message.reply_by) return Again();
  TRY(quarantined, is_quarantined(task.ledger, message.sender));
  if (quarantined) return Again(task.now + kPutOff);
  return work(task, message);
}

/// Of another version of gt, which will do it.
Result<Again> leave_alone(const Task& task) { return Again(task.now + std::chrono::hours(1)); }

struct Handler {
  DutyKind kind;
  Result<Again> (*carry_out)(const Task&);
};
constexpr Handler kHandlers[] = {
    {DutyKind::drop_wisp, with_message<drop_wisp>},
    {DutyKind::remind_of_reply, with_message<with_debt<remind>>},
    {DutyKind::reply_overdue, with_message<with_debt<escalate_overdue>>},
    {DutyKind::prune_channel, prune_by_age},
    {DutyKind::forget_events, forget_events},
    {DutyKind::other, leave_alone},
};
static_assert(std::size(kHandlers) == static_cast<std::size_t>(last_value(DutyKind{})) + 1);

Result<> carry_out(const Task& task) {
  for (const auto& handler : kHandlers) {
    if (handler.kind != task.duty.kind) continue;
    TRY(again, handler.carry_out(task));
    if (again)
      TRY_VOID(task.ledger.put_off_duty(task.duty, *again));
    else
      TRY_VOID(task.ledger.finish_duty(task.duty));
  }
  return {};
}

/// Twice as long each time.
Millis pause_after(int attempts) { return std::min(kLongestPause, kPutOff * (1 << std::clamp(attempts - 1, 0, 20))); }

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
  TRY(some, ledger.has_ready_duties(DutyOwner::town, now));
  if (!some) return {};  // as nearly always, and looking costs less than taking nothing
  TRY(taken, ledger.lease_duties(DutyOwner::town, now, now + kPutOff, kShare));
  for (const auto& duty : taken) {
    TRY(trouble, ledger.attempt([&] { return carry_out({town, ledger, posting, duty, now}); }));
    if (trouble) TRY_VOID(duty_failed(ledger, duty, *trouble, now));
  }
  return {};
}

Result<> duty_failed(Ledger& ledger, const Duty& leased, const Error& error, Instant now) {
  const bool may_pass = error.code == Code::unavailable;
  const bool ends = !may_pass || leased.attempts >= kMostAttempts;
  TRY(ours, ends ? ledger.finish_duty(leased) : ledger.fail_duty(leased, now + pause_after(leased.attempts)));
  if (!ours) return {};
  const std::string what = !ends      ? " was put off: "
                           : may_pass ? cat(" was given up after ", leased.attempts, " attempts: ")
                                      : " was ended: ";
  return note_undone(ledger, leased.message, cat(name(leased.kind), what, error.message), now);
}

Result<std::vector<Event>> left_undone(Ledger& ledger, Window window, int most) {
  TRY(system, ledger.find_agent(Address::system().str()));
  if (!system) return std::vector<Event>();
  return ledger.events_about(system->id, EventKind::left_undone, window, most);
}

Result<> note_undone(Ledger& ledger, std::optional<MessageId> message, const std::string& what, Instant now) {
  constexpr int kMostCompared = 50;
  TRY(earlier, left_undone(ledger, {now - std::chrono::hours(1), now}, kMostCompared));
  for (const auto& event : earlier)
    if (event.detail == what && event.message == message) return {};
  TRY(system, ledger.find_agent(Address::system().str()));
  return ledger.add_event({.at = now,
                           .kind = EventKind::left_undone,
                           .message = message,
                           .agent = system ? std::optional(system->id) : std::nullopt,
                           .detail = what,
                           .audience = Audience::people});
}

}  // namespace townpost
