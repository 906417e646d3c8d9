#include "protocol/typed_message.h"

#include <algorithm>

#include "base/text.h"
#include "protocol/loose_json.h"
#include "protocol/values.h"

namespace townpost::protocol {

namespace {

/// Takes the members of a raw message; those of another kind are as good as not there, and strict mode says so.
class Members {
 public:
  explicit Members(const JsonObject& raw) : raw_(raw) {}

  std::string_view text(std::string_view key) {
    const auto* value = raw_.if_contains(key);
    if (value == nullptr || value->is_null()) return {};
    if (const auto* text = value->if_string()) return *text;
    problems.push_back({std::string(key), "it must be a text", 0});
    return {};
  }
  std::optional<bool> flag(std::string_view key) {
    const auto* value = raw_.if_contains(key);
    if (value == nullptr || value->is_null()) return std::nullopt;
    if (const auto* flag = value->if_bool()) return *flag;
    problems.push_back({std::string(key), "it must be true or false", 0});
    return std::nullopt;
  }
  bool has(std::string_view key) const { return raw_.contains(key); }

  std::vector<Problem> problems;

 private:
  const JsonObject& raw_;
};

/// "2026-01-31T10:30:00Z": seconds as most people write them, finer only where it is.
std::string utc(Instant at) {
  std::string out = rfc3339(at);
  if (out.ends_with(".000Z")) out.replace(out.size() - 5, 5, "Z");
  return out;
}

constexpr std::string_view kNoMessage = "a message is a JSON object";

Batch::Entry entry_of(const TypeRegistry& registry, const Json& raw, ParseOptions options, int place) {
  auto message = read_message(registry, raw, options);
  if (!message) return {std::nullopt, message.error().message, place};
  return {std::move(*message), {}, place};
}

JsonObject json_of(const Batch::Entry& entry, Batch::Shape shape) {
  if (entry.message) return entry.message->json();
  return {{"error", entry.error}, {shape == Batch::Shape::lines ? "line" : "index", entry.place}};
}

Batch read_lines(const TypeRegistry& registry, std::string_view input, ParseOptions options) {
  Batch batch{.shape = Batch::Shape::lines};
  int number = 0;
  for (const auto line : split(input, '\n')) {
    ++number;
    if (trim(line).empty()) continue;
    const auto raw = parse_json(line);
    batch.entries.push_back(raw ? entry_of(registry, *raw, options, number)
                                : Batch::Entry{std::nullopt, raw.error().message, number});
  }
  return batch;
}

/// Whether the text is lines of which the first is JSON by itself.
bool are_json_lines(std::string_view text) {
  const std::size_t end = text.find('\n');
  return end != std::string_view::npos && parse_json(text.substr(0, end)).has_value();
}

}  // namespace

JsonArray to_json(const std::vector<Problem>& problems) {
  JsonArray out;
  for (const Problem& problem : problems)
    out.push_back(JsonObject{{"field", problem.field}, {"message", problem.message}, {"line", problem.line}});
  return out;
}

JsonObject TypedMessage::json() const {
  JsonObject out = raw;
  if (out.contains("timestamp")) out["timestamp"] = timestamp ? Json(utc(*timestamp)) : Json(nullptr);
  if (!thread_id.empty()) out["thread_id"] = thread_id;
  out["ack_required"] = ack_required;
  out["acked"] = acked;
  out["type"] = parsed.type_name();
  out["dialect"] = parsed.type() ? Json(name(parsed.type()->dialect)) : Json(nullptr);
  out["parsed"] = parsed.json();
  out["problems"] = to_json(parsed.problems());
  return out;
}

Result<TypedMessage> read_message(const TypeRegistry& registry, const Json& raw, ParseOptions options) {
  if (!raw.is_object()) return fail(Code::usage, raw.is_null() ? "there is no message: null" : std::string(kNoMessage));
  TypedMessage message{.raw = raw.get_object()};
  Members members(message.raw);
  RawMessage letter{.subject = members.text("subject"),
                    .body = members.text(members.has("body_md") ? "body_md" : "body"),
                    .type = members.text(members.has("protocol_type") ? "protocol_type" : "type")};
  message.parsed = parse(registry, letter, options);
  message.thread_id = members.text("thread_id");
  if (message.thread_id.empty()) message.thread_id = message.parsed.thread();
  const ProtocolType* type = message.parsed.type();
  message.ack_required = members.flag("ack_required").value_or(type != nullptr && type->ack);
  message.acked = members.flag("acked").value_or(false);

  const std::string_view timestamp = members.text("timestamp");
  message.timestamp = parse_instant(trim(timestamp));
  if (!timestamp.empty() && !is_instant(timestamp))
    members.problems.push_back({"timestamp", "it is not an instant like 2026-01-31T10:30:00Z", 0});
  if (options.strictness == Strictness::strict)
    for (Problem& problem : members.problems) message.parsed.add_problem(std::move(problem));
  return message;
}

std::size_t Batch::messages() const {
  return static_cast<std::size_t>(
      std::count_if(entries.begin(), entries.end(), [](const Entry& entry) { return entry.message.has_value(); }));
}

Json Batch::json() const {
  if (shape == Shape::one && entries.size() == 1) return json_of(entries.front(), shape);
  JsonArray out;
  for (const Entry& entry : entries) out.push_back(json_of(entry, shape));
  return out;
}

std::string Batch::str() const {
  const Json all = json();
  if (shape != Shape::lines) return to_line(all) + "\n";
  std::string out;
  for (const Json& one : all.get_array()) out += to_line(one) + "\n";
  return out;
}

Result<Batch> read_batch(const TypeRegistry& registry, std::string_view input, ParseOptions options) {
  const std::string clean = readable_json(input);
  const std::string_view text = trim(clean);
  if (text.empty()) return fail(Code::usage, "there is no message: the input is empty", std::string(kNoMessage));
  const auto whole = parse_json(text);
  if (!whole) {
    if (are_json_lines(text)) return read_lines(registry, clean, options);
    return fail(whole.error());
  }
  Batch batch;
  if (const auto* array = whole->if_array()) {
    batch.shape = Batch::Shape::array;
    int place = 0;
    for (const Json& raw : *array) batch.entries.push_back(entry_of(registry, raw, options, place++));
    return batch;
  }
  TRY(message, read_message(registry, *whole, options));
  batch.entries.push_back({std::move(message), {}, 0});
  return batch;
}

}  // namespace townpost::protocol
