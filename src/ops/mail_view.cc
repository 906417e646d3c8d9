#include "base/text.h"
#include "ops/keys.h"
#include "ops/sender_args.h"
#include "ops/shapes.h"
#include "ops/views.h"
#include "post/mail/typed_mail.h"

namespace townpost {

using namespace shape;  // NOLINT(google-build-using-namespace): the words that the list below is written in

namespace {

/// A message on its way to somebody.
struct Seen {
  const Mail& mail;
  const Message& message;
  const Delivery* copy;  ///< the viewer's, else the first recipient's
  const Work* work;      ///< of a queue's message
  const Settings& settings;
  views::Body body;
};

template <std::optional<Instant> Delivery::*member>
Value instant_of_copy(const Seen& seen) {
  return seen.copy ? instant_of(seen.copy->*member) : Value();
}

template <auto value>
Value of_work(const Seen& seen) {
  return seen.work ? value(*seen.work) : Value();
}

/// Where nobody has a copy: that the reader has come so far with the channel, or that somebody has had the work.
bool is_read(const Seen& seen) {
  if (seen.copy) return seen.copy->read_at.has_value();
  return seen.mail.post_read || (seen.work && seen.work->attempts > 0);
}

/// The name of the queue or channel that it was sent to.
Value list_named(const Seen& seen, std::string_view kind) {
  const auto name = list_addressed(seen.message, kind);
  return when(!name.empty(), name);
}

/// The message's other fields in the words of beads.
Value labels_of(const Seen& seen) {
  const Message& m = seen.message;
  JsonArray out;
  out.emplace_back(cat("from:", views::shown(m.from, seen.settings)));
  out.emplace_back(cat("thread:", m.thread));
  out.emplace_back(cat("msg-type:", name(m.type)));
  if (m.reply_to) out.emplace_back(cat("reply-to:", m.reply_to->str()));
  for (const auto& address : m.cc) out.emplace_back(cat("cc:", views::shown(address, seen.settings)));
  for (const std::string_view kind : {"queue:", "channel:"})
    if (const auto name = list_addressed(m, kind); !name.empty()) out.emplace_back(cat(kind, name));
  if (seen.work && !seen.work->holder.empty()) {
    out.emplace_back(cat("claimed-by:", views::shown(seen.work->holder, seen.settings)));
    if (seen.work->claimed_at) out.emplace_back(cat("claimed-at:", rfc3339(*seen.work->claimed_at)));
  }
  if (is_read(seen)) out.emplace_back("read");
  return Json(std::move(out));
}

std::vector<Key<Seen>> all_keys() {
  return {
      {always("id", text()), [](const Seen& s) -> Value { return s.message.id.str(); }},
      {always("seq", integer(), "grows with time; what a cursor names"),
       [](const Seen& s) -> Value { return s.message.id.seq(); }},
      {always("from", text()), [](const Seen& s) -> Value { return views::shown(s.message.from, s.settings); }},
      {always("from_grade", choice({"token", "pane", "env", "flag", "script"}), "how the sender is known"),
       [](const Seen& s) -> Value { return name(s.message.grade); }},
      {always("to", list_of(text())),
       [](const Seen& s) -> Value { return Json(views::shown_list(s.message.to, s.settings)); }},
      {always("cc", list_of(text())),
       [](const Seen& s) -> Value { return Json(views::shown_list(s.message.cc, s.settings)); }},
      {always("subject", text()), [](const Seen& s) -> Value { return s.message.subject; }},
      {maybe("body", text(), "left out where the caller may not read it"),
       [](const Seen& s) { return s.body == views::Body::with ? Value(s.message.body) : Value(); }},
      {always("timestamp", instant()), [](const Seen& s) -> Value { return rfc3339(s.message.created_at); }},
      {always("read", flag(), "of the caller's copy; of work: somebody has had it"),
       [](const Seen& s) -> Value { return is_read(s); }},
      {always("priority", choice({"urgent", "high", "normal", "low", "lowest"})),
       [](const Seen& s) -> Value { return name(s.message.priority); }},
      {always("priority_level", integer(), "0 is urgent"),
       [](const Seen& s) -> Value { return static_cast<int>(s.message.priority); }},
      {always("type", choice(message_type_names())), [](const Seen& s) -> Value { return name(s.message.type); }},
      {maybe("protocol_type", text(), "what programs act on"),
       [](const Seen& s) {
         const auto* type = type_of(s.settings, s.message);
         return type ? Value(type->name) : Value();
       }},
      {always("thread_id", text()), [](const Seen& s) -> Value { return s.message.thread; }},
      {always("reply_to", or_null(text())),
       [](const Seen& s) -> Value { return s.message.reply_to ? Json(s.message.reply_to->str()) : Json(nullptr); }},
      {always("ack_required", flag()), [](const Seen& s) -> Value { return s.message.ack_required; }},
      {always("pinned", flag()), [](const Seen& s) -> Value { return s.copy && s.copy->pinned; }},
      {always("wisp", flag(), "dropped some time after it was read"),
       [](const Seen& s) -> Value { return s.message.wisp; }},
      {maybe("queue", text()), [](const Seen& s) { return list_named(s, "queue:"); }},
      {maybe("queue_state", choice({"available", "processing", "completed", "dead", "deleted"})),
       of_work<[](const Work& w) -> Value { return w.deleted ? "deleted" : views::queue_state(w.state); }>},
      {maybe("attempts", integer()), of_work<[](const Work& w) -> Value { return w.attempts; }>},
      {maybe("claimed_by", text()),
       [](const Seen& s) {
         return s.work ? when(!s.work->holder.empty(), views::shown(s.work->holder, s.settings)) : Value();
       }},
      {maybe("claimed_at", instant()), of_work<[](const Work& w) -> Value { return instant_of(w.claimed_at); }>},
      {maybe("lease_until", instant()),
       of_work<[](const Work& w) -> Value { return when(w.lease_until.ms > 0, rfc3339(w.lease_until)); }>},
      {maybe("reason", text(), "why the last attempt failed"),
       of_work<[](const Work& w) -> Value { return when(!w.reason.empty(), w.reason); }>},
      {maybe("channel", text()), [](const Seen& s) { return list_named(s, "channel:"); }},
      {always("labels", list_of(text())), labels_of},
      {maybe("hops", integer(), "how many agents it went through"),
       [](const Seen& s) { return when(s.message.hops > 0, s.message.hops); }},
      {maybe("reply_by", instant()), [](const Seen& s) { return instant_of(s.message.reply_by); }},
      {maybe("held_by", text(), "the rule that holds it"),
       [](const Seen& s) { return s.copy ? when(!s.copy->held_by.empty(), s.copy->held_by) : Value(); }},
      {maybe("bead", text()),
       [](const Seen& s) { return s.copy ? when(!s.copy->bead.empty(), s.copy->bead) : Value(); }},
      {maybe("for_previous_holder", flag()),
       [](const Seen& s) { return when(s.copy && s.mail.for_previous_holder, true); }},
      {maybe("copy_of", text(), "where the caller has no copy: whose it is, an address or a queue"),
       [](const Seen& s) { return when(!s.mail.copy_of.empty(), views::shown(s.mail.copy_of, s.settings)); }},
      {maybe("delivered_at", instant()), instant_of_copy<&Delivery::delivered_at>},
      {maybe("read_at", instant()), instant_of_copy<&Delivery::read_at>},
      {maybe("acked_at", instant()), instant_of_copy<&Delivery::acked_at>},
      {maybe("archived_at", instant()), instant_of_copy<&Delivery::archived_at>},
  };
}

const Keys<Seen>& keys() {
  static const Keys<Seen> list(all_keys());
  return list;
}

/// One argument, and what it sets.
struct Said {
  Arg arg;
  void (*put)(const Args& args, Letter& letter);
};

const std::vector<Said>& sayings() {
  static const std::vector<Said> list = {
      {option("priority", "P", "0..4, or urgent, high, normal, low, lowest", ArgKind::priority),
       [](const Args& args, Letter& letter) {
         if (args.has("priority")) letter.priority = *parse_priority(args.text("priority"));
       }},
      {flag("urgent", "Priority urgent"),
       [](const Args& args, Letter& letter) {
         if (args.flag("urgent")) letter.priority = Priority::urgent;
       }},
      {flag("ack", "Ask for an acknowledgement"),
       [](const Args& args, Letter& letter) { letter.ack_required = args.flag("ack"); }},
  };
  return list;
}

}  // namespace

std::vector<Arg> ops::sender_args() {
  std::vector<Arg> out;
  for (const auto& said : sayings()) out.push_back(said.arg);
  return out;
}

void ops::put_sender_args(const Args& args, Letter& letter) {
  for (const auto& said : sayings()) said.put(args, letter);
}

const Shape& shapes::message() {
  static const Shape it = keys().shape("message");
  return it;
}

JsonObject views::mail(const Mail& mail, const Settings& settings, Body body) {
  const Seen seen{.mail = mail,
                  .message = mail.message,
                  .copy = mail.delivery ? &*mail.delivery : nullptr,
                  .work = mail.work ? &*mail.work : nullptr,
                  .settings = settings,
                  .body = body};
  return keys().json(seen);
}

}  // namespace townpost
