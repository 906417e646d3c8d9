#pragma once
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/files.h"
#include "base/mutex.h"
#include "http/doorkeeper.h"
#include "http/event_frames.h"
#include "ops/call.h"

namespace townpost::http {

/// Follows the town's log once for all streams of events. Each stream is told what its reader may follow, in order,
/// once each, from where it wants to go on. A thread of its own reads; nothing polls. A reader whom nothing new
/// concerns costs nothing, however many there are. What a client has not taken waits in the log, not in memory: it is
/// told more when it has room.
class EventHub {
 public:
  struct Parts {
    Host& host;
    std::string town;  ///< the `.town` folder
    Origin own;        ///< who the log is read as, to see what stirs: a person
    Millis heartbeat = std::chrono::seconds(15);
    std::size_t most_of_a_token = 128;  ///< streams; so no token takes every connection of the server
  };
  explicit EventHub(Parts parts);
  ~EventHub();
  EventHub(const EventHub&) = delete;
  EventHub& operator=(const EventHub&) = delete;

  /// Any thread. `after`: the last number that the client knows of; nothing: it begins now. Error: forbidden, or what
  /// stands in the way of the log.
  Result<> join(const Visitor& visitor, std::optional<std::int64_t> after, EventFilter filter,
                const std::function<std::shared_ptr<HttpStream>()>& open);
  /// Ends the streams that this token opened. Any thread.
  void drop(const std::string& token);
  std::size_t streams() const;

 private:
  std::size_t streams_of(const std::string& token) const;
  struct Stream;
  struct Reader;
  struct Portion;
  class Room;
  using Streams = std::vector<std::shared_ptr<Stream>>;
  void run();
  /// The streams as they are now; those that have ended are gone.
  Streams streams_now();
  using Readers = std::map<std::shared_ptr<Reader>, Streams>;  ///< with the streams of each
  Result<> tell_news(const Streams& streams);
  /// An agent may get its mailbox, or another one's, while its streams are open.
  Result<> find_mailboxes(const Readers& readers);
  Result<bool> lets_in(Town& town, const std::string& token) const;
  Result<> tell_reader(Reader& reader, const Streams& its_streams, Room& room);
  static std::size_t unsent(const Streams& streams);
  /// How the streams that are behind came on.
  enum class Behind { nobody, some, only_full };
  Result<Behind> catch_up(const Streams& streams);
  void wake() const;

  const Parts parts_;
  FileDescriptor woken_;
  std::atomic<bool> ends_ = false;
  mutable Mutex mutex_;
  Streams streams_ GUARDED_BY(mutex_);
  std::map<std::string, std::shared_ptr<Reader>> readers_ GUARDED_BY(mutex_);
  // Of the thread alone.
  std::shared_ptr<Reader> own_;
  std::int64_t come_to_ = 0;
  std::thread thread_;
};

}  // namespace townpost::http
