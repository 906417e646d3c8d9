#include "http/calls.h"

#include <algorithm>
#include <vector>

#include "base/cancellation.h"
#include "base/secret.h"
#include "base/text.h"
#include "http/reply.h"
#include "net/event_stream_text.h"
#include "ops/wire.h"
#include "remote/letter.h"

namespace townpost::http {

using Timer = std::chrono::steady_clock;

namespace {

constexpr Millis kHeartbeat = std::chrono::seconds(15);
/// A stream of rings ends after this, so that whoever listens shows its token again.
constexpr int kBeatsOfAStream = 4;
/// What nobody asks about any more is dropped.
constexpr auto kKept = std::chrono::minutes(3);
constexpr std::size_t kMostOfAToken = 64;
constexpr std::size_t kMost = 4096;

}  // namespace

/// The calls of one command of another machine, one after another.
struct Calls::Conversation {
  std::string name;
  std::string token;
  Request request;
  std::optional<Again> again;
  bool is_busy = true;
  Timer::time_point asked_at = Timer::now();
};

void Calls::add_to(Api& api) {
  const auto add = [&](std::string_view path, void (Calls::*serve)(const Exchange&, const Visitor&)) {
    api.add("POST", std::string(path), Api::For::known,
            [this, serve](const Exchange& exchange, const Visitor& visitor) {
              (this->*serve)(exchange, visitor);
              if (visitor.once_answered) visitor.once_answered();
            });
  };
  add(letter::kCall, &Calls::call);
  add(letter::kHandedOver, &Calls::handed_over);
  add(letter::kListen, &Calls::listen);
}

void Calls::answer(const Exchange& exchange, const std::string& text) const {
  exchange->answer({.status = 200,
                    .headers = {{"content-type", std::string(letter::kType)}, {"cache-control", "no-store"}},
                    .body = text});
}

void Calls::refuse(const Exchange& exchange, int status, std::string_view why) const {
  exchange->answer(http::refusal(status, why, parts_.clock.now()));
}

std::shared_ptr<Calls::Conversation> Calls::take(const std::string& name, const std::string& token) {
  const MutexLock lock(mutex_);
  const auto found = conversations_.find(name);
  if (found == conversations_.end() || found->second->token != token || found->second->is_busy) return nullptr;
  found->second->is_busy = true;
  found->second->asked_at = Timer::now();
  return found->second;
}

void Calls::make_room(const std::string& token) {
  const auto now = Timer::now();
  std::erase_if(conversations_,
                [&](const auto& one) { return !one.second->is_busy && now - one.second->asked_at > kKept; });
  const auto drop_oldest = [&](auto among, std::size_t most) {
    std::size_t count = 0;
    auto oldest = conversations_.end();
    for (auto one = conversations_.begin(); one != conversations_.end(); ++one) {
      if (!among(*one->second)) continue;
      ++count;
      if (!one->second->is_busy && (oldest == conversations_.end() || one->second->asked_at < oldest->second->asked_at))
        oldest = one;
    }
    if (count >= most && oldest != conversations_.end()) conversations_.erase(oldest);
  };
  drop_oldest([&](const Conversation& one) { return one.token == token; }, kMostOfAToken);
  drop_oldest([](const Conversation&) { return true; }, kMost);
}

std::shared_ptr<Calls::Conversation> Calls::begin(const Visitor& visitor) {
  auto out = std::make_shared<Conversation>();
  out->name = new_secret();
  out->token = visitor.token;
  auto& request = out->request;
  request.origin = visitor.origin;
  request.origin.town = parts_.town;
  request.input = [] { return Result<std::string>(std::string()); };
  request.tell = [](std::string_view) {};
  return out;
}

void Calls::give_back(const std::shared_ptr<Conversation>& conversation, bool goes_on) {
  const MutexLock lock(mutex_);
  conversation->is_busy = false;
  conversation->asked_at = Timer::now();
  conversation->request.cancellation = nullptr;
  if (!goes_on) {
    conversations_.erase(conversation->name);
  } else if (!conversations_.contains(conversation->name)) {
    make_room(conversation->token);
    conversations_[conversation->name] = conversation;
  }
}

void Calls::call(const Exchange& exchange, const Visitor& visitor) {
  const auto received = letter::read(exchange->request().body);
  if (!received) return refuse(exchange, 400, received.error().message);
  const auto asked = wire::read_call(received->rest);
  if (!asked) return refuse(exchange, 400, asked.error().message);
  if (asked->op->where != Where::anywhere)
    return refuse(exchange, 403, cat(asked->op->name, " works on the town's own machine only"));
  const auto args = Args::check(asked->op->args, asked->args);
  const auto now = parts_.clock.now();
  letter::Head head{.now = now, .as = std::nullopt};
  if (!args) return answer(exchange, letter::text(head, wire::reply_text(Result<Answer>(fail(args.error())))));

  auto conversation = take(received->head.conversation, visitor.token);
  if (!conversation) {
    conversation = begin(visitor);
    auto& request = conversation->request;
    if (received->head.as) request.origin.identity.flag = received->head.as;
    request.haste = asked->haste;
    request.started_at = asked->started_at + (now - received->head.now);  // by our clock
  }
  auto& request = conversation->request;
  request.cancellation = exchange->cancellation();
  request.deadline = std::nullopt;
  if (asked->deadline) request.deadline = *asked->deadline + (now - received->head.now);
  request.kept = asked->kept;
  const auto reply = parts_.engine.call(*asked->op, *args, request);
  conversation->again = reply ? reply->again : std::nullopt;
  head.something_follows = !request.after_handover.empty();
  const bool goes_on = head.something_follows || conversation->again;
  if (goes_on) head.conversation = conversation->name;
  give_back(conversation, goes_on);
  head.now = parts_.clock.now();
  answer(exchange, letter::text(head, wire::reply_text(reply, request.kept)));
}

void Calls::handed_over(const Exchange& exchange, const Visitor& visitor) {
  const auto received = letter::read(exchange->request().body);
  if (!received) return refuse(exchange, 400, received.error().message);
  const auto conversation = take(received->head.conversation, visitor.token);
  if (!conversation) return refuse(exchange, 409, "what was to follow is no longer known here");
  const auto followed = parts_.engine.handed_over(conversation->request);
  give_back(conversation, conversation->again.has_value());
  const letter::Head head{.now = parts_.clock.now(), .as = std::nullopt};
  answer(exchange, letter::text(head, wire::reply_text(followed ? Result<Answer>(Answer{})
                                                                : Result<Answer>(fail(followed.error())))));
}

void Calls::listen(const Exchange& exchange, const Visitor& visitor) {
  const auto received = letter::read(exchange->request().body);
  if (!received) return refuse(exchange, 400, received.error().message);
  const auto conversation = take(received->head.conversation, visitor.token);
  if (!conversation) return refuse(exchange, 409, "what is waited for is no longer known here");
  auto& request = conversation->request;
  request.deadline = std::nullopt;
  const auto gone = std::make_shared<Cancellation>();
  request.cancellation = gone;
  auto pause = conversation->again && request.call
                   ? parts_.engine.pause(*conversation->again, request)
                   : Result<std::unique_ptr<Engine::Pause>>(fail(Code::usage, "there is nothing to wait for"));
  struct Held {
    Exchange exchange;
    std::shared_ptr<Conversation> conversation;
    std::shared_ptr<Call> call;
    std::shared_ptr<Cancellation> gone;
    std::unique_ptr<Engine::Pause> pause;
  };
  auto held =
      std::make_shared<Held>(Held{exchange, conversation, request.call, gone, pause ? std::move(*pause) : nullptr});
  // The next look is a call of this conversation: it does not wait for the rings of the last one to end.
  give_back(conversation, true);
  if (!pause) return refuse(exchange, 409, pause.error().message);
  const auto tell = [held] {
    const auto stream = held->exchange->stream(
        {.status = 200, .headers = {{"content-type", "text/event-stream"}, {"cache-control", "no-store"}}, .body = {}});
    stream->on_close([gone = held->gone] { gone->cancel(); });
    held->exchange.reset();
    const auto event = [](std::string_view type) {
      return event_stream_text({.type = std::string(type), .data = "{}", .id = ""}).value_or("");
    };
    bool lives = stream->write(event("listening"));
    for (int beats = 0; lives && beats < kBeatsOfAStream; ++beats) {
      const bool rang = held->pause->wait(held->call->clock().now() + kHeartbeat, {});
      if (rang || held->gone->is_cancelled()) {
        if (rang) stream->write(event("rang"));
        break;
      }
      lives = stream->write(std::string(event_stream_heartbeat()));
    }
    stream->close();
  };
  if (!parts_.waiters.give(tell)) refuse(exchange, 503, "too many wait");
}

}  // namespace townpost::http
