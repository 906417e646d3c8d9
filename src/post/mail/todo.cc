#include "post/mail/todo.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "post/mail/mailroom.h"
#include "post/rules/holder.h"
#include "protocol/filters.h"
#include "protocol/parse.h"
#include "protocol/subject.h"

namespace townpost {

namespace {

constexpr Millis kLate = std::chrono::minutes(5);
constexpr Millis kRecent = std::chrono::hours(24);
constexpr int kMostRead = 5000;
constexpr std::array<std::string_view, 7> kStates = {"silent",     "accepted", "progress", "help",
                                                     "checkpoint", "done",     "failed"};
static_assert(kStates.size() == static_cast<std::size_t>(last_value(BeadState{})) + 1);

/// What a message says to programs, if it does; only then its body is read.
Result<std::optional<TypedMail>> read_typed(Ledger& ledger, const Settings& settings, const Mail& mail) {
  std::optional<TypedMail> none;
  if (mail.message.type == MessageType::reply) return none;
  if (!protocol::read_subject(settings.types, mail.message.subject).type) return none;
  TRY(whole, ledger.message(mail.message.id));
  const std::string body = whole ? whole->body : "";
  return std::optional(
      TypedMail{mail, protocol::parse(settings.types, {.subject = mail.message.subject, .body = body})});
}

/// Whether somebody other than the asker answered: by a reply, or by anything later in the thread.
Result<bool> is_answered(Ledger& ledger, const Message& request) {
  TRY(replies, ledger.replies(request.id));
  if (!replies.empty()) return true;
  TRY(thread, ledger.thread(request.thread, Parts::headers));
  return std::any_of(thread.begin(), thread.end(), [&](const Message& later) {
    return later.id > request.id && later.sender != request.sender && later.from != Address::system().str();
  });
}

/// What a message says of itself, in a line that goes on with a call of ours.
std::string subject_of(const Message& message) { return in_quotes(message.subject, 80); }

/// An agent's session is shown its nudges; a person has none.
Result<> add_nudges(Ledger& ledger, const Agent& self, const Withheld& withheld, Todo& todo) {
  TRY(line, ledger.pending_nudges(self.id));
  for (const auto& nudge : line)
    if (nudge.kind != NudgeKind::mail && nudge.state == NudgeState::queued && !withheld.covers(nudge.sender))
      todo.actions.push_back({cat("Take in the nudge ", in_quotes(nudge.text, 80)), NextCall{"nudge.drain", {}, ""}});
  return {};
}

void add_actions(Todo& todo, Instant now) {
  auto add = [&](std::string what, NextCall next) { todo.actions.push_back({std::move(what), std::move(next)}); };
  const auto answer = [](MessageId id) { return NextCall{"mail.reply", {{"id", id.str()}, {"body", "..."}}, ""}; };
  for (const auto& claim : todo.claims)
    add(cat("Finish ", subject_of(claim.message), " of ", claim.queue.name, ", ", age(claim.item.lease_until - now),
            " left"),
        NextCall{"mail.complete", {{"id", claim.message.id.str()}}, ""});
  for (const auto& [typed, late] : todo.help)
    add(cat(late ? "Answer now: " : "Answer: ", typed.mail.message.from, ", ", subject_of(typed.mail.message)),
        answer(typed.mail.message.id));
  for (const auto& [message, by] : todo.overdue) {
    if (by.empty())
      add(cat("Overdue answer to ", message.from, ": ", subject_of(message)), answer(message.id));
    else
      add(cat("Overdue answer of ", join(by, ", "), ": ", subject_of(message)), NextCall{"mail.waiting", {}, ""});
  }
  for (const auto& typed : todo.completions) {
    const auto id = typed.mail.message.id.str();
    if (typed.mail.delivery && typed.mail.delivery->read_at) continue;
    if (typed.parsed.type()->outcome == protocol::Outcome::failure)
      add(cat("Look into ", typed.parsed.type_name(), " of ", typed.mail.message.from),
          NextCall{"mail.read", {{"id", id}}, ""});
    else
      add(cat("Take in ", typed.parsed.type_name(), " of ", typed.mail.message.from),
          NextCall{"mail.read", {{"id", id}}, ""});
  }
  for (const auto& typed : todo.pending) {
    const auto& message = typed.mail.message;
    const std::string what = typed.parsed.type() ? std::string(typed.parsed.type_name()) : subject_of(message);
    add(cat("Acknowledge ", what, " of ", message.from), NextCall{"mail.ack", {{"id", message.id.str()}}, ""});
  }
  if (todo.unread > 0)
    add(cat("Read ", todo.unread, todo.unread == 1 ? " message" : " messages"),
        NextCall{"mail.inbox", {{"unread", "true"}}, ""});
}

/// Brings the standing up to date with one message about the bead, in the order of time.
void follow(BeadStanding& standing, const TypedMail& typed) {
  const auto& message = typed.mail.message;
  const auto type = typed.parsed.type_name();
  standing.who = message.from;
  standing.last_at = message.created_at;
  if (type == "BEAD_ACCEPTED") {
    standing.accepted_at = message.created_at;
    standing.state = BeadState::accepted;
  } else if (typed.parsed.type()->needs_answer) {
    standing.state = BeadState::help;
  } else if (type == "CHECKPOINT") {
    standing.state = BeadState::checkpoint;
  } else if (protocol::is_success(typed.parsed)) {
    standing.state = BeadState::done;
  } else if (protocol::is_completion(typed.parsed)) {
    standing.state = BeadState::failed;
  } else if (type == "PROGRESS") {
    standing.state = BeadState::progress;
    standing.step = std::string(typed.parsed.value("step"));
    standing.context_usage = typed.parsed.number("context_usage");
  }
}

/// Everything to or from the mailbox, archived or not, oldest first.
Result<std::vector<Mail>> everything_of(Ledger& ledger, AgentId mailbox) {
  std::vector<Mail> out;
  for (const auto shelf : {Shelf::inbox, Shelf::archived}) {
    TRY(mails, ledger.list({.mailbox = mailbox, .shelf = shelf, .limit = kMostRead, .parts = Parts::headers}));
    out.insert(out.end(), mails.begin(), mails.end());
  }
  TRY(sent, ledger.sent(mailbox, std::nullopt, kMostRead, Parts::headers));
  for (auto& message : sent) out.push_back({std::move(message), std::nullopt});
  std::sort(out.begin(), out.end(), [](const Mail& a, const Mail& b) { return a.message.id < b.message.id; });
  out.erase(
      std::unique(out.begin(), out.end(), [](const Mail& a, const Mail& b) { return a.message.id == b.message.id; }),
      out.end());
  return out;
}

Result<> add_beads(Ledger& ledger, const Settings& settings, const std::vector<std::string>& beads, AgentId self,
                   const Withheld& withheld, Todo& todo) {
  if (beads.empty()) return {};
  for (const auto& bead : beads) todo.beads.push_back({.bead = bead});
  TRY(mails, everything_of(ledger, self));
  for (const auto& mail : mails) {
    if (withheld.covers(mail.message)) continue;
    TRY(typed, read_typed(ledger, settings, mail));
    if (!typed) continue;
    for (auto& standing : todo.beads) {
      if (!protocol::is_about(typed->parsed, standing.bead)) continue;
      follow(standing, *typed);
      if (!typed->parsed.type()->needs_answer) continue;
      TRY(answered, is_answered(ledger, mail.message));
      standing.help_open = standing.help_open || !answered;
    }
  }
  return {};
}

}  // namespace

std::vector<std::string_view> bead_state_names() { return {kStates.begin(), kStates.end()}; }
std::string_view name(BeadState state) { return kStates[static_cast<std::size_t>(state)]; }

Result<Todo> todo(Town& town, const std::vector<std::string>& beads, const Caller& caller) {
  TRY(owed, Mailroom(town).owed(caller, Parts::headers));
  Todo out;
  TRY_VOID(town.store.read([&](Ledger& ledger) -> Result<> {
    out = Todo();
    const Instant now = town.clock.now();
    TRY(self, own_mailbox(ledger, caller));
    TRY(care, ledger.care(self.id));
    TRY(unread, ledger.count(self.id, Shelf::offered));
    out.unread = unread;
    TRY(claims, claims_of(ledger, self, caller, now));
    out.claims = std::move(claims);
    TRY(mails, ledger.list({.mailbox = self.id, .shelf = Shelf::inbox, .limit = kMostRead, .parts = Parts::headers}));
    TRY(withheld, Withheld::from_reader(ledger, caller));
    std::erase_if(mails, [&](const Mail& mail) {
      return is_for_previous_holder(*mail.delivery, care) || withheld.covers(mail.message);
    });
    std::sort(mails.begin(), mails.end(), [](const Mail& a, const Mail& b) { return a.message.id < b.message.id; });
    for (const auto& mail : mails) {
      TRY(typed, read_typed(ledger, town.settings, mail));
      const bool pending = mail.message.ack_required && !mail.delivery->acked_at;
      if (!typed) {  // an acknowledgement may be asked for by any mail
        if (pending) out.pending.push_back({mail, protocol::parse(town.settings.types, {.subject = {}, .body = {}})});
        continue;
      }
      if (typed->parsed.type()->needs_answer) {
        TRY(answered, is_answered(ledger, mail.message));
        if (!answered) out.help.push_back({*typed, now - mail.message.created_at > kLate});
      }
      if (protocol::is_completion(typed->parsed) && now - mail.message.created_at < kRecent)
        out.completions.insert(out.completions.begin(), *typed);
      if (pending) out.pending.push_back(std::move(*typed));
    }
    for (const auto& one : owed.by_me)
      if (one.overdue) out.overdue.push_back({one.message, {}});
    for (const auto& one : owed.to_me)
      if (one.overdue) out.overdue.push_back({one.message, one.by});
    add_actions(out, now);
    if (caller.is_person()) TRY_VOID(add_nudges(ledger, self, withheld, out));
    return add_beads(ledger, town.settings, beads, self.id, withheld, out);
  }));
  return out;
}

}  // namespace townpost
