#include "post/lists/mail_place.h"

#include "post/lists/channel_place.h"
#include "post/lists/queues.h"
#include "post/rules/holder.h"

namespace townpost {

namespace {

Result<> note_work(Ledger& ledger, Mail& mail, const Caller& reader, Instant now) {
  TRY(item, ledger.item(mail.message.id));
  if (!item) return {};  // taken back
  TRY(queued, queued_mail(ledger, mail.message.id, now));
  TRY(reason, reason_for(ledger, queued, reader));
  queued.item.reason = reason;
  mail.work = work_of(queued);
  return {};
}

Result<> note_post(Ledger& ledger, Mail& mail, const Caller& reader) {
  TRY(post, ledger.post(mail.message.id));
  if (!post) return {};
  TRY(self, own_mailbox(ledger, reader));
  TRY(place, ChannelPlace::of(ledger, post->channel, self.id));
  mail.post_read = place.has_read(mail.message);
  return {};
}

}  // namespace

Result<> note_place(Ledger& ledger, Mail& mail, const Caller& reader, Instant now) {
  TRY_VOID(note_holder(ledger, mail));
  // Nearly all mail is in neither.
  if (!list_addressed(mail.message, "queue:").empty()) TRY_VOID(note_work(ledger, mail, reader, now));
  if (!list_addressed(mail.message, "channel:").empty()) TRY_VOID(note_post(ledger, mail, reader));
  return {};
}

}  // namespace townpost
