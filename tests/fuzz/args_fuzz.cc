#include "fuzz/fuzz.h"
#include "ops/op.h"
#include "ops/reference.h"

using namespace townpost;

namespace {

/// That what was accepted can be had as what it was declared to be.
void use(const Arg& arg, const Args& args, const JsonObject& given) {
  const boost::json::string_view key(arg.name.data(), arg.name.size());
  if (arg.many) {
    for (const auto& text : args.list(arg.name)) CHECK(is_utf8(text));
    if (arg.kind == ArgKind::map) (void)args.map(arg.name);
    return;
  }
  switch (arg.kind) {
    case ArgKind::flag:
      (void)args.flag(arg.name);
      break;
    case ArgKind::integer: {
      const auto number = args.integer(arg.name);
      // A whole number means itself, however it was handed over.
      if (const auto* text = given.contains(key) ? given.at(key).if_string() : nullptr) {
        auto digits = std::string_view(*text);
        const bool negative = digits.starts_with('-');
        if (negative) digits.remove_prefix(1);
        digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
        CHECK(number.has_value());
        CHECK(std::to_string(*number) == cat(negative && !digits.empty() ? "-" : "", digits.empty() ? "0" : digits));
      }
      break;
    }
    case ArgKind::duration:
      (void)args.duration(arg.name);
      break;
    case ArgKind::instant:
      (void)args.instant(arg.name, Instant{1'700'000'000'000});
      break;
    case ArgKind::deadline:
      (void)args.deadline(arg.name, Instant{1'700'000'000'000});
      break;
    case ArgKind::message_id:
    case ArgKind::nudge_id:
      // What is no whole id stands for one; the gate puts that in its place.
      if (!args.has(arg.name)) break;
      if (!check_whole_id(arg, args.text(arg.name)))
        CHECK(Reference::parse(args.text(arg.name)).has_value());
      else if (arg.kind == ArgKind::message_id)
        (void)args.message_id(arg.name);
      else
        (void)args.nudge_id(arg.name);
      break;
    case ArgKind::choice:
      CHECK(!args.has(arg.name) ||
            std::find(arg.choices.begin(), arg.choices.end(), args.text(arg.name)) != arg.choices.end());
      break;
    case ArgKind::address:
    case ArgKind::list_name:
    case ArgKind::map:
    case ArgKind::text:
    case ArgKind::body:
    case ArgKind::path:
    case ArgKind::priority:
      CHECK(is_utf8(args.text(arg.name)));
      break;
  }
  CHECK(!arg.required || args.has(arg.name) || (!arg.unless.empty() && args.has(arg.unless)));
}

void check(const Op& op, const JsonObject& given) {
  const auto args = Args::check(op.args, given);
  if (!args) return fuzz::check_error(args.error());
  for (const auto& arg : op.args) use(arg, *args, given);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::as_text(data, size);
  const auto given = parse_json(text);
  if (given && given->is_object())
    for (const auto& entry : op_table()) check(entry.op(), given->get_object());
  // The same text as the only value of every argument.
  if (!is_utf8(text)) return 0;
  for (const auto& entry : op_table())
    for (const auto& arg : entry.op().args)
      check(entry.op(), {{boost::json::string_view(arg.name.data(), arg.name.size()), text}});
  return 0;
}
