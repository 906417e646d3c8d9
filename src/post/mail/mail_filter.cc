#include "post/mail/mail_filter.h"

#include "base/text.h"
#include "post/mail/typed_mail.h"
#include "post/people/resolve.h"
#include "protocol/filters.h"

namespace townpost {

namespace {

constexpr int kPage = 500;
constexpr std::string_view kOfNone = "UNKNOWN";

/// What a message says of beads, as far as its reader may know.
Result<bool> is_about(Ledger& ledger, const Mail& mail, const Message& seen, const std::string& bead,
                      const ReaderOfMail& reader) {
  if (mail.delivery->bead == bead || seen.thread == bead) return true;
  std::string body;
  if (reader.bodies && !reader.withheld.covers(seen)) {
    TRY(whole, ledger.message(seen.id));
    if (whole) body = std::move(whole->body);
  }
  const auto parsed = protocol::parse(reader.settings.types, {.subject = seen.subject, .body = body});
  return protocol::is_about(parsed, bead) || parsed.value("issue") == bead;
}

Result<bool> keeps(Ledger& ledger, const MailFilter& filter, const Mail& mail, const ReaderOfMail& reader) {
  Message seen = mail.message;
  reader.withheld.strip(seen);
  // An answer keeps the subject, and is not of that type.
  const auto* type = seen.type == MessageType::reply ? nullptr : type_of(reader.settings, seen);
  if (!filter.protocol.empty() && filter.protocol != (type ? type->name : kOfNone)) return false;
  if (filter.pending && (!seen.ack_required || mail.delivery->acked_at)) return false;
  if (filter.completions && !(type && type->is_completion())) return false;
  if (filter.bead.empty()) return true;
  return is_about(ledger, mail, seen, filter.bead, reader);
}

}  // namespace

Result<> MailFilter::set_type(std::string_view word, const protocol::TypeRegistry& types) {
  type = find_message_type(lower_ascii(word));
  if (type) return {};
  if (const auto* known = types.find(word)) {
    protocol = known->name;
    return {};
  }
  if (protocol::equal_ascii_case(word, kOfNone)) {
    protocol = kOfNone;
    return {};
  }
  std::vector<std::string> known;
  for (const auto name : message_type_names()) known.emplace_back(name);
  for (const auto* one : types.types()) known.emplace_back(one->name);
  return fail_argument("type",
                       cat("invalid type: \"", for_terminal_line(shorten(to_utf8(word), 40)), "\" is not a type"),
                       did_you_mean(word, known,
                                    next("protocol.types", {},
                                         " lists those of the protocol; of mail there are notification, task, "
                                         "scavenge, reply and escalation")));
}

Result<std::vector<Mail>> list_filtered(Ledger& ledger, MailQuery query, const MailFilter& filter,
                                        const ReaderOfMail& reader) {
  const auto wanted = static_cast<std::size_t>(query.limit);
  query.type = filter.type;
  if (!filter.looks_at_each()) return ledger.list(query);
  query.limit = kPage;
  query.parts = Parts::headers;
  std::vector<Mail> out;
  while (true) {
    TRY(page, ledger.list(query));
    for (auto& mail : page) {
      if (out.size() == wanted) return out;
      TRY(kept, keeps(ledger, filter, mail, reader));
      if (!kept) continue;
      TRY(whole, ledger.message(mail.message.id));
      if (whole) mail.message = std::move(*whole);
      out.push_back(std::move(mail));
    }
    if (page.size() < static_cast<std::size_t>(kPage)) return out;
    query.after_seq = page.back().message.id.seq();
  }
}

}  // namespace townpost
