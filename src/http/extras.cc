#include "http/extras.h"

#include <algorithm>

#include "base/advice.h"
#include "base/number.h"
#include "base/text.h"
#include "http/ask.h"
#include "http/openapi.h"
#include "http/page.h"
#include "http/reply.h"
#include "http/token_door.h"
#include "post/people/tokens.h"

namespace townpost::http {

namespace {

HttpResponse plain(int status, std::string type, std::string body) {
  return {.status = status,
          .headers = {{"content-type", std::move(type)}, {"cache-control", "no-store"}},
          .body = std::move(body)};
}

struct Following {
  EventFilter filter;
  std::optional<std::int64_t> after;
};

Result<Following> following(const HttpRequest& request) {
  if (!request.body.empty()) return fail(Code::usage, "a body is not expected here", "leave it out");
  Following out;
  auto last = std::string(request.header("last-event-id"));
  for (const auto& [name, value] : query_pairs(request.query)) {
    if (name == "lastEventId") {
      if (last.empty()) last = value;
    } else if (name == "kind") {
      for (const auto kind : split(value, ',')) {
        const auto known = event_names();
        if (std::find(known.begin(), known.end(), kind) == known.end())
          return fail_argument("kind", cat("unknown kind: ", for_terminal_line(shorten(kind, 60))),
                               cat("known: ", join(std::vector<std::string>(known.begin(), known.end()), ", ")));
        out.filter.kinds.emplace(kind);
      }
    } else if (name == "agent") {
      for (const auto agent : split(value, ',')) out.filter.agents.emplace(agent);
    } else if (name == "thread" || name == "threadId") {
      out.filter.thread = value;
    } else {
      return fail(Code::usage, cat("unknown parameter: ", for_terminal_line(shorten(name, 60))),
                  "known: kind, agent, thread, lastEventId");
    }
  }
  if (last.empty()) return out;
  out.after = whole_number(last);
  if (!out.after || *out.after < 0)
    return fail(Code::usage, "Last-Event-ID is the number of an event", "leave it out to begin now");
  return out;
}

void follow(const Extras& extras, const std::shared_ptr<HttpExchange>& exchange, const Visitor& visitor) {
  const auto now = extras.host.clock().now();
  auto wanted = following(exchange->request());
  if (!wanted) return exchange->answer(failure(wanted.error(), now, wanted.error().argument));
  const auto open = [&] {
    return exchange->stream(
        {.status = 200,
         .headers = {{"content-type", "text/event-stream"}, {"cache-control", "no-store"}, {"x-accel-buffering", "no"}},
         .body = {}});
  };
  const auto joined = extras.events.join(visitor, wanted->after, std::move(wanted->filter), open);
  if (!joined) exchange->answer(failure(joined.error(), now));
}

/// From the link of `gt open` to a page: the code is worth one cookie.
void open_page(const Extras& extras, const std::shared_ptr<HttpExchange>& exchange) {
  const auto now = extras.host.clock().now();
  Request asking;
  asking.origin.town = extras.town;
  asking.origin.environment = &extras.around;
  asking.started_at = now;
  Call call(Args(), extras.host, asking);
  std::string code;
  for (const auto& [name, value] : query_pairs(exchange->request().query))
    if (name == "code") code = value;
  const auto town = call.town();
  if (!town) return exchange->answer(failure(town.error(), now));
  const auto page = Tokens(**town).redeem_open_code(code);
  if (!page) return exchange->answer(failure(page.error(), now));
  auto answer = plain(303, "text/plain; charset=utf-8", "");
  const auto lives = std::chrono::duration_cast<std::chrono::seconds>(kPageLife).count();
  const auto place = place_of_page(page->text);
  answer.headers.emplace_back("location", place);
  answer.headers.emplace_back("referrer-policy", "no-referrer");
  answer.headers.emplace_back(
      "set-cookie", cat(TokenDoor::kCookie, "=", page->text, "; Path=", place,
                        "; HttpOnly; SameSite=Strict; Max-Age=", lives, exchange->request().secure ? "; Secure" : ""));
  exchange->answer(std::move(answer));
}

}  // namespace

void add_extras(Api& api, const Extras& extras) {
  using For = Api::For;
  const auto now = [&host = extras.host] { return host.clock().now(); };
  api.add("GET", "/healthz", For::anybody, [now](const auto& exchange, const Visitor&) {
    exchange->answer(success(JsonObject{{"status", "ok"}}, now()));
  });
  api.add("GET", "/readyz", For::known, [now](const auto& exchange, const Visitor&) {
    exchange->answer(success(JsonObject{{"status", "ready"}}, now()));  // the store was just asked whose token this is
  });
  api.add("GET", "/openapi.json", For::known, [](const auto& exchange, const Visitor&) {
    static const std::string document = to_line(openapi_document());
    exchange->answer(plain(200, "application/json", document));
  });
  api.add("GET", "/metrics", For::known, [extras](const auto& exchange, const Visitor&) {
    exchange->answer(plain(200, "text/plain; version=0.0.4", extras.metrics()));
  });
  api.add("GET", "/api/events", For::known,
          [extras](const auto& exchange, const Visitor& visitor) { follow(extras, exchange, visitor); });
  api.add("GET", "/open", For::guests, [extras](const auto& exchange, const Visitor&) { open_page(extras, exchange); });
  api.add("GET", "/", For::guests,
          [](const auto& exchange, const Visitor& visitor) { exchange->answer(start_page(visitor)); });
}

}  // namespace townpost::http
