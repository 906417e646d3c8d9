#include "remote/remote_engine.h"

#include <poll.h>

#include <algorithm>

#include "base/advice.h"
#include "base/json_fields.h"
#include "base/local_time.h"
#include "base/text.h"
#include "net/event_stream.h"
#include "ops/wire.h"

namespace townpost {

namespace {

// What a request keeps between its calls.
constexpr const char* kConversation = "remote.conversation";
constexpr const char* kFollows = "remote.follows";

/// Nobody waits for a hook; a person has time for a slow network.
struct Bounds {
  Millis to_connect;
  Millis to_answer;
};
Bounds bounds_of(Haste haste) {
  using std::chrono::seconds;
  switch (haste) {
    case Haste::hook:
      return {seconds(1), seconds(2)};
    case Haste::service:
      return {seconds(5), seconds(10)};
    case Haste::none:
      break;
  }
  return {seconds(10), seconds(60)};
}

bool may_be_repeated(const Op* op) { return op && (op->effect == Effect::reads || op->effect == Effect::idempotent); }

Failure only_there(const Op& op, const std::string& url) {
  return fail(Code::forbidden,
              cat(called(op.name), " works on the town's own machine only, and GT_SERVER names the town at ", url),
              "use it there; for a town on this machine, unset GT_SERVER or say " + next("", {{"town", "DIR"}}));
}

Failure not_understood(const std::string& url) {
  return fail(Code::unavailable, cat("the answer of ", url, " cannot be understood"),
              "it may be of another release, or something else");
}

/// What the server says about a request that it refused, in its own words.
Failure refused(const HttpAnswer& answer, const std::string& url) {
  const auto json = parse_json(answer.body);
  const auto& error = json ? member_of(*json, "error") : Json();
  const auto why = [&](std::string_view otherwise) {
    const auto told = json ? text_in(error, "message") : std::string_view();
    return cat(url, ": ", told.empty() ? std::string(otherwise) : for_terminal_line(shorten(to_utf8(told), 300)));
  };
  switch (answer.status) {
    case 401:
      return fail(Code::forbidden, cat(url, " does not let the holder of this token in"),
                  "make another one on its machine: " + next("token.create", {}));
    case 403:
      return fail(Code::forbidden, why("refused"));
    case 429:
      return fail(Code::limited, why("too many requests"), "try again in a moment");
    case 404:
    case 405:
      return fail(Code::unavailable, cat("there is no town's server at ", url), "look at GT_SERVER");
    case 400:
    case 413:
      return fail(Code::usage, why("the request was refused"));
    default:
      break;
  }
  if (answer.status >= 300 && answer.status < 400)
    return fail(Code::unavailable, cat(url, " sends us to another address, where no token of ours goes"),
                "name the right address in GT_SERVER");
  return fail(Code::unavailable, why(cat("status ", answer.status)), "try again in a moment");
}

/// Times of day are meant in this machine's zone, which may not be the server's.
Result<Args> with_whole_moments(const Op& op, const Args& args, Instant now) {
  JsonObject values = args.values();
  bool is_changed = false;
  for (const auto& arg : op.args) {
    const bool ahead = arg.kind == ArgKind::deadline;
    auto* value = values.if_contains(boost::json::string_view(arg.name.data(), arg.name.size()));
    if ((!ahead && arg.kind != ArgKind::instant) || !value || !value->is_string()) continue;
    const auto moment = parse_moment(std::string_view(value->get_string()), now, ahead ? Toward::future : Toward::past);
    if (!moment) continue;  // a duration
    *value = rfc3339(*moment);
    is_changed = true;
  }
  return is_changed ? Args::check(op.args, values) : Result<Args>(args);
}

/// Without what this release has no name for: a newer server may say more.
void drop_unknown(const Shape& shape, Json& value) {
  if (shape.kind() == Shape::Kind::list && value.is_array()) {
    for (auto& item : value.get_array()) drop_unknown(shape.item(), item);
  } else if (shape.kind() == Shape::Kind::map && value.is_object()) {
    for (auto& item : value.get_object()) drop_unknown(shape.item(), item.value());
  } else if (shape.kind() == Shape::Kind::object && value.is_object()) {
    JsonObject known;
    for (auto& item : value.get_object()) {
      const std::string_view key = item.key();
      const auto field =
          std::find_if(shape.fields().begin(), shape.fields().end(), [&](const Field& one) { return one.key == key; });
      if (field == shape.fields().end()) continue;
      drop_unknown(field->shape, item.value());
      known[item.key()] = std::move(item.value());
    }
    value = std::move(known);
  }
}

std::string kept_in(const Request& request, const char* key) {
  const auto found = request.kept.find(key);
  return found == request.kept.end() ? std::string() : found->second;
}

}  // namespace

RemoteEngine::~RemoteEngine() = default;

Result<RemoteEngine::Way*> RemoteEngine::way_from(const Origin& origin) {
  if (!way_) {
    way_ = [&]() -> Result<std::unique_ptr<Way>> {
      TRY(place, remote_place(origin));
      TRY(dialer, make_dialer_(place.authorities));
      auto out = std::make_unique<Way>(Way{std::move(place), std::move(dialer), HttpClient()});
      out->client = HttpClient(*out->dialer);
      return out;
    }();
  }
  if (!*way_) return Failure(way_->error());
  return (**way_).get();
}

HttpCall RemoteEngine::post(const Way& way, std::string_view path, const Request& request,
                            std::string_view rest) const {
  const auto bounds = bounds_of(request.haste);
  auto left = bounds.to_answer;
  if (request.deadline) left = std::clamp(*request.deadline - clock_.now(), Millis(1), left);
  const letter::Head head{
      .now = clock_.now(), .as = request.origin.identity.flag, .conversation = kept_in(request, kConversation)};
  return {.method = "POST",
          .url = cat(way.place.url, path),
          .body = letter::text(head, rest),
          .headers = {{"Authorization", cat("Bearer ", way.place.token)}, {"Content-Type", std::string(letter::kType)}},
          .timeout = left,
          .connect_timeout = bounds.to_connect};
}

Result<HttpAnswer> RemoteEngine::ask(Way& way, const HttpCall& call, const Op* op) const {
  auto answer = way.client.exchange(call);
  const bool may_be_done = !answer && (answer.error().code == Code::refused || answer.error().code == Code::timeout);
  if (may_be_done && may_be_repeated(op) && answer.error().code == Code::refused) answer = way.client.exchange(call);
  if (!answer && may_be_done && !may_be_repeated(op))
    return fail(Code::unavailable, cat(answer.error().message, ", so this may be done or not"),
                "look before you try again");
  if (!answer) return fail(Code::unavailable, answer.error().message, answer.error().hint);
  if (answer->status != 200) return refused(*answer, way.place.url);
  if (answer->content_type != letter::kType) return not_understood(way.place.url);
  return answer;
}

Result<Answer> RemoteEngine::call(const Op& op, const Args& args, Request& request) {
  if (request.origin.town) return here_.call(op, args, request);
  TRY(way, way_from(request.origin));
  if (op.where != Where::anywhere) return only_there(op, way->place.url);
  TRY(meant, with_whole_moments(op, args, clock_.now()));
  request.kept.erase(kFollows);
  TRY(answer, ask(*way, post(*way, letter::kCall, request, wire::call_text(op, meant, request)), &op));
  const auto received = letter::read(answer.body);
  if (!received) return not_understood(way->place.url);
  auto reply = wire::read_reply(received->rest, request.kept);
  request.kept[kConversation] = received->head.conversation;
  if (received->head.something_follows) request.kept[kFollows] = "yes";
  if (!reply) return reply;
  drop_unknown(op.result(), reply->json);
  if (misfit(op.result(), reply->json)) return not_understood(way->place.url);
  if (reply->again) {  // the rest of it is about that machine
    reply->again->ears.clear();
    reply->again->process = 0;
    if (reply->again->at != kForever) reply->again->at = reply->again->at + (clock_.now() - received->head.now);
  }
  return reply;
}

Result<> RemoteEngine::handed_over(Request& request) {
  if (request.origin.town) return here_.handed_over(request);
  if (request.kept.erase(kFollows) == 0) return {};
  TRY(way, way_from(request.origin));
  TRY(answer, ask(*way, post(*way, letter::kHandedOver, request, ""), nullptr));
  const auto received = letter::read(answer.body);
  const auto done = received ? wire::read_reply(received->rest) : Result<Answer>(not_understood(way->place.url));
  return done ? Result<>() : Result<>(fail(done.error()));
}

/// Waits for the server to tell of a ring. Where it does not, it is asked again after a while.
class RemoteEngine::RemotePause final : public Engine::Pause {
 public:
  RemotePause(RemoteEngine& engine, Way& way, Request& request) : engine_(engine), way_(way), request_(request) {
    listen();
  }

  using Pause::wait;
  bool wait(Instant until, const std::vector<int>& ends) override {
    if (request_.deadline && *request_.deadline < until) until = *request_.deadline;
    if (!stream_) listen();
    const auto give_up = std::chrono::steady_clock::now() + kLookAgain;
    while (true) {
      if (take_ring()) return true;
      Millis left = until - engine_.clock_.now();
      if (!stream_)
        left = std::min(left, std::chrono::duration_cast<Millis>(give_up - std::chrono::steady_clock::now()));
      if (left <= Millis(0)) return false;
      std::vector<pollfd> watched = {{.fd = stream_ ? stream_->fd() : -1, .events = POLLIN, .revents = 0}};
      for (const int end : ends) watched.push_back({.fd = end, .events = POLLIN, .revents = 0});
      const auto ready = ::poll(watched.data(), watched.size(), Deadline::in(std::min(left, kSilence)).left_ms());
      if (ready < 0) return false;
      if (ready == 0 && left > kSilence) stream_.reset();  // nothing lives there any more
      if (ready > 0 && watched.front().revents == 0) return false;
      if (!stream_) return false;
    }
  }

 private:
  static constexpr Millis kLookAgain = std::chrono::seconds(5);
  /// The server says that it lives three times within this.
  static constexpr Millis kSilence = std::chrono::seconds(50);

  void listen() {
    stream_.reset();
    auto opened = EventStream::open(engine_.post(way_, letter::kListen, request_, ""), *way_.dialer);
    if (opened) stream_.emplace(std::move(*opened));
  }
  /// Whether something rang. Before whoever asks looks again, the next ring is listened for.
  bool take_ring() {
    while (stream_) {
      const auto events = stream_->read();
      const bool rang = events && std::any_of(events->begin(), events->end(),
                                              [](const ServerEvent& event) { return event.type == "rang"; });
      if (rang) {
        listen();
        return true;
      }
      if (!events || stream_->has_ended()) {
        listen();
        return true;  // it may have rung meanwhile
      }
      if (!stream_->has_more()) return false;
    }
    return false;
  }

  RemoteEngine& engine_;
  Way& way_;
  Request& request_;
  std::optional<EventStream> stream_;
};

Result<std::unique_ptr<Engine::Pause>> RemoteEngine::pause(const Again& again, Request& request) {
  if (request.origin.town) return here_.pause(again, request);
  TRY(way, way_from(request.origin));
  return std::unique_ptr<Pause>(std::make_unique<RemotePause>(*this, *way, request));
}

}  // namespace townpost
