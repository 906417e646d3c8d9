#include "http/ask.h"

#include <algorithm>

#include "base/json_fields.h"
#include "base/text.h"
#include "http/json_names.h"
#include "net/url.h"

namespace townpost::http {

namespace {

/// The argument that a request means by this name; null if it may not say that here.
const Arg* meant(const Op& op, const Found& found, std::string_view here) {
  std::string_view argument;
  for (const auto& name : found.route->names)
    if (name.here == here) argument = name.argument;
  const auto plain = snake(here);
  if (argument.empty() && !found.route->named_only && camel(plain) == here &&
      std::none_of(found.route->names.begin(), found.route->names.end(),
                   [&](const Route::Name& name) { return name.argument == plain; }))
    argument = plain;
  const auto of_path = [&](const auto& part) { return part.first == argument; };
  const auto is_fixed = [&](const Route::Fixed& fixed) { return fixed.argument == argument; };
  // A GET changes nothing.
  if (found.route->method == "GET" && !op.changes_with.empty() && argument == op.changes_with) return nullptr;
  if (std::any_of(found.parts.begin(), found.parts.end(), of_path) ||
      std::any_of(found.route->fixed.begin(), found.route->fixed.end(), is_fixed))
    return nullptr;
  return argument.empty() ? nullptr : find_argument(op, argument);
}

Failure unknown(std::string_view what, std::string_view name, const Op& op, const Found& found) {
  std::vector<std::string> known;
  for (const auto& arg : op.args)
    if (const auto here = name_here(*found.route, arg.name); meant(op, found, here)) known.emplace_back(here);
  return fail(Code::usage, cat("unknown ", what, ": ", for_terminal_line(shorten(to_utf8(name), 60))),
              known.empty() ? std::string("leave it out") : cat("known: ", join(known, ", ")));
}

/// A text in a query, as JSON of the kind that the argument wants.
Json from_text(const Arg& arg, const std::string& text) {
  if (arg.kind == ArgKind::flag) {
    if (text.empty() || text == "true" || text == "1") return true;
    if (text == "false" || text == "0") return false;
  }
  return Json(text);
}

void put(JsonObject& args, const Arg& arg, Json value) {
  if (!arg.many) {
    args[key_of(arg.name)] = std::move(value);
    return;
  }
  auto& list = args[key_of(arg.name)];
  if (!list.is_array()) list = JsonArray{};
  if (value.is_array())
    for (auto& one : value.get_array()) list.get_array().push_back(std::move(one));
  else
    list.get_array().push_back(std::move(value));
}

Result<> put_query(JsonObject& args, const Op& op, const Found& found, std::string_view query) {
  for (const auto& [name, text] : query_pairs(query)) {
    const Arg* arg = meant(op, found, name);
    if (!arg) return unknown("parameter", name, op, found);
    if (args.contains(key_of(arg->name)) && !arg->many)
      return fail_argument(std::string(arg->name), cat(arg->name, " is given twice"), "give it once");
    put(args, *arg, from_text(*arg, text));
  }
  return {};
}

/// A list of one, where the argument is one value.
Json only_one(Json value) {
  if (value.is_array() && value.get_array().size() == 1) return value.get_array().front();
  return value;
}

Result<> put_body(JsonObject& args, const Op& op, const Found& found, std::string_view body) {
  if (trim(body).empty()) return {};
  auto value = parse_json(body);
  if (!value) return fail(Code::usage, cat("the body is not JSON: ", value.error().message), "send one object");
  if (!value->is_object()) return fail(Code::usage, "the body is not an object", "send one object");
  const auto& needless = found.route->needless;
  for (auto& [name, given] : value->get_object()) {
    if (std::find(needless.begin(), needless.end(), std::string_view(name)) != needless.end()) continue;
    const Arg* arg = meant(op, found, std::string_view(name));
    if (!arg) return unknown("field", std::string_view(name), op, found);
    if (given.is_null()) continue;
    // Seconds, where the operation takes a duration.
    if (arg->kind == ArgKind::duration && given.is_int64() && std::string_view(name).ends_with("Seconds"))
      given = cat(given.get_int64(), "s");
    put(args, *arg, arg->many || arg->kind == ArgKind::map ? std::move(given) : only_one(std::move(given)));
  }
  return {};
}

/// The header that makes a request safe to repeat, where the operation knows such a key.
Result<> put_key(JsonObject& args, const Op& op, const HttpRequest& request) {
  constexpr std::string_view kHeader = "idempotency-key";
  const auto key = request.header(kHeader);
  if (request.count(kHeader) == 0 || op.effect == Effect::reads || op.effect == Effect::idempotent) return {};
  if (request.count(kHeader) > 1 || key.empty())
    return fail(Code::usage, "Idempotency-Key is given more than once, or empty", "give one");
  const Arg* arg = find_argument(op, "key");
  if (!arg)
    return fail(Code::usage, "this request cannot be repeated safely, so it takes no Idempotency-Key",
                "leave it out, and look before you ask again");
  if (const auto* said = args.if_contains(key_of(arg->name)); said && *said != Json(std::string(key)))
    return fail_argument("key", "the key and the header Idempotency-Key differ", "give one of them");
  args[key_of(arg->name)] = std::string(key);
  return {};
}

}  // namespace

bool may_say(const Op& op, const Found& found, std::string_view here) { return meant(op, found, here) != nullptr; }

std::vector<std::pair<std::string, std::string>> query_pairs(std::string_view query) {
  const auto plain = [](std::string_view text) {
    std::string spaced(text);
    std::replace(spaced.begin(), spaced.end(), '+', ' ');
    return percent_unescaped(spaced);
  };
  std::vector<std::pair<std::string, std::string>> out;
  if (query.empty()) return out;
  for (const auto part : split(query, '&')) {
    if (part.empty()) continue;
    const auto sign = std::min(part.find('='), part.size());
    out.emplace_back(plain(part.substr(0, sign)), sign == part.size() ? "" : plain(part.substr(sign + 1)));
  }
  return out;
}

Result<Args> arguments_of(const Op& op, const Found& found, const HttpRequest& request, const Settings& settings) {
  JsonObject args;
  for (const auto& [name, value] : found.parts)
    if (const Arg* arg = find_argument(op, name)) put(args, *arg, Json(value));
  for (const auto& [name, value] : found.route->fixed)
    args[key_of(name)] = from_text(*find_argument(op, name), std::string(value));
  TRY_VOID(put_query(args, op, found, request.query));
  if (request.method == "POST" || request.method == "PATCH" || request.method == "PUT") {
    TRY_VOID(put_body(args, op, found, request.body));
  } else if (!request.body.empty()) {
    return fail(Code::usage, "a body is not expected here", "leave it out");
  }
  TRY_VOID(put_key(args, op, request));
  for (const auto wanted : found.route->wanted)
    if (!args.contains(key_of(wanted)))
      return fail_argument(std::string(wanted), cat("the ", name_here(*found.route, wanted), " is missing"));
  const bool is_reply = args.contains("reply_to");
  if (const auto to = found.route->recipient; !to.empty() && !is_reply && !args.contains(key_of(to)))
    put(args, *find_argument(op, to), Json(settings.http.recipient.str()));
  TRY(checked, Args::check(op.args, args));
  if (found.route->data == Route::Data::page && checked.integer("limit").value_or(0) > kLargestPage)
    return fail_argument("limit", cat("invalid limit: a page has at most ", kLargestPage, " items"),
                         "continue with cursor");
  return checked;
}

}  // namespace townpost::http
