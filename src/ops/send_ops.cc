#include "base/local_time.h"
#include "base/text.h"
#include "ops/carrying.h"
#include "ops/sender_args.h"
#include "ops/shapes.h"
#include "ops/table.h"
#include "ops/typed_args.h"
#include "ops/views.h"
#include "post/mail/mailroom.h"
#include "post/mail/post_office.h"
#include "post/mail/recall.h"
#include "post/mail/typed_mail.h"
#include "protocol/build.h"

namespace townpost::ops {

namespace {

/// What a letter and an answer share.
Result<Letter> letter_of(const Args& args, Instant now) {
  Letter letter;
  letter.cc = args.list("cc");
  put_sender_args(args, letter);
  if (args.has("type")) letter.type = *find_message_type(args.text("type"));
  if (args.flag("wisp") && args.flag("permanent"))
    return fail_argument("permanent", "wisp and permanent contradict each other", "choose one");
  letter.pinned = args.flag("pinned");
  letter.wisp = args.flag("wisp");
  letter.notify = !args.flag("no_notify");
  letter.include_self = args.flag("self");
  if (args.flag("keep_unread")) letter.answered = Answered::stays_unread;
  letter.key = args.maybe_text("key");
  if (const auto by = args.deadline("reply_by", now)) letter.reply_by = *by - now;
  letter.bead = args.text("bead");
  if (args.flag("create")) letter.unknown = Unknown::create;
  return letter;
}

Answer sent(Call& call, const Receipt& receipt, const Town& town) {
  std::vector<std::string> to_carry;
  for (const auto* told : {&receipt.recipients, &receipt.followers})
    for (const auto& recipient : *told)
      if (recipient.from_outside) to_carry.push_back(recipient.address);
  have_carried(call, to_carry);
  return Answer{.json = views::receipt(receipt, town.settings), .warnings = receipt.warnings};
}

/// Nobody named the recipient that does not exist: the type did, by town.toml or by the name of a role.
Failure nobody_has_the_role(const protocol::ProtocolType& type, const std::string& recipient, Error error) {
  error.message = cat(type.name, " goes to ", recipient, ": ", error.message);
  error.hint = "correct [town] escalation or [roles] in .town/town.toml, or name the recipient";
  error.next.reset();
  return fail(std::move(error));
}

/// `--protocol TYPE --field k=v …`: subject, body and, if nobody is named, the recipient come from the type: then it is
/// given back. A text stands in the body, behind the fields.
Result<const protocol::ProtocolType*> build_typed(const Args& args, Town& town, const Caller& caller, Letter& letter) {
  const auto wanted = args.maybe_text("protocol");
  if (!wanted) {
    if (args.has("field"))
      return fail_argument("field", "field and protocol go together", "add " + next("", {{"protocol", "TYPE"}}));
    return nullptr;
  }
  if (args.has("subject"))
    return fail_argument("subject", "the protocol builds the subject itself",
                         "give it as " + next("", {{"field", "topic=…"}}));
  TRY(type, type_named(town.settings.types, *wanted));
  TRY(fields, fields_of(args));
  if (!letter.body.empty()) {
    if (fields.contains("text")) return fail_argument("body", "the text was given twice", "give it once");
    fields["text"] = trim(letter.body);
  }
  TRY(built, protocol::build(town.settings.types, *wanted, fields));
  letter.subject = built.subject.empty() ? built.type : built.subject;
  letter.body = built.body;
  if (!letter.to.empty()) return nullptr;
  TRY(recipient, route_of(town, *type, letter.reply_to, caller));
  letter.to = {recipient};
  return type;
}

/// What the sender is told of a type that only a file of the directory has a place for; empty for any other.
std::string type_that_is_lost(const Args& args, const Town& town) {
  const auto wanted = args.maybe_text("protocol");
  const auto* type = wanted ? town.settings.types.find(*wanted) : nullptr;
  if (!type || type->named_by_subject()) return {};
  return cat(type->name, " is a type of plain-file mail: no subject names it, so here the message has no type");
}

/// `first`, what a sender may say of any message, and `others`.
std::vector<Arg> with_sender_args(std::vector<Arg> first, std::vector<Arg> others) {
  for (auto& arg : sender_args()) first.push_back(std::move(arg));
  for (auto& arg : others) first.push_back(std::move(arg));
  return first;
}

std::vector<Arg> reply_args() {
  return with_sender_args({one("id", "ID", "The message to answer", ArgKind::message_id),
                           composed(also_as_words(required(with_letter(
                               'm', option("body", "BODY", "The text; '' for an empty one", ArgKind::body))))),
                           repeated(option("cc", "ADDR", "Also to", ArgKind::address))},
                          {flag("no_notify", "Wake nobody"), flag("keep_unread", "Keep the answered message unread"),
                           option("bead", "ID", "For the holder of this bead only"),
                           option("key", "K", "The same key within 24 h sends once")});
}

Result<Answer> reply(Call& call, PostOffice::ReplyTo whom) {
  TRY(town, call.town());
  TRY(caller, call.caller());
  TRY(options, letter_of(call.args, town->clock.now()));
  TRY(receipt, PostOffice(*town).reply(*call.args.message_id("id"), call.args.text("body"), whom, options, caller));
  return sent(call, receipt, *town);
}

constexpr std::string_view kKeepsItsSubject = "an answer keeps its subject; `mail.send reply_to=ID subject=SUBJECT`";

/// "nux wrote on 2026-03-05 14:02:", and its lines behind a mark.
std::string quoted(const Message& message) {
  std::string out = cat(message.from, " wrote on ", local_date_and_time(message.created_at), ":\n");
  for (const auto line : split(message.body, '\n')) out += cat(line.empty() ? ">" : "> ", line, "\n");
  return out;
}

}  // namespace

const Op& mail_send() {
  static const Op op{
      .name = "mail.send",
      .summary = "Send a message; it is on disk for all recipients before this returns, or for none",
      .args = with_sender_args(
          {maybe_many("to", "ADDR", "Recipients: addresses, @patterns, wildcards, groups, a queue, a channel",
                      ArgKind::address),
           with_letter('s', option("subject", "SUBJ", "One line (default: the text's first line)")),
           composed(required_unless(
               "protocol", with_letter('m', option("body", "BODY", "The text; '' for an empty one", ArgKind::body)))),
           repeated(option("cc", "ADDR", "Also to", ArgKind::address))},
          {one_of(message_type_names(),
                  option("type", "TYPE", "notification (default), task, scavenge, reply or escalation")),
           option("reply_to", "ID", "The message this answers", ArgKind::message_id),
           flag("keep_unread", "Keep the answered message unread"), option("thread", "T", "The thread it belongs to"),
           option("bead", "ID", "For the holder of this bead only"), flag("pinned", "Never archive it by age"),
           flag("wisp", "Drop it once it is read and old"), flag("permanent", "Keep it (the default)"),
           flag("no_notify", "Wake nobody"), flag("self", "Also send it to yourself"),
           option("key", "K", "The same key within 24 h sends once"),
           for_coordinators(flag("create", "Register unknown recipients")),
           option("reply_by", "30m", "When an answer is due: a duration, or a local time or date", ArgKind::deadline),
           option("protocol", "TYPE", "Build a typed message"),
           repeated(option("field", "K=V", "With `protocol`: a field", ArgKind::map))}),
      .other_words = {{.typed = "n"},
                      {.typed = "notify"},
                      {"human", "to", "overseer"},
                      {"high", "priority", "high"},
                      {"low", "priority", "low"},
                      {.typed = "from", .instead = "say who sends it: `mail.send as=ADDR`"},
                      {.typed = "bcc", .instead = "there are no hidden copies; send it to each: `mail.send to=ADDR`"},
                      {.typed = "dry-run", .instead = "`mail.directory` shows who would get it"}},
      .authority = by_anyone(),
      .where = Where::anywhere,
      .effect = Effect::changes,
      .result = [] { return shapes::receipt(); },
      .examples = {{"gt mail send mayor/ -s \"Tests are red\" -m \"main fails since 3f2a\"", "to one"},
                   {"gt mail send @crew --cc overseer -s Standup < notes.md", "to many, the text from a file"},
                   {"gt mail send greenplace/crew/max -s \"Review?\" -m \"see PR 7\" --urgent --reply-by 30m",
                    "urgent, with a reply wanted"},
                   {"gt mail send --protocol MERGED --field topic=nux --field branch=b --field issue=gp-1 …",
                    "typed: subject and body are built"}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(town, call.town());
        TRY(caller, call.caller());
        TRY(letter, letter_of(call.args, town->clock.now()));
        letter.to = call.args.list("to");
        letter.subject = call.args.text("subject");
        letter.body = call.args.text("body");
        letter.reply_to = call.args.message_id("reply_to");
        if (letter.to.empty() && letter.include_self) letter.to = {caller.address.str()};
        TRY(routed_by, build_typed(call.args, *town, caller, letter));
        if (letter.to.empty())
          return fail_argument("to", "the to is missing",
                               next("mail.send", {{"to", "ADDR"}, {"subject", "SUBJECT"}, {"body", "BODY"}}));
        if (call.args.has("subject") && letter.subject.empty())
          return fail_argument("subject", "invalid subject: it is empty", "leave it out: the text begins with one");
        letter.thread = call.args.text("thread");
        auto receipt = PostOffice(*town).send(letter, caller);
        if (!receipt && routed_by && receipt.error().code == Code::not_found)
          return nobody_has_the_role(*routed_by, letter.to.front(), receipt.error());
        TRY(done, std::move(receipt));
        Answer answer = sent(call, done, *town);
        if (auto warning = type_that_is_lost(call.args, *town); !warning.empty())
          answer.warnings.push_back(std::move(warning));
        return answer;
      }};
  return op;
}

const Op& mail_reply() {
  static const Op op{
      .name = "mail.reply",
      .summary = "Reply to the sender; this marks the answered message read and, if asked for, acknowledged",
      .args =
          [] {
            auto args = reply_args();
            args.push_back(flag("reply_all", "Reply to everyone who got the message"));
            return args;
          }(),
      .other_words = {{.typed = "subject", .instead = kKeepsItsSubject},
                      {.typed = "s", .instead = kKeepsItsSubject},
                      {"to", "id"},
                      {"message-id", "id"},
                      {"all", "reply_all"},
                      {"a", "reply_all"}},
      .authority = by_participants(),
      .where = Where::anywhere,
      .effect = Effect::changes,
      .result = [] { return shapes::receipt(); },
      .examples = {{"gt mail reply hq-m-1a2b3c -m \"on it\"", ""},
                   {"gt mail reply hq-m-1a2b3c on it", "the same"},
                   {"gt mail reply hq-m-1a2b3c --reply-all < answer.md", ""}},
      .run = [](Call& call) -> Result<Answer> {
        return reply(call, call.args.flag("reply_all") ? PostOffice::ReplyTo::everyone : PostOffice::ReplyTo::sender);
      }};
  return op;
}

const Op& mail_reply_all() {
  static const Op op{.name = "mail.reply-all",
                     .summary = "Reply to everyone who got the message; otherwise as `mail.reply`",
                     .args = reply_args(),
                     .authority = by_participants(),
                     .where = Where::anywhere,
                     .effect = Effect::changes,
                     .result = [] { return shapes::receipt(); },
                     .examples = {{"gt mail reply-all hq-m-1a2b3c -m \"agreed\"", ""}},
                     .run = [](Call& call) -> Result<Answer> { return reply(call, PostOffice::ReplyTo::everyone); }};
  return op;
}

const Op& mail_recipients() {
  static const Op op{
      .name = "mail.recipients",
      .summary = "Show who a message to these addresses would reach; sends nothing",
      .args = {many("to", "ADDR", "Addresses, @patterns, wildcards, groups, a queue, a channel", ArgKind::address),
               repeated(option("cc", "ADDR", "Also to", ArgKind::address))},
      .authority = by_anyone(),
      .where = Where::anywhere,
      .effect = Effect::reads,
      .result =
          [] { return shape::list_of(shape::object("reached_address", {shape::always("address", shape::text())})); },
      .columns = {{"address", Column::As::id}},
      .list = {.none = "nobody", .noun = "address"},
      .examples = {{"gt mail recipients @crew", ""}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(town, call.town());
        TRY(caller, call.caller());
        TRY(reached, PostOffice(*town).recipients_of(call.args.list("to"), call.args.list("cc"), caller));
        JsonArray out;
        for (const auto& address : reached) {
          JsonObject entry;
          entry["address"] = views::shown(address, town->settings);
          out.push_back(std::move(entry));
        }
        return Answer{.json = std::move(out)};
      }};
  return op;
}

const Op& mail_quote() {
  static const Op op{.name = "mail.quote",
                     .summary = "Show the start of a reply: its recipients, its subject, and the quoted message",
                     .args = {one("id", "ID", "The message to answer", ArgKind::message_id),
                              flag("reply_all", "Quote for a reply to everyone who got the message")},
                     .authority = by_participants(),
                     .where = Where::anywhere,
                     .effect = Effect::reads,
                     .result =
                         [] {
                           return shape::object("quote", {shape::always("to", shape::list_of(shape::text())),
                                                          shape::always("cc", shape::list_of(shape::text())),
                                                          shape::always("subject", shape::text()),
                                                          shape::always("text", shape::text(), "the message, quoted")});
                         },
                     .examples = {{"gt mail quote hq-m-1a2b3c", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(town, call.town());
                       TRY(caller, call.caller());
                       const auto id = *call.args.message_id("id");
                       const auto whom =
                           call.args.flag("reply_all") ? PostOffice::ReplyTo::everyone : PostOffice::ReplyTo::sender;
                       TRY(answer, PostOffice(*town).answer_to(id, whom, caller));
                       TRY(mail, Mailroom(*town).look(id, caller));
                       JsonObject out;
                       out["to"] = views::shown_list(answer.to, town->settings);
                       out["cc"] = views::shown_list(answer.cc, town->settings);
                       out["subject"] = answer.subject;
                       out["text"] = quoted(mail.message);
                       return Answer{.json = std::move(out)};
                     }};
  return op;
}

const Op& mail_recall() {
  static const Op op{
      .name = "mail.recall",
      .summary = "Take back a message that is unread, or all that an agent sent and nobody has seen: mail, posts, work",
      .args = {if_missing("name a message, or an agent for all that it sent",
                          required_unless("from", maybe_one("id", "ID", "One message", ArgKind::message_id))),
               option("from", "ADDR", "Everything of this agent", ArgKind::address),
               with_default("1h", option("since", "1h", "Sent within this time", ArgKind::duration))},
      .authority = by_people(),
      .where = Where::anywhere,
      .effect = Effect::destroys,
      .result =
          [] {
            return shape::object("recalled",
                                 {shape::always("recalled", shape::integer(), "all of it together"),
                                  shape::always("mail", shape::integer(), "unread copies in mailboxes"),
                                  shape::always("posts", shape::integer(), "posts that a subscriber had not read"),
                                  shape::always("jobs", shape::integer(), "messages of queues, claimed by nobody"),
                                  shape::always("ids", shape::list_of(shape::text()))});
          },
      .examples = {{"gt mail recall hq-m-1a2b3c", "it was a mistake"},
                   {"gt mail recall --from greenplace/polecats/nux --since 1h", "after it was compromised"}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(town, call.town());
        TRY(caller, call.caller());
        const auto message = call.args.message_id("id");
        if (message && call.args.has("from"))
          return fail_argument("from", "a message is named, so it is known whose it is", "give only one of them");
        TRY(done,
            message ? recall(*town, *message, caller)
                    : recall(*town, call.args.text("from"), town->clock.now() - *call.args.duration("since"), caller));
        JsonObject out;
        out["recalled"] = done.total();
        out["mail"] = done.copies;
        out["posts"] = done.posts;
        out["jobs"] = done.jobs;
        JsonArray ids;
        for (const auto id : done.ids) ids.emplace_back(id.str());
        out["ids"] = std::move(ids);
        return Answer{.json = std::move(out)};
      }};
  return op;
}

}  // namespace townpost::ops
