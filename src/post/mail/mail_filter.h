#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "post/rules/mail_access.h"
#include "post/town/settings.h"

namespace townpost {

/// What is kept of a mailbox's listing; everything that is said must be true of a message.
struct MailFilter {
  std::optional<MessageType> type;
  std::string protocol;      ///< of this type of the protocol; "UNKNOWN": of none
  std::string bead;          ///< about it: by its thread, its copy, its subject or its fields
  bool pending = false;      ///< an acknowledgement is asked for and not given
  bool completions = false;  ///< what ends work: DONE, FAILED, …

  /// By what people call a type: "task", "DONE". Error: usage.
  Result<> set_type(std::string_view word, const protocol::TypeRegistry& types);
  /// Whether each message must be looked at; the store knows the type of a mail.
  bool looks_at_each() const { return !protocol.empty() || !bead.empty() || pending || completions; }
};

/// What a reader is shown of messages, so that a filter tells nothing beyond it.
struct ReaderOfMail {
  const Settings& settings;
  const Withheld& withheld;
  bool bodies = true;
};

/// What `query` finds of that, in its order, whole.
Result<std::vector<Mail>> list_filtered(Ledger& ledger, MailQuery query, const MailFilter& filter,
                                        const ReaderOfMail& reader);

}  // namespace townpost
