#include <algorithm>

#include "base/text.h"
#include "ops/shapes.h"
#include "ops/table.h"
#include "ops/views.h"
#include "post/mail/mailroom.h"
#include "post/mail/todo.h"

namespace townpost::ops {

namespace {

constexpr Millis kLookAgain = std::chrono::seconds(60);  // ages grow and requests become late without any mail

JsonObject typed_view(const TypedMail& typed, const Settings& settings) {
  JsonObject out;
  out["id"] = typed.mail.message.id.str();
  out["type"] = std::string(typed.type_name());
  out["from"] = views::shown(typed.mail.message.from, settings);
  out["subject"] = typed.mail.message.subject;
  out["timestamp"] = rfc3339(typed.mail.message.created_at);
  out["thread_id"] = typed.mail.message.thread;
  if (const auto bead = typed.parsed.bead_id(); !bead.empty()) out["bead_id"] = std::string(bead);
  return out;
}

JsonObject bead_view(const BeadStanding& bead, const Settings& settings) {
  JsonObject out;
  out["bead_id"] = bead.bead;
  out["state"] = name(bead.state);
  if (!bead.who.empty()) out["by"] = views::shown(bead.who, settings);
  if (bead.accepted_at) out["accepted_at"] = rfc3339(*bead.accepted_at);
  if (bead.last_at) out["last_at"] = rfc3339(*bead.last_at);
  if (!bead.step.empty()) out["step"] = bead.step;
  if (bead.context_usage) out["context_usage"] = *bead.context_usage;
  out["help_open"] = bead.help_open;
  return out;
}

JsonObject view_of(const Todo& todo, const Settings& settings) {
  JsonObject out;
  JsonArray claims, pending, help, completions, overdue, actions, beads;
  for (const auto& claim : todo.claims) claims.push_back(views::claim(claim, settings));
  for (const auto& typed : todo.pending) pending.push_back(typed_view(typed, settings));
  for (const auto& [typed, late] : todo.help) {
    auto entry = typed_view(typed, settings);
    entry["late"] = late;
    help.push_back(std::move(entry));
  }
  for (const auto& typed : todo.completions) completions.push_back(typed_view(typed, settings));
  for (const auto& [message, by] : todo.overdue) {
    JsonObject entry;
    entry["id"] = message.id.str();
    entry["from"] = views::shown(message.from, settings);
    entry["subject"] = message.subject;
    entry["reply_by"] = rfc3339(*message.reply_by);
    if (!by.empty()) entry["owed_by"] = JsonArray(by.begin(), by.end());
    overdue.push_back(std::move(entry));
  }
  for (const auto& [what, next] : todo.actions) {
    JsonObject entry;
    entry["what"] = what;
    entry["next"] = views::next_call(next);
    actions.push_back(std::move(entry));
  }
  for (const auto& bead : todo.beads) beads.push_back(bead_view(bead, settings));
  out["unread"] = todo.unread;
  out["claims"] = std::move(claims);
  out["pending"] = std::move(pending);
  out["help"] = std::move(help);
  out["completions"] = std::move(completions);
  out["overdue"] = std::move(overdue);
  out["actions"] = std::move(actions);
  if (!todo.beads.empty()) out["beads"] = std::move(beads);
  return out;
}

}  // namespace

const Op& todo() {
  static const Op op{
      .name = "todo",
      .summary = "List what is waiting for you: claimed work, unread mail, acks, help requests, finished work",
      .args = {option("beads", "A,B,C", "Include the state of the work on these beads"),
               flag("watch", "Keep running and update when something arrives")},
      .authority = by_owner(),
      .where = Where::anywhere,
      .effect = Effect::reads,
      .result = [] { return shapes::todo(); },
      .examples = {{"gt todo", ""}, {"gt todo --beads ol-1,ol-2,ol-3 --watch", "a wave of work, live"}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(town, call.town());
        TRY(caller, call.caller());
        std::vector<std::string> beads;
        const std::string named = call.args.text("beads");
        for (const auto part : split(named, ','))
          if (const auto bead = trim(part); !bead.empty() && std::find(beads.begin(), beads.end(), bead) == beads.end())
            beads.emplace_back(bead);
        TRY(self, Mailroom(*town).mailbox_of(caller));
        TRY(found, townpost::todo(*town, beads, caller));
        Answer answer{.json = view_of(found, town->settings)};
        if (call.args.flag("watch"))
          answer.again =
              Again{.what = Again::For::a_newer_view, .bells = {self.id}, .at = town->clock.now() + kLookAgain};
        return answer;
      }};
  return op;
}

}  // namespace townpost::ops
