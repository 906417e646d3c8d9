#include "post/mail/typed_mail.h"

#include "base/advice.h"
#include "base/text.h"
#include "post/people/resolve.h"
#include "post/rules/mail_access.h"
#include "protocol/subject.h"

namespace townpost {

namespace {

void warn_of_missing_fields(const protocol::Parsed& parsed, std::vector<std::string>& warnings) {
  std::vector<std::string> wrong;
  for (const auto& problem : parsed.problems()) wrong.push_back(problem.message);
  if (wrong.empty()) return;
  warnings.push_back(cat(parsed.type_name(), ": ", join(wrong, "; "), " (",
                         called("protocol.types", {{"type", std::string(parsed.type_name())}}), " shows its fields)"));
}

Failure nobody_is(const protocol::ProtocolType& type) {
  return fail_argument("to", cat("a recipient is missing: ", type.name, " goes to ", type.receiver),
                       next("mail.send", {{"to", "ADDR"}, {"protocol", std::string(type.name)}}));
}

/// Whose message an answer answers: its sender, by the name it has now.
Result<std::string> asker_of(Town& town, MessageId asked, const Caller& caller) {
  return read_value(town.store, [&](Ledger& ledger) -> Result<std::string> {
    TRY(self, own_mailbox(ledger, caller));
    TRY(opened, open_mail(ledger, asked, self, caller, town.clock.now(), Parts::headers));
    TRY(sender, ledger.agent(opened.message.sender));
    return sender ? sender->address.str() : opened.message.from;
  });
}

/// The agent that has a role's name. Roles are words that anybody may have for a name: there may be none.
Result<std::string> agent_called(Town& town, const std::string& role, const protocol::ProtocolType& type) {
  auto found = read_value(town.store, [&](Ledger& ledger) { return resolve_one(ledger, role); });
  if (found) return found->address.str();
  if (found.error().code != Code::not_found) return Failure(found.error());
  return fail_argument("to",
                       cat("a recipient is missing: ", type.name, " goes to ", role, ", and no agent has that name"),
                       next("mail.send", {{"to", "ADDR"}, {"protocol", std::string(type.name)}},
                            cat(", or say in town.toml who it is: [roles] ", role, " = \"ADDRESS\"")));
}

}  // namespace

const protocol::ProtocolType* type_of(const Settings& settings, const Message& message) {
  return protocol::read_subject(settings.types, message.subject).type;
}

void apply_type(const Settings& settings, const std::optional<Message>& parent, Letter& letter,
                std::vector<std::string>& warnings) {
  if (parent)
    if (const auto* answered = type_of(settings, *parent); answered && answered->nudge)
      warnings.push_back(cat(answered->name, " travels as a nudge; answer it with a nudge, not with mail"));
  if (letter.type == MessageType::reply) return;
  const auto* type = protocol::read_subject(settings.types, letter.subject).type;
  if (!type) return;
  if (type->nudge) warnings.push_back(cat(type->name, " travels as a nudge; as mail it wakes nobody in time"));
  const auto parsed = protocol::parse(settings.types, {.subject = letter.subject, .body = letter.body},
                                      {.strictness = protocol::Strictness::strict});
  // No bead has the name of a thread that nobody named: who says so would write into somebody else's conversation.
  if (letter.thread.empty() && !parent && !is_made_thread(parsed.thread()))
    letter.thread = std::string(parsed.thread());
  letter.ack_required = letter.ack_required || type->ack;
  warn_of_missing_fields(parsed, warnings);
}

Result<> archive_superseded(Ledger& ledger, const Settings& settings, const Message& stored,
                            const std::vector<Addressee>& addressees) {
  const auto* type = type_of(settings, stored);
  if (!type || !type->transient || stored.type == MessageType::reply) return {};
  TRY(messages, ledger.thread(stored.thread, Parts::headers));
  for (const auto& earlier : messages) {
    if (earlier.id == stored.id || earlier.sender != stored.sender || type_of(settings, earlier) != type) continue;
    for (const auto& addressee : addressees) {
      TRY(copy, ledger.delivery(earlier.id, addressee.agent.id));
      if (!copy || copy->archived_at || copy->deleted_at || copy->pinned) continue;
      copy->archived_at = stored.created_at;
      TRY_VOID(ledger.update_delivery(*copy));
      TRY_VOID(ledger.add_event(
          {.at = stored.created_at,
           .kind = EventKind::archived,
           .message = earlier.id,
           .agent = addressee.agent.id,
           .detail = cat("superseded by ", stored.id.str(), ": only the last ", type->name, " of a thread stays")}));
    }
  }
  return {};
}

Result<std::string> route_of(Town& town, const protocol::ProtocolType& type, std::optional<MessageId> answered,
                             const Caller& caller) {
  if (type.answers && answered) return asker_of(town, *answered, caller);
  const std::string role = lower_ascii(type.receiver);
  if (const auto known = town.settings.role_addresses.find(role); known != town.settings.role_addresses.end())
    return known->second;
  if (role == "mayor" || role == "deacon") return cat(role, "/");
  if (role == "self") return caller.address.str();
  if (role == "escalation") return town.settings.escalation.str();
  if (role == "overseer" || role == "human" || role == "user") return Address::human().str();
  const bool of_rig = role == "witness" || role == "refinery";
  if (of_rig && !caller.address.rig().empty()) return cat(caller.address.rig(), "/", role);
  if (of_rig || role == "any") return nobody_is(type);
  return agent_called(town, role, type);
}

}  // namespace townpost
