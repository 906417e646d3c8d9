#include "post/duties.h"

#include <algorithm>

#include "base/text.h"
#include "post/retention.h"

namespace townpost {

namespace {

constexpr int kShare = 4;

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
  for (const auto& agent : owing)
    TRY_VOID(posting.store(
        {.to = agent.address,
         .subject = cat("Reminder: ", message.from, " waits for your reply to \"", shorten(message.subject, 80), "\""),
         .body = cat("The reply is wanted by ", rfc3339(*message.reply_by), ".\nTo answer: gt mail reply ",
                     message.id.str(), " -m \"...\"\n"),
         .thread = message.thread}));
  return {};
}

Result<> escalate_overdue(Town& town, Posting& posting, Ledger& ledger, const Message& message) {
  TRY(owing, still_owing(ledger, message));
  for (const auto& agent : owing)
    TRY_VOID(posting.store(
        {.to = town.settings.escalation,
         .subject = cat("Overdue: ", agent.address.str(), " has not answered \"", shorten(message.subject, 80), "\""),
         .body = cat(message.from, " asked for a reply by ", rfc3339(*message.reply_by),
                     ".\nThe message: gt mail read ", message.id.str(), "\n"),
         .thread = message.thread,
         .type = MessageType::escalation,
         .priority = Priority::high}));
  return {};
}

}  // namespace

Result<std::vector<Agent>> still_owing(Ledger& ledger, const Message& message) {
  std::vector<AgentId> answered;
  TRY(replies, ledger.replies(message.id));
  for (const auto id : replies) {
    TRY(reply, ledger.message(id));
    if (reply) answered.push_back(reply->sender);
  }
  std::vector<Agent> out;
  TRY(copies, ledger.deliveries(message.id));
  for (const auto& copy : copies) {
    if (copy.copy || std::find(answered.begin(), answered.end(), copy.mailbox) != answered.end()) continue;
    TRY(agent, ledger.agent(copy.mailbox));
    if (agent) out.push_back(*agent);
  }
  return out;
}

Result<> carry_out_duties(Town& town, Ledger& ledger, Posting& posting) {
  const Instant now = town.clock.now();
  TRY(due, ledger.due(now, kShare));
  for (const auto& duty : due) {
    TRY_VOID(ledger.remove_duty(duty.id));
    if (duty.kind == kPruneChannel) TRY_VOID(prune_by_age(ledger, duty, now));
    if (!duty.message) continue;
    TRY(message, ledger.message(*duty.message));
    if (!message) continue;
    if (duty.kind == kDropWisp) TRY_VOID(drop_wisp(town, ledger, *message, now));
    if (duty.kind == kRemindOfReply && message->reply_by) TRY_VOID(remind(posting, ledger, *message));
    if (duty.kind == kReplyOverdue && message->reply_by) TRY_VOID(escalate_overdue(town, posting, ledger, *message));
  }
  return {};
}

}  // namespace townpost
