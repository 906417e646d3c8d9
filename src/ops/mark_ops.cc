#include <algorithm>

#include "base/text.h"
#include "ops/table.h"
#include "post/mailroom.h"

namespace townpost::ops {

namespace {

constexpr std::string_view kOutcomes = R"([{"id","state"} or {"id","error":{"code","message","hint"}}])";

/// The answer of a call with several ids: the one error if there is only that, else every outcome.
Result<Answer> told(const std::vector<MarkOutcome>& outcomes) {
  const auto failed =
      std::count_if(outcomes.begin(), outcomes.end(), [](const MarkOutcome& o) { return o.error.has_value(); });
  if (outcomes.size() == 1 && failed == 1) return fail(*outcomes.front().error);
  if (failed > 0 && failed == static_cast<std::ptrdiff_t>(outcomes.size())) {
    Error error = *outcomes.front().error;
    error.message = cat("none of ", outcomes.size(), " could be changed; the first: ", error.message);
    return fail(std::move(error));
  }
  JsonArray out;
  for (const auto& outcome : outcomes) {
    JsonObject entry;
    entry["id"] = outcome.id;
    if (outcome.error) {
      JsonObject error;
      error["code"] = std::string(name(outcome.error->code));
      error["message"] = outcome.error->message;
      error["hint"] = outcome.error->hint;
      entry["error"] = std::move(error);
    } else {
      entry["state"] = outcome.state;
    }
    out.push_back(std::move(entry));
  }
  return Answer{.json = std::move(out), .outcome = failed > 0 ? Outcome::partial : Outcome::done};
}

/// The ids of a call that changes something: positions of a listing are for reading only, because the list may have
/// moved.
Result<std::vector<std::string>> ids_of(const Args& args) {
  auto ids = args.list("id");
  for (const auto& id : ids)
    if (!id.empty() && std::all_of(id.begin(), id.end(), [](char c) { return c >= '0' && c <= '9'; }))
      return fail(Code::usage, cat("\"", id, "\" is a position, not an id; positions are for gt mail read only"),
                  "use the message's id, such as hq-m-1a2b3c");
  return ids;
}

Result<Answer> mark(Call& call, Mark mark) {
  TRY(ids, ids_of(call.args));
  TRY(town, call.context.town());
  TRY(caller, call.context.caller());
  TRY(outcomes, Mailroom(*town).mark(ids, mark, caller));
  return told(outcomes);
}

Op marking(std::string_view name, std::string_view summary, std::string_view example, Mark what) {
  return Op{.name = name,
            .summary = summary,
            .args = {many("id", "ID", "The messages")},
            .who = Who::owner,
            .answer = kOutcomes,
            .examples = {{example, ""}},
            .run = [what](Call& call) { return mark(call, what); }};
}

}  // namespace

const Op& mail_ack() {
  static const Op op{.name = "mail.ack",
                     .summary = "Mark messages read and, where asked for, acknowledge them; again is no error",
                     .args = {maybe_many("id", "ID", "The messages"), flag("all", "Everything unread")},
                     .who = Who::owner,
                     .answer = kOutcomes,
                     .examples = {{"gt mail ack hq-m-1a2b3c hq-m-4d5e6f", ""}, {"gt mail ack --all", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       const bool all = call.args.flag("all");
                       if (all == !call.args.list("id").empty())
                         return fail(Code::usage, all ? "--all and ids are mutually exclusive" : "message ID required",
                                     "gt mail ack ID… or gt mail ack --all");
                       if (!all) return mark(call, Mark::read);
                       TRY(town, call.context.town());
                       TRY(caller, call.context.caller());
                       TRY(outcomes, Mailroom(*town).mark_all_read(caller));
                       return told(outcomes);
                     }};
  return op;
}

const Op& mail_archive() {
  static const Op op{.name = "mail.archive",
                     .summary = "Put messages away; they stay searchable",
                     .args = {maybe_many("id", "ID", "The messages"),
                              flag("stale", "Everything read, unpinned and older than --older"),
                              with_default("24h", option("older", "24h", "With --stale: how old", ArgKind::duration))},
                     .who = Who::owner,
                     .answer = kOutcomes,
                     .examples = {{"gt mail archive hq-m-1a2b3c", ""}, {"gt mail archive --stale --older 7d", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       const bool stale = call.args.flag("stale");
                       if (stale == !call.args.list("id").empty())
                         return fail(Code::usage,
                                     stale ? "--stale and ids are mutually exclusive" : "message ID required",
                                     "gt mail archive ID… or gt mail archive --stale");
                       if (!stale) return mark(call, Mark::archived);
                       TRY(town, call.context.town());
                       TRY(caller, call.context.caller());
                       TRY(outcomes, Mailroom(*town).archive_stale(*call.args.duration("older"), caller));
                       return told(outcomes);
                     }};
  return op;
}

const Op& mail_mark_unread() {
  static const Op op =
      marking("mail.mark-unread", "Mark messages unread again", "gt mail mark-unread hq-m-1a2b3c", Mark::unread);
  return op;
}
const Op& mail_unarchive() {
  static const Op op = marking("mail.unarchive", "Bring archived messages back into the inbox",
                               "gt mail unarchive hq-m-1a2b3c", Mark::unarchived);
  return op;
}
const Op& mail_delete() {
  static const Op op =
      marking("mail.delete", "Hide messages from your mailbox for good", "gt mail delete hq-m-1a2b3c", Mark::deleted);
  return op;
}
const Op& mail_pin() {
  static const Op op =
      marking("mail.pin", "Keep messages from being archived by age", "gt mail pin hq-m-1a2b3c", Mark::pinned);
  return op;
}
const Op& mail_unpin() {
  static const Op op = marking("mail.unpin", "Undo gt mail pin", "gt mail unpin hq-m-1a2b3c", Mark::unpinned);
  return op;
}

}  // namespace townpost::ops
