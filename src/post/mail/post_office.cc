#include "post/mail/post_office.h"

#include <algorithm>
#include <set>

#include "base/advice.h"
#include "base/text.h"
#include "post/lists/queues.h"
#include "post/mail/budget.h"
#include "post/mail/typed_mail.h"
#include "post/nudge/reach.h"
#include "post/people/membership.h"
#include "post/people/registry.h"
#include "post/people/resolve.h"
#include "post/rules/holder.h"
#include "post/rules/mail_access.h"
#include "post/rules/mail_wake.h"
#include "post/rules/marks.h"
#include "post/rules/refusal.h"
#include "protocol/values.h"

namespace townpost {

namespace {

/// The message as it will be stored, but for what the recipients and the rules decide.
Message draft_of(const Letter& letter, const Agent& sender, Grade grade, const std::optional<Message>& parent,
                 Instant now) {
  Message draft;
  static_cast<Written&>(draft) = letter;
  draft.created_at = now;
  draft.sender = sender.id;
  draft.from = sender.address.str();
  draft.grade = grade;
  if (draft.thread.empty() && parent) draft.thread = parent->thread;
  if (letter.reply_by) draft.reply_by = now + *letter.reply_by;
  return draft;
}

/// Whether a key was used for the same letter: what it says, and what it asks for.
bool is_same_letter(const Message& a, const Message& b) {
  return same_content(a, b) && a.priority == b.priority && a.type == b.type && a.ack_required == b.ack_required &&
         a.wisp == b.wisp;
}

/// The first line that says something, as far as it may be a subject.
std::string first_line(std::string_view body) {
  constexpr std::string_view kCut = "…";
  const auto text = trim(body);
  const auto line = trim(text.substr(0, text.find_first_of("\r\n")));
  if (line.size() <= kSubjectBytes) return std::string(line);
  return cat(first_bytes(line, kSubjectBytes - kCut.size()), kCut);
}

/// Notes the queue or channel of a letter. A message has one place in one of them.
template <class List>
Result<> only_one(std::optional<List>& known, const List& another, std::string_view kind) {
  if (known && known->name != another.name)
    return fail(Code::usage, cat("a message goes to one ", kind, ", not to ", known->name, " and ", another.name),
                "send it twice");
  known = another;
  return {};
}

/// The message that is answered: it must be there and be the caller's to see.
Result<std::optional<Message>> parent_of(Ledger& ledger, const Letter& letter, const Agent& sender,
                                         const Caller& caller, Instant now) {
  if (!letter.reply_to) return std::optional<Message>();
  TRY(opened, open_mail(ledger, *letter.reply_to, sender, caller, now));
  opened.message.thread = opened.thread;  // an answer goes there, whatever is shown of it
  return std::optional<Message>(opened.message);
}

/// An answer finishes what it answers: whoever wrote it has read that, and need not say so again.
Result<> mark_answered(Ledger& ledger, const Message& answered, const Message& answer) {
  TRY(copy, ledger.delivery(answered.id, answer.sender));
  if (!copy || copy->deleted_at) return {};
  const auto change = apply(Mark::read, answered, *copy, answer.created_at);
  if (!change.changed) return {};
  TRY_VOID(ledger.update_delivery(*copy));
  TRY_VOID(ledger.add_event({.at = answer.created_at,
                             .kind = change.event,
                             .message = answered.id,
                             .agent = answer.sender,
                             .detail = "by the answer " + answer.id.str()}));
  return settle_mail_nudge(ledger, answer.sender, answer.created_at);
}

/// Whom somebody goes on talking to who answers a message of their own: those it was sent to, and whoever has taken it
/// out of its queue. An answer is no new work.
Result<std::vector<std::string>> others_of(Ledger& ledger, const Message& own, Instant now) {
  std::vector<std::string> out = own.to;
  const auto queue = list_addressed(own, "queue:");
  if (queue.empty()) return out;
  std::erase_if(out, [](const std::string& address) { return address.starts_with("queue:"); });
  TRY(item, ledger.item(own.id));
  if (item) {
    TRY(mail, queued_mail(ledger, own.id, now));
    const auto work = work_of(mail);
    if (!work.holder.empty() && mail.item.holder != own.sender) out.push_back(work.holder);
  }
  if (out.empty())
    return fail(Code::refused, cat("nobody works on ", own.id.str(), ": there is nobody to answer"),
                next("mail.send", {{"to", cat("queue:", queue)}, {"subject", "SUBJECT"}}, " sends more work"));
  return out;
}

}  // namespace

/// A name, not a sentence: it is shown wherever the thread is, whoever began it.
Result<> check_thread_name(std::string_view thread) {
  if (thread.empty() || protocol::is_thread_name(thread)) return {};
  return fail_argument("thread", "invalid thread: its name is one word of at most 200 bytes",
                       "leave it out to begin a new one");
}

Result<> check_text(std::string_view subject, std::string_view body) {
  if (subject.empty())
    return fail_argument("subject", "the subject is missing", "add " + next("", {{"subject", "what it is about"}}));
  if (subject.size() > kSubjectBytes)
    return fail(Code::usage, cat("the subject has ", subject.size(), " bytes; at most ", kSubjectBytes, " are allowed"),
                "move the rest into the body");
  if (subject.find_first_of("\r\n") != std::string_view::npos)
    return fail(Code::usage, "the subject contains a newline", "keep it on one line");
  if (body.size() > kBodyBytes)
    return fail(Code::usage, cat("the body has ", body.size(), " bytes; at most ", kBodyBytes, " are allowed"),
                "put it into a file and send its path");
  for (const auto& [what, text] : {std::pair{"subject", subject}, std::pair{"body", body}}) {
    if (text.find('\0') != std::string_view::npos)
      return fail(Code::usage, cat("the ", what, " contains a NUL byte"), "send text, not binary data");
    if (!is_utf8(text))
      return fail(Code::usage, cat("the ", what, " is not valid UTF-8"), "convert it first, for example with iconv");
  }
  return {};
}

Result<PostOffice::Route> PostOffice::route(Ledger& ledger, const Letter& letter, const SeenSessions& seen,
                                            const Agent& sender, Message& draft) const {
  Route route;
  auto& out = route.addressees;
  std::set<AgentId> known;
  auto add = [&](const std::vector<std::string>& names, bool copy, std::vector<std::string>& spelled) -> Result<> {
    for (const auto& name : names) {
      TRY(resolved, resolve(ledger, name, seen, draft.created_at, letter.unknown));
      if (std::find(spelled.begin(), spelled.end(), resolved.spelling) == spelled.end())
        spelled.push_back(resolved.spelling);
      for (const auto& nobody : resolved.unmatched)
        route.warnings.push_back(cat(resolved.spelling, ": \"", nobody, "\" matches nobody now"));
      if (resolved.queue) TRY_VOID(only_one(route.lists.queue, *resolved.queue, "queue"));
      if (resolved.channel) TRY_VOID(only_one(route.lists.channel, *resolved.channel, "channel"));
      for (const auto& member : resolved.members) {
        if (resolved.is_list && member.id == sender.id && !letter.include_self) continue;
        if (known.insert(member.id).second)
          out.push_back({member, copy, std::nullopt, letter.notify ? Waking::yes : Waking::no});
      }
    }
    return {};
  };
  TRY_VOID(add(letter.to, false, draft.to));
  TRY_VOID(add(letter.cc, true, draft.cc));
  if (route.lists.channel && letter.notify) {
    TRY(waking, ledger.waking_subscriptions(route.lists.channel->id));
    std::set<AgentId> told = known;  // they are woken for their own copy
    for (const auto& subscription : waking) {
      TRY(agents, expand_member(ledger, subscription.member));
      for (auto& agent : agents)
        if (agent.id != sender.id && agent.id.key != 0 && told.insert(agent.id).second)
          route.lists.followers.push_back(std::move(agent));
    }
  }
  if (letter.include_self && known.insert(sender.id).second) out.push_back({sender, true, std::nullopt, Waking::no});
  if (out.empty() && !route.lists.queue && !route.lists.channel)
    return fail(Code::not_found, cat(join(draft.to, ", "), " matches only yourself"),
                "add " + next("", {{"self", "true"}}, " to send to yourself as well"));
  const bool somebody_owes = std::any_of(out.begin(), out.end(), [](const Addressee& one) { return !one.copy; });
  if (letter.reply_by && !somebody_owes)
    return fail_argument("reply_by", "invalid reply_by: nobody would owe the reply",
                         "anyone may take work or read a post: leave it out, or name who should answer");
  if (out.size() > kMostRecipients)
    return fail_argument("to", cat(out.size(), " recipients; at most ", kMostRecipients, " are allowed"),
                         "post to a channel instead");
  return route;
}

Result<std::optional<Receipt>> PostOffice::sent_before(Ledger& ledger, const Letter& letter, const Message& draft,
                                                       const Route& route) const {
  std::optional<Receipt> out;
  if (letter.key) {
    TRY(known, ledger.find_key(draft.sender, *letter.key));
    if (known && draft.created_at - known->at < kKeyLife) {
      TRY(earlier, ledger.message(known->message));
      if (earlier ? !is_same_letter(*earlier, draft) : known->digest != content_digest(draft))
        return fail(Code::key_conflict, cat("key \"", for_terminal_line(*letter.key), "\" was used for other content"),
                    "use a new key for a new message");
      if (earlier) out = Receipt{.message = *earlier, .recipients = unpack_states(known->answer), .repeated = true};
      if (out) return out;
    }
  }
  Destinations all;
  for (const auto& addressee : route.addressees) all.mailboxes.push_back(addressee.agent.id);
  if (route.lists.queue) all.queue = route.lists.queue->id;
  if (route.lists.channel) all.channel = route.lists.channel->id;
  TRY(duplicate, duplicate_of(ledger, town_.settings.limits, draft, all, draft.created_at));
  if (!duplicate) return out;
  out = Receipt{.message = *duplicate, .duplicate = true};
  const auto tell = [&](const std::string& address) {
    out->recipients.push_back({address, ReachState::queued, "sent before"});
  };
  for (const auto& addressee : route.addressees) tell(addressee.agent.address.str());
  if (route.lists.queue) tell("queue:" + route.lists.queue->name);
  if (route.lists.channel) tell("channel:" + route.lists.channel->name);
  return out;
}

Result<> PostOffice::hold_back(Ledger& ledger, TopicRule& topic, const Agent& sender, const Message& draft,
                               Route& route) const {
  const auto& limits = town_.settings.limits;
  auto hold_all = hops_hold(limits, draft.hops);
  if (!hold_all && sender.held_since && limits.enabled)
    hold_all = Ruling{
        "L3",
        cat("L3: the mail of ", draft.from, " is held until ", called("agent.release", {{"address", draft.from}})),
        {}};
  route.lists.hold = hold_all;
  PairRule pairs(ledger, limits, sender, draft.created_at);
  for (auto& recipient : route.addressees) {
    TRY(told_before, topic.hold(recipient.agent.id));
    recipient.hold = hold_all ? hold_all : told_before;
    if (recipient.hold) continue;
    TRY(hold, pairs.hold(recipient.agent.id));
    recipient.hold = hold;
  }
  return {};
}

Result<Receipt> PostOffice::send(Letter letter, const Caller& caller) {
  if (letter.subject.empty()) letter.subject = first_line(letter.body);
  TRY_VOID(check_text(letter.subject, letter.body));
  if (letter.to.empty())
    return fail_argument("to", "a recipient is missing",
                         next("mail.send", {{"to", "ADDR"}, {"subject", "SUBJECT"}, {"body", "BODY"}}));
  if (letter.key && letter.key->empty())
    return fail_argument("key", "invalid key: it is empty", "give it a value, or leave it out");
  TRY_VOID(check_bead(letter.bead));
  if (letter.reply_by && *letter.reply_by < Millis(0))
    return fail_argument("reply_by", "invalid reply_by: that is in the past", "for example 30m, or tomorrow's date");
  if (letter.reply_by && *letter.reply_by == Millis(0))
    return fail_argument("reply_by", "invalid reply_by: it must be longer than zero", "for example 30m");
  std::vector<std::string> names = letter.to;
  names.insert(names.end(), letter.cc.begin(), letter.cc.end());
  TRY(seen, look_for_sessions(town_, names, caller, "to"));
  std::optional<Receipt> receipt;
  std::optional<Ruling> refusal;
  std::optional<Posted> posted;
  std::int64_t digest = 0;
  TRY_VOID(write_with_duties(town_, [&](Ledger& ledger, Posting& posting) -> Result<> {
    posted.reset();
    const Instant now = town_.clock.now();
    TRY(sender, ensure_agent(ledger, caller.address, now));
    TRY(parent, parent_of(ledger, letter, sender, caller, now));
    TRY_VOID(check_thread_name(letter.thread));
    if (!parent || letter.thread != parent->thread) TRY_VOID(check_thread(ledger, letter.thread, sender, caller));

    std::vector<std::string> warnings;
    Letter typed = letter;
    apply_type(town_.settings, parent, typed, warnings);
    Message draft = draft_of(typed, sender, caller.grade, parent, now);
    TRY(route, this->route(ledger, letter, seen, sender, draft));
    route.warnings.insert(route.warnings.end(), warnings.begin(), warnings.end());
    digest = content_digest(draft);
    if (!caller.is_person()) draft.digest = digest;
    TRY(before, sent_before(ledger, letter, draft, route));
    if (before) {
      receipt = before;
      return {};
    }

    draft.hops = hops_of(sender, parent, now);
    refusal = hops_refusal(town_.settings.limits, draft.hops);
    if (!refusal) {
      TRY(too_many, sender_refusal(ledger, town_.settings.limits, sender, now));
      refusal = too_many;
    }
    if (refusal) return note_refusal(town_, ledger, posting, {sender, draft.to, draft.thread}, *refusal);

    for (auto& recipient : route.addressees) recipient.bead = letter.bead;
    TopicRule topic(ledger, town_.settings, draft);
    TRY_VOID(hold_back(ledger, topic, sender, draft, route));
    if (draft.thread.empty() && !route.lists.queue && !route.lists.channel) draft.thread = topic.thread();

    TRY(stored, posting.store(draft, route.addressees, letter.pinned, route.lists));
    TRY_VOID(topic.note(stored.id));
    TRY_VOID(archive_superseded(ledger, town_.settings, stored, route.addressees));
    if (parent && letter.answered == Answered::is_read) TRY_VOID(mark_answered(ledger, *parent, stored));
    posted = Posted{sender, std::move(route.addressees), std::move(route.lists), posting.raised()};
    receipt = Receipt{.message = stored, .recipients = stored_states(*posted), .warnings = std::move(route.warnings)};
    if (letter.key)
      TRY_VOID(ledger.put_key(sender.id, *letter.key, {stored.id, digest, now, pack_states(receipt->recipients)}));
    return {};
  }));
  if (refusal) return refused_by(*refusal);
  if (posted) tell_more(letter, *posted, digest, *receipt);
  return *receipt;
}

/// It is stored, and stays so: without what cannot be found out now the receipt only says less.
void PostOffice::tell_more(const Letter& letter, const Posted& posted, std::int64_t digest, Receipt& receipt) const {
  if (auto over = over_budget(town_, posted.sender, receipt.message); over && *over) receipt.warnings.push_back(**over);
  auto reached = recipient_states(town_, posted);
  if (!reached) return;
  receipt.recipients = std::move(reached->states);
  receipt.followers = std::move(reached->followers);
  std::move(reached->warnings.begin(), reached->warnings.end(), std::back_inserter(receipt.warnings));
  if (!letter.key) return;
  const KeyedSend told{receipt.message.id, digest, receipt.message.created_at, pack_states(receipt.recipients)};
  (void)town_.store.write([&](Ledger& ledger) { return ledger.put_key(posted.sender.id, *letter.key, told); });
}

Result<std::vector<std::string>> PostOffice::recipients_of(const std::vector<std::string>& to,
                                                           const std::vector<std::string>& cc, const Caller& caller) {
  std::vector<std::string> names = to;
  names.insert(names.end(), cc.begin(), cc.end());
  TRY(seen, look_for_sessions(town_, names, caller, "to"));
  std::optional<std::vector<std::string>> out;
  // Resolving registers whoever is written to for the first time, so it is tried as a write and taken back.
  const auto tried = town_.store.write([&](Ledger& ledger) -> Result<> {
    out.reset();
    const Instant now = town_.clock.now();
    TRY(sender, ensure_agent(ledger, caller.address, now));
    Letter letter;
    letter.to = to;
    letter.cc = cc;
    Message draft = draft_of(letter, sender, caller.grade, std::nullopt, now);
    TRY(route, this->route(ledger, letter, seen, sender, draft));
    out.emplace();
    for (const auto& addressee : route.addressees) out->push_back(addressee.agent.address.str());
    if (route.lists.queue) out->push_back("queue:" + route.lists.queue->name);
    if (route.lists.channel) out->push_back("channel:" + route.lists.channel->name);
    return fail(Code::refused, "only looked at");
  });
  if (!out) return Failure(tried.error());
  return std::move(*out);
}

Result<Letter> PostOffice::answer_to(MessageId to, ReplyTo whom, const Caller& caller) {
  Letter answer;
  TRY_VOID(town_.store.read([&](Ledger& ledger) -> Result<> {
    answer = Letter();
    TRY(self, resolve_one(ledger, caller.address.str()));
    TRY(opened, open_mail(ledger, to, self, caller, town_.clock.now()));
    const auto& parent = opened.message;
    answer.subject = reply_subject(parent.subject);
    if (self.id == parent.sender) {
      TRY(others, others_of(ledger, parent, town_.clock.now()));
      answer.to = std::move(others);
    } else {
      TRY(sender, ledger.agent(parent.sender));  // it may have another name by now; its mailbox is the same
      answer.to = {sender ? sender->address.str() : parent.from};
    }
    if (whom != ReplyTo::everyone) return {};
    const std::vector<AgentId> known = {self.id, parent.sender};
    std::vector<std::string> others = parent.to;
    others.insert(others.end(), parent.cc.begin(), parent.cc.end());
    for (const auto& address : others) {
      if (std::find(answer.to.begin(), answer.to.end(), address) != answer.to.end()) continue;
      if (address.starts_with("queue:")) continue;  // an answer is no new work
      TRY(agent, ledger.find_agent(address));       // nobody: a pattern, which is addressed again as it was
      if (agent && std::find(known.begin(), known.end(), agent->id) != known.end()) continue;
      answer.cc.push_back(address);
    }
    return {};
  }));
  return answer;
}

Result<Receipt> PostOffice::reply(MessageId to, const std::string& body, ReplyTo whom, Letter options,
                                  const Caller& caller) {
  TRY(answer, answer_to(to, whom, caller));
  options.to = std::move(answer.to);
  options.cc.insert(options.cc.end(), answer.cc.begin(), answer.cc.end());
  options.subject = std::move(answer.subject);
  options.body = body;
  options.type = MessageType::reply;
  options.reply_to = to;
  return send(std::move(options), caller);
}

}  // namespace townpost
