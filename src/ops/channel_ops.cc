#include "base/text.h"
#include "ops/listing.h"
#include "ops/shapes.h"
#include "ops/table.h"
#include "ops/views.h"
#include "post/lists/channels.h"

namespace townpost::ops {

namespace {

Arg retain_count() {
  return option("retain_count", "N", "Keep only the newest N posts; 0 keeps all", ArgKind::integer);
}
Arg retain_hours() {
  return option("retain_hours", "H", "Keep posts for H hours; 0 keeps them at any age", ArgKind::integer);
}

Channels::Limits limits_of(const Args& args) {
  return {.retain_count = args.integer("retain_count"), .retain_hours = args.integer("retain_hours")};
}

Result<Answer> set_open(Call& call, Channels::Open open) {
  TRY(town, call.town());
  TRY(caller, call.caller());
  TRY(view, Channels(*town).set_open(call.args.text("name"), open, caller));
  return Answer{.json = views::channel(view)};
}

}  // namespace

const Op& channel_list() {
  static const Op op{.name = "channel.list",
                     .summary = "List the channels",
                     .args = {},
                     .authority = by_anyone(),
                     .where = Where::anywhere,
                     .effect = Effect::reads,
                     .result = [] { return shape::list_of(shapes::channel()); },
                     .columns = {"name", {"status", Column::As::state}, "posts", "subscribers"},
                     .list = {.none = "no channels yet: " + next("channel.create", {{"name", "NAME"}}),
                              .next = next("channel.read", {{"name", "NAME"}})},
                     .examples = {{"gt channel list", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(town, call.town());
                       TRY(channels, Channels(*town).list());
                       JsonArray out;
                       for (const auto& view : channels) out.push_back(views::channel(view));
                       return Answer{.json = std::move(out)};
                     }};
  return op;
}

const Op& channel_show() {
  static const Op op{.name = "channel.show",
                     .summary = "Show a channel: its limits, its posts, and how many were pruned",
                     .args = {one("name", "NAME", "The channel", ArgKind::list_name)},
                     .authority = by_anyone(),
                     .where = Where::anywhere,
                     .effect = Effect::reads,
                     .result = [] { return shapes::channel(); },
                     .examples = {{"gt channel show builds", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(town, call.town());
                       TRY(view, Channels(*town).show(call.args.text("name")));
                       return Answer{.json = views::channel(view)};
                     }};
  return op;
}

const Op& channel_create() {
  static const Op op{
      .name = "channel.create",
      .summary = "Create a channel: a stream everyone can read, each from their own place",
      .args = {one("name", "NAME", "1 to 64 of a-z 0-9 _ -", ArgKind::list_name), retain_count(), retain_hours()},
      .authority = not_in_quarantine(by_anyone()),
      .where = Where::anywhere,
      .effect = Effect::changes,
      .result = [] { return shapes::channel(); },
      .examples = {{"gt channel create builds --retain-count 100", ""},
                   {"gt mail send channel:builds -s \"main is green\" -m 3f2a", "a post"}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(town, call.town());
        TRY(caller, call.caller());
        TRY(view, Channels(*town).create(call.args.text("name"), limits_of(call.args), caller));
        return Answer{.json = views::channel(view)};
      }};
  return op;
}

const Op& channel_update() {
  static const Op op{.name = "channel.update",
                     .summary = "Change how many posts a channel keeps; the next post enforces it",
                     .args = {one("name", "NAME", "The channel", ArgKind::list_name), retain_count(), retain_hours()},
                     .authority = not_in_quarantine(by_creator()),
                     .where = Where::anywhere,
                     .effect = Effect::idempotent,
                     .result = [] { return shapes::channel(); },
                     .examples = {{"gt channel update builds --retain-count 20", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(town, call.town());
                       TRY(caller, call.caller());
                       TRY(view, Channels(*town).update(call.args.text("name"), limits_of(call.args), caller));
                       return Answer{.json = views::channel(view)};
                     }};
  return op;
}

const Op& channel_close() {
  static const Op op{.name = "channel.close",
                     .summary = "Close a channel: it can still be read, but refuses new posts",
                     .args = {one("name", "NAME", "The channel", ArgKind::list_name)},
                     .authority = not_in_quarantine(by_creator()),
                     .where = Where::anywhere,
                     .effect = Effect::idempotent,
                     .result = [] { return shapes::channel(); },
                     .examples = {{"gt channel close builds", ""}},
                     .run = [](Call& call) { return set_open(call, Channels::Open::no); }};
  return op;
}

const Op& channel_reopen() {
  static const Op op{.name = "channel.reopen",
                     .summary = "Reopen a closed channel",
                     .args = {one("name", "NAME", "The channel", ArgKind::list_name)},
                     .authority = not_in_quarantine(by_creator()),
                     .where = Where::anywhere,
                     .effect = Effect::idempotent,
                     .result = [] { return shapes::channel(); },
                     .examples = {{"gt channel reopen builds", ""}},
                     .run = [](Call& call) { return set_open(call, Channels::Open::yes); }};
  return op;
}

const Op& channel_delete() {
  static const Op op{.name = "channel.delete",
                     .summary = "Delete a channel; refused while it has posts",
                     .args = {one("name", "NAME", "The channel", ArgKind::list_name),
                              flag("force", "Delete it with its posts; nobody can read them then")},
                     .other_words = {{"yes", "force"}, {"y", "force"}},
                     .authority = not_in_quarantine(by_creator()),
                     .where = Where::anywhere,
                     .effect = Effect::destroys,
                     .result =
                         [] {
                           return shape::with("removed_channel", shapes::removed(),
                                              {shape::always("posts", shape::integer(), "that went with it")});
                         },
                     .examples = {{"gt channel delete builds", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(town, call.town());
                       TRY(caller, call.caller());
                       const auto posts = call.args.flag("force") ? Channels::Posts::drop : Channels::Posts::refuse;
                       TRY(gone, Channels(*town).remove(call.args.text("name"), posts, caller));
                       auto out = views::removed(call.args.text("name"));
                       out["posts"] = gone;
                       return Answer{.json = std::move(out)};
                     }};
  return op;
}

const Op& channel_subscribe() {
  static const Op op{
      .name = "channel.subscribe",
      .summary = "Follow a channel: `mail.check` counts its new posts from now on",
      .args = {one("name", "NAME", "The channel", ArgKind::list_name),
               maybe_one("member", "MEMBER", "An address, @pattern, wildcard or group (default: you)",
                         ArgKind::address),
               flag("wake", "Wake on each post, as mail does")},
      .authority = not_in_quarantine(by_anyone()),
      .where = Where::anywhere,
      .effect = Effect::idempotent,
      .result =
          [] {
            return shape::object("subscription",
                                 {shape::always("channel", shape::text()), shape::always("member", shape::text()),
                                  shape::always("wake", shape::flag())});
          },
      .examples = {{"gt channel subscribe builds", ""}, {"gt channel subscribe builds @crew --wake", "a whole crew"}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(town, call.town());
        TRY(caller, call.caller());
        const auto wake = call.args.flag("wake") ? Channels::Wake::yes : Channels::Wake::no;
        TRY(made, Channels(*town).subscribe(call.args.text("name"), call.args.maybe_text("member"), wake, caller));
        JsonObject out;
        out["channel"] = call.args.text("name");
        out["member"] = views::shown(made.member, town->settings);
        out["wake"] = made.wake;
        Answer answer{.json = std::move(out)};
        if (!made.doubt.empty()) answer.warnings.push_back(made.doubt);
        return answer;
      }};
  return op;
}

const Op& channel_unsubscribe() {
  static const Op op{
      .name = "channel.unsubscribe",
      .summary = "Unfollow a channel (fine if you did not follow it)",
      .args = {one("name", "NAME", "The channel", ArgKind::list_name),
               maybe_one("member", "MEMBER", "As it was subscribed (default: you)", ArgKind::address)},
      .authority = not_in_quarantine(by_anyone()),
      .where = Where::anywhere,
      .effect = Effect::idempotent,
      .result =
          [] {
            return shape::object("unsubscribed",
                                 {shape::always("channel", shape::text()), shape::always("removed", shape::flag())});
          },
      .examples = {{"gt channel unsubscribe builds", ""}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(town, call.town());
        TRY(caller, call.caller());
        TRY(removed, Channels(*town).unsubscribe(call.args.text("name"), call.args.maybe_text("member"), caller));
        JsonObject out;
        out["channel"] = call.args.text("name");
        out["removed"] = removed;
        return Answer{.json = std::move(out)};
      }};
  return op;
}

const Op& channel_subscribers() {
  static const Op op{.name = "channel.subscribers",
                     .summary = "List a channel's subscribers",
                     .args = {one("name", "NAME", "The channel", ArgKind::list_name)},
                     .authority = by_anyone(),
                     .where = Where::anywhere,
                     .effect = Effect::reads,
                     .result =
                         [] {
                           return shape::list_of(shape::object("subscriber", {shape::always("member", shape::text()),
                                                                              shape::always("wake", shape::flag())}));
                         },
                     .columns = {{"member", Column::As::address}, "wake"},
                     .list = {.none = "no subscribers yet: " + next("channel.subscribe", {{"name", "NAME"}})},
                     .examples = {{"gt channel subscribers builds", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(town, call.town());
                       TRY(view, Channels(*town).show(call.args.text("name")));
                       JsonArray out;
                       for (const auto& subscriber : view.subscribers) {
                         JsonObject entry;
                         entry["member"] = views::shown(subscriber.member, town->settings);
                         entry["wake"] = subscriber.wake;
                         out.push_back(std::move(entry));
                       }
                       return Answer{.json = std::move(out)};
                     }};
  return op;
}

const Op& channel_read() {
  static const Op op{
      .name = "channel.read",
      .summary = "Read a channel's newest posts, or only those new to you; oldest first",
      .args = {one("name", "NAME", "The channel", ArgKind::list_name), flag("unread", "Only posts you have not read"),
               limit(), option("cursor", "SEQ", "Only posts before the one with this seq", ArgKind::integer)},
      .authority = by_anyone(),
      .where = Where::anywhere,
      .effect = Effect::changes,
      .result = [] { return shape::list_of(shapes::post()); },
      .examples = {{"gt channel read builds --unread", ""}, {"gt mail reply hq-m-1a2b3c -m \"...\"", "to the author"}},
      .run = [](Call& call) -> Result<Answer> {
        const int limit = call.args.limit();
        TRY(town, call.town());
        TRY(caller, call.caller());
        TRY(reading,
            Channels(*town).read(
                call.args.text("name"),
                {.unread_only = call.args.flag("unread"), .below_seq = call.args.integer("cursor"), .limit = limit},
                caller));
        JsonArray out;
        std::vector<MessageId> ids;
        for (const auto& post : reading.posts) {
          out.push_back(views::mail({.message = post, .post_read = reading.known.contains(post.id)}, town->settings));
          ids.push_back(post.id);
        }
        remember_listing(call, ids);
        Extent extent{.total = reading.total, .more = reading.more};
        // What is unread is gone on with by reading again; else a page begins before the oldest post of this one.
        if (reading.more > 0 && !call.args.flag("unread")) extent.cursor = ids.front().seq();
        Answer answer{.json = std::move(out), .extent = extent};
        call.after_handover([town = town, caller = caller, reading = std::move(reading)] {
          return Channels(*town).was_read(reading, caller);
        });
        return answer;
      }};
  return op;
}

const Op& channel_pruned() {
  static const Op op{
      .name = "channel.pruned",
      .summary = "List the posts that a channel's limits removed, newest first",
      .args = {one("name", "NAME", "The channel", ArgKind::list_name), limit()},
      .authority = by_anyone(),
      .where = Where::anywhere,
      .effect = Effect::reads,
      .result =
          [] {
            return shape::list_of(shape::object(
                "pruned_post", {shape::always("id", shape::text()), shape::always("from", shape::text()),
                                shape::always("subject", shape::text()), shape::always("timestamp", shape::instant()),
                                shape::always("pruned_at", shape::instant()), shape::always("reason", shape::text())}));
          },
      .columns = {"pruned_at",
                  "reason",
                  {"from", Column::As::address},
                  {"subject", Column::As::prose},
                  {"id", Column::As::id}},
      .list = {.none = "nothing pruned"},
      .examples = {{"gt channel pruned builds", ""}},
      .run = [](Call& call) -> Result<Answer> {
        const int limit = call.args.limit();
        TRY(town, call.town());
        TRY(caller, call.caller());
        Channels channels(*town);
        TRY(records, channels.pruned(call.args.text("name"), limit, caller));
        TRY(view, channels.show(call.args.text("name")));
        JsonArray out;
        for (const auto& record : records) {
          JsonObject entry;
          entry["id"] = record.message.str();
          entry["from"] = views::shown(record.from, town->settings);
          entry["subject"] = record.subject;
          entry["timestamp"] = rfc3339(record.created_at);
          entry["pruned_at"] = rfc3339(record.pruned_at);
          entry["reason"] = record.reason;
          out.push_back(std::move(entry));
        }
        const auto total = view.channel.pruned;
        const auto more = total - static_cast<std::int64_t>(records.size());
        return Answer{.json = std::move(out), .extent = Extent{.total = total, .more = more}};
      }};
  return op;
}

const Op& channel_prune() {
  static const Op op{.name = "channel.prune",
                     .summary = "Enforce retention now, for channels more than 10 % over their limit",
                     .args = {maybe_one("name", "NAME", "The channel (default: all)", ArgKind::list_name)},
                     .authority = not_in_quarantine(by_anyone()),
                     .where = Where::anywhere,
                     .effect = Effect::destroys,
                     .result =
                         [] {
                           return shape::list_of(shape::object("pruned", {shape::always("name", shape::text()),
                                                                          shape::always("pruned", shape::integer())}));
                         },
                     .columns = {"name", "pruned"},
                     .list = {.none = "no channels", .noun = "channel"},
                     .examples = {{"gt channel prune", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(town, call.town());
                       TRY(pruned, Channels(*town).patrol(call.args.maybe_text("name")));
                       JsonArray out;
                       for (const auto& [name, posts] : pruned) {
                         JsonObject entry;
                         entry["name"] = name;
                         entry["pruned"] = posts;
                         out.push_back(std::move(entry));
                       }
                       return Answer{.json = std::move(out)};
                     }};
  return op;
}

}  // namespace townpost::ops
