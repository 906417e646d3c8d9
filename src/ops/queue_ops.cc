#include "base/text.h"
#include "ops/listing.h"
#include "ops/outcomes.h"
#include "ops/shapes.h"
#include "ops/table.h"
#include "ops/views.h"
#include "post/lists/queues.h"

namespace townpost::ops {

namespace {

Answer answer_of(JsonObject json, const QueueView& view) {
  Answer answer{.json = std::move(json)};
  if (!view.doubt.empty()) answer.warnings.push_back(view.doubt);
  if (view.withheld > 0)
    answer.warnings.push_back(cat(view.withheld, view.withheld == 1 ? " message" : " messages",
                                  " from agents in quarantine: handed to nobody until that ends"));
  return answer;
}

Result<Answer> set_state(Call& call, QueueState state) {
  TRY(town, call.town());
  TRY(view, Queues(*town).set_state(call.args.text("name"), state));
  return Answer{.json = views::queue(view)};
}

}  // namespace

const Op& queue_create() {
  static const Op op{
      .name = "queue.create",
      .summary = "Create a queue: each message goes to exactly one worker at a time",
      .args = {one("name", "NAME", "1 to 64 of a-z 0-9 _ -; unique in the town", ArgKind::list_name),
               with_default("*", option("claimers", "PATTERN",
                                        "Who may claim: * (anyone), an address, a wildcard, an @pattern or a group")),
               with_default("fifo",
                            one_of({"fifo", "priority"}, option("order", "ORDER", "fifo, or priority (urgent first)"))),
               with_default(
                   "0", option("max_concurrency", "N", "Most leases at the same time; 0: no limit", ArgKind::integer)),
               with_default("10m", option("lease", "10m", "How long a claim lasts without extend", ArgKind::duration)),
               with_default("5", option("max_attempts", "N", "Claims before a message is dead", ArgKind::integer)),
               option("rig", "RIG", "Make it a rig's queue")},
      .authority = not_in_quarantine(by_coordinators()),
      .where = Where::anywhere,
      .effect = Effect::changes,
      .result = [] { return shapes::queue(); },
      .examples = {{"gt queue create dispatch --claimers \"greenplace/polecats/*\"", ""},
                   {"gt mail send queue:dispatch -s \"Fix issue 12\" -m \"...\"", "one of them will claim it"}},
      .run = [](Call& call) -> Result<Answer> {
        const auto& args = call.args;
        if (args.has("rig") && args.text("rig").empty())
          return fail_argument("rig", "invalid rig: it is empty", "omit it for a queue of the town");
        TRY(town, call.town());
        TRY(view, Queues(*town).create({.name = args.text("name"),
                                        .claimers = args.text("claimers"),
                                        .rig = args.text("rig"),
                                        .order = args.text("order") == "fifo" ? QueueOrder::fifo : QueueOrder::priority,
                                        .max_concurrency = *args.integer("max_concurrency"),
                                        .lease = *args.duration("lease"),
                                        .max_attempts = *args.integer("max_attempts")}));
        return answer_of(views::queue(view), view);
      }};
  return op;
}

const Op& queue_update() {
  static const Op op{
      .name = "queue.update",
      .summary = "Change a queue's settings; claims that run keep their lease",
      .args = {one("name", "NAME", "The queue", ArgKind::list_name), option("claimers", "PATTERN", "Who may claim"),
               option("max_concurrency", "N", "Most leases at the same time; 0: no limit", ArgKind::integer),
               option("lease", "10m", "How long a claim lasts without extend", ArgKind::duration),
               option("max_attempts", "N", "Claims before a message is dead", ArgKind::integer)},
      .authority = not_in_quarantine(by_coordinators()),
      .where = Where::anywhere,
      .effect = Effect::idempotent,
      .result = [] { return shapes::queue(); },
      .examples = {{"gt queue update dispatch --lease 30m --max-attempts 3", ""}},
      .run = [](Call& call) -> Result<Answer> {
        const auto& args = call.args;
        TRY(town, call.town());
        TRY(view, Queues(*town).update(args.text("name"), {.claimers = args.maybe_text("claimers"),
                                                           .max_concurrency = args.integer("max_concurrency"),
                                                           .lease = args.duration("lease"),
                                                           .max_attempts = args.integer("max_attempts")}));
        return answer_of(views::queue(view), view);
      }};
  return op;
}

const Op& queue_list() {
  static const Op op{
      .name = "queue.list",
      .summary = "List the queues with their exact counts",
      .args = {},
      .authority = by_anyone(),
      .where = Where::anywhere,
      .effect = Effect::reads,
      .result = [] { return shape::list_of(shapes::queue()); },
      .columns = {"name", {"status", Column::As::state}, "available", "processing", "completed", "failed"},
      .list = {.none = "no queues yet: " + next("queue.create", {{"name", "NAME"}}),
               .next = next("queue.show", {{"name", "NAME"}})},
      .examples = {{"gt queue list", ""}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(town, call.town());
        TRY(queues, Queues(*town).list());
        JsonArray out;
        for (const auto& view : queues) out.push_back(views::queue(view));
        return Answer{.json = std::move(out)};
      }};
  return op;
}

const Op& queue_show() {
  static const Op op{.name = "queue.show",
                     .summary = "Show a queue: its settings, its counts, and who has claimed what",
                     .args = {one("name", "NAME", "The queue", ArgKind::list_name)},
                     .authority = by_anyone(),
                     .where = Where::anywhere,
                     .effect = Effect::reads,
                     .result = [] { return shapes::queue(); },
                     .examples = {{"gt queue show dispatch", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(town, call.town());
                       TRY(caller, call.caller());
                       Queues queues(*town);
                       TRY(view, queues.show(call.args.text("name")));
                       TRY(claims, queues.processing(call.args.text("name"), caller));
                       JsonObject out = views::queue(view);
                       JsonArray list;
                       for (const auto& claim : claims) list.push_back(views::claim(claim, town->settings));
                       out["claims"] = std::move(list);
                       return answer_of(std::move(out), view);
                     }};
  return op;
}

const Op& queue_pause() {
  static const Op op{.name = "queue.pause",
                     .summary = "Pause a queue: it accepts messages but hands none out",
                     .args = {one("name", "NAME", "The queue", ArgKind::list_name)},
                     .authority = not_in_quarantine(by_coordinators()),
                     .where = Where::anywhere,
                     .effect = Effect::idempotent,
                     .result = [] { return shapes::queue(); },
                     .examples = {{"gt queue pause dispatch", ""}},
                     .run = [](Call& call) { return set_state(call, QueueState::paused); }};
  return op;
}

const Op& queue_resume() {
  static const Op op{.name = "queue.resume",
                     .summary = "Reopen a paused or closed queue",
                     .args = {one("name", "NAME", "The queue", ArgKind::list_name)},
                     .authority = not_in_quarantine(by_coordinators()),
                     .where = Where::anywhere,
                     .effect = Effect::idempotent,
                     .result = [] { return shapes::queue(); },
                     .examples = {{"gt queue resume dispatch", ""}},
                     .run = [](Call& call) { return set_state(call, QueueState::active); }};
  return op;
}

const Op& queue_close() {
  static const Op op{.name = "queue.close",
                     .summary = "Close a queue: it refuses new messages; those in it can still be claimed",
                     .args = {one("name", "NAME", "The queue", ArgKind::list_name)},
                     .authority = not_in_quarantine(by_coordinators()),
                     .where = Where::anywhere,
                     .effect = Effect::idempotent,
                     .result = [] { return shapes::queue(); },
                     .examples = {{"gt queue close dispatch", ""}},
                     .run = [](Call& call) { return set_state(call, QueueState::closed); }};
  return op;
}

const Op& queue_delete() {
  static const Op op{.name = "queue.delete",
                     .summary = "Delete a queue; refused while messages are unfinished",
                     .args = {one("name", "NAME", "The queue", ArgKind::list_name),
                              flag("force", "Delete it with unfinished messages; nobody gets them")},
                     .authority = not_in_quarantine(by_coordinators()),
                     .where = Where::anywhere,
                     .effect = Effect::destroys,
                     .result = [] { return shapes::removed(); },
                     .examples = {{"gt queue delete dispatch", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(town, call.town());
                       const auto unfinished =
                           call.args.flag("force") ? Queues::Unfinished::drop : Queues::Unfinished::refuse;
                       TRY_VOID(Queues(*town).remove(call.args.text("name"), unfinished));
                       return Answer{.json = views::removed(call.args.text("name"))};
                     }};
  return op;
}

const Op& queue_dead() {
  static const Op op{.name = "queue.dead",
                     .summary = "List messages that failed too often",
                     .args = {maybe_one("name", "NAME", "The queue (default: all)", ArgKind::list_name)},
                     .authority = by_anyone(),
                     .where = Where::anywhere,
                     .effect = Effect::reads,
                     .result = [] { return shape::list_of(shapes::queued_message()); },
                     .columns = columns::queued_messages(),
                     .list = {.none = "nothing failed", .next = next("queue.retry", {{"id", "ID"}})},
                     .examples = {{"gt queue dead", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(town, call.town());
                       TRY(caller, call.caller());
                       TRY(dead, Queues(*town).dead(call.args.maybe_text("name"), caller));
                       JsonArray out;
                       std::vector<std::string> ids;
                       for (const auto& mail : dead) {
                         out.push_back(views::queued(mail, town->settings));
                         ids.push_back(mail.message.id.str());
                       }
                       remember_listing(call, std::move(ids));
                       return Answer{.json = std::move(out)};
                     }};
  return op;
}

const Op& queue_messages() {
  static const Op op{
      .name = "queue.messages",
      .summary = "List what is in a queue: claimed (with holder and lease), waiting, dead",
      .args = {one("name", "NAME", "The queue", ArgKind::list_name),
               one_of({"available", "processing", "completed", "dead"},
                      option("state", "STATE", "Only what is available, processing, completed or dead")),
               limit()},
      .authority = by_anyone(),
      .where = Where::anywhere,
      .effect = Effect::reads,
      .result = [] { return shape::list_of(shapes::queued_message()); },
      .columns = columns::queue_contents(),
      .list = {.none = "the queue is empty", .next = next("mail.read", {{"id", "1"}})},
      .examples = {{"gt queue messages dispatch", ""}, {"gt queue messages dispatch --state available --json", ""}},
      .run = [](Call& call) -> Result<Answer> {
        const int limit = call.args.limit();
        std::optional<ItemState> state;
        for (const auto one : {ItemState::available, ItemState::leased, ItemState::completed, ItemState::dead})
          if (views::queue_state(one) == call.args.text("state")) state = one;
        TRY(town, call.town());
        TRY(caller, call.caller());
        TRY(contents, Queues(*town).contents(call.args.text("name"), state, limit, caller));
        JsonArray out;
        std::vector<MessageId> ids;
        for (const auto& mail : contents.mails) {
          out.push_back(views::queued(mail, town->settings));
          ids.push_back(mail.message.id);
        }
        remember_listing(call, ids);
        const auto more = contents.total - static_cast<std::int64_t>(ids.size());
        return Answer{.json = std::move(out), .extent = Extent{.total = contents.total, .more = more}};
      }};
  return op;
}

const Op& queue_retry() {
  static const Op op{.name = "queue.retry",
                     .summary = "Put dead messages back into the queue with fresh attempts",
                     .args = {many("id", "ID", "Dead messages", ArgKind::message_id)},
                     .authority = not_in_quarantine(by_coordinators()),
                     .where = Where::anywhere,
                     .effect = Effect::changes,
                     .result = [] { return shapes::outcomes(); },
                     .examples = {{"gt queue retry hq-m-1a2b3c", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(town, call.town());
                       TRY(caller, call.caller());
                       Queues queues(*town);
                       return each_id(call.args, [&](MessageId id) -> Result<std::string> {
                         TRY_VOID(queues.retry(id, caller));
                         return std::string("available");
                       });
                     }};
  return op;
}

}  // namespace townpost::ops
