#include "ops/args.h"

#include <algorithm>

#include "base/check.h"
#include "base/json_fields.h"
#include "base/local_time.h"
#include "base/number.h"
#include "base/text.h"
#include "ops/reference.h"
#include "post/values/address.h"
#include "post/values/message.h"

namespace townpost {

Arg one(std::string_view name, std::string_view value, std::string_view help, ArgKind kind) {
  return {.name = name, .help = help, .kind = kind, .positional = true, .required = true, .value = value};
}
Arg maybe_one(std::string_view name, std::string_view value, std::string_view help, ArgKind kind) {
  return {.name = name, .help = help, .kind = kind, .positional = true, .value = value};
}
Arg many(std::string_view name, std::string_view value, std::string_view help, ArgKind kind) {
  return {.name = name, .help = help, .kind = kind, .positional = true, .required = true, .many = true, .value = value};
}
Arg maybe_many(std::string_view name, std::string_view value, std::string_view help, ArgKind kind) {
  return {.name = name, .help = help, .kind = kind, .positional = true, .many = true, .value = value};
}
Arg flag(std::string_view name, std::string_view help) { return {.name = name, .help = help, .kind = ArgKind::flag}; }
Arg option(std::string_view name, std::string_view value, std::string_view help, ArgKind kind) {
  return {.name = name, .help = help, .kind = kind, .value = value};
}
Arg as_path(Arg arg) {
  arg.kind = ArgKind::path;
  return arg;
}
Arg one_of(std::vector<std::string_view> choices, Arg arg) {
  arg.kind = ArgKind::choice;
  arg.choices = std::move(choices);
  return arg;
}
Arg between(std::int64_t least, std::int64_t most, Arg arg) {
  arg.kind = ArgKind::integer;
  arg.least = least;
  arg.most = most;
  return arg;
}
Arg limit() { return with_default("50", between(1, 10'000, option("limit", "N", "At most N items"))); }
Arg with_letter(char letter, Arg arg) {
  arg.letter = letter;
  return arg;
}
Arg with_default(std::string_view standard, Arg arg) {
  arg.standard = standard;
  return arg;
}
Arg may_stand_alone(std::string_view bare, Arg arg) {
  arg.bare = bare;
  return arg;
}
Arg repeated(Arg arg) {
  arg.many = true;
  return arg;
}
Arg required(Arg arg) {
  arg.required = true;
  return arg;
}
Arg required_unless(std::string_view other, Arg arg) {
  arg.required = true;
  arg.unless = other;
  return arg;
}
Arg if_missing(std::string_view says, Arg arg) {
  arg.missing = says;
  return arg;
}
Arg of_any_bytes(Arg arg) {
  arg.any_bytes = true;
  return arg;
}
Arg also_as_words(Arg arg) {
  arg.also_words = true;
  return arg;
}
Arg or_an_id(Arg arg) {
  arg.also_an_id = true;
  return arg;
}
Arg composed(Arg arg) {
  arg.composed = true;
  return arg;
}
Arg for_coordinators(Arg arg) {
  arg.only = Who::coordinator;
  return arg;
}

Arg for_people(Arg arg) {
  arg.only = Who::person;
  return arg;
}

namespace {

Failure at_fault(const Arg& arg, std::string message, NextStep hint = {}) {
  return fail_argument(std::string(arg.name), std::move(message), std::move(hint));
}

Failure malformed(const Arg& arg, std::string_view what, NextStep hint = {}) {
  return at_fault(arg, cat("invalid ", arg.name, ": ", what), std::move(hint));
}

/// "a, b or c"
std::string either(const std::vector<std::string>& words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i)
    out += cat(i == 0 ? "" : i + 1 == words.size() ? " or " : ", ", words[i]);
  return out;
}

/// What was written instead of a moment: a length of time counts from now. Error: usage, naming both.
Result<Millis> moment_or_duration(std::string_view text) {
  auto length = parse_duration(text);
  if (length) return length;
  Error error = length.error();
  error.hint += ", 16:00, 2026-12-01 or \"2026-12-01 16:00\"";
  return fail(std::move(error));
}

/// What commands about lists are called with: a name, alone or behind its kind ("queue:jobs", "@ops"), or the id that
/// their lists print, in which a prefix stands before the name.
bool may_name_list(std::string_view text) {
  constexpr std::size_t kLongestName = 64, kLongestPrefix = 20;
  for (const std::string_view kind : {"group:", "queue:", "channel:", "@"})
    if (text.starts_with(kind)) return is_list_name(text.substr(kind.size()));
  if (text.size() <= kLongestName) return is_list_name(text);
  return text.size() <= kLongestPrefix + kLongestName && is_list_name(text.substr(0, kLongestName)) &&
         is_list_name(cat("x", text.substr(kLongestName)));
}

/// Whether it may be the place or a part of one of these.
bool stands_for_an_id(const Arg& arg, std::string_view text) {
  const std::string_view others = arg.kind == ArgKind::nudge_id ? "hq-m-" : "hq-n-";
  return Reference::parse(text) && !lower_ascii(text).starts_with(others);
}

/// That a text which names something of the town has the form of such names. Whether it is there is another question.
Result<> check_name(const Arg& arg, const std::string& text) {
  const auto named = [&](const auto& parsed) -> Result<> {
    if (parsed) return {};
    Error error = parsed.error();
    error.argument = arg.name;
    return fail(std::move(error));
  };
  const std::string shown = for_terminal_line(shorten(text, 80));
  switch (arg.kind) {
    case ArgKind::address:
      return named(Destination::parse(text));
    case ArgKind::nudge_id:
    case ArgKind::message_id:
      // What stands for an id is made one by the gate (ops/whole_ids.h).
      return stands_for_an_id(arg, text) ? Result<>() : check_whole_id(arg, text);
    case ArgKind::list_name:
      if (may_name_list(text)) return {};
      return at_fault(arg, cat("\"", shown, "\" is not a name for a list"),
                      may_name_list(lower_ascii(text))
                          ? cat("names are lower-case: ", lower_ascii(text))
                          : "names are 1 to 64 of a-z 0-9 _ - and start with a letter or digit");
    default:
      return {};
  }
}

/// One value as the kind wants it: flags are true, integers numbers, all else text.
Result<Json> fitted(const Arg& arg, const Json& given) {
  if (arg.kind == ArgKind::flag) {
    if (!given.is_bool()) return malformed(arg, "takes no value");
    return given;
  }
  std::string text;
  if (given.is_string())
    text = std::string(given.get_string());
  else if (given.is_int64())
    text = std::to_string(given.get_int64());
  else
    return malformed(arg, "wants a text");

  if (arg.any_bytes) return Json(to_utf8(text));
  if (arg.kind != ArgKind::path && (!is_utf8(text) || text.find('\0') != std::string::npos))
    return malformed(arg, "this is not a text: it must be UTF-8 without NUL",
                     "convert it first, for example with iconv");
  const auto quoted = [&] { return cat("\"", for_terminal_line(shorten(to_utf8(text), 40)), "\""); };
  if (arg.kind == ArgKind::integer) {
    const auto number = whole_number(text);
    if (!number) return malformed(arg, cat(quoted(), " is not a whole number"));
    if (*number < arg.least) return malformed(arg, cat(*number, " is less than ", arg.least));
    if (*number > arg.most) return malformed(arg, cat(*number, " is more than ", arg.most));
    return Json(*number);
  }
  if (arg.kind == ArgKind::choice) {
    const auto word = lower_ascii(text);
    if (std::find(arg.choices.begin(), arg.choices.end(), word) != arg.choices.end()) return Json(word);
    const std::vector<std::string> words(arg.choices.begin(), arg.choices.end());
    return malformed(arg, cat(quoted(), " is not one of its values"), cat("use ", either(words)));
  }
  if (arg.kind == ArgKind::map && (text.find('=') == std::string::npos || text.front() == '='))
    return malformed(arg, cat(quoted(), " is not key=value"), "write the key, = and the value");
  auto checked = [&](const auto& result) -> Result<Json> {
    if (result) return Json(text);
    NextStep hint(result.error().hint);
    hint.call = result.error().next;
    return malformed(arg, result.error().message, std::move(hint));
  };
  if (arg.kind == ArgKind::duration) return checked(parse_duration(text));
  if (arg.kind == ArgKind::instant || arg.kind == ArgKind::deadline) {
    if (parse_moment(text, Instant{0}, Toward::future)) return Json(text);
    return checked(moment_or_duration(text));
  }
  if (arg.kind == ArgKind::priority) return checked(parse_priority(text));
  TRY_VOID(check_name(arg, text));
  return Json(text);
}

}  // namespace

Result<> check_whole_id(const Arg& arg, std::string_view text) {
  auto named = [&](const auto& id) -> Result<> {
    if (id) return {};
    Error error = id.error();
    error.argument = arg.name;
    return fail(std::move(error));
  };
  return arg.kind == ArgKind::nudge_id ? named(NudgeId::parse(text)) : named(MessageId::parse(text));
}

std::string missing_text(const Arg& arg) {
  return arg.missing.empty() ? cat("the ", arg.name, " is missing") : std::string(arg.missing);
}

Result<Args> Args::check(const std::vector<Arg>& declared, const JsonObject& given) {
  Args args;
  for (const auto& arg : declared) {
    const auto* value = given.if_contains(key_of(arg.name));
    if (!value) {
      if (arg.required && !given.contains(key_of(arg.unless)))
        return at_fault(arg, missing_text(arg), arg.composed ? "an empty text must be given as such" : "");
      if (!arg.standard.empty()) {
        TRY(standard, fitted(arg, Json(std::string(arg.standard))));
        args.values_[key_of(arg.name)] = standard;
      }
      continue;
    }
    if (!arg.many) {
      TRY(one_value, fitted(arg, *value));
      args.values_[key_of(arg.name)] = one_value;
      continue;
    }
    JsonArray list;
    if (const auto* pairs = arg.kind == ArgKind::map ? value->if_object() : nullptr) {
      for (const auto& [name, text] : *pairs) {
        if (!text.is_string()) return malformed(arg, cat("the value of ", std::string_view(name), " is not a text"));
        TRY(pair, fitted(arg, Json(cat(std::string_view(name), "=", std::string_view(text.get_string())))));
        list.push_back(pair);
      }
      args.values_[key_of(arg.name)] = std::move(list);
      continue;
    }
    if (const auto* values = value->if_array()) {
      for (const auto& item : *values) {
        TRY(one_value, fitted(arg, item));
        list.push_back(one_value);
      }
    } else {
      TRY(one_value, fitted(arg, *value));
      list.push_back(one_value);
    }
    if (list.empty() && arg.required) return at_fault(arg, missing_text(arg));
    args.values_[key_of(arg.name)] = std::move(list);
  }
  for (const auto& [key, value] : given) {
    bool known = false;
    for (const auto& arg : declared) known = known || key == key_of(arg.name);
    if (known) continue;
    std::vector<std::string> names;
    for (const auto& arg : declared) names.emplace_back(arg.name);
    return fail(Code::usage, cat("unknown argument \"", for_terminal_line(std::string_view(key)), "\""),
                names.empty() ? "it takes none" : cat("it takes ", join(names, ", ")));
  }
  return args;
}

const Json* Args::find(std::string_view name) const { return values_.if_contains(key_of(name)); }

void Args::put_ids(const Arg& arg, const std::vector<std::string>& ids) {
  if (arg.many)
    values_[key_of(arg.name)] = JsonArray(ids.begin(), ids.end());
  else
    values_[key_of(arg.name)] = ids.front();
}

bool Args::flag(std::string_view name) const {
  const auto* value = find(name);
  return value && value->is_bool() && value->get_bool();
}

std::optional<std::string> Args::maybe_text(std::string_view name) const {
  const auto* value = find(name);
  if (!value) return std::nullopt;
  CHECK(value->is_string());
  return std::string(value->get_string());
}

std::string Args::text(std::string_view name) const { return maybe_text(name).value_or(""); }

std::vector<std::string> Args::list(std::string_view name) const {
  std::vector<std::string> out;
  if (const auto* value = find(name))
    for (const auto& item : value->get_array()) out.emplace_back(item.get_string());
  return out;
}

std::optional<std::int64_t> Args::integer(std::string_view name) const {
  const auto* value = find(name);
  if (!value) return std::nullopt;
  return value->get_int64();
}

std::optional<Millis> Args::duration(std::string_view name) const {
  const auto text = maybe_text(name);
  if (!text) return std::nullopt;
  return *parse_duration(*text);
}

std::optional<Instant> Args::instant(std::string_view name, Instant now) const {
  const auto text = maybe_text(name);
  if (!text) return std::nullopt;
  const auto at = parse_moment(*text, now, Toward::past);
  return at ? *at : now - *parse_duration(*text);
}

std::optional<Instant> Args::deadline(std::string_view name, Instant now) const {
  const auto text = maybe_text(name);
  if (!text) return std::nullopt;
  const auto at = parse_moment(*text, now, Toward::future);
  return at ? *at : now + *parse_duration(*text);
}

std::optional<MessageId> Args::message_id(std::string_view name) const {
  const auto text = maybe_text(name);
  return text ? std::optional(*MessageId::parse(*text)) : std::nullopt;
}

std::optional<NudgeId> Args::nudge_id(std::string_view name) const {
  const auto text = maybe_text(name);
  return text ? std::optional(*NudgeId::parse(*text)) : std::nullopt;
}

std::vector<std::pair<std::string, std::string>> Args::map(std::string_view name) const {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& pair : list(name)) {
    const auto equals = pair.find('=');
    out.emplace_back(pair.substr(0, equals), pair.substr(equals + 1));
  }
  return out;
}

}  // namespace townpost
