#include <algorithm>

#include "base/text.h"
#include "ops/outcomes.h"
#include "ops/shapes.h"
#include "ops/table.h"
#include "post/mail/mailroom.h"

namespace townpost::ops {

namespace {

Result<Answer> mark(Call& call, Mark mark) {
  TRY(town, call.town());
  TRY(caller, call.caller());
  TRY(outcomes, Mailroom(*town).mark(call.args.list("id"), mark, caller));
  return told(outcomes);
}

/// True: the caller means all that `every` says. False: the ids. Both, or neither, is an error.
Result<bool> asked_for(const Call& call, const std::string& every) {
  const bool all = call.args.flag(every);
  if (all != call.args.list("id").empty())
    return fail_argument("id", all ? every + " and ids are mutually exclusive" : "message ID required",
                         "give ids, or " + next("", {{every, "true"}}));
  return all;
}

Op marking(std::string_view name, std::string_view summary, const Example& example, Mark what,
           Effect effect = Effect::idempotent) {
  return Op{.name = name,
            .summary = summary,
            .args = {many("id", "ID", "The messages", ArgKind::message_id)},
            .authority = by_owner(),
            .where = Where::anywhere,
            .effect = effect,
            .result = [] { return shapes::outcomes(); },
            .examples = {example},
            .run = [what](Call& call) { return mark(call, what); }};
}

}  // namespace

const Op& mail_ack() {
  static const Op op{
      .name = "mail.ack",
      .summary = "Mark messages read and, if asked for, acknowledge them",
      .args = {maybe_many("id", "ID", "The messages", ArgKind::message_id), flag("all", "Everything unread")},
      .authority = by_owner(),
      .where = Where::anywhere,
      .effect = Effect::idempotent,
      .result = [] { return shapes::outcomes(); },
      .examples = {{"gt mail ack hq-m-1a2b3c hq-m-4d5e6f", ""}, {"gt mail ack --all", ""}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(all, asked_for(call, "all"));
        if (!all) return mark(call, Mark::read);
        TRY(town, call.town());
        TRY(caller, call.caller());
        TRY(outcomes, Mailroom(*town).mark_all_read(caller));
        return told(outcomes);
      }};
  return op;
}

const Op& mail_archive() {
  static const Op op{
      .name = "mail.archive",
      .summary = "Archive messages; they stay searchable",
      .args = {maybe_many("id", "ID", "The messages", ArgKind::message_id),
               flag("stale", "Archive all that is read, unpinned and older than `older`"),
               with_default("24h", option("older", "24h", "With `stale`: the age", ArgKind::duration))},
      .other_words = {{.typed = "dry-run", .instead = "it can be undone: `mail.unarchive id=ID`"},
                      {.typed = "all", .instead = "`mail.archive stale` takes everything read and older than a day"}},
      .authority = by_owner(),
      .where = Where::anywhere,
      .effect = Effect::idempotent,
      .result = [] { return shapes::outcomes(); },
      .examples = {{"gt mail archive hq-m-1a2b3c", ""}, {"gt mail archive --stale --older 7d", ""}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(stale, asked_for(call, "stale"));
        if (!stale) return mark(call, Mark::archived);
        TRY(town, call.town());
        TRY(caller, call.caller());
        TRY(outcomes, Mailroom(*town).archive_stale(*call.args.duration("older"), caller));
        return told(outcomes);
      }};
  return op;
}

const Op& mail_mark_unread() {
  static const Op op =
      marking("mail.mark-unread", "Mark messages unread again", {"gt mail mark-unread hq-m-1a2b3c", ""}, Mark::unread);
  return op;
}
const Op& mail_unarchive() {
  static const Op op = marking("mail.unarchive", "Move archived messages back to the inbox",
                               {"gt mail unarchive hq-m-1a2b3c", ""}, Mark::unarchived);
  return op;
}
const Op& mail_delete() {
  static const Op op = marking("mail.delete", "Delete messages from your mailbox", {"gt mail delete hq-m-1a2b3c", ""},
                               Mark::deleted, Effect::destroys);
  return op;
}
const Op& mail_pin() {
  static const Op op = marking("mail.pin", "Pin messages: they are never archived by age",
                               {"gt mail pin hq-m-1a2b3c", ""}, Mark::pinned);
  return op;
}
const Op& mail_unpin() {
  static const Op op = marking("mail.unpin", "Unpin messages", {"gt mail unpin hq-m-1a2b3c", ""}, Mark::unpinned);
  return op;
}

const Op& mail_drain() {
  static const Op op{
      .name = "mail.drain",
      .summary = "Archive old protocol chatter you have read; never help, hand-overs, escalations or other mail",
      .args = {with_default("30m", option("older", "30m", "Sent before this time", ArgKind::duration)),
               flag("unread", "Include unread protocol chatter")},
      .authority = by_owner(),
      .where = Where::anywhere,
      .effect = Effect::idempotent,
      .result = [] { return shapes::outcomes(); },
      .examples = {{"gt mail drain", ""}, {"gt mail drain --older 2h --unread", ""}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(town, call.town());
        TRY(caller, call.caller());
        const auto chatter = call.args.flag("unread") ? Mailroom::Chatter::unread_too : Mailroom::Chatter::read;
        TRY(outcomes, Mailroom(*town).drain(*call.args.duration("older"), chatter, caller));
        return told(outcomes);
      }};
  return op;
}

}  // namespace townpost::ops
