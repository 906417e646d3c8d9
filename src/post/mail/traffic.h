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
  /// What is looked at for one page, however rare what is wanted: messages, and bodies where words are looked for.
  struct Bounds {
    std::int64_t looked = 10'000;
    std::size_t bytes = 64u << 20;
    std::size_t shown = 8u << 20;  ///< bodies of one page: what would be more is on the next
  };
  explicit Traffic(Town& town) : Traffic(town, Bounds()) {}
  Traffic(Town& town, const Bounds& bounds) : town_(town), bounds_(bounds) {}
  struct Page {
    std::vector<SentMail> mails;
    std::int64_t total = 0;            ///< how many match, of those that were looked at from the newest on
    std::int64_t more = 0;             ///< of them behind the last one here
    std::optional<std::int64_t> next;  ///< go on behind this one: there is more, or there may be
  };
  Result<Page> list(const TrafficQuery& query, const Caller& caller);

 private:
  Town& town_;
  const Bounds bounds_;
};

}  // namespace townpost
