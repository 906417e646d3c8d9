#include "base/text.h"
#include "ops/outcomes.h"
#include "ops/shapes.h"
#include "ops/table.h"
#include "ops/views.h"
#include "post/lists/claims.h"

namespace townpost::ops {

namespace {

/// An operation on messages that the caller has claimed, each for itself.
template <class Work>
Result<Answer> on_claims(Call& call, Work work) {
  TRY(town, call.town());
  TRY(caller, call.caller());
  Claims claims(*town);
  return each_id(call.args, [&](MessageId id) -> Result<std::string> {
    TRY(now, work(claims, id, caller));
    return std::string(views::queue_state(now.item.state));
  });
}

}  // namespace

const Op& mail_claim() {
  static const Op op{
      .name = "mail.claim",
      .summary = "Take the next message of a queue for yourself; exit 1 if there is none",
      .args = {maybe_one("queue", "QUEUE",
                         "Of this queue; of every queue you may claim from, oldest first, if left out",
                         ArgKind::list_name),
               may_stand_alone("365d", option("wait", "TIME", "Wait for one; at most so long, if that is said (exit 8)",
                                              ArgKind::duration)),
               flag("full", "The whole body, however long, also into a pipe")},
      .authority = not_in_quarantine(by_claimers()),
      .where = Where::anywhere,
      .effect = Effect::changes,
      .result = [] { return shape::or_null(shapes::queued_message()); },
      .examples = {{"gt mail claim dispatch", "you have it for the queue's lease"},
                   {"gt mail claim --wait 10m", "from any queue, as soon as there is something"},
                   {"gt mail complete hq-m-1a2b3c", "done; or fail, release, extend"}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(town, call.town());
        TRY(caller, call.caller());
        Claims claims(*town);
        const auto queue = call.args.maybe_text("queue");
        const auto wait = call.args.duration("wait");
        TRY(look, claims.look(queue, caller, wait ? Claims::Paused::wait : Claims::Paused::refuse));
        if (look.mail) return Answer{.json = views::queued(*look.mail, town->settings)};
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
  static const Op op{.name = "mail.complete",
                     .summary = "Say that claimed work is done; right as long as nobody else has claimed it since",
                     .args = {many("id", "ID", "Messages you claimed", ArgKind::message_id)},
                     .authority = by_claimers(),
                     .where = Where::anywhere,
                     .effect = Effect::idempotent,
                     .result = [] { return shapes::outcomes(); },
                     .examples = {{"gt mail complete hq-m-1a2b3c", ""}},
                     .run =
                         [](Call& call) {
                           return on_claims(call, [](Claims& claims, MessageId id, const Caller& caller) {
                             return claims.complete(id, caller);
                           });
                         }};
  return op;
}

const Op& mail_fail() {
  static const Op op{.name = "mail.fail",
                     .summary = "Say that an attempt failed: available again, or dead after the queue's most attempts",
                     .args = {many("id", "ID", "Messages you claimed", ArgKind::message_id),
                              option("reason", "TEXT", "Why; kept with the message")},
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
                     .summary = "Give claimed work back untouched: the attempt does not count",
                     .args = {many("id", "ID", "Messages you claimed", ArgKind::message_id)},
                     .authority = by_claimers(),
                     .where = Where::anywhere,
                     .effect = Effect::idempotent,
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
      .summary = "Hold claimed work longer: the lease begins anew now",
      .args = {many("id", "ID", "Messages you claimed", ArgKind::message_id),
               option("lease", "10m", "For this long; the queue's lease if left out", ArgKind::duration)},
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
