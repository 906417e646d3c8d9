#include "delivery/claude/transcript.h"

#include <unistd.h>

#include <algorithm>
#include <deque>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "base/files.h"
#include "base/json.h"
#include "base/text.h"

namespace townpost {

namespace {

constexpr off_t kTail = 4 << 20;

std::optional<std::string> tail_of(const std::filesystem::path& path) {
  const FileDescriptor file = open_to_read(path);  // an agent named it: it may be anything
  if (!file) return std::nullopt;
  const off_t size = ::lseek(file.get(), 0, SEEK_END);
  if (size < 0) return std::nullopt;
  ::lseek(file.get(), size > kTail ? size - kTail : 0, SEEK_SET);
  auto text = read_all(file.get(), 2 * static_cast<std::size_t>(kTail));
  if (!text) return std::nullopt;
  return std::move(*text);
}

const Json* member(const Json* value, const char* key) {
  const auto* object = value ? value->if_object() : nullptr;
  return object ? object->if_contains(key) : nullptr;
}

std::string_view text_at(const Json* value, const char* key) {
  const auto* found = member(value, key);
  return found && found->is_string() ? std::string_view(found->get_string()) : std::string_view();
}

/// A line of the conversation. Each one follows another; those that follow the same one are branches.
struct Line {
  enum class Kind {
    typed,     ///< a person's prompt: until there is an answer, Esc takes it back into the input line
    prompt,    ///< of the harness itself, as when a waiting hook woke it: never taken back
    answer,    ///< the model's words, or what its tools said
    beside,    ///< what goes with a prompt or an answer
    unspoken,  ///< noted for people: the model does not get it
  };
  Kind kind = Kind::unspoken;
  bool is_proof = false;          ///< it holds the id in what a hook or the harness put before the model
  const Line* follows = nullptr;  ///< always an older one

  bool begins_a_turn() const { return kind == Kind::typed || kind == Kind::prompt; }
};

Line::Kind kind_of_user(const Json& line) {
  const auto* content = member(member(&line, "message"), "content");
  if (const auto* parts = content ? content->if_array() : nullptr)
    for (const auto& part : *parts)
      if (text_at(&part, "type") == "tool_result") return Line::Kind::answer;
  const auto origin = text_at(member(&line, "origin"), "kind");
  if (!origin.empty()) return origin == "human" ? Line::Kind::typed : Line::Kind::prompt;
  const bool of_harness =
      content && content->is_string() && std::string_view(content->get_string()).starts_with("<task-notification>");
  return of_harness ? Line::Kind::prompt : Line::Kind::typed;
}

Line::Kind kind_of(const Json& line) {
  const auto type = text_at(&line, "type");
  if (type == "user") return kind_of_user(line);
  if (type == "assistant") return Line::Kind::answer;
  if (type != "attachment") return Line::Kind::unspoken;
  // What a hook printed is noted even if the model never got it.
  const auto what = text_at(member(&line, "attachment"), "type");
  const bool is_report =
      what.starts_with("hook_") && what != "hook_additional_context" && what != "hook_blocking_error";
  return is_report ? Line::Kind::unspoken : Line::Kind::beside;
}

/// Whether what a line holds was put before the model by a hook, or by a prompt that a waiting hook set off. Words that
/// a person typed, a tool printed or the model said may name an id, too: that proves nothing.
bool is_handed_over(const Json& line, Line::Kind kind) {
  if (kind == Line::Kind::prompt) return true;
  const auto* attachment = member(&line, "attachment");
  const auto what = text_at(attachment, "type");
  if (what == "queued_command") return text_at(attachment, "commandMode") == "task-notification";
  return what == "hook_additional_context" || what == "hook_blocking_error";
}

/// The lines of the conversation, oldest first. Others stand between them, such as the requests to the model: they are
/// there even if the request was broken off. A subagent's words are no part of it.
std::deque<Line> lines_of(std::string_view text, std::string_view id) {
  std::deque<Line> out;
  std::unordered_map<std::string, const Line*> by_uuid;
  for (const auto line : split(text, '\n')) {
    if (line.find("\"uuid\"") == std::string_view::npos) continue;
    const auto json = parse_json(line);  // the first and the last may be only half there
    if (!json) continue;
    const std::string uuid(text_at(&*json, "uuid"));
    const auto* aside = member(&*json, "isSidechain");
    if (uuid.empty() || (aside && aside->is_bool() && aside->get_bool())) continue;
    std::string before(text_at(&*json, "parentUuid"));
    if (before.empty()) before = text_at(&*json, "logicalParentUuid");  // a compaction came between
    const auto known = by_uuid.find(before);
    const auto kind = kind_of(*json);
    out.push_back({.kind = kind,
                   .is_proof = line.find(id) != std::string_view::npos && is_handed_over(*json, kind),
                   .follows = known == by_uuid.end() ? nullptr : known->second});
    by_uuid[uuid] = &out.back();
  }
  return out;
}

/// The newest line and all that it follows: what the model is told at its next request.
std::unordered_set<const Line*> current_of(const std::deque<Line>& lines) {
  const Line* newest = lines.empty() ? nullptr : &lines.back();
  const Line* spoken = newest;
  while (spoken && !spoken->begins_a_turn() && spoken->kind != Line::Kind::answer) spoken = spoken->follows;
  // Nothing is written when a person takes a prompt back: its lines stay the newest until the next prompt is written,
  // which is after that one's first hook, and may be after its last.
  if (spoken && spoken->kind == Line::Kind::typed) newest = spoken->follows;
  std::unordered_set<const Line*> out;
  for (const Line* line = newest; line; line = line->follows) out.insert(line);
  return out;
}

/// A line that nothing follows belongs to the conversation if its turn does: of tools that run at once, only the words
/// of one are followed.
bool is_within(const std::unordered_set<const Line*>& current, const Line& line) {
  for (const Line* at = &line; at; at = at->follows) {
    if (current.contains(at)) return true;
    if (at->begins_a_turn()) return false;
  }
  return false;
}

}  // namespace

std::optional<bool> transcript_shows(const std::filesystem::path& transcript, std::string_view id) {
  if (transcript.empty()) return std::nullopt;
  const auto text = tail_of(transcript);
  if (!text) return std::nullopt;
  if (text->find(id) == std::string::npos) return false;
  const auto lines = lines_of(*text, id);
  const auto current = current_of(lines);
  return std::any_of(lines.begin(), lines.end(),
                     [&](const Line& line) { return line.is_proof && is_within(current, line); });
}

}  // namespace townpost
