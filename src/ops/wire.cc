#include "ops/wire.h"

#include <algorithm>
#include <array>

#include "base/json_fields.h"
#include "base/text.h"

namespace townpost::wire {

namespace {

template <std::size_t N>
std::optional<std::size_t> place_of(const std::array<std::string_view, N>& words, std::string_view word) {
  for (std::size_t i = 0; i < N; ++i)
    if (words[i] == word) return i;
  return std::nullopt;
}

constexpr std::array<std::string_view, 3> kHastes = {"none", "hook", "service"};
constexpr std::array<std::string_view, 6> kOutcomes = {"done", "nothing", "partial", "pending", "wake", "exited"};
constexpr std::array<std::string_view, 3> kReasons = {"an_answer", "a_newer_view", "what_follows"};
static_assert(kHastes.size() == static_cast<std::size_t>(Haste::service) + 1);
static_assert(kOutcomes.size() == static_cast<std::size_t>(Outcome::exited) + 1);
static_assert(kReasons.size() == static_cast<std::size_t>(Again::For::what_follows) + 1);

// ---- texts of any bytes ----
// JSON is UTF-8, and a path need not be: then it travels as {"bytes":"6a6f…"}.

Json any_text(std::string_view text) {
  if (is_utf8(text)) return Json(key_of(text));
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (const char c : text) {
    hex += kDigits[static_cast<unsigned char>(c) >> 4U];
    hex += kDigits[static_cast<unsigned char>(c) & 15U];
  }
  JsonObject out;
  out["bytes"] = hex;
  return out;
}

std::optional<std::string> read_any_text(const Json& value) {
  if (const auto* text = value.if_string()) return std::string(*text);
  const auto hex = text_in(value, "bytes");
  if (hex.empty() || hex.size() % 2 != 0) return std::nullopt;
  const auto digit = [](char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; };
  std::string out;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    const int high = digit(hex[i]), low = digit(hex[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
  }
  return out;
}

Json with_any_texts(const Json& value) {
  if (const auto* text = value.if_string()) return any_text({text->data(), text->size()});
  const auto* list = value.if_array();
  if (!list) return value;
  JsonArray out;
  for (const auto& item : *list) out.push_back(with_any_texts(item));
  return out;
}

/// What is none of ours stays as it is, for whoever checks it.
Json read_any_texts(const Json& value) {
  if (const auto* list = value.if_array()) {
    JsonArray out;
    for (const auto& item : *list) out.push_back(read_any_texts(item));
    return out;
  }
  const auto text = value.is_object() ? read_any_text(value) : std::nullopt;
  return text ? Json(key_of(*text)) : value;
}

JsonObject with_any_texts(const JsonObject& args) {
  JsonObject out;
  for (const auto& [name, value] : args) out[name] = with_any_texts(value);
  return out;
}

JsonObject read_any_texts(const JsonObject& args) {
  JsonObject out;
  for (const auto& [name, value] : args) out[name] = read_any_texts(value);
  return out;
}

// ---- parts ----

std::optional<std::int64_t> number_in(const Json& value, std::string_view key) {
  const auto& found = member_of(value, key);
  return found.is_int64() ? std::optional(found.get_int64()) : std::nullopt;
}

bool flag_in(const Json& value, std::string_view key) {
  const auto& found = member_of(value, key);
  return found.is_bool() && found.get_bool();
}

JsonArray texts(const std::vector<std::string>& all) {
  JsonArray out;
  for (const auto& one : all) out.emplace_back(one);
  return out;
}

/// Nothing if one of them is no text.
std::optional<std::vector<std::string>> texts_in(const Json& value, std::string_view key) {
  std::vector<std::string> out;
  for (const auto& one : list_in(value, key)) {
    if (!one.is_string()) return std::nullopt;
    out.emplace_back(one.get_string());
  }
  return out;
}

JsonObject next_json(const NextCall& next) {
  JsonObject out;
  out["op"] = next.op;
  JsonArray args;
  for (const auto& [name, value] : next.args) args.push_back(JsonArray{Json(name), Json(value)});
  out["args"] = std::move(args);
  out["after"] = next.after;
  return out;
}

std::optional<NextCall> read_next(const Json& value) {
  NextCall out{std::string(text_in(value, "op")), {}, std::string(text_in(value, "after"))};
  for (const auto& pair : list_in(value, "args")) {
    const auto* both = pair.if_array();
    if (!both || both->size() != 2 || !both->at(0).is_string() || !both->at(1).is_string()) return std::nullopt;
    out.args.emplace_back(std::string(both->at(0).get_string()), std::string(both->at(1).get_string()));
  }
  return out;
}

JsonObject error_json(const Error& error) {
  JsonObject out;
  out["code"] = key_of(name(error.code));
  out["message"] = error.message;
  out["hint"] = error.hint;
  if (error.retry_after_s) out["retry_after"] = *error.retry_after_s;
  if (!error.argument.empty()) out["argument"] = error.argument;
  if (error.next) out["next"] = next_json(*error.next);
  return out;
}

std::optional<Error> read_error(const Json& value) {
  Error out{.code = Code::usage,
            .message = std::string(text_in(value, "message")),
            .hint = std::string(text_in(value, "hint")),
            .retry_after_s = number_in(value, "retry_after"),
            .argument = std::string(text_in(value, "argument"))};
  const auto word = text_in(value, "code");
  while (name(out.code) != word) {
    if (out.code == Code::partial) return std::nullopt;
    out.code = static_cast<Code>(static_cast<int>(out.code) + 1);
  }
  if (out.message.empty()) return std::nullopt;
  if (const auto& next = member_of(value, "next"); !next.is_null()) {
    out.next = read_next(next);
    if (!out.next) return std::nullopt;
  }
  return out;
}

JsonObject again_json(const Again& again) {
  JsonObject out;
  out["for"] = key_of(kReasons[static_cast<std::size_t>(again.what)]);
  JsonArray bells, ears;
  for (const auto& bell : again.bells) bells.emplace_back(bell.name);
  for (const auto& ear : again.ears) ears.push_back(any_text(ear.string()));
  out["bells"] = std::move(bells);
  out["ears"] = std::move(ears);
  if (again.process != 0) out["process"] = again.process;
  out["at"] = again.at.ms;
  if (!again.op.empty()) {
    out["op"] = key_of(again.op);
    out["args"] = with_any_texts(again.args);
  }
  return out;
}

/// A bell's name becomes the name of a file.
bool is_bell(std::string_view name) {
  constexpr std::size_t kLongest = 32;
  return !name.empty() && name.size() <= kLongest &&
         std::all_of(name.begin(), name.end(), [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); });
}

std::optional<Again> read_again(const Json& value) {
  Again out;
  const auto what = place_of(kReasons, text_in(value, "for"));
  const auto bells = texts_in(value, "bells");
  const auto at = number_in(value, "at");
  if (!what || !bells || !at) return std::nullopt;
  out.what = static_cast<Again::For>(*what);
  out.at = Instant{*at};
  for (const auto& bell : *bells) {
    if (!is_bell(bell)) return std::nullopt;
    out.bells.push_back(BellKey::named(bell));
  }
  for (const auto& ear : list_in(value, "ears")) {
    const auto path = read_any_text(ear);
    if (!path || path->find('\0') != std::string::npos) return std::nullopt;
    out.ears.emplace_back(*path);
  }
  const auto process = number_in(value, "process").value_or(0);
  if (process < 0 || process > INT32_MAX) return std::nullopt;
  out.process = static_cast<int>(process);
  if (const auto name = text_in(value, "op"); !name.empty()) {
    const Op* op = find_op(name);
    if (!op) return std::nullopt;
    out.op = op->name;  // the row lives as long as the program
    if (const auto* args = member_of(value, "args").if_object()) out.args = read_any_texts(*args);
  }
  return out;
}

JsonObject extent_json(const Extent& extent) {
  JsonObject out;
  out["total"] = extent.total;
  out["more"] = extent.more;
  if (extent.cursor) out["cursor"] = *extent.cursor;
  return out;
}

/// All of an answer but its JSON.
JsonObject head_json(const Answer& answer) {
  JsonObject out;
  out["outcome"] = key_of(kOutcomes[static_cast<std::size_t>(answer.outcome)]);
  if (!answer.warnings.empty()) out["warnings"] = texts(answer.warnings);
  if (!answer.notices.empty()) out["notices"] = texts(answer.notices);
  if (answer.extent) out["extent"] = extent_json(*answer.extent);
  if (answer.as_lines) out["as_lines"] = true;
  if (answer.again) out["again"] = again_json(*answer.again);
  return out;
}

std::optional<Answer> read_head(const Json& value) {
  Answer out;
  const auto outcome = place_of(kOutcomes, text_in(value, "outcome"));
  auto warnings = texts_in(value, "warnings");
  auto notices = texts_in(value, "notices");
  if (!outcome || !warnings || !notices) return std::nullopt;
  out.outcome = static_cast<Outcome>(*outcome);
  out.warnings = std::move(*warnings);
  out.notices = std::move(*notices);
  out.as_lines = flag_in(value, "as_lines");
  if (const auto& extent = member_of(value, "extent"); !extent.is_null()) {
    const auto total = number_in(extent, "total"), more = number_in(extent, "more");
    if (!total || !more) return std::nullopt;
    out.extent = Extent{.total = *total, .more = *more, .cursor = number_in(extent, "cursor")};
  }
  if (const auto& again = member_of(value, "again"); !again.is_null()) {
    out.again = read_again(again);
    if (!out.again) return std::nullopt;
  }
  return out;
}

JsonObject kept_json(const Kept& kept) {
  JsonObject out;
  for (const auto& [name, value] : kept) out[name] = any_text(value);
  return out;
}

std::optional<Kept> read_kept(const Json& value) {
  Kept out;
  if (value.is_null()) return out;
  const auto* all = value.if_object();
  if (!all) return std::nullopt;
  for (const auto& [name, kept] : *all) {
    auto text = read_any_text(kept);
    if (!text) return std::nullopt;
    out.emplace(name, std::move(*text));
  }
  return out;
}

Failure not_understood() {
  return fail(Code::unavailable, "the answer of the town's server cannot be understood",
              "it may be of another version: start it again");
}

}  // namespace

std::string call_text(const Op& op, const Args& args, const Request& request) {
  JsonObject out;
  out["op"] = key_of(op.name);
  out["args"] = with_any_texts(args.values());
  out["haste"] = key_of(kHastes[static_cast<std::size_t>(request.haste)]);
  out["started_at"] = request.started_at.ms;
  if (request.deadline) out["deadline"] = request.deadline->ms;
  if (!request.kept.empty()) out["kept"] = kept_json(request.kept);
  return to_line(out);
}

Result<ReceivedCall> read_call(std::string_view text) {
  TRY(value, parse_json(text));
  const auto malformed = [](std::string_view what) {
    return fail(Code::usage, cat("the call is malformed: ", what), "it may be of another version of gt");
  };
  ReceivedCall out;
  const auto name = text_in(value, "op");
  out.op = find_op(name);
  if (name.empty()) return malformed("it names no operation");
  if (!out.op)
    return fail(Code::not_found, cat("there is no operation \"", for_terminal_line(shorten(name, 80)), "\""),
                "it may be of another version of gt");
  const auto* args = member_of(value, "args").if_object();
  if (!args) return malformed("it has no arguments");
  out.args = read_any_texts(*args);
  const auto haste = place_of(kHastes, text_in(value, "haste"));
  const auto started_at = number_in(value, "started_at");
  if (!haste || !started_at) return malformed("it does not say when it began");
  out.haste = static_cast<Haste>(*haste);
  out.started_at = Instant{*started_at};
  if (const auto deadline = number_in(value, "deadline")) out.deadline = Instant{*deadline};
  auto kept = read_kept(member_of(value, "kept"));
  if (!kept) return malformed("what it keeps is not text");
  out.kept = std::move(*kept);
  return out;
}

// The answer's own JSON has a line of its own, so that it may be as deep as any other.
std::string reply_text(const Result<Answer>& reply, const Kept& kept) {
  JsonObject head;
  if (!kept.empty()) head["kept"] = kept_json(kept);
  if (!reply) {
    head["error"] = error_json(reply.error());
    return to_line(head);
  }
  head["answer"] = head_json(*reply);
  return cat(to_line(head), "\n", to_line(reply->json));
}

Result<Answer> read_reply(std::string_view text, Kept& kept) {
  const auto end = std::min(text.find('\n'), text.size());
  const auto head = parse_json(text.substr(0, end));
  if (!head) return not_understood();
  auto now_kept = read_kept(member_of(*head, "kept"));
  if (!now_kept) return not_understood();
  if (const auto& told = member_of(*head, "error"); !told.is_null()) {
    auto error = read_error(told);
    if (!error) return not_understood();
    kept = std::move(*now_kept);
    return fail(std::move(*error));
  }
  auto answer = read_head(member_of(*head, "answer"));
  if (!answer || end == text.size()) return not_understood();
  auto json = parse_json(text.substr(end + 1));
  if (!json) return not_understood();
  answer->json = std::move(*json);
  kept = std::move(*now_kept);
  return std::move(*answer);
}

}  // namespace townpost::wire
