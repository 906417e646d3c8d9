// What a mailbox tells about the past: conversations, search, what was sent, what is owed.
#include <set>

#include "base/text.h"
#include "post/lists/mail_place.h"
#include "post/mail/mailroom.h"
#include "post/people/resolve.h"
#include "post/rules/duties.h"

namespace townpost {

namespace {
constexpr std::int64_t kMostCounted = 10'000;
constexpr int kMostOwed = 1000;
}  // namespace

Result<ThreadView> Mailroom::thread(std::string_view id_or_thread, const Caller& caller) {
  ThreadView view;
  TRY_VOID(town_.store.read([&](Ledger& ledger) -> Result<> {
    view = ThreadView();
    const Instant now = town_.clock.now();
    TRY(self, own_mailbox(ledger, caller));
    view.id = std::string(id_or_thread);
    std::string thread = view.id;
    TRY(withheld, Withheld::from_reader(ledger, caller));
    if (auto id = MessageId::parse(id_or_thread)) {
      TRY(message, ledger.message(*id));
      TRY(record, message ? Result<std::optional<PrunedPost>>(std::nullopt) : ledger.pruned_post(*id));
      if (record) return no_message(ledger, *id, caller);
      if (message) {
        thread = message->thread;
        withheld.strip(*message);
        view.id = message->thread;
      }
    }
    TRY(messages, ledger.thread(thread));
    if (messages.empty())
      return fail(Code::not_found, cat("no thread or message ", for_terminal_line(shorten(to_utf8(id_or_thread), 80))),
                  next("mail.inbox", {}, " lists your mail; its JSON has the ids of threads"));
    TRY(conversations, Conversations::of(ledger, thread));
    std::set<std::string> participants;
    for (auto& message : messages) {
      TRY(own, ledger.delivery(message.id, self.id));
      const bool by_right = own || message.sender == self.id || caller.is_person();
      TRY(openness, openness_of(ledger, message, self, now));
      if (!by_right && openness != Openness::open && !conversations.has(self.id, message.id)) continue;
      participants.insert(message.from);
      participants.insert(message.to.begin(), message.to.end());
      participants.insert(message.cc.begin(), message.cc.end());
      if (own && own->deleted_at) continue;
      if (!own && openness == Openness::too_old) continue;
      if (!by_right && openness == Openness::taken_back) continue;
      TRY(copy, shown_copy(ledger, {message, own, "", ""}));
      Mail mail{message, copy};
      TRY_VOID(note_place(ledger, mail, caller, now));
      TRY_VOID(note_owner(ledger, mail, self.id));
      withheld.strip(mail);
      if (view.mails.empty()) view.subject = std::string(bare_subject(mail.message.subject));
      if (own && !own->read_at && !own->archived_at) ++view.unread;
      view.mails.push_back(std::move(mail));
    }
    if (participants.empty())
      return fail(Code::forbidden,
                  cat("thread ", for_terminal_line(view.id), " has no message to or from ", self.address.str()),
                  "you may read threads you are part of");
    view.participants.assign(participants.begin(), participants.end());
    return {};
  }));
  return view;
}

Result<Mailroom::Found> Mailroom::search(const SearchQuery& query, const Caller& caller) {
  if (query.text.empty())
    return fail_argument("query", "nothing to search for", next("mail.search", {{"query", "WORDS"}}));
  if (!is_utf8(query.text) || query.text.find('\0') != std::string::npos)
    return fail(Code::usage, "the query is not a text: it must be UTF-8 without NUL");
  if (query.whole_town && !caller.is_person())
    return fail(Code::forbidden, cat("the mail of the whole town is for people, not for ", caller.address.str()),
                "leave out " + next("", {{"all", "true"}}));
  const std::string wanted = fold_case(query.text);
  auto contains = [&](const std::string& text) { return fold_case(text).find(wanted) != std::string::npos; };
  Found out;
  TRY_VOID(town_.store.read([&](Ledger& ledger) -> Result<> {
    out = Found();
    TRY(self, own_mailbox(ledger, caller));
    std::optional<AgentId> from;
    if (query.from) {
      TRY(sender, resolve_one(ledger, *query.from));
      from = sender.id;
    }
    TRY(withheld, Withheld::from_reader(ledger, caller));
    const auto where = query.whole_town ? Ledger::SearchIn::town : Ledger::SearchIn::own_mail;
    TRY_VOID(ledger.search(self.id, where, query.text, [&](const Mail& mail) {
      const auto& m = mail.message;
      if (withheld.covers(m)) return true;
      if (query.since && m.created_at < *query.since) return false;  // newest first: all that follow are older
      if (from && m.sender != *from) return true;
      if (mail.delivery && mail.delivery->deleted_at && m.sender != self.id) return true;
      if (mail.delivery && mail.delivery->archived_at && !query.archived) return true;
      if ((query.subject && contains(m.subject)) || (query.body && contains(m.body)) ||
          (query.sender && contains(m.from)))
        if (++out.total <= query.limit) out.mails.push_back(mail);
      return out.total < kMostCounted;
    }));
    for (auto& mail : out.mails) {
      TRY_VOID(note_place(ledger, mail, caller, town_.clock.now()));
      TRY_VOID(note_owner(ledger, mail, self.id));
    }
    return {};
  }));
  return out;
}

Result<std::int64_t> Mailroom::count_sent(std::optional<std::int64_t> before_seq, const Caller& caller) {
  return read_value(town_.store, [&](Ledger& ledger) -> Result<std::int64_t> {
    TRY(self, own_mailbox(ledger, caller));
    return ledger.count_sent(self.id, before_seq);
  });
}

Result<std::vector<SentMail>> Mailroom::sent(std::optional<std::int64_t> before_seq, int limit, const Caller& caller) {
  std::vector<SentMail> out;
  TRY_VOID(town_.store.read([&](Ledger& ledger) -> Result<> {
    out.clear();
    TRY(self, own_mailbox(ledger, caller));
    TRY(messages, ledger.sent(self.id, before_seq, limit));
    for (auto& message : messages) {
      SentMail sent{.mail = {message, std::nullopt}, .copies = {}, .lists = {}};
      TRY(copies, ledger.deliveries(message.id));
      for (const auto& copy : copies) {
        TRY(agent, ledger.agent(copy.mailbox));
        sent.copies.push_back({agent ? agent->address.str() : "?", copy});
      }
      if (!copies.empty()) sent.mail.delivery = copies.front();
      TRY_VOID(note_place(ledger, sent.mail, caller, town_.clock.now()));
      TRY(lists, list_standings(ledger, message, caller, town_.clock.now()));
      sent.lists = std::move(lists);
      out.push_back(std::move(sent));
    }
    return {};
  }));
  return out;
}

Result<Mailroom::Owed> Mailroom::owed(const Caller& caller, Parts parts) {
  Owed out;
  TRY_VOID(town_.store.read([&](Ledger& ledger) -> Result<> {
    out = Owed();
    const Instant now = town_.clock.now();
    TRY(self, own_mailbox(ledger, caller));
    TRY(withheld, Withheld::from_reader(ledger, caller));
    auto entry = [&](Message message) -> Result<ReplyOwed> {
      TRY(creditor, ledger.agent(message.sender));
      ReplyOwed one{.message = std::move(message), .copy = {}, .by = {}};
      TRY(whole, parts == Parts::all ? ledger.message(one.message.id) : Result<std::optional<Message>>(std::nullopt));
      if (whole) one.message.body = std::move(whole->body);
      TRY(own, ledger.delivery(one.message.id, self.id));
      TRY(copy, shown_copy(ledger, {one.message, own, "", ""}));
      one.copy = std::move(copy);
      one.to = creditor ? creditor->address.str() : one.message.from;
      one.overdue = one.message.reply_by && *one.message.reply_by < now;
      withheld.strip(one.message);
      return one;
    };
    TRY(wanted, ledger.replies_owed_to(self.id, kMostOwed));
    for (const auto& message : wanted) {
      TRY(owing, still_owing(ledger, message));
      TRY(owed, entry(message));
      for (const auto& agent : owing) owed.by.push_back(agent.address.str());
      if (!owed.by.empty()) out.to_me.insert(out.to_me.begin(), std::move(owed));  // oldest first
    }
    TRY(asked, ledger.replies_owed_by(self.id, kMostOwed));
    for (const auto& message : asked) {
      if (withheld.covers(message)) continue;  // nothing of theirs is asked for until the quarantine ends
      TRY(owed, entry(message));
      owed.by.push_back(self.address.str());
      out.by_me.insert(out.by_me.begin(), std::move(owed));
    }
    return {};
  }));
  return out;
}

}  // namespace townpost
