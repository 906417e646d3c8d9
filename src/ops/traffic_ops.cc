#include <algorithm>

#include "ops/listing.h"
#include "ops/outcomes.h"
#include "ops/shapes.h"
#include "ops/table.h"
#include "ops/views.h"
#include "post/mail/traffic.h"

namespace townpost {

JsonObject views::sent_mail(const SentMail& sent, const Settings& settings) {
  auto entry = mail(sent.mail, settings);
  JsonArray recipients;
  for (const auto& [address, copy] : sent.copies) {
    JsonObject recipient;
    recipient["address"] = shown(address, settings);
    recipient["cc"] = copy.copy;
    recipient["state"] = copy.acked_at       ? "acked"
                         : copy.read_at      ? "read"
                         : copy.deleted_at   ? "deleted"
                         : copy.delivered_at ? "delivered"
                         : copy.announced_at ? "offered"
                                             : "waiting";
    recipients.push_back(std::move(recipient));
  }
  for (const auto& list : sent.lists) {
    JsonObject recipient;
    recipient["address"] = list.address;
    recipient["cc"] = list.copy;
    recipient["state"] = name(list.state);
    recipients.push_back(std::move(recipient));
  }
  entry["recipients"] = std::move(recipients);
  return entry;
}

namespace ops {

const Op& mail_traffic() {
  static const Op op{
      .name = "mail.traffic",
      .summary = "List mail sent and received together, newest first, and what became of it; changes nothing",
      .args = {option("agent", "ADDR", "Whose (default: yours)", ArgKind::address),
               for_people(flag("all", "Everybody's")), flag("unread", "Unread only"),
               one_of({"user", "infrastructure"},
                      option("filter", "F", "user: without what programs tell each other; infrastructure: only that")),
               option("thread", "ID", "Only this conversation"),
               option("query", "WORDS", "Only what has these words in subject, body or sender"), limit(),
               option("cursor", "SEQ", "Continue after the item with this seq", ArgKind::integer)},
      .authority = by_owner("agent"),
      .where = Where::anywhere,
      .effect = Effect::reads,
      .result = [] { return shape::list_of(shapes::sent_message()); },
      .columns = columns::sent_messages(),
      .examples = {{"gt mail traffic", "your mail, both ways"},
                   {"gt mail traffic --all --filter user", "what everyone writes"}},
      .run = [](Call& call) -> Result<Answer> {
        const auto& args = call.args;
        TRY(town, call.town());
        TRY(caller, call.caller());
        TrafficQuery query{.whose = args.maybe_text("agent"),
                           .whole_town = args.flag("all"),
                           .unread_only = args.flag("unread"),
                           .thread = args.text("thread"),
                           .words = args.text("query"),
                           .before_seq = args.integer("cursor"),
                           .limit = args.limit()};
        using Between = TrafficQuery::Between;
        if (const auto filter = args.text("filter"); !filter.empty())
          query.between = filter == "user" ? Between::people : Between::programs;
        TRY(page, Traffic(*town).list(query, caller));
        JsonArray out;
        std::vector<MessageId> ids;
        for (const auto& sent : page.mails) {
          out.push_back(views::sent_mail(sent, town->settings));
          ids.push_back(sent.mail.message.id);
        }
        remember_listing(call, ids);
        const auto more = page.next ? std::max<std::int64_t>(page.more, 1) : 0;
        return Answer{.json = std::move(out), .extent = Extent{.total = page.total, .more = more, .cursor = page.next}};
      }};
  return op;
}

const Op& mail_look() {
  static const Op op{.name = "mail.look",
                     .summary = "Show a message as `mail.read` does, and change nothing: the sender learns nothing",
                     .args = {one("id", "ID", "The message", ArgKind::message_id)},
                     .authority = by_participants(),
                     .where = Where::anywhere,
                     .effect = Effect::reads,
                     .result = [] { return shapes::message(); },
                     .examples = {{"gt mail look hq-m-1a2b3c", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(town, call.town());
                       TRY(caller, call.caller());
                       TRY(mail, Mailroom(*town).look(*call.args.message_id("id"), caller));
                       return Answer{.json = views::mail(mail, town->settings)};
                     }};
  return op;
}

const Op& mail_seen() {
  static const Op op{.name = "mail.seen",
                     .summary = "Mark messages read, and acknowledge nothing",
                     .args = {many("id", "ID", "The messages", ArgKind::message_id)},
                     .authority = by_owner(),
                     .where = Where::anywhere,
                     .effect = Effect::idempotent,
                     .result = [] { return shapes::outcomes(); },
                     .examples = {{"gt mail seen hq-m-1a2b3c", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(town, call.town());
                       TRY(caller, call.caller());
                       TRY(outcomes, Mailroom(*town).mark(call.args.list("id"), Mark::seen, caller));
                       return told(outcomes);
                     }};
  return op;
}

}  // namespace ops
}  // namespace townpost
