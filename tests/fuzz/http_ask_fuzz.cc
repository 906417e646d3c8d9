// What a request asks of the operation table: "POST /api/mail?a=1", and the body behind the first line.
#include "fuzz/fuzz.h"
#include "http/ask.h"
#include "http/reply.h"
#include "http/route.h"
#include "ops/op.h"

using namespace townpost;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto rest = fuzz::as_text(data, size);
  auto line = fuzz::take(rest, '\n');
  HttpRequest request;
  request.method = fuzz::take(line, ' ');
  request.path = fuzz::take(line, '?');
  request.query = line;
  request.body = rest;
  const auto lookup = http::find_route(request.method, request.path);
  for (const auto& method : lookup.other_methods) CHECK(http::find_route(method, request.path).found);
  if (!lookup.found) return 0;
  CHECK(lookup.found->route->method == request.method);
  const Op& op = *find_op(lookup.found->route->op);
  for (const auto& [argument, value] : lookup.found->parts) CHECK(find_argument(op, argument) && !value.empty());

  const auto args = http::arguments_of(op, *lookup.found, request, Settings());
  if (!args) {
    fuzz::check_error(args.error());
    const auto status = http::status_of(args.error().code);
    CHECK(status >= 400 && status < 500);
    const auto answer = http::failure(args.error(), Instant{});
    CHECK(answer.status == status && parse_json(answer.body));
    return 0;
  }
  // What was taken is taken again: each argument is as its row wants it.
  for (const auto& [name, value] : args->values()) {
    const Arg* arg = find_argument(op, std::string_view(name));
    CHECK(arg && value.is_array() == arg->many);
  }
  return 0;
}
