#include "post/mail_access.h"

#include "base/text.h"

namespace townpost {

namespace {

Failure no_message(MessageId id) {
  return fail(Code::not_found, cat("no message ", id.str()), "gt mail inbox lists yours");
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
  if (!message) return no_message(id);
  TRY(own, ledger.delivery(id, viewer.id));
  if (own && own->deleted_at) {
    if (message->sender != viewer.id) return no_message(id);
    own.reset();
  }
  if (!own && message->sender != viewer.id && !caller.is_person()) {
    TRY(part, is_in_thread(ledger, message->thread, viewer.id));
    if (!part)
      return fail(Code::forbidden, cat(id.str(), " is not ", viewer.address.str(), "'s mail"),
                  "you may read what you sent, received or are part of the thread of");
  }
  return OpenedMail{*message, own};
}

}  // namespace townpost
