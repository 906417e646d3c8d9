#include "ops/args.h"

#include "base/check.h"
#include "base/number.h"
#include "base/text.h"
#include "post/values/message.h"

namespace townpost {

Arg one(std::string_view name, std::string_view value, std::string_view help) {
  return {.name = name, .help = help, .positional = true, .required = true, .value = value};
}
Arg maybe_one(std::string_view name, std::string_view value, std::string_view help) {
  return {.name = name, .help = help, .positional = true, .value = value};
}
Arg many(std::string_view name, std::string_view value, std::string_view help) {
  return {.name = name, .help = help, .positional = true, .required = true, .many = true, .value = value};
}
Arg maybe_many(std::string_view name, std::string_view value, std::string_view help) {
  return {.name = name, .help = help, .positional = true, .many = true, .value = value};
}
Arg flag(std::string_view name, std::string_view help) { return {.name = name, .help = help, .kind = ArgKind::flag}; }
Arg option(std::string_view name, std::string_view value, std::string_view help, ArgKind kind) {
  return {.name = name, .help = help, .kind = kind, .value = value};
}
Arg as_path(Arg arg) {
  arg.kind = ArgKind::path;
  return arg;
}
Arg with_letter(char letter, Arg arg) {
  arg.letter = letter;
  return arg;
}
Arg with_default(std::string_view standard, Arg arg) {
  arg.standard = standard;
  return arg;
}
Arg with_value_by_equals(std::string_view bare, Arg arg) {
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
Arg for_coordinators(Arg arg) {
  arg.only = Who::coordinator;
  return arg;
}

Arg for_people(Arg arg) {
  arg.only = Who::person;
  return arg;
}

namespace {

using Key = boost::json::string_view;

Key key_of(std::string_view name) { return {name.data(), name.size()}; }

std::string spelled(const Arg& arg) { return arg.positional ? std::string(arg.value) : cat("--", arg.name); }

Failure malformed(const Arg& arg, std::string_view what, std::string_view hint = "--help shows what it takes") {
  return fail(Code::usage, cat(spelled(arg), ": ", what), std::string(hint));
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

  if (arg.kind != ArgKind::path && (!is_utf8(text) || text.find('\0') != std::string::npos))
    return fail(Code::usage,
                cat("the ", arg.positional ? arg.value : arg.name, " is not a text: it must be UTF-8 without NUL"),
                "convert it first, for example with iconv");
  if (arg.kind == ArgKind::integer) {
    const auto number = whole_number(text);
    if (!number)
      return malformed(arg, cat("\"", for_terminal_line(shorten(to_utf8(text), 40)), "\" is not a whole number"));
    return Json(*number);
  }
  auto checked = [&](const auto& result) -> Result<Json> {
    if (result) return Json(text);
    Error error = result.error();
    error.message = cat("invalid ", spelled(arg), ": ", error.message);
    return fail(std::move(error));
  };
  if (arg.kind == ArgKind::duration) return checked(parse_duration(text));
  if (arg.kind == ArgKind::priority) return checked(parse_priority(text));
  return Json(text);
}

}  // namespace

Result<Args> Args::check(const std::vector<Arg>& declared, const JsonObject& given) {
  Args args;
  for (const auto& arg : declared) {
    const auto* value = given.if_contains(key_of(arg.name));
    if (!value) {
      if (arg.required)
        return fail(Code::usage, cat("the ", arg.positional ? arg.value : arg.name, " is missing"),
                    arg.positional
                        ? "--help shows what is needed"
                        : cat("add ", arg.letter ? cat("-", arg.letter) : cat("--", arg.name), " ", arg.value));
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
    if (const auto* values = value->if_array()) {
      for (const auto& item : *values) {
        TRY(one_value, fitted(arg, item));
        list.push_back(one_value);
      }
    } else {
      TRY(one_value, fitted(arg, *value));
      list.push_back(one_value);
    }
    if (list.empty() && arg.required)
      return fail(Code::usage, cat(arg.value, " is missing"), "--help shows what is needed");
    args.values_[key_of(arg.name)] = std::move(list);
  }
  for (const auto& [key, value] : given) {
    bool known = false;
    for (const auto& arg : declared) known = known || key == key_of(arg.name);
    if (!known)
      return fail(Code::usage, cat("unknown argument \"", for_terminal_line(std::string_view(key)), "\""),
                  "--help lists the arguments");
  }
  return args;
}

const Json* Args::find(std::string_view name) const { return values_.if_contains(key_of(name)); }

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

Result<int> limit_of(const Args& args) {
  const auto limit = args.integer("limit").value_or(50);
  if (limit < 1 || limit > 10'000)
    return fail(Code::usage, cat("--limit ", limit, " is not between 1 and 10000"),
                limit < 1 ? "leave it out for 50" : "ask for fewer; where there is a --cursor, go on with it");
  return static_cast<int>(limit);
}

}  // namespace townpost
