#include "post/mail/typed_mail.h"

#include "base/text.h"
#include "protocol/subject.h"

namespace townpost {

namespace {

void warn_of_missing_fields(const protocol::Parsed& parsed, std::vector<std::string>& warnings) {
  std::vector<std::string> wrong;
  for (const auto& problem : parsed.problems()) wrong.push_back(problem.message);
  if (wrong.empty()) return;
  warnings.push_back(cat(parsed.type_name(), ": ", join(wrong, "; "), " (gt protocol types ", parsed.type_name(),
                         " tells what it wants)"));
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
  if (letter.thread.empty() && !parent) letter.thread = std::string(parsed.thread());
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

Result<std::string> route_of(const protocol::ProtocolType& type, const Settings& settings, const Caller& caller) {
  const auto role = type.receiver;
  if (role == "mayor" || role == "deacon") return cat(role, "/");
  if (role == "self") return caller.address.str();
  if (role == "escalation") return settings.escalation.str();
  if (role == "overseer" || role == "human" || role == "user") return Address::human().str();
  if ((role == "witness" || role == "refinery") && !caller.address.rig().empty())
    return cat(caller.address.rig(), "/", role);
  return fail_argument("to", cat("a recipient is missing: ", type.name, " goes to ", role.empty() ? "anybody" : role),
                       next("mail.send", {{"to", "ADDR"}, {"protocol", std::string(type.name)}}));
}

}  // namespace townpost
