#include "post/rules/mail_access.h"

#include <algorithm>

#include "base/text.h"
#include "post/people/membership.h"
#include "post/rules/retention.h"

namespace townpost {

namespace {

/// The words about a post that is gone, or as good as gone.
Failure gone(MessageId id, std::string_view subject, std::string_view from, std::string_view why) {
  return fail(Code::not_found, cat(id.str(), " (\"", shorten(subject, 80), "\" by ", from, ") ", why),
              "its text is gone: the channel's limits removed it");
}

Result<std::optional<PrunedPost>> pruned_record(Ledger& ledger, MessageId id, const Caller& caller) {
  TRY(record, ledger.pruned_post(id));
  if (!record) return record;
  TRY(withheld, Withheld::from_reader(ledger, caller));
  TRY_VOID(withheld.strip(ledger, *record));
  return record;
}

/// Whether its channel keeps a post no longer, and it is nowhere else.
Result<bool> has_outlived(Ledger& ledger, const Message& message, const Post& post, Instant now) {
  TRY(channel, ledger.channel(post.channel));
  if (!channel || message.created_at >= oldest_shown(*channel, now)) return false;
  TRY(copies, ledger.deliveries(message.id));
  return copies.empty();
}

}  // namespace

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
  if (care.holds.is(thread)) return {};
  return fail(Code::forbidden,
              cat("thread ", for_terminal_line(shorten(to_utf8(thread), 80)), " is not ", sender.address.str(), "'s"),
              "leave out " + next("", {{"thread", ""}}, ", or wait until someone in it writes to you"));
}

Result<> note_owner(Ledger& ledger, Mail& mail, AgentId viewer) {
  if (!mail.delivery) {  // a post is everybody's
    if (list_addressed(mail.message, "channel:").empty() && !mail.message.to.empty())
      mail.copy_of = mail.message.to.front();
    return {};
  }
  if (mail.delivery->mailbox == viewer) return {};
  TRY(owner, ledger.agent(mail.delivery->mailbox));
  if (owner) mail.copy_of = owner->address.str();
  return {};
}

Result<std::optional<Delivery>> shown_copy(Ledger& ledger, const OpenedMail& mail) {
  if (mail.own) return mail.own;
  TRY(copies, ledger.deliveries(mail.message.id));
  if (copies.empty()) return std::optional<Delivery>();
  return std::optional<Delivery>(copies.front());
}

Failure no_message(Ledger& ledger, MessageId id, const Caller& caller) {
  const auto record = pruned_record(ledger, id, caller);
  if (!record) return Failure(record.error());
  if (*record)
    return gone(id, (*record)->subject, (*record)->from,
                cat("was pruned from its channel at ", rfc3339((*record)->pruned_at), ": ", (*record)->reason));
  return fail(Code::not_found, cat("no message ", id.str()), next("mail.inbox", {}, " lists yours"));
}

Result<Openness> openness_of(Ledger& ledger, const Message& message, const Agent& viewer, Instant now) {
  TRY(post, ledger.post(message.id));
  TRY(item, ledger.item(message.id));
  if (post) {
    TRY(outlived, has_outlived(ledger, message, *post, now));
    if (outlived && !item) return Openness::too_old;
    TRY(kept, ledger.is_kept_for(*post, viewer.id));
    if (!kept) return Openness::taken_back;
  }
  if (!item && !list_addressed(message, "queue:").empty()) return Openness::taken_back;
  if (post) return Openness::open;
  if (!item) return Openness::closed;
  if (item->holder == viewer.id && viewer.id.key != 0) return Openness::open;
  TRY(queue, ledger.queue(item->queue));
  if (!queue) return Openness::closed;
  TRY(may, may_claim(ledger, queue->claimers, viewer));
  return may ? Openness::open : Openness::closed;
}

Result<OpenedMail> open_mail(Ledger& ledger, MessageId id, const Agent& viewer, const Caller& caller, Instant now,
                             Parts parts) {
  TRY(message, ledger.message(id, parts));
  TRY(own, ledger.delivery(id, viewer.id));
  if (!message || (own && own->deleted_at && message->sender != viewer.id)) return no_message(ledger, id, caller);
  if (own && own->deleted_at) own.reset();
  TRY(withheld, Withheld::from_reader(ledger, caller));
  const bool by_right = own || message->sender == viewer.id || caller.is_person();
  TRY(openness, own ? Result<Openness>(Openness::open) : openness_of(ledger, *message, viewer, now));
  if (openness == Openness::too_old) {
    withheld.strip(*message);
    return gone(id, message->subject, message->from, "is older than its channel keeps posts");
  }
  if (!by_right && openness == Openness::taken_back)
    return fail(Code::not_found, cat(id.str(), " was taken back before ", viewer.address.str(), " had it"),
                "a person may still read it");
  if (!by_right && openness == Openness::closed) {
    TRY(conversations, Conversations::of(ledger, message->thread));
    if (!conversations.has(viewer.id, id))
      return fail(Code::forbidden, cat(id.str(), " is not ", viewer.address.str(), "'s mail"),
                  "you may read mail you sent or received, and threads you are part of");
  }
  OpenedMail out{*message, own, withheld.from_whom(*message), message->thread};
  withheld.strip(out.message);
  return out;
}

Result<> check_words(const OpenedMail& mail) {
  if (mail.withheld.empty()) return {};
  return fail(Code::forbidden, cat(mail.withheld, " is quarantined; its words are shown to people only"),
              "a person ends that: " + next("agent.quarantine", {{"agent", mail.withheld}, {"lift", "true"}}));
}

}  // namespace townpost
