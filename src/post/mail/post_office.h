#pragma once
#include <optional>
#include <string>
#include <vector>

#include "post/mail/receipt.h"
#include "post/people/caller.h"
#include "post/people/resolve.h"
#include "post/rules/posting.h"
#include "post/town/town.h"

namespace townpost {

/// What somebody wants to send, as they wrote it.
struct Letter {
  std::vector<std::string> to;
  std::vector<std::string> cc;
  std::string subject;
  std::string body;
  Priority priority = Priority::normal;
  MessageType type = MessageType::notification;
  std::optional<MessageId> reply_to;
  std::string thread;
  std::optional<Millis> reply_by;
  std::string bead;                ///< for its holder only: every copy
  std::optional<std::string> key;  ///< the same key within 24 h gets the first answer again
  bool ack_required = false;
  bool pinned = false;
  bool wisp = false;
  bool notify = true;
  bool include_self = false;
  Unknown unknown = Unknown::refuse;
};

/// Takes letters in: all recipients or none, on stable storage before it answers.
class PostOffice {
 public:
  explicit PostOffice(Town& town) : town_(town) {}

  Result<Receipt> send(const Letter& letter, const Caller& caller);

  enum class ReplyTo { sender, everyone };
  /// An answer in the same thread, "Re:" once.
  Result<Receipt> reply(MessageId to, const std::string& body, ReplyTo whom, Letter options, const Caller& caller);

  /// Takes back what `from` sent since `since` wherever it is unread. For people.
  Result<std::vector<Delivery>> recall(std::string_view from, Instant since, const Caller& caller);

 private:
  /// Everybody and everything a letter goes to.
  struct Route {
    std::vector<Addressee> addressees;
    Lists lists;
    std::vector<std::string> warnings;
  };
  Result<Route> route(Ledger& ledger, const Letter& letter, const SeenSessions& seen, const Agent& sender,
                      Message& draft) const;
  /// The answer to a letter that repeats an earlier one: by its key, or by rule L5.
  Result<std::optional<Receipt>> sent_before(Ledger& ledger, const Letter& letter, const Message& draft,
                                             const Route& route) const;
  /// Adds to the receipt, after the commit, how each recipient can be reached; a key tells the same from then on.
  void tell_more(const Letter& letter, const Posted& posted, std::int64_t digest, Receipt& receipt) const;

  Town& town_;
};

/// That subject and body may be sent as they are. Error: usage.
Result<> check_text(std::string_view subject, std::string_view body);

}  // namespace townpost
