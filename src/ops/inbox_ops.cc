#include <algorithm>

#include "base/text.h"
#include "ops/listing.h"
#include "ops/onlooker.h"
#include "ops/shapes.h"
#include "ops/table.h"
#include "ops/views.h"
#include "post/mail/mailroom.h"
#include "post/nudge/announce.h"
#include "post/rules/limits.h"
#include "post/town/hint.h"

namespace townpost::ops {

namespace {

void put_waiting(JsonObject& out, const Mailroom::Waiting& waiting) {
  out["unread"] = waiting.unread;
  JsonArray channels;
  for (const auto& news : waiting.channels) {
    JsonObject entry;
    entry["channel"] = news.channel.name;
    entry["unread"] = news.unread;
    channels.push_back(std::move(entry));
  }
  out["channels"] = std::move(channels);
}

/// Whoever sits at a terminal has seen what is shown there. An agent may have been shown it and lose it the next
/// moment, and a script shows it to somebody or to nobody.
Mailroom::Ack ack_of(const Args& args, const Caller& caller) {
  if (args.flag("ack")) return Mailroom::Ack::yes;
  const bool at_a_terminal = caller.is_person() && caller.grade == Grade::env;
  return at_a_terminal && !args.flag("keep_unread") ? Mailroom::Ack::is_read : Mailroom::Ack::no;
}

}  // namespace

const Op& mail_inbox() {
  static const Op op{
      .name = "mail.inbox",
      .summary = "List a mailbox: everything not archived; changes nothing",
      .args = {maybe_one("address", "ADDR", "Whose mailbox (default: yours)", ArgKind::address),
               flag("all", "Read and unread (the default)"), flag("unread", "Unread only"),
               flag("archived", "List the archive instead"), option("from", "ADDR", "Sent by", ArgKind::address),
               option("type", "TYPE", "Only this type: of mail (task, reply, …) or of the protocol (DONE, HELP, …)"),
               option("bead", "ID", "Only about this bead"),
               flag("pending", "Only mail that still needs your acknowledgement"),
               flag("completions", "Only what ends work: OFFERING_READY, DONE, FAILED, CHECKPOINT"), limit(),
               option("cursor", "SEQ", "Continue after the item with this seq", ArgKind::integer)},
      .other_words = {{"u", "unread"},
                      {"new", "unread"},
                      {"a", "all"},
                      {"archive", "archived"},
                      {"identity", "address"},
                      {"for", "address"},
                      {"agent", "address"},
                      {"user", "address"},
                      {.typed = "since", .instead = "`mail.search query=WORDS since=1h` finds mail by its age"},
                      {.typed = "count", .instead = "`mail.check` counts what is unread"}},
      .authority = by_anyone(),
      .where = Where::anywhere,
      .effect = Effect::reads,
      .result = [] { return shape::list_of(shapes::message()); },
      .columns = columns::messages(),
      .list = {.none = "no mail", .next = next("mail.read", {{"id", "1"}})},
      .examples = {{"gt mail inbox", "your mail"},
                   {"gt mail inbox --unread --json", "for programs"},
                   {"gt mail inbox mayor/ --limit 10", "the mayor's"},
                   {"gt mail inbox --type DONE --bead ol-1", "is it done?"}},
      .run = [](Call& call) -> Result<Answer> {
        const auto& args = call.args;
        if (args.flag("all") && args.flag("unread"))
          return fail_argument("unread", "all and unread are mutually exclusive", "choose one");
        if (args.flag("archived") && args.flag("unread"))
          return fail_argument("unread", "archived and unread are mutually exclusive", "choose one");
        const int limit = args.limit();
        TRY(town, call.town());
        TRY(caller, call.caller());
        Mailroom::InboxQuery query{.whose = args.maybe_text("address"),
                                   .from = args.maybe_text("from"),
                                   .after_seq = args.integer("cursor"),
                                   .limit = limit};
        if (args.flag("unread")) query.shelf = Shelf::unread;
        if (args.flag("archived")) query.shelf = Shelf::archived;
        if (args.has("type")) TRY_VOID(query.filter.set_type(args.text("type"), town->settings.types));
        query.filter.bead = args.text("bead");
        query.filter.pending = args.flag("pending");
        query.filter.completions = args.flag("completions");
        TRY(inbox, Mailroom(*town).inbox(query, caller));
        JsonArray out;
        std::vector<MessageId> ids;
        for (const auto& mail : inbox.mails) {
          out.push_back(
              views::mail(mail, town->settings, inbox.headers_only ? views::Body::without : views::Body::with));
          ids.push_back(mail.message.id);
        }
        remember_listing(call, ids);
        return Answer{.json = std::move(out), .extent = extent_of(inbox.total, inbox.more, ids)};
      }};
  return op;
}

const Op& mail_read() {
  static const Op op{
      .name = "mail.read",
      .summary = "Show messages; this marks them read for a person at a terminal, not for an agent",
      .args = {maybe_many("id", "ID|N", "An id, or a position in your last listing: 2, 1-3, last", ArgKind::message_id),
               flag("ack", "Mark it read and, if asked for, acknowledge it"), flag("keep_unread", "Keep it unread"),
               flag("full", "Print the whole body, however long")},
      .authority = by_participants(),
      .where = Where::anywhere,
      .effect = Effect::idempotent,
      .result =
          [] {
            return shape::one_of({shapes::message(), shape::list_of(shapes::message())});
          },
      .examples = {{"gt mail read hq-m-1a2b3c", ""},
                   {"gt mail read 1", "the first of your last listing"},
                   {"gt mail read 1 --ack", "and acknowledge it"}},
      .run = [](Call& call) -> Result<Answer> {
        const auto ids = call.args.list("id");
        if (ids.empty())
          return fail_argument("id", "message ID or index required", next("mail.inbox", {}, " lists them"));
        if (call.args.flag("ack") && call.args.flag("keep_unread"))
          return fail_argument("keep_unread", "ack and keep_unread are mutually exclusive", "choose one");
        std::vector<MessageId> messages;
        for (const auto& text : ids) {
          TRY(id, MessageId::parse(text));
          messages.push_back(id);
        }
        TRY(town, call.town());
        TRY(caller, call.caller());
        JsonArray out;
        for (const auto id : messages) {
          TRY(mail, Mailroom(*town).read(id, ack_of(call.args, caller), caller));
          out.push_back(views::mail(mail, town->settings));
        }
        if (out.size() == 1) return Answer{.json = std::move(out.front())};
        return Answer{.json = std::move(out)};
      }};
  return op;
}

const Op& mail_peek() {
  static const Op op{.name = "mail.peek",
                     .summary = "Show the first unread message in short; changes nothing",
                     .args = {},
                     .authority = by_owner(),
                     .where = Where::anywhere,
                     .effect = Effect::reads,
                     .result =
                         [] {
                           return shape::or_null(shape::with("peeked_message", shapes::message(),
                                                             {shape::always("preview", shape::text())}));
                         },
                     .examples = {{"gt mail peek", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(town, call.town());
                       TRY(caller, call.caller());
                       Mailroom room(*town);
                       TRY(mail, room.first_unread(caller));
                       if (!mail) return Answer{.json = Json(nullptr), .outcome = Outcome::nothing};
                       auto out = views::mail(*mail, town->settings);
                       out["preview"] = shorten(for_prompt(mail->message.body), 120);
                       return Answer{.json = std::move(out)};
                     }};
  return op;
}

const Op& mail_check() {
  static const Op op{
      .name = "mail.check",
      .summary = "Check for unread mail (exit 0: some, 1: none); `inject` prints it for an agent's prompt",
      .args = {flag("inject", "Print a block for a prompt, with each message once; always exit 0"),
               flag("after_compaction", "With `inject`: announce everything unacknowledged again")},
      .other_words = {{"address", "as"}},
      .authority = by_owner(),
      .where = Where::anywhere,
      .effect = Effect::reads,
      .changes_with = "inject",
      .result = [] { return shapes::waiting(); },
      .examples = {{"gt mail check && gt mail inbox --unread", ""}, {"gt mail check --inject", "in a hook"}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(town, call.town());
        TRY(caller, call.caller());
        Mailroom room(*town);
        TRY(self, room.mailbox_of(caller));
        const auto key = call.caller_key();
        const Hint hint(town->folder, key.value_or("nobody"), town->bell, town->clock);
        const auto stamps = hint.before_look(self.id);
        JsonObject out;
        Answer answer;
        Mailroom::Waiting waiting;
        if (call.args.flag("inject")) {
          TRY(announcement,
              announce(*town, caller, call.args.flag("after_compaction") ? Compaction::yes : Compaction::no));
          out["text"] = announcement.text;
          waiting = {announcement.unread, announcement.all_channels};
          if (is_onlooker(call, caller))
            answer.warnings.push_back(only_a_preview(self.address.str()));
          else
            call.after_handover([town = town, caller = caller, announcement = announcement] {
              return announced(*town, caller, announcement);
            });
        } else {
          TRY(found, room.waiting_now(self));
          waiting = std::move(found);
        }
        put_waiting(out, waiting);
        answer.json = std::move(out);
        answer.outcome = waiting.anything() || call.args.flag("inject") ? Outcome::done : Outcome::nothing;
        // No hint for an identity that is not registered yet (it has no bell of its own), nor while a turn was shown
        // something deep: the harness's look at its end must not be left out (rule L1).
        if (!waiting.anything() && key && self.id.key != 0 && !was_shown_something(self, town->clock.now()))
          hint.nothing_found(stamps);
        return answer;
      },
      .run_without_store = [](Call& call) -> std::optional<Answer> {
        const auto folder = call.town_folder();
        const auto key = call.caller_key();
        if (!folder || !key || !Hint(*folder, *key, call.bell(), call.clock()).nothing_waits_for()) return std::nullopt;
        JsonObject out;
        if (call.args.flag("inject")) out["text"] = "";
        put_waiting(out, {});
        return Answer{.json = std::move(out), .outcome = call.args.flag("inject") ? Outcome::done : Outcome::nothing};
      },
      .fails_open = [](const Args& args) { return args.flag("inject"); }};
  return op;
}

const Op& mail_wait() {
  static const Op op{
      .name = "mail.wait",
      .summary = "Wait until you have unread mail",
      .args = {with_default("60s", option("timeout", "60s", "Give up after this time (exit 8)", ArgKind::duration))},
      .authority = by_owner(),
      .where = Where::anywhere,
      .effect = Effect::reads,
      .result = [] { return shapes::waiting(); },
      .examples = {{"gt mail wait --timeout 10m && gt mail inbox --unread", ""}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(town, call.town());
        TRY(caller, call.caller());
        Mailroom room(*town);
        TRY(self, room.mailbox_of(caller));
        if (self.id.key == 0)
          return fail(Code::not_found, cat(caller.address.str(), " is not registered yet"),
                      next("agent.add", {{"address", caller.address.str()}}));
        TRY(news, room.news_for(self));
        TRY(waiting, room.waiting_now(self));
        JsonObject out;
        put_waiting(out, waiting);
        Answer answer{.json = std::move(out)};
        if (news.arrived) return answer;
        const Instant now = town->clock.now();
        const Instant end = call.request.started_at + *call.args.duration("timeout");
        if (now >= end)
          return fail(Code::timeout, cat("no mail for ", caller.address.str(), " within ", call.args.text("timeout")),
                      "wait again, or look with " + next("mail.inbox"));
        answer.outcome = Outcome::pending;
        answer.again = Again{.bells = {self.id}, .at = std::min(end, news.next_at)};
        return answer;
      }};
  return op;
}

const Op& mail_directory() {
  static const Op op{
      .name = "mail.directory",
      .summary = "List every address you can send mail to",
      .args = {},
      .authority = by_anyone(),
      .where = Where::anywhere,
      .effect = Effect::reads,
      .result =
          [] {
            return shape::list_of(shape::object(
                "directory_entry", {shape::always("type", shape::text()), shape::always("address", shape::text()),
                                    shape::always("description", shape::text())}));
          },
      .columns = {{"address", Column::As::id}, "type", {"description", Column::As::prose}},
      .list = {.none = "nobody", .noun = "address"},
      .examples = {{"gt mail directory", ""}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(town, call.town());
        TRY(caller, call.caller());
        TRY(everyone, Mailroom(*town).directory(caller));
        JsonArray out;
        for (const auto& [type, address, description] : everyone) {
          JsonObject entry;
          entry["type"] = type;
          entry["address"] = views::shown(address, town->settings);
          entry["description"] = description;
          out.push_back(std::move(entry));
        }
        return Answer{.json = std::move(out)};
      }};
  return op;
}

}  // namespace townpost::ops
