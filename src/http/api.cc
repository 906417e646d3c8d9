#include "http/api.h"

#include "base/json_fields.h"
#include "base/text.h"
#include "http/ask.h"
#include "http/json_names.h"
#include "http/page.h"
#include "http/reply.h"

namespace townpost::http {

namespace {

Json page_of(const Shape& shape, const Answer& answer) {
  const auto extent =
      answer.extent.value_or(Extent{.total = static_cast<std::int64_t>(answer.json.get_array().size())});
  JsonObject out;
  out["items"] = view(shape, answer.json);
  out["total"] = extent.total;
  out["hasMore"] = extent.more > 0;
  out["nextCursor"] = extent.more > 0 && extent.cursor ? Json(*extent.cursor) : Json(nullptr);
  return out;
}

const Field* field_at(const Shape& shape, std::string_view key) {
  for (const auto& field : shape.fields())
    if (field.key == key) return &field;
  return nullptr;
}

HttpResponse told(const Found& found, const Op& op, const Answer& answer, Instant now) {
  const auto& route = *found.route;
  const auto shape = op.result();
  const auto not_found = [&] { return refusal(404, "there is no such thing", now); };
  switch (route.data) {
    case Route::Data::answer:
      return success(view(shape, answer.json), now, route.status);
    case Route::Data::page:
      return success(page_of(shape, answer), now, route.status);
    case Route::Data::first: {
      const auto& list = answer.json.get_array();
      return list.empty() ? not_found() : success(view(shape.item(), list.front()), now, route.status);
    }
    case Route::Data::count: {
      JsonObject out;
      out["count"] = member_of(answer.json, route.key);
      return success(std::move(out), now);
    }
    case Route::Data::member:
    case Route::Data::first_of_member: {
      const auto* field = field_at(shape, route.key);
      const auto shown = view(field->shape, member_of(answer.json, route.key));
      if (route.data == Route::Data::member) return success(shown, now);
      return shown.get_array().empty() ? not_found() : success(shown.get_array().front(), now);
    }
  }
  return not_found();
}

bool has_json(const HttpRequest& request) {
  if (request.body.empty()) return true;
  const auto type = lower_ascii(trim(split(request.header("content-type"), ';').front()));
  return type == "application/json";
}

}  // namespace

void Api::add(std::string method, std::string path, For whom, Special special) {
  extras_[{std::move(path), std::move(method)}] = {whom, std::move(special)};
}

const Api::Extra* Api::find_extra(const HttpRequest& request) const {
  const auto found = extras_.find({std::string(path_on_page(request.path)), request.method});
  return found == extras_.end() ? nullptr : &found->second;
}

std::vector<std::string> Api::other_methods(const HttpRequest& request, const Lookup& lookup) const {
  std::vector<std::string> out(lookup.other_methods.begin(), lookup.other_methods.end());
  for (const auto& [known, extra] : extras_)
    if (known.first == path_on_page(request.path)) out.push_back(known.second);
  return out;
}

HttpResponse Api::refusal(int status, std::string_view why) { return http::refusal(status, why, parts_.clock.now()); }

void Api::handle(std::shared_ptr<HttpExchange> exchange) {
  const auto* extra = find_extra(exchange->request());
  const bool anybody = extra && extra->whom == For::anybody;
  const auto work = [this, exchange, extra, anybody] {
    anybody ? extra->special(exchange, Visitor{}) : serve(exchange);
  };
  if (!parts_.workers.give(work))
    exchange->answer(refusal(503, "the server has too much to do; try again in a moment"));
}

void Api::serve(const std::shared_ptr<HttpExchange>& exchange) const {
  const auto& request = exchange->request();
  const auto now = [&] { return parts_.clock.now(); };
  const auto visitor = parts_.doorkeeper.admit(request);
  const auto* extra = find_extra(request);
  if (!visitor) {
    if (visitor.error().status == 401 && extra && extra->whom == For::guests)
      return extra->special(exchange, Visitor{});
    auto turned = http::refusal(visitor.error().status, visitor.error().why, now());
    if (visitor.error().status == 401) turned.headers.emplace_back("www-authenticate", "Bearer");
    return exchange->answer(std::move(turned));
  }
  if (extra) return extra->special(exchange, *visitor);
  const auto lookup = find_route(request.method == "HEAD" ? "GET" : request.method, path_on_page(request.path));
  const auto methods = lookup.found ? std::vector<std::string>() : other_methods(request, lookup);
  if (!lookup.found && methods.empty())
    return exchange->answer(http::refusal(404, "no such path; see /openapi.json", now()));
  if (!lookup.found) {
    auto wrong = http::refusal(405, cat("this path takes ", join(methods, ", ")), now());
    wrong.headers.emplace_back("allow", join(methods, ", "));
    return exchange->answer(std::move(wrong));
  }
  if (!has_json(request)) return exchange->answer(http::refusal(415, "send application/json", now()));
  exchange->answer(answer(*lookup.found, exchange, *visitor));
  if (visitor->once_answered) visitor->once_answered();
}

HttpResponse Api::answer(const Found& found, const std::shared_ptr<HttpExchange>& exchange,
                         const Visitor& visitor) const {
  const auto now = parts_.clock.now();
  const Op& op = *find_op(found.route->op);
  const auto failed = [&](const Error& error) {
    return failure(error, parts_.clock.now(), error.argument.empty() ? "" : name_here(*found.route, error.argument));
  };
  const auto args = arguments_of(op, found, exchange->request(), *parts_.settings());
  if (!args) return failed(args.error());
  Request request{.origin = visitor.origin,
                  .started_at = now,
                  .cancellation = exchange->cancellation(),
                  .input = [] { return Result<std::string>(std::string()); },
                  .tell = [](std::string_view) {}};
  request.origin.town = parts_.town;
  const auto given = parts_.engine.call(op, *args, request);
  if (!given) return failed(given.error());
  auto response = told(found, op, *given, parts_.clock.now());
  // A GET changes nothing: what would follow the answer (a cursor that moves) does not.
  if (found.route->method != "GET")
    if (const auto followed = parts_.engine.handed_over(request); !followed) return failed(followed.error());
  return response;
}

}  // namespace townpost::http
