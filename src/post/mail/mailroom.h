#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "post/lists/channels.h"
#include "post/mail/mail_filter.h"
#include "post/mail/standing.h"
#include "post/people/caller.h"
#include "post/rules/mail_access.h"
#include "post/rules/marks.h"
#include "post/town/town.h"

namespace townpost {

/// What became of one of several ids.
struct MarkOutcome {
  std::string id;
  MarkChange change;  ///< of what was not refused
  std::optional<Error> error;
};

struct ThreadView {
  std::string id;
  std::string subject;
  std::vector<std::string> participants;
  std::int64_t unread = 0;
  std::vector<Mail> mails;  ///< oldest first
};

struct SentMail {
  Mail mail;
  struct Copy {
    std::string address;
    Delivery delivery;
  };
  std::vector<Copy> copies;
  std::vector<Standing> lists;  ///< where it stands in a queue, or on a channel
};

struct ReplyOwed {
  Message message;
  std::optional<Delivery> copy;  ///< the reader's, else the first recipient's
  std::vector<std::string> by;   ///< who has not answered
  std::string to;                ///< who waits for it, by the name it has now
  bool overdue = false;
};

struct SearchQuery {
  std::string text;
  std::optional<std::string> from;
  std::optional<Instant> since;
  bool subject = true;
  bool body = true;
  bool sender = true;
  bool archived = false;
  bool whole_town = false;  ///< for people
  int limit = 50;
};

/// A mailbox seen by its owner, or by somebody who looks in.
class Mailroom {
 public:
  explicit Mailroom(Town& town) : town_(town) {}

  struct InboxQuery {
    std::optional<std::string> whose;  ///< nothing: the caller's own
    Shelf shelf = Shelf::inbox;
    std::optional<std::string> from;
    MailFilter filter;
    std::optional<std::int64_t> after_seq;
    int limit = 50;
  };
  struct Inbox {
    Agent owner;
    bool headers_only = false;  ///< an agent looking into another's: no bodies
    std::vector<Mail> mails;
    std::int64_t total = 0;  ///< how many match; counted up to 10,000 if it is narrowed down
    std::int64_t more = 0;   ///< of them behind the last one here
  };
  /// Never changes any state.
  Result<Inbox> inbox(const InboxQuery& query, const Caller& caller);

  enum class Ack { no, is_read, yes };
  /// Shows one message; the viewer's own copy becomes delivered, evidence: it was shown. By `is_read` it is read, too,
  /// which acknowledges nothing; by `yes` it is read and, where asked for, acknowledged.
  Result<Mail> read(MessageId id, Ack ack, const Caller& caller);

  /// The message as the caller may see it; changes nothing.
  Result<Mail> look(MessageId id, const Caller& caller);

  /// Each id for itself, in shares, so that others can write in between. It can be repeated safely, also after an
  /// interruption.
  Result<std::vector<MarkOutcome>> mark(const std::vector<std::string>& ids, Mark mark, const Caller& caller);
  /// Every unread message of the caller.
  Result<std::vector<MarkOutcome>> mark_all_read(const Caller& caller);
  /// Read, unpinned mail older than `older`.
  Result<std::vector<MarkOutcome>> archive_stale(Millis older, const Caller& caller);

  enum class Chatter { read, unread_too };
  /// Archives protocol messages older than `older` that ask for nothing more: never requests for help, hand-overs,
  /// escalations, or mail of other kinds.
  Result<std::vector<MarkOutcome>> drain(Millis older, Chatter chatter, const Caller& caller);

  Result<ThreadView> thread(std::string_view id_or_thread, const Caller& caller);
  struct Found {
    std::vector<Mail> mails;
    std::int64_t total = 0;  ///< how many there are altogether; counted up to 10,000
  };
  Result<Found> search(const SearchQuery& query, const Caller& caller);
  /// Before the message with this seq, or all.
  Result<std::int64_t> count_sent(std::optional<std::int64_t> before_seq, const Caller& caller);
  Result<std::vector<SentMail>> sent(std::optional<std::int64_t> before_seq, int limit, const Caller& caller);
  struct Owed {
    std::vector<ReplyOwed> to_me;
    std::vector<ReplyOwed> by_me;
  };
  Result<Owed> owed(const Caller& caller, Parts parts);

  Result<Agent> mailbox_of(const Caller& caller);
  /// What waits for somebody: unread mail that is offered to it, and news on the channels it follows.
  struct Waiting {
    std::int64_t unread = 0;
    std::vector<ChannelNews> channels;
    bool anything() const { return unread > 0 || !channels.empty(); }
  };
  Result<Waiting> waiting_now(const Agent& self);
  /// Of what is offered.
  Result<std::optional<Mail>> first_unread(const Caller& caller);
  struct News {
    bool arrived = false;        ///< unread mail that no rule holds back, or a post that wakes
    Instant next_at = kForever;  ///< else when a rule lets go of some, though nobody rings then
  };
  Result<News> news_for(const Agent& self);
  struct DirectoryEntry {
    std::string type;
    std::string address;
    std::string description;
  };
  /// Everybody and everything mail can be sent to, by kind, then address.
  Result<std::vector<DirectoryEntry>> directory(const Caller& reader);

 private:
  Result<std::vector<MarkOutcome>> mark_share(std::span<const std::string> ids, Mark mark, const Caller& caller);
  Result<std::vector<MarkOutcome>> mark_found(
      Mark mark, const Caller& caller,
      const std::function<Result<std::vector<MessageId>>(Ledger&, const Agent&)>& find);
  Town& town_;
};

}  // namespace townpost
