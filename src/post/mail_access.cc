#include "post/mail_access.h"

#include "base/text.h"
#include "post/membership.h"

namespace townpost {

namespace {

Failure no_message(Ledger& ledger, MessageId id) {
  if (const auto record = ledger.pruned_post(id); record && *record)
    return fail(Code::not_found,
                cat(id.str(), " (\"", shorten((*record)->subject, 80), "\" by ", (*record)->from,
                    ") was pruned from its channel at ", rfc3339((*record)->pruned_at), ": ", (*record)->reason),
                "its text is gone; channels keep what their limits let stay");
  return fail(Code::not_found, cat("no message ", id.str()), "gt mail inbox lists yours");
}

/// Posts are for everybody; a queue's messages are for those who may claim them.
Result<bool> is_open_to(Ledger& ledger, MessageId id, const Agent& viewer) {
  TRY(channel, ledger.channel_of(id));
  if (channel) return true;
  TRY(item, ledger.item(id));
  if (!item) return false;
  if (item->holder == viewer.id && viewer.id.key != 0) return true;
  TRY(queue, ledger.queue(item->queue));
  if (!queue) return false;
  return may_claim(ledger, queue->claimers, viewer);
}

}  // namespace

Result<Agent> own_mailbox(Ledger& ledger, const Caller& caller) {
  TRY(found, ledger.find_agent(caller.address.str()));
  if (found) return *found;
  return Agent{.id = {}, .address = caller.address};
}

Result<bool> is_in_thread(Ledger& ledger, std::string_view thread, AgentId who) {
  TRY(messages, ledger.thread(thread));
  if (!messages.empty() && messages.front().sender == who) return true;
  for (const auto& message : messages) {
    TRY(copy, ledger.delivery(message.id, who));
    if (copy) return true;
  }
  return false;
}

Result<std::optional<Delivery>> shown_copy(Ledger& ledger, const OpenedMail& mail) {
  if (mail.own) return mail.own;
  TRY(copies, ledger.deliveries(mail.message.id));
  if (copies.empty()) return std::optional<Delivery>();
  return std::optional<Delivery>(copies.front());
}

Result<OpenedMail> open_mail(Ledger& ledger, MessageId id, const Agent& viewer, const Caller& caller) {
  TRY(message, ledger.message(id));
  if (!message) return no_message(ledger, id);
  TRY(own, ledger.delivery(id, viewer.id));
  if (own && own->deleted_at) {
    if (message->sender != viewer.id) return no_message(ledger, id);
    own.reset();
  }
  if (!own && message->sender != viewer.id && !caller.is_person()) {
    TRY(part, is_in_thread(ledger, message->thread, viewer.id));
    TRY(open, is_open_to(ledger, id, viewer));
    if (!part && !open)
      return fail(Code::forbidden, cat(id.str(), " is not ", viewer.address.str(), "'s mail"),
                  "you may read what you sent, received or are part of the thread of");
  }
  return OpenedMail{*message, own};
}

Result<Withheld> Withheld::from_reader(Ledger& ledger, const Caller& reader) {
  Withheld out;
  if (reader.is_person()) return out;
  TRY(cares, ledger.cares());
  TRY(self, own_mailbox(ledger, reader));
  for (const auto& care : cares)
    if (care.quarantined_at && care.agent != self.id) out.quarantined_.insert(care.agent);
  return out;
}

void Withheld::strip(Message& message) const {
  if (!covers(message)) return;
  message.subject = cat("withheld: ", message.from, " is quarantined");
  message.body.clear();
}

}  // namespace townpost
