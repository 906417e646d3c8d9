#include "base/text.h"
#include "ops/listing.h"
#include "ops/table.h"
#include "ops/views.h"
#include "post/lists/channels.h"

namespace townpost::ops {

namespace {

constexpr std::string_view kChannel =
    R"({"id","name","state","retain_count","retain_hours","posts","pruned","subscribers","created_at"})";

Arg retain_count() { return option("retain-count", "N", "Only the newest N posts stay; 0 = all", ArgKind::integer); }
Arg retain_hours() {
  return option("retain-hours", "H", "Only posts younger than H hours stay; 0 = any age", ArgKind::integer);
}

Channels::Limits limits_of(const Args& args) {
  return {.retain_count = args.integer("retain-count"), .retain_hours = args.integer("retain-hours")};
}

Result<Answer> set_open(Call& call, Channels::Open open) {
  TRY(town, call.context.town());
  TRY(caller, call.context.caller());
  TRY(view, Channels(*town).set_open(call.args.text("name"), open, caller));
  return Answer{.json = views::channel(view)};
}

}  // namespace

const Op& channel_list() {
  static const Op op{.name = "channel.list",
                     .summary = "List the channels",
                     .args = {},
                     .authority = by_anyone(),
                     .answer = "[channel]",
                     .examples = {{"gt channel list", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(town, call.context.town());
                       TRY(channels, Channels(*town).list());
                       JsonArray out;
                       for (const auto& view : channels) out.push_back(views::channel(view));
                       return Answer{.json = std::move(out)};
                     }};
  return op;
}

const Op& channel_show() {
  static const Op op{.name = "channel.show",
                     .summary = "Show a channel: its limits, how many posts it has, how many were pruned",
                     .args = {one("name", "NAME", "The channel")},
                     .authority = by_anyone(),
                     .answer = kChannel,
                     .examples = {{"gt channel show builds", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(town, call.context.town());
                       TRY(view, Channels(*town).show(call.args.text("name")));
                       return Answer{.json = views::channel(view)};
                     }};
  return op;
}

const Op& channel_create() {
  static const Op op{
      .name = "channel.create",
      .summary = "Make a channel: a stream for everybody; a post is stored once, each reader has a cursor",
      .args = {one("name", "NAME", "1 to 64 of a-z 0-9 _ -"), retain_count(), retain_hours()},
      .authority = not_in_quarantine(by_anyone()),
      .answer = kChannel,
      .examples = {{"gt channel create builds --retain-count 100", ""},
                   {"gt mail send channel:builds -s \"main is green\" -m 3f2a", "a post"}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(town, call.context.town());
        TRY(caller, call.context.caller());
        TRY(view, Channels(*town).create(call.args.text("name"), limits_of(call.args), caller));
        return Answer{.json = views::channel(view)};
      }};
  return op;
}

const Op& channel_update() {
  static const Op op{.name = "channel.update",
                     .summary = "Change how many posts of a channel stay; the next post, or the patrol, prunes to it",
                     .args = {one("name", "NAME", "The channel"), retain_count(), retain_hours()},
                     .authority = not_in_quarantine(by_creator()),
                     .answer = kChannel,
                     .examples = {{"gt channel update builds --retain-count 20", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(town, call.context.town());
                       TRY(caller, call.context.caller());
                       TRY(view, Channels(*town).update(call.args.text("name"), limits_of(call.args), caller));
                       return Answer{.json = views::channel(view)};
                     }};
  return op;
}

const Op& channel_close() {
  static const Op op{.name = "channel.close",
                     .summary = "Close a channel: it refuses posts and can still be read",
                     .args = {one("name", "NAME", "The channel")},
                     .authority = not_in_quarantine(by_creator()),
                     .answer = kChannel,
                     .examples = {{"gt channel close builds", ""}},
                     .run = [](Call& call) { return set_open(call, Channels::Open::no); }};
  return op;
}

const Op& channel_reopen() {
  static const Op op{.name = "channel.reopen",
                     .summary = "Open a closed channel again",
                     .args = {one("name", "NAME", "The channel")},
                     .authority = not_in_quarantine(by_creator()),
                     .answer = kChannel,
                     .examples = {{"gt channel reopen builds", ""}},
                     .run = [](Call& call) { return set_open(call, Channels::Open::yes); }};
  return op;
}

const Op& channel_delete() {
  static const Op op{.name = "channel.delete",
                     .summary = "Delete a channel; its name becomes free",
                     .args = {one("name", "NAME", "The channel")},
                     .authority = not_in_quarantine(by_creator()),
                     .answer = R"({"removed"})",
                     .examples = {{"gt channel delete builds", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(town, call.context.town());
                       TRY(caller, call.context.caller());
                       TRY_VOID(Channels(*town).remove(call.args.text("name"), caller));
                       return Answer{.json = views::removed(call.args.text("name"))};
                     }};
  return op;
}

const Op& channel_subscribe() {
  static const Op op{
      .name = "channel.subscribe",
      .summary = "Follow a channel from now on; gt mail check then counts its posts",
      .args = {one("name", "NAME", "The channel"),
               maybe_one("member", "MEMBER", "Who: an address, @pattern, wildcard or group; yourself if left out"),
               flag("wake", "Be woken by its posts as by mail")},
      .authority = not_in_quarantine(by_anyone()),
      .answer = R"({"channel","member","wake"})",
      .examples = {{"gt channel subscribe builds", ""}, {"gt channel subscribe builds @crew --wake", "a whole crew"}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(town, call.context.town());
        TRY(caller, call.context.caller());
        const auto wake = call.args.flag("wake") ? Channels::Wake::yes : Channels::Wake::no;
        TRY(made, Channels(*town).subscribe(call.args.text("name"), call.args.maybe_text("member"), wake, caller));
        JsonObject out;
        out["channel"] = call.args.text("name");
        out["member"] = views::shown(made.member, town->settings);
        out["wake"] = made.wake;
        return Answer{.json = std::move(out)};
      }};
  return op;
}

const Op& channel_unsubscribe() {
  static const Op op{.name = "channel.unsubscribe",
                     .summary = "No longer follow a channel; whoever did not is no error",
                     .args = {one("name", "NAME", "The channel"),
                              maybe_one("member", "MEMBER", "Who, as subscribed; yourself if left out")},
                     .authority = not_in_quarantine(by_anyone()),
                     .answer = R"({"channel","removed"})",
                     .examples = {{"gt channel unsubscribe builds", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(town, call.context.town());
                       TRY(caller, call.context.caller());
                       TRY(removed,
                           Channels(*town).unsubscribe(call.args.text("name"), call.args.maybe_text("member"), caller));
                       JsonObject out;
                       out["channel"] = call.args.text("name");
                       out["removed"] = removed;
                       return Answer{.json = std::move(out)};
                     }};
  return op;
}

const Op& channel_subscribers() {
  static const Op op{.name = "channel.subscribers",
                     .summary = "List who follows a channel",
                     .args = {one("name", "NAME", "The channel")},
                     .authority = by_anyone(),
                     .answer = R"([{"member","wake"}])",
                     .examples = {{"gt channel subscribers builds", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(town, call.context.town());
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
      .summary = "Read a channel, oldest first: its newest posts, or what is new to you",
      .args = {one("name", "NAME", "The channel"), flag("unread", "Only what is new to you since you last read"),
               with_default("50", option("limit", "N", "At most so many", ArgKind::integer)),
               option("cursor", "SEQ", "Only posts before the one with this seq", ArgKind::integer)},
      .authority = by_anyone(),
      .answer = "[message]; the cursor of a subscriber follows when they were handed over",
      .examples = {{"gt channel read builds --unread", ""}, {"gt mail reply hq-m-1a2b3c -m \"...\"", "to the author"}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(limit, limit_of(call.args));
        TRY(town, call.context.town());
        TRY(caller, call.context.caller());
        TRY(reading,
            Channels(*town).read(
                call.args.text("name"),
                {.unread_only = call.args.flag("unread"), .below_seq = call.args.integer("cursor"), .limit = limit},
                caller));
        JsonArray out;
        std::vector<MessageId> ids;
        for (const auto& post : reading.posts) {
          auto view = views::mail({post, std::nullopt}, town->settings);
          view.stable_erase("read");  // a cursor says what was read
          out.push_back(std::move(view));
          ids.push_back(post.id);
        }
        remember_listing(call.context, ids);
        Answer answer{.json = std::move(out)};
        answer.confirm = [town = town, caller = caller, reading = std::move(reading)] {
          return Channels(*town).was_read(reading, caller);
        };
        return answer;
      }};
  return op;
}

const Op& channel_pruned() {
  static const Op op{.name = "channel.pruned",
                     .summary = "List what retention removed from a channel, newest first: the records that stay",
                     .args = {one("name", "NAME", "The channel"),
                              with_default("50", option("limit", "N", "At most so many", ArgKind::integer))},
                     .authority = by_anyone(),
                     .answer = R"([{"id","from","subject","timestamp","pruned_at","reason"}])",
                     .examples = {{"gt channel pruned builds", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(limit, limit_of(call.args));
                       TRY(town, call.context.town());
                       TRY(caller, call.context.caller());
                       TRY(records, Channels(*town).pruned(call.args.text("name"), limit, caller));
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
                       return Answer{.json = std::move(out)};
                     }};
  return op;
}

const Op& channel_prune() {
  static const Op op{.name = "channel.prune",
                     .summary = "The retention patrol: prune channels that are over their limit by more than a tenth",
                     .args = {maybe_one("name", "NAME", "One channel; all if left out")},
                     .authority = not_in_quarantine(by_anyone()),
                     .answer = R"([{"name","pruned"}])",
                     .examples = {{"gt channel prune", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(town, call.context.town());
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
