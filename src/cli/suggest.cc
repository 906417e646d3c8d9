#include "cli/suggest.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.h"
#include "cli/spell.h"
#include "ops/op.h"
#include "ops/reference.h"

namespace townpost {

namespace {

using Words = std::vector<std::string>;

constexpr std::size_t kMostMeant = 3;

std::string_view last_word(std::string_view name) { return name.substr(name.rfind('.') + 1); }

std::string_view group_of(std::string_view name) {
  const auto dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(0, dot);
}

/// Whoever typed something else is not led to what cannot be brought back.
bool takes_away(const Op& op) {
  static constexpr std::array<std::string_view, 7> kVerbs = {"delete", "remove",     "drop",     "close",
                                                             "recall", "quarantine", "uninstall"};
  return op.effect == Effect::destroys || std::find(kVerbs.begin(), kVerbs.end(), last_word(op.name)) != kVerbs.end();
}

/// "to=@town,body=TEXT" as arguments of a call.
NextCall call_of(const OpHint& hint) {
  NextCall out{std::string(hint.op().name), {}, ""};
  if (hint.args.empty()) return out;
  for (const auto part : split(hint.args, ',')) {
    const auto equals = part.find('=');
    out.args.emplace_back(part.substr(0, equals),
                          equals == std::string_view::npos ? "" : std::string(part.substr(equals + 1)));
  }
  return out;
}

std::string command(std::string_view name) { return spelled(NextCall{std::string(name), {}, ""}, nullptr); }

/// A name that works, as it is best typed: its own if it only says where the command is, else the command's.
std::string spelled_entry(const OpEntry& entry) {
  const auto table = op_table();
  const auto first_word = entry.name.substr(0, entry.name.find('.'));
  const bool in_a_group_of_ours = std::any_of(table.begin(), table.end(), [&](const OpEntry& other) {
    return other.name == other.op().name && other.name.substr(0, other.name.find('.')) == first_word;
  });
  const bool is_same_word = last_word(entry.name) == last_word(entry.op().name);
  return command(is_same_word && in_a_group_of_ours ? entry.name : entry.op().name);
}

const OpHint* find_hint(std::string_view name) {
  const auto hints = op_hints();
  const auto found = std::find_if(hints.begin(), hints.end(), [&](const OpHint& hint) { return hint.name == name; });
  return found == hints.end() ? nullptr : &*found;
}

/// What is meant by exactly this name; nothing if it is none, or takes something away.
std::optional<std::string> meant_by(std::string_view name) {
  if (const auto* hint = find_hint(name)) return spelled(call_of(*hint), nullptr);
  const auto* entry = find_entry(name);
  if (!entry || takes_away(entry->op())) return std::nullopt;
  return spelled_entry(*entry);
}

bool is_group(std::string_view word) {
  const auto table = op_table();
  return std::any_of(table.begin(), table.end(),
                     [&](const OpEntry& entry) { return entry.name.starts_with(cat(word, ".")); });
}

/// What may follow in a group, whatever works there or is tried there: last words of names.
Words words_in(std::string_view group) {
  Words out;
  const auto take = [&](std::string_view name) {
    if (group_of(name) == group) out.emplace_back(last_word(name));
  };
  for (const auto& entry : op_table())
    if (!takes_away(entry.op())) take(entry.name);
  for (const auto& hint : op_hints()) take(hint.name);
  return out;
}

std::string in_group(std::string_view group, std::string_view word) {
  return group.empty() ? std::string(word) : cat(group, ".", word);
}

/// Each once, and no more than somebody reads.
void add(Words& meant, std::optional<std::string> one) {
  if (one && meant.size() < kMostMeant && std::find(meant.begin(), meant.end(), *one) == meant.end())
    meant.push_back(std::move(*one));
}

/// "check-mail", "send_message", "mail.send", "list_agents": commands that were written as one word.
Words taken_apart(const std::string& word) {
  std::string spaced = word;
  for (char& c : spaced)
    if (c == '-' || c == '_' || c == '.' || c == ':') c = ' ';
  Words parts;
  for (const auto part : split(spaced, ' '))
    if (!part.empty()) parts.emplace_back(part);
  Words meant;
  if (parts.size() < 2) return meant;
  const auto singular = [](const std::string& part) {
    return part.ends_with('s') ? part.substr(0, part.size() - 1) : part;
  };
  for (const auto& first : parts)
    for (const auto& second : parts)
      if (&first != &second)
        if (meant.empty()) add(meant, meant_by(cat(singular(first), ".", second)));
  for (const auto& part : parts)
    for (const auto* group : {"", "mail"}) {
      if (!meant.empty() || is_group(part)) continue;
      const auto* entry = find_entry(in_group(group, part));
      add(meant, entry && !takes_away(entry->op()) ? command(entry->op().name) : meant_by(in_group(group, part)));
    }
  return meant;
}

/// Commands whose last word it is, in whatever group.
Words verbs(std::string_view word) {
  Words meant;
  for (const auto& entry : op_table())
    if (entry.name == entry.op().name && last_word(entry.name) == word && !takes_away(entry.op()))
      add(meant, command(entry.name));
  return meant;
}

/// Slips of the finger in the word that follows `group`; of several that are as near, the first.
Words misspelled(std::string_view group, const std::string& word, const Words& behind) {
  Words meant;
  auto known = words_in(group);
  if (group.empty())  // a group whose command comes next is rather meant than any word
    for (const auto& entry : op_table())
      if (const auto name = entry.name.substr(0, entry.name.find('.')); is_group(name)) known.emplace_back(name);
  for (const auto& near : nearest(word, known, kMostMeant)) {
    const auto name = in_group(group, near);
    if (!behind.empty() && is_group(name)) add(meant, meant_by(cat(name, ".", behind.front())));
    if (meant.empty()) add(meant, is_group(name) && !find_entry(name) ? command(name) : meant_by(name));
    if (!meant.empty()) break;
  }
  return meant;
}

/// A position, or an id: what is typed behind the name of a command that was left out.
bool stands_for_a_message(std::string_view word) {
  const auto reference = Reference::parse(word);
  return reference && (!reference->places.empty() || word.starts_with("hq-m-"));
}

Words meant(const Words& words) {
  for (std::size_t count = std::min<std::size_t>(words.size(), 3); count > 0; --count)
    if (auto exactly = meant_by(join(Words(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count)), ".")))
      return {*exactly};
  std::size_t at = 0;
  std::string group;
  while (at + 1 < words.size() && is_group(in_group(group, words[at]))) group = in_group(group, words[at++]);
  const auto& word = words[at];
  const Words behind(words.begin() + static_cast<std::ptrdiff_t>(at) + 1, words.end());
  if (group == "mail" && stands_for_a_message(word))
    return {spelled(NextCall{"mail.read", {{"id", word}}, ""}, nullptr)};
  if (auto out = misspelled(group, word, behind); !out.empty()) return out;
  if (auto out = taken_apart(word); !out.empty()) return out;
  if (auto out = verbs(word); !out.empty()) return out;
  if (group.empty()) return {};
  const auto elsewhere = meant_by(word);
  return elsewhere ? Words{*elsewhere} : Words{};
}

}  // namespace

std::string suggestion_for(const std::vector<std::string>& words) {
  Words lower;
  for (const auto& word : words) lower.push_back(lower_ascii(word));
  const auto candidates = lower.empty() ? Words{} : meant(lower);
  if (candidates.empty()) {
    std::string group;
    for (const auto& word : lower)
      if (is_group(in_group(group, word)))
        group = in_group(group, word);
      else
        break;
    std::replace(group.begin(), group.end(), '.', ' ');
    return cat("gt ", group, group.empty() ? "" : " ", "--help lists the commands");
  }
  std::string out = "did you mean ";
  for (std::size_t i = 0; i < candidates.size(); ++i)
    out += cat(i == 0 ? "" : i + 1 == candidates.size() ? " or " : ", ", candidates[i]);
  return out + "?";
}

}  // namespace townpost
