#include "ops/shapes.h"

#include "post/mail/explain.h"
#include "post/mail/todo.h"
#include "post/nudge/reach.h"

namespace townpost::shapes {

using namespace shape;  // NOLINT(google-build-using-namespace): the words that this file is written in

namespace {

Shape texts() { return list_of(text()); }
Shape next_call() {
  return object("next_call", {always("operation", text()), always("arguments", map_of(anything()))});
}
Shape error_code() {
  std::vector<std::string_view> words;
  for (int code = 0; code <= static_cast<int>(Code::partial); ++code) words.push_back(name(static_cast<Code>(code)));
  return choice(std::move(words));
}
Shape problem() {
  return object("problem",
                {always("code", error_code()), always("message", text()), always("hint", text()),
                 maybe("argument", text(), "which argument is at fault"),
                 maybe("next", next_call(), "what to call next"), maybe("retry_after", integer(), "seconds")});
}
Shape recipient_state() { return choice(reach_state_names()); }

}  // namespace

const Shape& queued_message() {
  static const Shape it = requiring("queued_message", message(), {"queue", "queue_state", "attempts"});
  return it;
}

const Shape& sent_message() {
  static const Shape it =
      with("sent_message", message(),
           {always("recipients", list_of(object("copy", {always("address", text()), always("cc", flag()),
                                                         always("state", choice(standing_state_names()))})))});
  return it;
}

const Shape& owed_message() {
  static const Shape it = with("owed_message", message(),
                               {always("owed_by", texts(), "who has not answered"),
                                always("owed_to", text(), "who waits for it"), always("overdue", flag())});
  return it;
}

const Shape& post() {
  static const Shape it = requiring("post", message(), {"channel"});
  return it;
}

const Shape& receipt() {
  static const Shape it = object(
      "receipt",
      {always("id", text()), always("thread_id", text()),
       always("recipients",
              list_of(object("recipient", {always("address", text()), always("state", recipient_state()),
                                           always("reason", text()), maybe("nudge_id", text(), "what wakes it")}))),
       maybe("duplicate", flag(), "the same was sent a moment ago; nothing new is stored"),
       maybe("repeated", flag(), "this key was used before; this is the answer it got then")});
  return it;
}

const Shape& outcomes() {
  static const Shape it = list_of(
      object("outcome", {always("id", text()), maybe("state", text(), "what it is now"), maybe("error", problem())}));
  return it;
}

const Shape& waiting() {
  static const Shape it = object(
      "waiting",
      {always("unread", integer()),
       always("channels", list_of(object("channel_news", {always("channel", text()), always("unread", integer())}))),
       maybe("text", text(), "for a prompt")});
  return it;
}

const Shape& thread() {
  static const Shape it = [] {
    const auto help = object("open_help", {always("id", text()), always("from", text()), always("subject", text()),
                                           always("timestamp", instant())});
    const auto summary = object(
        "thread_summary", {always("types", map_of(integer())), always("last_status", text()),
                           always("last_status_by", text()), always("open_help", list_of(help)),
                           always("last_commit", text()), always("first_at", instant()), always("last_at", instant())});
    return object("thread", {always("thread_id", text()), always("subject", text()), always("count", integer()),
                             always("unread_count", integer()), always("participants", texts()),
                             maybe("messages", list_of(message())), maybe("summary", summary)});
  }();
  return it;
}

const Shape& explanation() {
  static const Shape it =
      with("explanation", message(),
           {always("recipients",
                   list_of(object("standing", {always("address", text()), always("cc", flag()),
                                               always("state", choice(standing_state_names())), always("why", text()),
                                               maybe("held_by", text()), maybe("bead", text()),
                                               maybe("for_previous_holder", flag()), maybe("delivered_at", instant()),
                                               maybe("read_at", instant()), maybe("acked_at", instant()),
                                               maybe("archived_at", instant())}))),
            always("history", list_of(object("step", {always("at", instant()), always("what", text()),
                                                      always("who", text()), always("detail", text())})))});
  return it;
}

const Shape& agent_with_aliases() {
  static const Shape it = with("agent_with_aliases", agent(),
                               {always("aliases", texts()),
                                maybe("state", agent_state()),
                                maybe("needs_you", flag(), "a person must do something"),
                                maybe("detail", text(), "what it asks, or what is known of it"),
                                maybe("since", instant()),
                                maybe("last_activity", instant()),
                                maybe("idle_since", instant()),
                                maybe("draft_since", instant()),
                                maybe("host", text()),
                                maybe("on_host", text()),
                                maybe("pid", integer()),
                                maybe("incarnation", text()),
                                maybe("unread", integer(), "mail"),
                                maybe("pending", integer(), "nudges"),
                                maybe("held", integer(), "nudges and mail that a rule holds back"),
                                maybe("held_sent", integer(), "of its own mail: what a rule holds back"),
                                maybe("sending_held_since", instant()),
                                maybe("dnd", flag()),
                                maybe("dnd_until", instant()),
                                maybe("held_until", text()),
                                maybe("quarantined_at", instant()),
                                maybe("hook", text(), "the bead it works on"),
                                maybe("sessions", list_of(agent_session()), "that live")});
  return it;
}

const Shape& sent_nudges() {
  static const Shape it = list_of(
      with("sent_nudge", nudge(),
           {always("address", text()), maybe("duplicate", flag()), always("note", text(), "what stands in its way")}));
  return it;
}

const Shape& status() {
  static const Shape it = object(
      "status",
      {always("town", text()), always("bell", flag(), "it rings the terminal's bell of those who watch"),
       always("unread", integer(), "the caller's unread mail"), always("held", flag()), maybe("watched_at", instant()),
       always("watching", flag(), "`up` runs here"), always("hook_errors", integer()),
       maybe("url", text(), "where `up` answers HTTP"), maybe("cannot_watch", text(), "why `up` looks every second"),
       maybe("refused", object("refusals", {always("count", integer()), maybe("last", text())})),
       maybe("undone", texts()), maybe("warnings", texts()),
       maybe("sessions", list_of(agent()), "live ones that nobody is registered for"),
       always("agents", list_of(with("agent_status", care(),
                                     {always("role", text()),
                                      always("needs_you", flag(), "a person must do something"),
                                      always("state", agent_state()),
                                      maybe("detail", text()),
                                      always("session", text()),
                                      maybe("harness", text()),
                                      maybe("incarnation", text()),
                                      maybe("pid", integer()),
                                      maybe("host", text()),
                                      maybe("on_host", text(), "if that is another one than this"),
                                      maybe("sending_held_since", instant(), "rule L3 holds what it sends"),
                                      maybe("draft_since", instant()),
                                      maybe("since", instant()),
                                      maybe("last_activity", instant()),
                                      maybe("idle_since", instant()),
                                      maybe("sessions", list_of(agent_session()), "if it has several"),
                                      always("pending", integer(), "nudges"),
                                      always("unread", integer(), "mail"),
                                      always("held", integer(), "nudges and mail that a rule holds back"),
                                      maybe("held_sent", integer(), "of its own mail: what a rule holds back")})))});
  return it;
}

const Shape& todo() {
  static const Shape it = [] {
    const auto typed =
        object("typed_mail", {always("id", text()), always("type", text(), "of the protocol, else of the mail"),
                              always("from", text()), always("subject", text()), always("timestamp", instant()),
                              always("thread_id", text()), maybe("bead_id", text())});
    const auto overdue = object("overdue", {always("id", text()), always("from", text()), always("subject", text()),
                                            always("reply_by", instant()), maybe("owed_by", texts())});
    const auto bead =
        object("bead_standing", {always("bead_id", text()), always("state", choice(bead_state_names())),
                                 maybe("by", text()), maybe("accepted_at", instant()), maybe("last_at", instant()),
                                 maybe("step", text()), maybe("context_usage", number()), always("help_open", flag())});
    return object("todo",
                  {always("unread", integer(), "mail that waits to be read"),
                   always("claims", list_of(claim()), "work that the caller has claimed and not finished"),
                   always("pending", list_of(typed)),
                   always("help", list_of(with("help_asked", typed, {always("late", flag())}))),
                   always("completions", list_of(typed)), always("overdue", list_of(overdue)),
                   always("actions", list_of(object("action", {always("what", text()), always("next", next_call())}))),
                   maybe("beads", list_of(bead))});
  }();
  return it;
}

const Shape& removed() {
  static const Shape it = object("removed", {always("removed", text())});
  return it;
}

const Shape& hooks() {
  static const Shape it = object("hooks", {always("harness", text()), always("file", text()), always("events", texts()),
                                           always("installed", flag()), always("changed", flag())});
  return it;
}

const Shape& message_type() {
  static const Shape it = [] {
    const auto of_field = object("type_field", {always("key", text()), always("label", text()), always("kind", text()),
                                                always("required", flag()), maybe("required_if", text()),
                                                maybe("values", texts()), maybe("section", text())});
    return object("message_type",
                  {always("name", text()), always("dialect", text()), always("summary", text()),
                   always("subject", text()), always("from", text()), always("to", text()),
                   always("fields", list_of(of_field)), always("ack_required", flag()), always("transient", flag()),
                   always("nudge", flag()), always("answers", flag(), "an answer goes to the sender of the question"),
                   always("handler", text(), "what a patrol does with it"),
                   maybe("command", texts(), "of a type of your own: what a patrol will run")});
  }();
  return it;
}

const Shape& typed_messages() {
  static const Shape it = [] {
    // What was handed in stays in it, whatever that is; a message of the town has its own fields, too.
    const auto one = map_of(anything());
    return named("typed_messages", one_of({one, list_of(one)}));
  }();
  return it;
}

const Shape& words() {
  static const Shape it = object("words", {always("text", text(), "for a prompt"), maybe("ids", texts())});
  return it;
}

const Shape& error() {
  static const Shape it = object("error", {always("error", problem())});
  return it;
}

}  // namespace townpost::shapes
