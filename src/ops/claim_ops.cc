#include "base/text.h"
#include "ops/listing.h"
#include "ops/outcomes.h"
#include "ops/shapes.h"
#include "ops/table.h"
#include "ops/views.h"
#include "post/lists/claims.h"
#include "post/people/list_names.h"

namespace townpost::ops {

namespace {

Arg of_queue() { return option("queue", "QUEUE", "Only if it is work of this queue", ArgKind::list_name); }

Result<Queue> queue_named(Town& town, const std::string& name) {
  return read_value(town.store, [&](Ledger& ledger) -> Result<Queue> {
    const auto wanted = list_name(ListKind::queue, name);
    TRY(queue, ledger.find_queue(wanted));
    if (!queue) return no_such_list(ledger, ListKind::queue, wanted);
    return std::move(*queue);
  });
}

/// That the work is this queue's.
Result<> is_of_queue(Town& town, MessageId id, const Queue& named) {
  return town.store.read([&](Ledger& ledger) -> Result<> {
    TRY(queue, ledger.queue_of(id));
    if (queue && queue->id == named.id) return {};
    const auto& name = named.name;
    return fail(Code::not_found, cat("no work ", id.str(), " in the queue ", name),
                next("queue.messages", {{"name", name}}, " lists it"));
  });
}

/// An operation on messages that the caller has claimed, each for itself.
template <class Work>
Result<Answer> on_claims(Call& call, Work work) {
  TRY(town, call.town());
  TRY(caller, call.caller());
  Claims claims(*town);
  std::optional<Queue> queue;
  if (const auto name = call.args.maybe_text("queue")) {
    TRY(named, queue_named(*town, *name));
    queue = std::move(named);
  }
  return each_id(call.args, [&](MessageId id) -> Result<std::string> {
    if (queue) TRY_VOID(is_of_queue(*town, id, *queue));
    TRY(now, work(claims, id, caller));
    return std::string(views::queue_state(now.item.state));
  });
}

}  // namespace

const Op& mail_claim() {
  static const Op op{
      .name = "mail.claim",
      .summary = "Claim the next message of a queue (exit 1 if there is none)",
      .args = {maybe_one("queue", "QUEUE", "The queue (default: every queue you may claim from, oldest message first)",
                         ArgKind::list_name),
               may_stand_alone("365d", option("wait", "TIME", "Wait for one, for at most TIME if given (then exit 8)",
                                              ArgKind::duration)),
               flag("full", "Print the whole body, however long")},
      .authority = not_in_quarantine(by_claimers()),
      .where = Where::anywhere,
      .effect = Effect::changes,
      .result = [] { return shape::or_null(shapes::queued_message()); },
      .examples = {{"gt mail claim dispatch", "yours until the queue's lease ends"},
                   {"gt mail claim --wait 10m", "from any queue, as soon as there is something"},
                   {"gt mail complete hq-m-1a2b3c", "done; or fail, release, extend"}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(town, call.town());
        TRY(caller, call.caller());
        Claims claims(*town);
        const auto queue = call.args.maybe_text("queue");
        const auto wait = call.args.duration("wait");
        TRY(look, claims.look(queue, caller, wait ? Claims::Paused::wait : Claims::Paused::refuse));
        if (look.mail) {
          remember_last(call, look.mail->message.id);
          return Answer{.json = views::queued(*look.mail, town->settings)};
        }
        if (!wait) return Answer{.json = Json(nullptr), .outcome = Outcome::nothing};
        const Instant end = call.request.started_at + *wait;
        if (town->clock.now() >= end)
          return fail(Code::timeout, cat("nothing to claim within ", call.args.text("wait")),
                      "wait again, or look with " + next("queue.list"));
        return Answer{.json = Json(nullptr),
                      .outcome = Outcome::pending,
                      .again = Again{.bells = {look.bell}, .at = std::min(end, look.again_at)}};
      }};
  return op;
}

const Op& mail_complete() {
  static const Op op{
      .name = "mail.complete",
      .summary = "Mark claimed work as done, even after the lease ran out, unless someone else has claimed it",
      .args = {many("id", "ID", "Messages you claimed", ArgKind::message_id), of_queue()},
      .authority = by_claimers(),
      .where = Where::anywhere,
      .effect = Effect::idempotent,
      .result = [] { return shapes::outcomes(); },
      .examples = {{"gt mail complete hq-m-1a2b3c", ""}},
      .run =
          [](Call& call) {
            return on_claims(
                call, [](Claims& claims, MessageId id, const Caller& caller) { return claims.complete(id, caller); });
          }};
  return op;
}

const Op& mail_fail() {
  static const Op op{.name = "mail.fail",
                     .summary = "Report a failed attempt: back in the queue, or dead after its last attempt",
                     .args = {many("id", "ID", "Messages you claimed", ArgKind::message_id),
                              option("reason", "TEXT", "Why; kept with the message"), of_queue()},
                     .authority = not_in_quarantine(by_claimers()),
                     .where = Where::anywhere,
                     .effect = Effect::changes,
                     .result = [] { return shapes::outcomes(); },
                     .examples = {{"gt mail fail hq-m-1a2b3c --reason \"tests are red\"", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       const auto reason = call.args.text("reason");
                       return on_claims(call, [&](Claims& claims, MessageId id, const Caller& caller) {
                         return claims.fail_attempt(id, reason, caller);
                       });
                     }};
  return op;
}

const Op& mail_release() {
  static const Op op{.name = "mail.release",
                     .summary = "Give claimed work back untouched; it does not count as an attempt",
                     .args = {many("id", "ID", "Messages you claimed", ArgKind::message_id)},
                     .authority = by_claimers(),
                     .where = Where::anywhere,
                     .effect = Effect::changes,
                     .result = [] { return shapes::outcomes(); },
                     .examples = {{"gt mail release hq-m-1a2b3c", ""}},
                     .run =
                         [](Call& call) {
                           return on_claims(call, [](Claims& claims, MessageId id, const Caller& caller) {
                             return claims.release(id, caller);
                           });
                         }};
  return op;
}

const Op& mail_extend() {
  static const Op op{
      .name = "mail.extend",
      .summary = "Renew the lease on claimed work",
      .args = {many("id", "ID", "Messages you claimed", ArgKind::message_id),
               option("lease", "10m", "How long from now (default: the queue's lease)", ArgKind::duration)},
      .authority = not_in_quarantine(by_claimers()),
      .where = Where::anywhere,
      .effect = Effect::changes,
      .result = [] { return shapes::outcomes(); },
      .examples = {{"gt mail extend hq-m-1a2b3c --lease 30m", ""}},
      .run =
          [](Call& call) {
            const auto lease = call.args.duration("lease");
            return on_claims(call, [&](Claims& claims, MessageId id, const Caller& caller) {
              return claims.extend(id, lease, caller);
            });
          }};
  return op;
}

}  // namespace townpost::ops
