#include "post/rules/withheld.h"

#include "base/text.h"

namespace townpost {

namespace {

/// What is noted of a nudge in the words of its target: of its session, or of whoever dropped it.
bool is_told_by_target(EventKind kind) {
  switch (kind) {
    case EventKind::handed:
    case EventKind::delivered:
    case EventKind::put_back:
    case EventKind::lost:
    case EventKind::dead:
    case EventKind::dropped:
      return true;
    default:
      return false;
  }
}

}  // namespace

Result<Agent> own_mailbox(Ledger& ledger, const Caller& caller) {
  TRY(found, ledger.find_agent(caller.address.str()));
  if (found) return *found;
  return Agent{.id = {}, .address = caller.address};
}

Result<Withheld> Withheld::from_reader(Ledger& ledger, const Caller& reader) {
  if (reader.is_person()) return Withheld();
  TRY(self, own_mailbox(ledger, reader));
  return from_reader(ledger, self);
}

Result<Withheld> Withheld::from_reader(Ledger& ledger, const Agent& reader) {
  Withheld out;
  if (reader.address.role() == Role::human) return out;
  TRY(agents, ledger.quarantined_agents());
  for (const auto& agent : agents)
    if (agent.id != reader.id) out.quarantined_.emplace(agent.id, agent.address.str());
  return out;
}

const std::string* Withheld::author_of(const Message& message) const {
  if (quarantined_.empty()) return nullptr;
  auto found = quarantined_.find(message.sender);
  if (found == quarantined_.end() && message.quotes) found = quarantined_.find(*message.quotes);
  return found == quarantined_.end() ? nullptr : &found->second;
}

std::string Withheld::from_whom(const Message& message) const {
  const auto* author = author_of(message);
  return author ? *author : std::string();
}

std::set<AgentId> Withheld::authors() const {
  std::set<AgentId> out;
  for (const auto& [author, address] : quarantined_) out.insert(author);
  return out;
}

void Withheld::strip(Message& message) const {
  const auto* author = author_of(message);
  if (!author) return;
  message.subject = withheld_words(*author);
  message.body.clear();
  if (!is_made_thread(message.thread)) message.thread.clear();  // a name that it chose
}

void Withheld::strip(Mail& mail) const {
  if (covers(mail.message) && mail.delivery) mail.delivery->bead.clear();
  strip(mail.message);
}

Result<> Withheld::strip(Ledger& ledger, PrunedPost& record) const {
  if (quarantined_.empty()) return {};
  TRY(sender, ledger.find_agent(record.from));  // it may have another name by now
  if (sender) record.subject = words(sender->id, record.subject);
  return {};
}

void Withheld::strip(Nudge& nudge) const {
  if (covers(nudge.target))
    for (auto* said : {&nudge.evidence, &nudge.last_error}) said->clear();
  if (!covers(nudge.sender)) return;
  for (auto* chosen : {&nudge.coalesce_key, &nudge.thread, &nudge.bead, &nudge.last_error}) chosen->clear();
  if (nudge.kind == NudgeKind::mail) return;  // what tells of mail is the town's
  nudge.text = withheld_words(nudge.from);
  nudge.refs.clear();
}

void Withheld::strip(Event& event, const Message& of) const {
  const auto* author = event.kind == EventKind::stored ? author_of(of) : nullptr;  // for whom, and for which bead
  if (author) event.detail = withheld_words(*author);
  if (event.agent) event.detail = words(*event.agent, event.detail);
}

void Withheld::strip(Event& event, const Nudge& of) const {
  if (covers(of.sender) || (covers(of.target) && is_told_by_target(event.kind))) event.detail.clear();
}

void Withheld::strip(Agent& agent) const {
  if (!agent.description.empty()) agent.description = words(agent.id, agent.description);
}

std::string Withheld::words(AgentId author, const std::string& text) const {
  const auto found = quarantined_.find(author);
  return found == quarantined_.end() ? text : withheld_words(found->second);
}

std::string withheld_words(std::string_view from) { return cat("withheld: ", from, " is quarantined"); }

Result<bool> is_quarantined(Ledger& ledger, AgentId agent) {
  TRY(care, ledger.care(agent));
  return care.quarantined_at.has_value();
}

}  // namespace townpost
