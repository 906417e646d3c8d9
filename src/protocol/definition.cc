#include "protocol/definition.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/text.h"

namespace townpost::protocol {

namespace {

constexpr std::string_view kTypes = "types.";
constexpr std::string_view kFields = "fields.";
constexpr std::size_t kLongestWord = 64;
constexpr std::size_t kMostFields = 64;
constexpr std::size_t kLongestCommand = 4096;

bool is_type_name(std::string_view name) {
  return name.size() >= 2 && name.size() <= kLongestWord && name[0] >= 'A' && name[0] <= 'Z' &&
         std::all_of(name.begin(), name.end(), [](char byte) {
           return (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') || byte == '_';
         });
}

/// Names that a subject uses for something else.
bool is_taken(std::string_view name) {
  return name == "RE" || name == "FW" || name == "FWD" || name == "UNKNOWN" || name == "TYPE";
}

bool is_one_line(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char byte) { return static_cast<unsigned char>(byte) < 0x20; });
}

Result<std::string> text_of(const DefinitionDraft::Entry& entry, std::size_t longest) {
  const auto* text = std::get_if<std::string>(&entry.entry.value);
  if (!text || text->empty() || text->size() > longest || !is_one_line(*text) || trim(*text) != *text)
    return fail(Code::usage, cat(entry.key, " must be a text of one line, at most ", longest, " bytes"));
  return *text;
}

Result<bool> flag_of(const DefinitionDraft::Entry& entry) {
  const auto* flag = std::get_if<bool>(&entry.entry.value);
  if (!flag) return fail(Code::usage, cat(entry.key, " must be true or false"));
  return *flag;
}

Result<> set_dialect(const DefinitionDraft::Entry& entry, ProtocolType& type) {
  TRY(text, text_of(entry, kLongestWord));
  for (const Dialect dialect : {Dialect::gas_town, Dialect::agent_mail, Dialect::own})
    if (text == name(dialect)) {
      type.dialect = dialect;
      return {};
    }
  return fail(Code::usage, "dialect must be gas_town, agent_mail or own");
}

Result<> set_outcome(const DefinitionDraft::Entry& entry, ProtocolType& type) {
  TRY(text, text_of(entry, kLongestWord));
  if (text != "success" && text != "failure") return fail(Code::usage, "completes must be success or failure");
  type.outcome = text == "success" ? Outcome::success : Outcome::failure;
  return {};
}

Result<> set_text(const DefinitionDraft::Entry& entry, Definition& into) {
  const auto* text = std::get_if<std::string>(&entry.entry.value);
  if (!text || trim(*text).empty()) return fail(Code::usage, "text must be a text");
  into.type.text = into.words.emplace_back(trim(*text));
  return {};
}

/// A program and its arguments, as they will be started: by no shell.
Result<> set_command(const DefinitionDraft::Entry& entry, Definition& into) {
  const auto* words = std::get_if<TomlFile::Words>(&entry.entry.value);
  if (!words)
    return fail(Code::usage, "handler must be a list of a command and its arguments, like [\"notify\", \"deploy\"]");
  std::size_t bytes = 0;
  for (const std::string& word : *words) {
    if (word.find('\0') != std::string::npos) return fail(Code::usage, "handler contains a NUL byte");
    bytes += word.size() + 1;
  }
  if (words->empty() || trim(words->front()).empty()) return fail(Code::usage, "handler names no command");
  if (bytes > kLongestCommand) return fail(Code::usage, cat("handler has more than ", kLongestCommand, " bytes"));
  into.command = *words;
  return {};
}

Result<> set(const DefinitionDraft::Entry& entry, Definition& into) {
  struct TextKey {
    std::string_view key;
    std::string_view ProtocolType::*member;
    std::size_t longest;
  };
  constexpr std::array kTexts = {
      TextKey{"summary", &ProtocolType::summary, 200},
      TextKey{"subject", &ProtocolType::subject, 200},
      TextKey{"from", &ProtocolType::sender, kLongestWord},
      TextKey{"to", &ProtocolType::receiver, kLongestWord},
      TextKey{"topic_from", &ProtocolType::topic_from, kLongestWord},
  };
  struct FlagKey {
    std::string_view key;
    bool ProtocolType::*member;
  };
  constexpr std::array kFlags = {
      FlagKey{"ack", &ProtocolType::ack},         FlagKey{"transient", &ProtocolType::transient},
      FlagKey{"nudge", &ProtocolType::nudge},     FlagKey{"needs_answer", &ProtocolType::needs_answer},
      FlagKey{"answers", &ProtocolType::answers},
  };
  for (const TextKey& known : kTexts)
    if (entry.key == known.key) {
      TRY(text, text_of(entry, known.longest));
      into.type.*known.member = into.words.emplace_back(std::move(text));
      return {};
    }
  for (const FlagKey& known : kFlags)
    if (entry.key == known.key) {
      TRY(flag, flag_of(entry));
      into.type.*known.member = flag;
      return {};
    }
  if (entry.key == "dialect") return set_dialect(entry, into.type);
  if (entry.key == "completes") return set_outcome(entry, into.type);
  if (entry.key == "text") return set_text(entry, into);
  if (entry.key == "handler") return set_command(entry, into);
  if (entry.key.starts_with(kFields)) {
    const auto* declaration = std::get_if<std::string>(&entry.entry.value);
    const std::string_view label = into.words.emplace_back(entry.key.substr(kFields.size()));
    if (!declaration)
      return fail(Code::usage, cat("the field ", label, " must be described by a text, like \"text, required\""));
    if (into.fields.size() == kMostFields) return fail(Code::usage, cat("more than ", kMostFields, " fields"));
    TRY(field, define_field(label, into.words.emplace_back(*declaration), into.words));
    into.fields.push_back(field);
    return {};
  }
  if (entry.key == "fields")
    return fail(Code::usage, "the fields of a type are a table: fields.version = \"text, required\"");
  std::vector<std::string> known = {"dialect", "completes", "text", "handler", "fields"};
  for (const TextKey& key : kTexts) known.emplace_back(key.key);
  for (const FlagKey& key : kFlags) known.emplace_back(key.key);
  const auto meant = nearest(entry.key, known, 1);
  return fail(Code::usage, cat("a type has no \"", for_terminal_line(shorten(entry.key, 40)), "\"",
                               meant.empty() ? "" : cat("; did you mean ", meant[0], "?")));
}

}  // namespace

Error in_line(int line, std::string_view what) { return {Code::usage, cat("line ", line, ": ", what), {}, {}}; }

std::vector<DefinitionDraft> drafts_in(const TomlFile& file, Beside beside,
                                       const std::function<void(const Error&)>& refuse) {
  std::map<std::string, DefinitionDraft, std::less<>> drafts;
  const auto draft_of = [&drafts](std::string_view key, int line) -> DefinitionDraft& {
    const std::string_view type = key.substr(kTypes.size(), key.find('.', kTypes.size()) - kTypes.size());
    DefinitionDraft& draft = drafts[std::string(type)];
    if (draft.name.empty()) draft.line = line;
    draft.name = type;
    draft.line = std::min(draft.line, line);
    return draft;
  };
  for (const auto& [key, line] : file.tables())
    if (key.starts_with(kTypes)) draft_of(key, line);
  auto entries = file.entries();
  // No key of a type takes a number, so that one stands for every value that is not even that.
  for (const auto& [key, line] : file.others())
    if (beside == Beside::nothing || key.starts_with(kTypes)) entries[key] = {std::int64_t{0}, line};
  for (const auto& [key, entry] : entries) {
    if (key == "types" || (key.starts_with(kTypes) && key.find('.', kTypes.size()) == std::string::npos)) {
      refuse(in_line(entry.line, cat(for_terminal_line(shorten(key, 80)), " must be a table: [types.NAME]")));
    } else if (key.starts_with(kTypes)) {
      DefinitionDraft& draft = draft_of(key, entry.line);
      draft.entries.push_back({key.substr(kTypes.size() + draft.name.size() + 1), entry});
    } else if (beside == Beside::nothing) {
      refuse(
          in_line(entry.line, cat("only [types.NAME] tables belong here, not ", for_terminal_line(shorten(key, 80)))));
    }
  }
  std::vector<DefinitionDraft> out;
  for (auto& [name, draft] : drafts) {
    std::stable_sort(draft.entries.begin(), draft.entries.end(),
                     [](const auto& a, const auto& b) { return a.entry.line < b.entry.line; });
    out.push_back(std::move(draft));
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.line < b.line; });
  return out;
}

Result<std::shared_ptr<const Definition>> define(const DefinitionDraft& draft, std::string_view file) {
  const auto refuse = [&draft](int line, std::string_view what) {
    return fail(in_line(line, cat("types.", for_terminal_line(shorten(draft.name, 80)), ": ", what)));
  };
  if (!is_type_name(draft.name))
    return refuse(draft.line, "a type is named by two or more of A-Z 0-9 _, the first a letter");
  if (is_taken(draft.name)) return refuse(draft.line, "that word has a meaning of its own");

  auto definition = std::make_shared<Definition>();
  definition->file = file;
  ProtocolType& type = definition->type;
  type.name = definition->words.emplace_back(draft.name);
  type.sender = type.receiver = "any";
  for (const auto& entry : draft.entries)
    if (auto done = set(entry, *definition); !done) return refuse(entry.entry.line, done.error().message);
  if (type.subject.empty()) type.subject = definition->words.emplace_back(cat(type.name, " <topic>"));
  if (auto sound = check_fields(definition->fields, type.dialect); !sound)
    return refuse(draft.line, sound.error().message);
  type.fields = definition->fields;
  type.command = definition->command;
  if (!type.topic_from.empty()) {
    const Field* field = type.field(type.topic_from);
    if (field == nullptr || field->is_section() || field->kind == Kind::list)
      return refuse(draft.line, cat("topic_from: there is no one-line field ", type.topic_from));
  }
  return std::shared_ptr<const Definition>(std::move(definition));
}

}  // namespace townpost::protocol
