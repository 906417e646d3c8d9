#include "base/text.h"
#include "ops/carrying.h"
#include "ops/shapes.h"
#include "ops/table.h"
#include "ops/typed_args.h"
#include "ops/views.h"
#include "post/mail/post_office.h"
#include "post/mail/typed_mail.h"
#include "protocol/build.h"

namespace townpost::ops {

namespace {

/// What a letter and an answer share.
Result<Letter> letter_of(const Args& args, std::vector<std::string>& warnings) {
  Letter letter;
  letter.cc = args.list("cc");
  if (args.has("priority")) letter.priority = *parse_priority(args.text("priority"));
  if (args.flag("urgent")) letter.priority = Priority::urgent;
  if (args.has("type")) {
    const auto type = find_message_type(args.text("type"));
    if (!type)
      warnings.push_back(
          cat("type \"", for_terminal_line(shorten(to_utf8(args.text("type")), 40)),
              "\" is not known; sent as notification (known: notification, task, scavenge, reply, escalation)"));
    letter.type = type.value_or(MessageType::notification);
  }
  if (args.flag("wisp") && args.flag("permanent"))
    return fail_argument("permanent", "wisp and permanent contradict each other", "choose one");
  letter.ack_required = args.flag("ack");
  letter.pinned = args.flag("pinned");
  letter.wisp = args.flag("wisp");
  letter.notify = !args.flag("no_notify");
  letter.include_self = args.flag("self");
  letter.key = args.maybe_text("key");
  letter.reply_by = args.duration("reply_by");
  letter.bead = args.text("bead");
  if (args.flag("create")) letter.unknown = Unknown::create;
  return letter;
}

Answer sent(Call& call, const Receipt& receipt, const Town& town, std::vector<std::string> warnings) {
  std::vector<std::string> to_carry;
  for (const auto& recipient : receipt.recipients)
    if (recipient.from_outside) to_carry.push_back(recipient.address);
  have_carried(call, to_carry);
  warnings.insert(warnings.end(), receipt.warnings.begin(), receipt.warnings.end());
  return Answer{.json = views::receipt(receipt, town.settings), .warnings = std::move(warnings)};
}

/// `--protocol TYPE --field k=v …`: subject, body and, if nobody is named, the recipient come from the type.
Result<> build_typed(const Args& args, const Settings& settings, const Caller& caller, Letter& letter) {
  const auto wanted = args.maybe_text("protocol");
  if (!wanted) {
    if (args.has("field"))
      return fail_argument("field", "field and protocol go together", "add " + next("", {{"protocol", "TYPE"}}));
    return {};
  }
  for (const auto* other : {"subject", "body"})
    if (args.has(other))
      return fail_argument(other, cat("the protocol builds the ", other, " itself"),
                           "give it as " + next("", {{"field", "topic=…"}}, " or text=…"));
  TRY(type, type_named(settings.types, *wanted));
  TRY(fields, fields_of(args));
  TRY(built, protocol::build(settings.types, *wanted, fields));
  letter.subject = built.subject.empty() ? built.type : built.subject;
  letter.body = built.body;
  if (letter.to.empty()) {
    TRY(recipient, route_of(*type, settings, caller));
    letter.to = {recipient};
  }
  return {};
}

std::vector<Arg> reply_args() {
  return {one("id", "ID", "The message to answer", ArgKind::message_id),
          required(with_letter('m', option("body", "BODY", "The text; or --stdin, or -F FILE", ArgKind::body))),
          repeated(option("cc", "ADDR", "Also to", ArgKind::address)),
          option("priority", "P", "0..4, or urgent, high, normal, low, lowest", ArgKind::priority),
          flag("urgent", "Priority urgent"),
          flag("ack", "Ask for an acknowledgement"),
          flag("no_notify", "Store it, wake nobody"),
          option("bead", "ID", "For the holder of this bead only"),
          option("key", "K", "The same key within 24 h sends once")};
}

Result<Answer> reply(Call& call, PostOffice::ReplyTo whom) {
  TRY(town, call.town());
  TRY(caller, call.caller());
  std::vector<std::string> warnings;
  TRY(options, letter_of(call.args, warnings));
  TRY(receipt, PostOffice(*town).reply(*call.args.message_id("id"), call.args.text("body"), whom, options, caller));
  return sent(call, receipt, *town, std::move(warnings));
}

}  // namespace

const Op& mail_send() {
  static const Op op{
      .name = "mail.send",
      .summary = "Send a message: stored and fsynced for every recipient before this answers, or for none",
      .args = {maybe_many("to", "ADDR", "Recipients: addresses, @patterns, wildcards, groups, a queue, a channel",
                          ArgKind::address),
               with_letter('s', option("subject", "SUBJ", "What it is about: one line, at most 500 bytes")),
               with_letter('m',
                           option("body", "BODY", "The text, at most 1 MiB; or --stdin, or -F FILE", ArgKind::body)),
               repeated(option("cc", "ADDR", "Also to; may be given several times", ArgKind::address)),
               option("priority", "P", "0..4, or urgent, high, normal, low, lowest", ArgKind::priority),
               flag("urgent", "Priority urgent"),
               option("type", "TYPE", "notification, task, scavenge, reply or escalation"),
               option("reply_to", "ID", "The message this answers", ArgKind::message_id),
               option("thread", "T", "The thread it belongs to"),
               option("bead", "ID", "For the holder of this bead only"),
               flag("ack", "Ask for an acknowledgement"),
               flag("pinned", "Never archived by age"),
               flag("wisp", "Transient: dropped when read and older than the wisp age"),
               flag("permanent", "Kept for good (the default)"),
               flag("no_notify", "Store it, wake nobody"),
               flag("self", "Also to myself"),
               option("key", "K", "Idempotency key: the same key and content within 24 h is sent once"),
               for_coordinators(flag("create", "Register recipients that are not known yet")),
               option("reply_by", "30m", "A reply is wanted within this time", ArgKind::duration),
               option("protocol", "TYPE", "Build a typed message; without ADDR it goes where its type is sent"),
               repeated(option("field", "K=V", "With --protocol: a field; may be given several times", ArgKind::map))},
      .authority = by_anyone(),
      .where = Where::anywhere,
      .effect = Effect::changes,
      .result = [] { return shapes::receipt(); },
      .examples = {{"gt mail send mayor/ -s \"Tests are red\" -m \"main fails since 3f2a\"", "to one"},
                   {"gt mail send @crew --cc overseer -s Standup --stdin < notes.md", "to many, the text from a file"},
                   {"gt mail send greenplace/crew/max -s \"Review?\" -m \"see PR 7\" --urgent --reply-by 30m",
                    "urgent, with a reply wanted"},
                   {"gt mail send --protocol MERGED --field topic=nux --field branch=b --field issue=gp-1 …",
                    "typed: subject and body are built"}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(town, call.town());
        TRY(caller, call.caller());
        std::vector<std::string> warnings;
        TRY(letter, letter_of(call.args, warnings));
        letter.to = call.args.list("to");
        letter.subject = call.args.text("subject");
        letter.body = call.args.text("body");
        TRY_VOID(build_typed(call.args, town->settings, caller, letter));
        if (letter.to.empty())
          return fail_argument("to", "the to is missing",
                               next("mail.send", {{"to", "ADDR"}, {"subject", "SUBJECT"}, {"body", "BODY"}}));
        if (!call.args.has("subject") && letter.subject.empty())
          return fail_argument("subject", "the subject is missing");
        letter.thread = call.args.text("thread");
        letter.reply_to = call.args.message_id("reply_to");
        TRY(receipt, PostOffice(*town).send(letter, caller));
        return sent(call, receipt, *town, std::move(warnings));
      }};
  return op;
}

const Op& mail_reply() {
  static const Op op{
      .name = "mail.reply",
      .summary = "Answer a message: to its sender, in its thread",
      .args =
          [] {
            auto args = reply_args();
            args.push_back(flag("reply_all", "To everybody who had the message"));
            return args;
          }(),
      .authority = by_participants(),
      .where = Where::anywhere,
      .effect = Effect::changes,
      .result = [] { return shapes::receipt(); },
      .examples = {{"gt mail reply hq-m-1a2b3c -m \"on it\"", ""},
                   {"gt mail reply hq-m-1a2b3c --reply-all --stdin < answer.md", ""}},
      .run = [](Call& call) -> Result<Answer> {
        return reply(call, call.args.flag("reply_all") ? PostOffice::ReplyTo::everyone : PostOffice::ReplyTo::sender);
      }};
  return op;
}

const Op& mail_reply_all() {
  static const Op op{.name = "mail.reply-all",
                     .summary = "Answer a message: to everybody who had it",
                     .args = reply_args(),
                     .authority = by_participants(),
                     .where = Where::anywhere,
                     .effect = Effect::changes,
                     .result = [] { return shapes::receipt(); },
                     .examples = {{"gt mail reply-all hq-m-1a2b3c -m \"agreed\"", ""}},
                     .run = [](Call& call) -> Result<Answer> { return reply(call, PostOffice::ReplyTo::everyone); }};
  return op;
}

const Op& mail_recall() {
  static const Op op{
      .name = "mail.recall",
      .summary = "Take back what an agent sent, wherever it is still unread",
      .args = {required(option("from", "ADDR", "Whose mail", ArgKind::address)),
               with_default("1h", option("since", "1h", "Sent within this time", ArgKind::duration))},
      .authority = by_people(),
      .where = Where::anywhere,
      .effect = Effect::destroys,
      .result =
          [] {
            return shape::object("recalled", {shape::always("recalled", shape::integer()),
                                              shape::always("ids", shape::list_of(shape::text()))});
          },
      .examples = {{"gt mail recall --from greenplace/polecats/nux --since 1h", "after it was compromised"}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(town, call.town());
        TRY(caller, call.caller());
        TRY(copies,
            PostOffice(*town).recall(call.args.text("from"), town->clock.now() - *call.args.duration("since"), caller));
        JsonObject out;
        out["recalled"] = copies.size();
        JsonArray ids;
        for (const auto& copy : copies) ids.emplace_back(copy.message.str());
        out["ids"] = std::move(ids);
        return Answer{.json = std::move(out)};
      }};
  return op;
}

}  // namespace townpost::ops
