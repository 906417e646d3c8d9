#pragma once
#include <optional>
#include <string>

#include "post/values/message.h"
#include "post/values/queue.h"

namespace townpost {

/// Where a message of a queue stands now, as far as a viewer may know.
struct Work {
  ItemState state = ItemState::available;
  bool deleted = false;  ///< with its queue, before it was completed
  int attempts = 0;
  std::string holder;  ///< address of who works on it, or completed it; else empty
  std::optional<Instant> claimed_at;
  Instant lease_until;  ///< 0 = nobody has a lease
  std::string reason;   ///< why the last attempt failed
  friend bool operator==(const Work&, const Work&) = default;
};

/// A message as one viewer sees it. `delivery` is the viewer's own copy, else the first recipient's, if any is left.
struct Mail {
  Message message;
  std::optional<Delivery> delivery;
  bool for_previous_holder = false;  ///< the copy names a bead that is another's now
  std::optional<Work> work = {};     ///< of a queue's message
  std::string copy_of = {};          ///< whose that is where the viewer has no copy: an address, or a queue
  bool post_read = false;            ///< of a post: the viewer has come that far with its channel
  friend bool operator==(const Mail&, const Mail&) = default;
};

}  // namespace townpost
