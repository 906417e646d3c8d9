#include "ops/shapes.h"

namespace townpost::shapes {

using namespace shape;  // NOLINT(google-build-using-namespace): the words that this file is written in

namespace {

Shape texts() { return list_of(text()); }
Shape grade() { return choice({"token", "pane", "env", "flag", "script"}); }
Shape agent_state() {
  return choice({"unknown", "starting", "running", "idle", "waiting", "blocked", "stalled", "draining", "exited",
                 "dead", "deaf"});
}
Shape problem() {
  return object(
      "problem",
      {always("code", text()), always("message", text()), always("hint", text()),
       maybe("argument", text(), "which argument is at fault"),
       maybe("next", object("next_call", {always("operation", text()), always("arguments", map_of(anything()))}),
             "what to call next"),
       maybe("retry_after", integer(), "seconds")});
}
Shape recipient_state() { return choice({"queued", "held", "muted", "blocked", "asleep", "no-session"}); }

}  // namespace

const Shape& message() {
  static const Shape it =
      object("message", {always("id", text()),
                         always("seq", integer(), "grows with time; what a cursor names"),
                         always("from", text()),
                         always("from_grade", grade(), "how surely the sender is known"),
                         always("to", texts()),
                         always("cc", texts()),
                         always("subject", text()),
                         maybe("body", text(), "left out where the caller may not read it"),
                         always("timestamp", instant()),
                         maybe("read", flag(), "of the caller's copy"),
                         always("priority", choice({"urgent", "high", "normal", "low", "lowest"})),
                         always("priority_level", integer(), "0 is urgent"),
                         always("type", choice({"notification", "task", "scavenge", "reply", "escalation"})),
                         maybe("protocol_type", text(), "what programs act on"),
                         always("thread_id", text()),
                         always("reply_to", or_null(text())),
                         always("ack_required", flag()),
                         maybe("pinned", flag()),
                         always("wisp", flag(), "dropped some time after it was read"),
                         maybe("queue", text()),
                         maybe("channel", text()),
                         maybe("labels", texts()),
                         maybe("hops", integer(), "how many agents it went through"),
                         maybe("reply_by", instant()),
                         maybe("held_by", text(), "the rule that holds it"),
                         maybe("bead", text()),
                         maybe("for_previous_holder", flag()),
                         maybe("delivered_at", instant()),
                         maybe("read_at", instant()),
                         maybe("acked_at", instant()),
                         maybe("archived_at", instant())});
  return it;
}

const Shape& queued_message() {
  static const Shape it =
      with("queued_message", message(),
           {always("queue_state", choice({"available", "processing", "completed", "dead"})),
            always("attempts", integer()), maybe("claimed_by", text()), maybe("claimed_at", instant()),
            maybe("lease_until", instant()), maybe("reason", text(), "why the last attempt failed")});
  return it;
}

const Shape& sent_message() {
  static const Shape it =
      with("sent_message", message(),
           {always("recipients", list_of(object("copy", {always("address", text()), always("cc", flag()),
                                                         always("state", choice({"waiting", "offered", "delivered",
                                                                                 "read", "acked", "deleted"}))})))});
  return it;
}

const Shape& owed_message() {
  static const Shape it = with("owed_message", message(), {always("owed_by", texts()), always("overdue", flag())});
  return it;
}

const Shape& post() {
  static const Shape it = with("post", message(), {});
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
       maybe("repeated", flag(), "this key was used before; the answer of then")});
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
      with("explanation", without("explained_message", message(), {"read", "pinned", "labels"}),
           {always("recipients",
                   list_of(object("standing", {always("address", text()), always("cc", flag()), always("state", text()),
                                               always("why", text()), maybe("held_by", text()), maybe("bead", text()),
                                               maybe("for_previous_holder", flag()), maybe("delivered_at", instant()),
                                               maybe("read_at", instant()), maybe("acked_at", instant()),
                                               maybe("archived_at", instant())}))),
            always("history", list_of(object("step", {always("at", instant()), always("what", text()),
                                                      always("who", text()), always("detail", text())})))});
  return it;
}

const Shape& agent() {
  static const Shape it = object(
      "agent", {always("address", text()),
                always("role", choice({"human", "mayor", "deacon", "witness", "refinery", "polecat", "crew", "dog",
                                       "session", "system"})),
                maybe("rig", text()), maybe("name", text()), maybe("session", text(), "where it runs"),
                maybe("harness", text()), maybe("description", text()), maybe("start", text(), "how it is started"),
                maybe("resume", text()), maybe("on", choice({"mail", "nudge"}), "what it is started for"),
                maybe("created_at", instant()), maybe("held_since", instant())});
  return it;
}

const Shape& agent_with_aliases() {
  static const Shape it = with("agent_with_aliases", agent(), {always("aliases", texts())});
  return it;
}

const Shape& rig() {
  static const Shape it =
      object("rig", {always("name", text()), always("prefix", text(), "of its bead ids"), always("path", text()),
                     always("target", text(), "where work is merged"), always("test_command", text()),
                     always("created_at", instant()), maybe("connected", or_null(text()))});
  return it;
}

const Shape& group() {
  static const Shape it =
      object("group", {always("id", text()), always("name", text()), always("members", texts(), "as they were written"),
                       always("created_at", instant()), maybe("expands_to", texts(), "who that is now")});
  return it;
}

const Shape& queue() {
  static const Shape it = object(
      "queue",
      {always("id", text()), always("name", text()), always("rig", or_null(text())), always("claimers", text()),
       always("order", choice({"fifo", "priority"})), always("max_concurrency", integer(), "0 is any number"),
       always("lease", text()), always("max_attempts", integer()),
       always("state", choice({"open", "paused", "closed"})), always("available", integer()),
       always("processing", integer()), always("completed", integer()), always("failed", integer()),
       always("created_at", instant()),
       maybe("claims", list_of(object("claim", {always("id", text()), always("subject", text()),
                                                always("claimed_by", text()), maybe("claimed_at", instant()),
                                                maybe("lease_until", instant()), always("attempts", integer())})))});
  return it;
}

const Shape& channel() {
  static const Shape it = object(
      "channel", {always("id", text()), always("name", text()), always("state", choice({"open", "closed"})),
                  always("retain_count", integer(), "0 keeps all"), always("retain_hours", integer(), "0 is any age"),
                  always("posts", integer()), always("pruned", integer()), always("subscribers", integer()),
                  always("created_at", instant())});
  return it;
}

const Shape& nudge() {
  static const Shape it =
      object("nudge", {always("id", text()),
                       always("nudge_id", text()),
                       always("target", text()),
                       always("message", text()),
                       always("kind", choice({"text", "mail"})),
                       always("mode", choice({"wait-idle", "immediate", "soon", "queue"})),
                       always("priority", choice({"normal", "urgent"})),
                       always("source", choice({"witness", "refinery", "deacon", "user", "system", "agent"})),
                       always("sender", text()),
                       always("sender_grade", grade()),
                       always("created_at", instant()),
                       maybe("expires_at", instant()),
                       maybe("deliver_after", instant()),
                       maybe("coalesce_key", text()),
                       maybe("thread_id", text()),
                       always("refs", texts()),
                       maybe("bead", text()),
                       maybe("ephemeral", flag()),
                       always("state", choice({"queued", "leased", "handed", "delivered", "expired", "superseded",
                                               "dropped", "dead", "lost"})),
                       always("attempts", integer()),
                       maybe("held_by", text()),
                       maybe("handed_at", instant()),
                       maybe("delivered_at", instant()),
                       maybe("expired_at", instant()),
                       maybe("ended_at", instant()),
                       maybe("evidence", text(), "what shows that it arrived"),
                       maybe("last_error", text())});
  return it;
}

const Shape& sent_nudges() {
  static const Shape it = list_of(
      with("sent_nudge", nudge(),
           {always("address", text()), maybe("duplicate", flag()), always("note", text(), "what stands in its way")}));
  return it;
}

const Shape& care() {
  static const Shape it =
      object("care", {always("address", text()), always("dnd", flag(), "it does not want to be disturbed"),
                      maybe("dnd_until", instant()), maybe("held_until", text(), "an instant, or \"released\""),
                      maybe("quarantined_at", instant()), maybe("hook", text(), "the bead it works on")});
  return it;
}

const Shape& status() {
  static const Shape it =
      object("status",
             {always("held", flag()), maybe("watched_at", instant()), always("watching", flag(), "gt up runs here"),
              always("hook_errors", integer()), maybe("cannot_watch", text(), "why gt up looks every second"),
              maybe("refused", object("refusals", {always("count", integer()), always("last", text())})),
              maybe("undone", texts()), maybe("warnings", texts()),
              always("agents",
                     list_of(with("agent_status", care(),
                                  {always("state", agent_state()), maybe("detail", text()), always("session", text()),
                                   maybe("harness", text()), maybe("incarnation", text()), maybe("pid", integer()),
                                   maybe("host", text()), maybe("draft_since", instant()), maybe("since", instant()),
                                   maybe("last_activity", instant()), maybe("idle_since", instant()),
                                   always("pending", integer(), "nudges"), always("unread", integer(), "mail")})))});
  return it;
}

const Shape& todo() {
  static const Shape it = [] {
    const auto typed = object(
        "typed_mail", {always("id", text()), always("type", text()), always("from", text()), always("subject", text()),
                       always("timestamp", instant()), always("thread_id", text()), maybe("bead_id", text())});
    const auto overdue = object("overdue", {always("id", text()), always("from", text()), always("subject", text()),
                                            always("reply_by", instant()), maybe("owed_by", texts())});
    const auto bead =
        object("bead_standing",
               {always("bead_id", text()),
                always("state", choice({"silent", "accepted", "progress", "help", "checkpoint", "done", "failed"})),
                maybe("by", text()), maybe("accepted_at", instant()), maybe("last_at", instant()),
                maybe("step", text()), maybe("context_usage", number()), always("help_open", flag())});
    return object("todo",
                  {always("pending", list_of(typed)),
                   always("help", list_of(with("help_asked", typed, {always("late", flag())}))),
                   always("completions", list_of(typed)), always("overdue", list_of(overdue)),
                   always("actions", list_of(object("action", {always("what", text()), always("command", text())}))),
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
    return object("message_type", {always("name", text()), always("dialect", text()), always("summary", text()),
                                   always("subject", text()), always("from", text()), always("to", text()),
                                   always("fields", list_of(of_field)), always("ack_required", flag()),
                                   always("transient", flag()), always("nudge", flag()), always("handler", text())});
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
