#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "post/mail/mailroom.h"

namespace townpost {

/// Which of the mail that somebody sent or got, or of everybody's.
struct TrafficQuery {
  std::optional<std::string> whose;  ///< nothing: the caller's own
  bool whole_town = false;           ///< for people
  bool unread_only = false;
  enum class Between { anybody, people, programs };
  Between between = Between::anybody;  ///< programs: what is_infrastructure() says
  std::string thread;
  std::string words;                       ///< in subject, body or sender
  std::optional<std::int64_t> before_seq;  ///< go on behind this one
  int limit = 50;
};

/// Mail both ways, the newest first: what clients list that show conversations. By the town's own sequence, so that a
/// reader who pages through it misses nothing and sees nothing twice while mail arrives. Never changes any state.
class Traffic {
 public:
  explicit Traffic(Town& town) : town_(town) {}
  struct Page {
    std::vector<SentMail> mails;
    std::int64_t total = 0;  ///< how many match; counted up to 10,000
    std::int64_t more = 0;   ///< of them behind the last one here
  };
  Result<Page> list(const TrafficQuery& query, const Caller& caller);

 private:
  Town& town_;
};

}  // namespace townpost
