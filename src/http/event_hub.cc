#include "http/event_hub.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>

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

const FeedQuery& everything() {
  static const FeedQuery query{.steps = FeedQuery::Steps::all, .preview = kPreview};
  return query;
}

}  // namespace

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
    TRY(self, read_value(opened->store, [&](Ledger& ledger) { return own_mailbox(ledger, caller); }));
    out->self = self.id;
    return out;
  }

  Request request;
  std::unique_ptr<Call> call;
  Town* town = nullptr;
  Caller caller;
  std::string name;  ///< people are one reader
  AgentId self;
  std::int64_t come_to = 0;
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

  void tell(const FeedEntry& entry) {
    if (entry.seq <= come_to) return;
    come_to = entry.seq;
    if (filter.takes(entry) && !out->write(event_frame(entry, reader->town->settings))) gone = true;
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

Result<> EventHub::join(const Visitor& visitor, std::optional<std::int64_t> after, EventFilter filter,
                        const std::function<std::shared_ptr<HttpStream>()>& open) {
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
    streams_.push_back(std::move(stream));
  }
  wake();
  return {};
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

Result<bool> EventHub::catch_up(const Streams& streams) {
  bool more = false;
  for (const auto& stream : streams) {
    if (!stream->is_behind) continue;
    auto& reader = *stream->reader;
    reader.request.started_at = parts_.host.clock().now();
    TRY(page, Feed(*reader.town).after(stream->come_to, everything(), reader.caller));
    if (page.gap && !stream->out->write(resync_frame(page.upto))) stream->gone = true;
    for (const auto& entry : page.entries) stream->tell(entry);
    const bool is_at_the_end = page.upto <= stream->come_to && page.entries.empty();
    stream->come_to = std::max(stream->come_to, page.upto);
    // What comes from here on it is told with the other streams of its reader.
    stream->is_behind = !is_at_the_end && stream->come_to < reader.come_to;
    more = more || stream->is_behind;
  }
  return more;
}

Result<> EventHub::tell_reader(Reader& reader, const Streams& streams) {
  while (true) {
    TRY(page, Feed(*reader.town).after(reader.come_to, everything(), reader.caller));
    for (const auto& stream : streams) {
      if (stream->reader.get() != &reader || stream->is_behind) continue;
      if (page.gap && !stream->out->write(resync_frame(page.upto))) stream->gone = true;
      for (const auto& entry : page.entries) stream->tell(entry);
      stream->come_to = std::max(stream->come_to, page.upto);
    }
    if (page.upto == reader.come_to) return {};
    reader.come_to = page.upto;
  }
}

Result<> EventHub::tell_news(const Streams& streams) {
  std::set<std::shared_ptr<Reader>> readers;
  for (const auto& stream : streams) readers.insert(stream->reader);
  while (true) {
    TRY(stir, Feed(*own_->town).stir_after(come_to_));
    if (stir.upto == come_to_) return {};
    for (const auto& token : stir.revoked) drop(token);
    if (stir.gap)  // whoever may come in comes again, and shows its token once more
      for (const auto& stream : streams) stream->out->close();
    for (const auto& reader : readers) {
      const bool concerned = stir.everybody || reader->caller.is_person() || stir.agents.contains(reader->self);
      if (concerned) TRY_VOID(tell_reader(*reader, streams));
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
    bool more = false;
    const auto done = [&]() -> Result<> {
      TRY_VOID(begin());
      TRY_VOID(tell_news(streams));
      TRY(behind, catch_up(streams));
      more = behind;
      return {};
    }();
    const auto now = std::chrono::steady_clock::now();
    if (now >= beat_at) {
      beat_at = now + parts_.heartbeat;
      for (const auto& stream : streams)
        if (!stream->out->write(std::string(event_stream_heartbeat()))) stream->gone = true;
    }
    if (more && done) continue;
    auto longest = std::chrono::ceil<Millis>(beat_at - now);
    if (!done) longest = std::min(longest, kTrouble);
    if (listener) {
      listener->wait({woken_.get()}, std::min(longest, listener->trusted()));
    } else {
      std::this_thread::sleep_for(std::min(longest, kTrouble));
    }
  }
}

}  // namespace townpost::http
