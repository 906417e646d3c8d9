#include "post/rules/mail_access.h"

#include <algorithm>

#include "base/text.h"
#include "post/people/membership.h"

namespace townpost {

namespace {

/// Always an error: not_found.
Result<OpenedMail> no_message(Ledger& ledger, MessageId id, const Caller& caller) {
  TRY(record, ledger.pruned_post(id));
  if (!record) return fail(Code::not_found, cat("no message ", id.str()), next("mail.inbox", {}, " lists yours"));
  TRY(withheld, Withheld::from_reader(ledger, caller));
  TRY_VOID(withheld.strip(ledger, *record));
  return fail(Code::not_found,
              cat(id.str(), " (\"", shorten(record->subject, 80), "\" by ", record->from,
                  ") was pruned from its channel at ", rfc3339(record->pruned_at), ": ", record->reason),
              "its text is gone; channels keep what their limits let stay");
}

/// Posts are for everybody; a queue's messages are for those who may claim them.
Result<bool> is_open_to(Ledger& ledger, MessageId id, const Agent& viewer) {
  TRY(channel, ledger.channel_of(id));
  if (channel) return true;
  TRY(item, ledger.item(id));
  if (!item) return false;
  if (item->holder == viewer.id && viewer.id.key != 0) return true;
  TRY(queue, ledger.queue(item->queue));
  if (!queue) return false;
  return may_claim(ledger, queue->claimers, viewer);
}

}  // namespace

Result<Agent> own_mailbox(Ledger& ledger, const Caller& caller) {
  TRY(found, ledger.find_agent(caller.address.str()));
  if (found) return *found;
  return Agent{.id = {}, .address = caller.address};
}

std::size_t Conversations::place_of(const ThreadLink& message, const std::set<AgentId>& to) {
  std::vector<std::size_t> own;
  for (std::size_t i = 0; i < members_.size(); ++i)
    if (members_[i].contains(message.from)) own.push_back(i);
  const auto answered = message.reply_to ? of_message_.find(*message.reply_to) : of_message_.end();
  if (answered != of_message_.end() && members_[answered->second].contains(message.from)) return answered->second;
  if (own.size() == 1 && passes_on(own.front(), message.from, to)) return own.front();
  // Of several it goes on the one that most of its recipients are part of. Where that is not clear nobody else is to
  // see it: whoever wrote into the thread uninvited would.
  std::size_t most = 0;
  std::optional<std::size_t> best;
  for (const auto i : own) {
    const auto known = static_cast<std::size_t>(
        std::count_if(to.begin(), to.end(), [&](AgentId one) { return members_[i].contains(one); }));
    if (known < most || known == 0) continue;
    best = known > most ? std::optional(i) : std::nullopt;
    most = known;
  }
  if (best) return *best;
  members_.emplace_back();
  return members_.size() - 1;
}

bool Conversations::passes_on(std::size_t place, AgentId from, const std::set<AgentId>& to) const {
  if (!is_guessable_) return true;
  const auto& members = members_[place];
  if (std::any_of(to.begin(), to.end(), [&](AgentId one) { return members.contains(one); })) return true;
  return std::all_of(members.begin(), members.end(),
                     [&](AgentId one) { return one == from || coordinators_.contains(one); });
}

Result<Conversations> Conversations::of(Ledger& ledger, std::string_view thread) {
  Conversations out;
  out.is_guessable_ = !is_made_thread(thread);
  if (out.is_guessable_) {
    TRY(agents, ledger.agents());
    for (const auto& agent : agents)
      if (Caller{agent.address}.coordinates()) out.coordinators_.insert(agent.id);
  }
  TRY(links, ledger.thread_links(thread));
  TRY(system, ledger.find_agent(Address::system().str()));
  for (auto link = links.begin(); link != links.end();) {
    const ThreadLink message = *link;
    std::set<AgentId> to;
    for (; link != links.end() && link->message == message.message; ++link)
      if (link->to && *link->to != message.from) to.insert(*link->to);
    if (system && message.from == system->id) {
      // The town takes part in nothing. Whom it asks for help is to see what it is about.
      if (message.type == MessageType::escalation)
        for (auto& members : out.members_) members.insert(to.begin(), to.end());
      continue;
    }
    const auto place = out.place_of(message, to);
    out.of_message_[message.message] = place;
    out.members_[place].insert(message.from);
    out.members_[place].insert(to.begin(), to.end());
  }
  return out;
}

bool Conversations::has(AgentId who) const {
  return std::any_of(members_.begin(), members_.end(), [&](const auto& members) { return members.contains(who); });
}

bool Conversations::has(AgentId who, MessageId message) const {
  const auto place = of_message_.find(message);
  return place != of_message_.end() && members_[place->second].contains(who);
}

Result<> check_thread(Ledger& ledger, const std::string& thread, const Agent& sender, const Caller& caller) {
  if (thread.empty() || caller.is_person() || sender.address.role() == Role::system) return {};
  TRY(conversations, Conversations::of(ledger, thread));
  if (conversations.empty() || conversations.has(sender.id)) return {};
  TRY(care, ledger.care(sender.id));
  if (care.hook == thread) return {};
  return fail(Code::forbidden,
              cat("thread ", for_terminal_line(shorten(to_utf8(thread), 80)), " is not ", sender.address.str(), "'s"),
              "leave out " + next("", {{"thread", ""}}, ", or be written to in it first"));
}

Result<std::optional<Delivery>> shown_copy(Ledger& ledger, const OpenedMail& mail) {
  if (mail.own) return mail.own;
  TRY(copies, ledger.deliveries(mail.message.id));
  if (copies.empty()) return std::optional<Delivery>();
  return std::optional<Delivery>(copies.front());
}

Result<OpenedMail> open_mail(Ledger& ledger, MessageId id, const Agent& viewer, const Caller& caller, Parts parts) {
  TRY(message, ledger.message(id, parts));
  TRY(own, ledger.delivery(id, viewer.id));
  if (!message || (own && own->deleted_at && message->sender != viewer.id)) return no_message(ledger, id, caller);
  if (own && own->deleted_at) own.reset();
  if (!own && message->sender != viewer.id && !caller.is_person()) {
    TRY(conversations, Conversations::of(ledger, message->thread));
    TRY(open, is_open_to(ledger, id, viewer));
    if (!conversations.has(viewer.id, id) && !open)
      return fail(Code::forbidden, cat(id.str(), " is not ", viewer.address.str(), "'s mail"),
                  "you may read what you sent, received or are part of the thread of");
  }
  TRY(withheld, Withheld::from_reader(ledger, caller));
  OpenedMail out{*message, own, withheld.covers(*message)};
  withheld.strip(out.message);
  return out;
}

Result<> check_words(const OpenedMail& mail) {
  if (!mail.withheld) return {};
  return fail(Code::forbidden, cat(mail.message.from, " is quarantined; what it sent is shown to people only"),
              "a person ends that: " + next("agent.quarantine", {{"agent", mail.message.from}, {"lift", "true"}}));
}

Result<Withheld> Withheld::from_reader(Ledger& ledger, const Caller& reader) {
  Withheld out;
  if (reader.is_person()) return out;
  TRY(cares, ledger.cares());
  TRY(self, own_mailbox(ledger, reader));
  for (const auto& care : cares)
    if (care.quarantined_at && care.agent != self.id) out.quarantined_.insert(care.agent);
  return out;
}

void Withheld::strip(Message& message) const {
  if (!covers(message)) return;
  message.subject = withheld_words(message.from);
  message.body.clear();
}

Result<> Withheld::strip(Ledger& ledger, PrunedPost& record) const {
  if (quarantined_.empty()) return {};
  TRY(sender, ledger.find_agent(record.from));  // it may have another name by now
  if (sender && covers(sender->id)) record.subject = withheld_words(record.from);
  return {};
}

std::string withheld_words(std::string_view from) { return cat("withheld: ", from, " is quarantined"); }

Result<bool> is_quarantined(Ledger& ledger, AgentId agent) {
  TRY(care, ledger.care(agent));
  return care.quarantined_at.has_value();
}

}  // namespace townpost
