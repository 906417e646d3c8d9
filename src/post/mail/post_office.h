#pragma once
#include <optional>
#include <string>
#include <vector>

#include "post/mail/receipt.h"
#include "post/people/caller.h"
#include "post/people/resolve.h"
#include "post/rules/posting.h"
#include "post/rules/topics.h"
#include "post/town/town.h"

namespace townpost {

/// What becomes of one's copy of the message that is answered.
enum class Answered { is_read, stays_unread };

/// What somebody wants to send, and to whom, as they wrote it.
struct Letter : Written {
  std::vector<std::string> to;
  std::vector<std::string> cc;
  std::optional<Millis> reply_by;
  std::string bead;                ///< for its holder only: every copy
  std::optional<std::string> key;  ///< the same key within 24 h gets the first answer again
  bool pinned = false;
  bool notify = true;
  bool include_self = false;
  Answered answered = Answered::is_read;
  Unknown unknown = Unknown::refuse;
};

/// Takes letters in: all recipients or none, on stable storage before it answers.
class PostOffice {
 public:
  explicit PostOffice(Town& town) : town_(town) {}

  /// Without a subject, the first line of the body is it.
  Result<Receipt> send(Letter letter, const Caller& caller);

  /// Who a letter to these would reach now, lists by their names; sends nothing. Error: as send.
  Result<std::vector<std::string>> recipients_of(const std::vector<std::string>& to, const std::vector<std::string>& cc,
                                                 const Caller& caller);

  enum class ReplyTo { sender, everyone };
  /// An answer as it begins: whom it goes to, and its subject, "Re:" once.
  Result<Letter> answer_to(MessageId to, ReplyTo whom, const Caller& caller);
  /// Sends it in the same thread; `options.cc` get it, too.
  Result<Receipt> reply(MessageId to, const std::string& body, ReplyTo whom, Letter options, const Caller& caller);

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
  /// Decides for each recipient whether a rule of the sender holds back the wake.
  Result<> hold_back(Ledger& ledger, TopicRule& topic, const Agent& sender, const Message& draft, Route& route) const;
  /// Adds to the receipt, after the commit, how each recipient can be reached, and whether the sender is over its
  /// budget; a key tells the same from then on.
  void tell_more(const Letter& letter, const Posted& posted, std::int64_t digest, Receipt& receipt) const;

  Town& town_;
};

/// That subject and body may be sent as they are. Error: usage.
Result<> check_text(std::string_view subject, std::string_view body);

}  // namespace townpost
