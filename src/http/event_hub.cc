#include "http/event_hub.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <numeric>

#include "base/text.h"
#include "net/event_stream_text.h"
#include "ops/gate.h"
#include "ops/table.h"
#include "post/rules/withheld.h"
#include "post/town/watching.h"

namespace townpost::http {

namespace {

constexpr std::size_t kPreview = 120;
constexpr Millis kTrouble = std::chrono::seconds(1);
constexpr Millis kRoom(20);  ///< so soon a client that is full is looked at again
/// What waits in memory for all clients together; and for each, where that leaves much or nothing.
constexpr std::size_t kWaiting = 16u << 20, kLeastWaiting = 16u << 10, kMostWaiting = 256u << 10;

const FeedQuery& everything() {
  static const FeedQuery query{.steps = FeedQuery::Steps::all, .preview = kPreview};
  return query;
}

constexpr std::size_t kMostPortions = 4;  // of a reader: its streams are not all at one place

}  // namespace

/// What may wait in memory for the clients of a round.
class EventHub::Room {
 public:
  explicit Room(std::size_t waiting) : left_(kWaiting - std::min(waiting, kWaiting)) {}
  /// For one client, what waits for it already included.
  std::size_t of_one() const { return std::clamp(left_, kLeastWaiting, kMostWaiting); }
  void take(std::size_t bytes) { left_ -= std::min(bytes, left_); }

 private:
  std::size_t left_;
};

/// Entries of the log, and how they are told, for all streams of a reader.
struct EventHub::Portion {
  Portion(FeedPage page, std::int64_t behind, const Settings& settings)
      : after(behind), upto(page.upto), gap(page.gap), entries(std::move(page.entries)) {
    frames.reserve(entries.size());
    for (const auto& entry : entries) frames.push_back(event_frame(entry, settings));
  }
  std::int64_t after, upto;
  bool gap;
  std::vector<FeedEntry> entries;
  std::vector<std::string> frames;
};

/// Somebody who may follow the log, with all streams of theirs. Used by one thread at a time: the hub's, once it is
/// there.
struct EventHub::Reader {
  static Result<std::shared_ptr<Reader>> make(Host& host, const Origin& origin, const std::string& town) {
    auto out = std::make_shared<Reader>();
    out->request.origin = origin;
    out->request.origin.town = town;
    out->request.started_at = host.clock().now();
    out->call = std::make_unique<Call>(Args(), host, out->request);
    TRY_VOID(admit(ops::feed(), *out->call));
    TRY(opened, out->call->town());
    TRY(caller, out->call->caller());
    out->town = opened;
    out->caller = caller;
    out->name = caller.is_person() ? "" : caller.address.str();
    return out;
  }

  Request request;
  std::unique_ptr<Call> call;
  Town* town = nullptr;
  Caller caller;
  std::string name;  ///< people are one reader
  AgentId self;      ///< as find_mailboxes() found it
  std::int64_t come_to = 0;
  std::deque<std::shared_ptr<const Portion>> portions;  ///< what was read last, as long as some stream is behind

  Result<std::shared_ptr<const Portion>> read(std::int64_t after) {
    TRY(page, Feed(*town).after(after, everything(), caller));
    auto out = std::make_shared<const Portion>(std::move(page), after, town->settings);
    portions.push_back(out);
    if (portions.size() > kMostPortions) portions.pop_front();
    return out;
  }
  /// What comes behind that number, read now or before.
  Result<std::shared_ptr<const Portion>> portion(std::int64_t after) {
    for (const auto& one : portions)
      if (after < one->upto && (one->gap ? after == one->after : after >= one->after)) return one;
    return read(after);
  }
};

struct EventHub::Stream {
  std::shared_ptr<Reader> reader;
  std::shared_ptr<HttpStream> out;
  EventFilter filter;
  std::string token;
  std::optional<Instant> expires_at;
  std::int64_t come_to = 0;
  bool is_behind = true;
  std::atomic<bool> gone = false;

  /// As much of it as there is room for. What is left makes the stream fall behind.
  void tell(const Portion& portion, Room& room) {
    if (portion.gap && !out->write(resync_frame(portion.upto))) gone = true;
    auto next = std::upper_bound(portion.entries.begin(), portion.entries.end(), come_to,
                                 [](std::int64_t seq, const FeedEntry& entry) { return seq < entry.seq; });
    std::size_t waiting = out->unsent();
    const auto most = room.of_one();
    for (; next != portion.entries.end() && !gone; ++next) {
      if (waiting >= most) {
        is_behind = true;
        return;
      }
      come_to = next->seq;
      if (!filter.takes(*next)) continue;
      const auto& frame = portion.frames[static_cast<std::size_t>(next - portion.entries.begin())];
      waiting += frame.size();
      room.take(frame.size());
      if (!out->write(frame)) gone = true;
    }
    come_to = std::max(come_to, portion.upto);
  }
};

EventHub::EventHub(Parts parts)
    : parts_(std::move(parts)), woken_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), thread_([this] { run(); }) {}

EventHub::~EventHub() {
  ends_ = true;
  wake();
  thread_.join();
  const MutexLock lock(mutex_);
  for (const auto& stream : streams_) stream->out->close();
}

void EventHub::wake() const {
  const std::uint64_t one = 1;
  (void)!::write(woken_.get(), &one, sizeof one);
}

std::size_t EventHub::streams() const {
  const MutexLock lock(mutex_);
  return streams_.size();
}

std::size_t EventHub::streams_of(const std::string& token) const {
  const MutexLock lock(mutex_);
  return static_cast<std::size_t>(std::count_if(
      streams_.begin(), streams_.end(), [&](const auto& stream) { return stream->token == token && !stream->gone; }));
}

Result<> EventHub::join(const Visitor& visitor, std::optional<std::int64_t> after, EventFilter filter,
                        const std::function<std::shared_ptr<HttpStream>()>& open) {
  if (!visitor.token.empty() && streams_of(visitor.token) >= parts_.most_of_a_token)
    return fail(Code::limited, cat("this token follows ", parts_.most_of_a_token, " streams, which is the most"),
                "close one of them, or follow several agents and kinds in one stream");
  TRY(reader, Reader::make(parts_.host, visitor.origin, parts_.town));
  TRY(newest, Feed(*reader->town).newest());
  auto stream = std::make_shared<Stream>();
  stream->filter = std::move(filter);
  stream->token = visitor.token;
  stream->expires_at = visitor.expires_at;
  stream->come_to = after ? *after : newest;
  stream->out = open();
  stream->out->write(connected_frame(stream->come_to, reader->town->clock.now()));
  stream->out->on_close([stream] { stream->gone = true; });
  {
    const MutexLock lock(mutex_);
    auto& known = readers_[reader->name];
    if (!known) {
      reader->come_to = newest;
      known = reader;
    }
    stream->reader = known;
    streams_.push_back(stream);
  }
  wake();
  // Was it revoked before the stream was there to be ended?
  if (const auto in = lets_in(*reader->town, visitor.token); !in || !*in) stream->out->close();
  return {};
}

Result<bool> EventHub::lets_in(Town& town, const std::string& token) const {
  if (token.empty()) return true;
  TRY(found, read_value(town.store, [&](Ledger& ledger) { return ledger.find_token(token); }));
  return found && found->is_live(parts_.host.clock().now());
}

void EventHub::drop(const std::string& token) {
  const MutexLock lock(mutex_);
  for (const auto& stream : streams_)
    if (stream->token == token) stream->out->close();
}

EventHub::Streams EventHub::streams_now() {
  const Instant now = parts_.host.clock().now();
  const MutexLock lock(mutex_);
  for (const auto& stream : streams_)
    if (stream->expires_at && now >= *stream->expires_at) stream->out->close();
  std::erase_if(streams_, [](const auto& stream) { return stream->gone.load(); });
  std::erase_if(readers_, [](const auto& reader) { return reader.second.use_count() == 1; });
  return streams_;
}

std::size_t EventHub::unsent(const Streams& streams) {
  return std::accumulate(streams.begin(), streams.end(), std::size_t(0),
                         [](std::size_t sum, const auto& stream) { return sum + stream->out->unsent(); });
}

Result<EventHub::Behind> EventHub::catch_up(const Streams& streams) {
  Room room(unsent(streams));
  Streams behind;
  std::copy_if(streams.begin(), streams.end(), std::back_inserter(behind),
               [](const auto& stream) { return stream->is_behind && !stream->gone; });
  // Those who are at about the same place share what is read.
  std::sort(behind.begin(), behind.end(), [](const auto& a, const auto& b) {
    return std::pair(a->reader.get(), a->come_to) < std::pair(b->reader.get(), b->come_to);
  });
  auto out = behind.empty() ? Behind::nobody : Behind::only_full;
  for (const auto& stream : behind) {
    if (stream->out->unsent() > 0) continue;  // emptied now and then, it is known to be read
    out = Behind::some;
    auto& reader = *stream->reader;
    reader.request.started_at = parts_.host.clock().now();
    TRY(portion, reader.portion(stream->come_to));
    stream->is_behind = false;
    stream->tell(*portion, room);
    // What comes from here on it is told with the other streams of its reader.
    if (stream->come_to < reader.come_to) stream->is_behind = true;
  }
  if (behind.empty())
    for (const auto& stream : streams) stream->reader->portions.clear();
  return out;
}

Result<> EventHub::tell_reader(Reader& reader, const Streams& its_streams, Room& room) {
  while (true) {
    TRY(portion, reader.read(reader.come_to));
    bool some_are_behind = false;
    for (const auto& stream : its_streams) {
      if (!stream->is_behind) stream->tell(*portion, room);
      some_are_behind = some_are_behind || stream->is_behind;
    }
    if (!some_are_behind) reader.portions.clear();
    if (portion->upto == reader.come_to) return {};
    reader.come_to = portion->upto;
  }
}

Result<> EventHub::find_mailboxes(const Readers& readers) {
  return own_->town->store.read([&](Ledger& ledger) -> Result<> {
    for (const auto& [reader, its_streams] : readers) {
      if (reader->caller.is_person()) continue;
      TRY(self, own_mailbox(ledger, reader->caller));
      reader->self = self.id;
    }
    return {};
  });
}

Result<> EventHub::tell_news(const Streams& streams) {
  Readers readers;
  for (const auto& stream : streams) readers[stream->reader].push_back(stream);
  Room room(unsent(streams));
  while (true) {
    TRY(stir, Feed(*own_->town).stir_after(come_to_));
    if (stir.upto == come_to_) return {};
    if (!stir.everybody) TRY_VOID(find_mailboxes(readers));
    for (const auto& token : stir.revoked) drop(token);
    if (stir.gap)  // whoever may come in comes again, and shows its token once more
      for (const auto& stream : streams) stream->out->close();
    for (const auto& [reader, its_streams] : readers) {
      const bool concerned = stir.everybody || reader->caller.is_person() || stir.agents.contains(reader->self);
      if (concerned) TRY_VOID(tell_reader(*reader, its_streams, room));
      reader->come_to = std::max(reader->come_to, stir.upto);
    }
    come_to_ = stir.upto;
  }
}

void EventHub::run() {
  std::unique_ptr<Listener> listener;
  auto beat_at = std::chrono::steady_clock::now() + parts_.heartbeat;
  const auto begin = [&]() -> Result<> {
    if (own_) return {};
    TRY(own, Reader::make(parts_.host, parts_.own, parts_.town));
    listener = own->town->bell.listen({bell_of_log()}, {});
    TRY(newest, Feed(*own->town).newest());
    come_to_ = newest;
    own_ = std::move(own);
    return {};
  };
  while (!ends_) {
    std::uint64_t ignored = 0;
    (void)!::read(woken_.get(), &ignored, sizeof ignored);
    auto streams = streams_now();
    auto behind = Behind::nobody;
    const auto done = [&]() -> Result<> {
      TRY_VOID(begin());
      TRY_VOID(tell_news(streams));
      TRY(how, catch_up(streams));
      behind = how;
      return {};
    }();
    const auto now = std::chrono::steady_clock::now();
    if (now >= beat_at) {
      beat_at = now + parts_.heartbeat;
      for (const auto& stream : streams)
        if (!stream->out->write(std::string(event_stream_heartbeat()))) stream->gone = true;
    }
    if (behind == Behind::some && done) continue;
    auto longest = std::chrono::ceil<Millis>(beat_at - now);
    if (behind == Behind::only_full) longest = std::min(longest, kRoom);
    if (!done) longest = std::min(longest, kTrouble);
    if (listener) {
      listener->wait({woken_.get()}, std::min(longest, listener->trusted()));
    } else {
      std::this_thread::sleep_for(std::min(longest, kTrouble));
    }
  }
}

}  // namespace townpost::http
