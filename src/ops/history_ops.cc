#include "base/text.h"
#include "ops/first_looks.h"
#include "ops/listing.h"
#include "ops/nudge_views.h"
#include "ops/shapes.h"
#include "ops/table.h"
#include "ops/views.h"
#include "post/mail/budget.h"
#include "post/mail/explain.h"
#include "post/mail/mailroom.h"
#include "post/people/resolve.h"

namespace townpost::ops {

namespace {

JsonArray owed(const std::vector<ReplyOwed>& list, const Settings& settings) {
  JsonArray out;
  for (const auto& owed : list) {
    auto entry = views::mail({owed.message, owed.copy}, settings);
    JsonArray by;
    for (const auto& address : owed.by) by.emplace_back(views::shown(address, settings));
    entry["owed_by"] = std::move(by);
    entry["owed_to"] = views::shown(owed.to, settings);
    entry["overdue"] = owed.overdue;
    out.push_back(std::move(entry));
  }
  return out;
}

/// How much is brought into the search index after a search, so that the tail it must scan stays short.
constexpr int kIndexShare = 2000;

}  // namespace

const Op& mail_sent() {
  static const Op op{
      .name = "mail.sent",
      .summary = "List what you sent and what became of it",
      .args = {limit(), option("cursor", "SEQ", "Continue after the item with this seq", ArgKind::integer)},
      .authority = by_owner(),
      .where = Where::anywhere,
      .effect = Effect::reads,
      .result = [] { return shape::list_of(shapes::sent_message()); },
      .columns = columns::sent_messages(),
      .list = {.none = "nothing sent", .next = next("mail.explain", {{"id", "ID"}})},
      .examples = {{"gt mail sent", ""}},
      .run = [](Call& call) -> Result<Answer> {
        const int limit = call.args.limit();
        TRY(town, call.town());
        TRY(caller, call.caller());
        TRY(mails, Mailroom(*town).sent(call.args.integer("cursor"), limit, caller));
        JsonArray out;
        std::vector<MessageId> ids;
        for (const auto& sent : mails) {
          out.push_back(views::sent_mail(sent, town->settings));
          ids.push_back(sent.mail.message.id);
        }
        remember_listing(call, ids);
        TRY(total, Mailroom(*town).count_sent(std::nullopt, caller));
        std::int64_t more = 0;
        if (!ids.empty()) {
          TRY(behind, Mailroom(*town).count_sent(ids.back().seq(), caller));
          more = behind;
        }
        return Answer{.json = std::move(out), .extent = extent_of(total, more, ids)};
      }};
  return op;
}

const Op& mail_waiting() {
  static const Op op{.name = "mail.waiting",
                     .summary = "List the replies you owe, and those owed to you",
                     .args = {},
                     .authority = by_owner(),
                     .where = Where::anywhere,
                     .effect = Effect::reads,
                     .result =
                         [] {
                           return shape::object("replies_owed",
                                                {shape::always("owed_to_me", shape::list_of(shapes::owed_message())),
                                                 shape::always("owed_by_me", shape::list_of(shapes::owed_message()))});
                         },
                     .examples = {{"gt mail waiting", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(town, call.town());
                       TRY(caller, call.caller());
                       TRY(waiting, Mailroom(*town).owed(caller, Parts::all));
                       JsonObject out;
                       out["owed_to_me"] = owed(waiting.to_me, town->settings);
                       out["owed_by_me"] = owed(waiting.by_me, town->settings);
                       return Answer{.json = std::move(out)};
                     }};
  return op;
}

const Op& mail_thread() {
  static const Op op{
      .name = "mail.thread",
      .summary = "Show a conversation, oldest first",
      .args = {or_an_id(one("id", "ID|THREAD", "A message of the thread, or the thread's id (for work: the bead)")),
               flag("summary", "A computed summary instead of the messages")},
      .authority = by_participants(),
      .where = Where::anywhere,
      .effect = Effect::reads,
      .result = [] { return shapes::thread(); },
      .examples = {{"gt mail thread hq-m-1a2b3c", ""},
                   {"gt mail thread ol-527.1 --summary", "how work on a bead stands"}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(town, call.town());
        TRY(caller, call.caller());
        TRY(view, Mailroom(*town).thread(call.args.text("id"), caller));
        JsonObject out;
        out["thread_id"] = view.id;
        out["subject"] = view.subject;
        out["count"] = view.mails.size();
        out["unread_count"] = view.unread;
        JsonArray participants;
        for (const auto& address : view.participants) participants.emplace_back(views::shown(address, town->settings));
        out["participants"] = std::move(participants);
        if (call.args.flag("summary")) {
          out["summary"] = views::summary(summarise(town->settings, view), town->settings);
          return Answer{.json = std::move(out)};
        }
        JsonArray messages;
        std::vector<MessageId> ids;
        for (const auto& mail : view.mails) {
          messages.push_back(views::mail(mail, town->settings));
          ids.push_back(mail.message.id);
        }
        remember_listing(call, ids);
        out["messages"] = std::move(messages);
        return Answer{.json = std::move(out)};
      }};
  return op;
}

const Op& mail_search() {
  static const Op op{
      .name = "mail.search",
      .summary = "Find mail of yours that contains a text, ignoring case",
      .args = {many("query", "WORDS", "The words to find, in this order"),
               option("from", "ADDR", "Sent by", ArgKind::address), flag("subject", "Search subjects only"),
               flag("body", "Search bodies only"),
               option("since", "7d", "Sent within this time, or since a local time or date", ArgKind::instant),
               flag("archived", "Include archived mail"), flag("all", "Search everyone's mail (for people)"), limit()},
      .other_words = {{"archive", "archived"}},
      .authority = by_owner(),
      .where = Where::anywhere,
      .effect = Effect::reads,
      .result = [] { return shape::list_of(shapes::message()); },
      .columns = columns::messages(),
      .list = {.none = "nothing found", .next = next("mail.read", {{"id", "1"}})},
      .examples = {{"gt mail search \"flaky test\"", ""}, {"gt mail search 3f2a --body --since 7d", ""}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(town, call.town());
        TRY(caller, call.caller());
        const int limit = call.args.limit();
        SearchQuery query{.text = join(call.args.list("query"), " "),
                          .from = call.args.maybe_text("from"),
                          .archived = call.args.flag("archived"),
                          .whole_town = call.args.flag("all"),
                          .limit = limit};
        if (call.args.flag("subject") || call.args.flag("body")) {
          query.subject = call.args.flag("subject");
          query.body = call.args.flag("body");
          query.sender = false;
        }
        query.since = call.args.instant("since", town->clock.now());
        TRY(found, Mailroom(*town).search(query, caller));
        JsonArray out;
        std::vector<MessageId> ids;
        for (const auto& mail : found.mails) {
          out.push_back(views::mail(mail, town->settings));
          ids.push_back(mail.message.id);
        }
        remember_listing(call, ids);
        const auto shown = static_cast<std::int64_t>(ids.size());
        Answer answer{.json = std::move(out), .extent = Extent{.total = found.total, .more = found.total - shown}};
        // Indexing follows the search instead of burdening the send. A store that cannot be written
        // still answers.
        call.after_handover([town = town]() -> Result<> {
          (void)town->store.write([](Ledger& ledger) -> Result<> {
            TRY_VOID(ledger.index_for_search(kIndexShare));
            return {};
          });
          return {};
        });
        return answer;
      }};
  return op;
}

const Op& mail_explain() {
  static const Op op{
      .name = "mail.explain",
      .summary = "Show a message's whole history: sent, offered, delivered (with evidence), read, acknowledged",
      .args = {one("id", "ID", "The message", ArgKind::message_id)},
      .authority = by_participants(),
      .where = Where::anywhere,
      .effect = Effect::reads,
      .result = [] { return shapes::explanation(); },
      .examples = {{"gt mail explain hq-m-1a2b3c", ""}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(town, call.town());
        TRY(caller, call.caller());
        TRY(explanation, explain(*town, *call.args.message_id("id"), caller));
        return Answer{.json = views::explanation(explanation, town->settings)};
      }};
  return op;
}

const Op& why() {
  static const Op op{
      .name = "why",
      .summary = "Explain why a message, a nudge or an agent is stuck",
      .args = {or_an_id(maybe_one("what", "ID|ADDR", "A message, a nudge or an agent (default: you)"))},
      .authority = by_participants(),
      .where = Where::anywhere,
      .effect = Effect::reads,
      .result =
          [] {
            return shape::one_of(
                {shape::list_of(shape::object(
                     "obstacle", {shape::always("address", shape::text()), shape::always("state", shape::text()),
                                  shape::always("why", shape::text())})),
                 shape::object("obstacles",
                               {shape::always("address", shape::text()), shape::always("unread", shape::integer()),
                                shape::always("held", shape::integer()),
                                shape::always("reasons", shape::list_of(shape::text()))})});
          },
      .examples = {{"gt why hq-m-1a2b3c", "why is it not read?"},
                   {"gt why greenplace/crew/max", "why does max not answer?"}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(town, call.town());
        TRY(caller, call.caller());
        const auto what = call.args.maybe_text("what").value_or(caller.address.str());
        if (what.starts_with("hq-m-")) {
          TRY(id, MessageId::parse(what));
          TRY(explanation, explain(*town, id, caller));
          JsonArray out;
          for (const auto& standing : explanation.standings) {
            JsonObject entry;
            entry["address"] = views::shown(standing.address, town->settings);
            entry["state"] = name(standing.state);
            entry["why"] = standing.why.empty() ? "nothing stands in the way" : standing.why;
            out.push_back(std::move(entry));
          }
          return Answer{.json = std::move(out)};
        }
        if (what.starts_with("hq-n-")) {
          TRY(id, NudgeId::parse(what));
          TRY(history, Nudges(*town).explain(id, caller));
          TRY(names, views::NudgeNames::of(*town));
          JsonObject entry;
          entry["address"] = views::nudge(history.nudge, names, town->settings).at("target");
          entry["state"] = name(history.nudge.state);
          entry["why"] = history.in_the_way.empty() ? "nothing stands in the way" : join(history.in_the_way, "; ");
          return Answer{.json = JsonArray{std::move(entry)}};
        }
        if (const auto agent = read_value(town->store, [&](Ledger& ledger) { return resolve_one(ledger, what); }))
          look_at_first_screen_of(call, *town, agent->id);
        TRY(obstacles, townpost::why(*town, what));
        JsonObject out;
        out["address"] = views::shown(obstacles.address, town->settings);
        out["unread"] = obstacles.unread;
        out["held"] = obstacles.held;
        out["reasons"] = JsonArray(obstacles.reasons.begin(), obstacles.reasons.end());
        return Answer{.json = std::move(out)};
      }};
  return op;
}

const Op& mail_budget() {
  static const Op op{
      .name = "mail.budget",
      .summary = "Show how much each agent mailed in its session, and its role's budget; nothing is blocked by it",
      .args = {},
      .authority = by_anyone(),
      .where = Where::anywhere,
      .effect = Effect::reads,
      .result =
          [] {
            return shape::list_of(shape::object(
                "budget", {shape::always("address", shape::text()), shape::always("role", shape::text()),
                           shape::always("since", shape::instant(), "start of its session; without one, a day ago"),
                           shape::always("sent", shape::integer(), "what counts"),
                           shape::always("protocol", shape::integer(), "of that, typed messages"),
                           shape::always("not_counted", shape::integer(), "replies, confirmations, progress, posts"),
                           shape::always("budget", shape::or_null(shape::integer())),
                           shape::always("rule", shape::text(), "what the role should mail"),
                           shape::always("over", shape::flag())}));
          },
      .columns = {{"address", Column::As::address}, "sent", {"rule", Column::As::value, "BUDGET"}, "over"},
      .list = {.none = "nothing sent", .noun = "agent"},
      .examples = {{"gt mail budget", ""}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(town, call.town());
        TRY(lines, budget(*town));
        JsonArray out;
        for (const auto& line : lines) {
          JsonObject entry;
          entry["address"] = views::shown(line.address, town->settings);
          entry["role"] = line.role;
          entry["since"] = rfc3339(line.since);
          entry["sent"] = line.sent;
          entry["protocol"] = line.protocol;
          entry["not_counted"] = line.uncounted;
          entry["budget"] = line.budget.kind == Budget::Kind::number ? Json(line.budget.most) : Json(nullptr);
          entry["rule"] = words(line.budget);
          entry["over"] = line.over;
          out.push_back(std::move(entry));
        }
        return Answer{.json = std::move(out)};
      }};
  return op;
}

}  // namespace townpost::ops
