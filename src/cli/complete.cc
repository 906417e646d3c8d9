#include "cli/complete.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "cli/parse.h"

namespace townpost {

namespace {

constexpr std::array<std::string_view, 3> kLists = {"queue", "channel", "group"};

/// Only what begins as the word does, each once, in order.
std::vector<Candidate> fitting(std::vector<Candidate> all, std::string_view begun) {
  std::erase_if(all, [&](const Candidate& one) { return !one.word.starts_with(begun); });
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.word < b.word; });
  all.erase(std::unique(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.word == b.word; }),
            all.end());
  return all;
}

/// Another word for what is called something else: who begins with it is helped, nobody is offered all of them.
bool is_synonym(const OpEntry& entry) {
  const auto verb = [](std::string_view name) { return name.substr(name.rfind('.') + 1); };
  return verb(entry.name) != verb(entry.op().name);
}

/// The words that may follow `group` ("" or "mail") in the names of commands, where one was begun.
std::vector<Candidate> next_words(std::string_view group, std::string_view begun) {
  std::vector<Candidate> out;
  const auto table = op_table();
  const auto fits = [&](const OpEntry& entry) {
    return entry.name.starts_with(group.empty() ? std::string(begun) : cat(group, ".", begun));
  };
  const bool is_begun =
      std::any_of(table.begin(), table.end(), [&](const OpEntry& entry) { return fits(entry) && !is_synonym(entry); });
  for (const auto& entry : table) {
    if (!fits(entry) || (is_begun && is_synonym(entry))) continue;
    auto rest = entry.name;
    if (!group.empty()) {
      if (!rest.starts_with(cat(group, "."))) continue;
      rest.remove_prefix(group.size() + 1);
    }
    const auto dot = rest.find('.');
    out.push_back(
        {std::string(rest.substr(0, dot)), dot == std::string_view::npos ? std::string(entry.op().summary) : ""});
  }
  return out;
}

std::string text_in(const Json& entry, std::string_view key) {
  const auto* object = entry.if_object();
  const auto* value = object ? object->if_contains(boost::json::string_view(key.data(), key.size())) : nullptr;
  return value && value->is_string() ? std::string(value->get_string()) : "";
}

/// What a list of the town holds, by two of its columns.
std::vector<Candidate> listed(const AskTown& ask, std::string_view op_name, std::string_view word,
                              std::string_view what) {
  std::vector<Candidate> out;
  const Op* op = find_op(op_name);
  if (!op) return out;
  for (const auto& entry : ask(*op)) out.push_back({text_in(entry, word), text_in(entry, what)});
  return out;
}

std::vector<Candidate> addresses(const AskTown& ask) { return listed(ask, "mail.directory", "address", "description"); }

/// Names of lists: of the kind that the command is about, else of each.
std::vector<Candidate> names_of_lists(const Op& op, const AskTown& ask) {
  std::vector<Candidate> out;
  const bool about_one =
      std::any_of(kLists.begin(), kLists.end(), [&](auto kind) { return op.name.starts_with(cat(kind, ".")); });
  for (auto& one : addresses(ask)) {
    const auto colon = one.word.find(':');
    if (colon == std::string::npos || (about_one && !op.name.starts_with(cat(one.word.substr(0, colon), "."))))
      continue;
    out.push_back({one.word.substr(colon + 1), std::move(one.what)});
  }
  return out;
}

std::vector<Candidate> values_of(const Op& op, const Arg& arg, const AskTown& ask) {
  std::vector<Candidate> out;
  switch (arg.kind) {
    case ArgKind::choice:
      for (const auto choice : arg.choices) out.push_back({std::string(choice), ""});
      return out;
    case ArgKind::priority:
      for (int level = 0; level <= 4; ++level)
        out.push_back({std::string(name(static_cast<Priority>(level))), std::to_string(level)});
      return out;
    case ArgKind::address:
      return addresses(ask);
    case ArgKind::message_id:
      return listed(ask, "mail.inbox", "id", "subject");
    case ArgKind::nudge_id:
      return listed(ask, "nudge.list", "id", "text");
    case ArgKind::list_name:
      return names_of_lists(op, ask);
    default:
      return out;
  }
}

/// The options of every command, besides its own.
struct CommonOption {
  std::string_view name;
  std::string_view what;
  bool takes_value = false;
};
constexpr std::array<CommonOption, 6> kCommon = {{{"--as", "Speak for this agent", true},
                                                  {"--town", "The town's folder", true},
                                                  {"--json", "Print JSON"},
                                                  {"--quiet", "Print only ids"},
                                                  {"--color", "Colours: auto, always or never", true},
                                                  {"--help", "Show help"}}};

const Arg* option_called(const Op& op, std::string_view word) {
  for (const auto& arg : op.args)
    if (!arg.positional && (word == long_option(arg) || (arg.letter && word == cat("-", arg.letter)))) return &arg;
  return nullptr;
}

/// Where the last word stands: behind an option that takes it as its value, or among the positional words.
class Place {
 public:
  Place(const Op& op, const std::vector<std::string>& words) : op_(op) {
    for (std::size_t i = 0; i + 1 < words.size(); ++i) read(words[i]);
    const auto& last = words.back();
    const auto equals = last.find('=');
    if (!awaited_ && last.starts_with("--") && equals != std::string::npos) {
      read(last.substr(0, equals));
      if (awaited_) typed_as_option_ = last.substr(0, equals + 1);
    }
  }

  std::vector<Candidate> candidates(const std::string& last, const AskTown& ask) const {
    if (awaited_) {
      auto out = value_ ? values_of(op_, *value_, ask) : option_ == "--as" ? addresses(ask) : std::vector<Candidate>();
      out = fitting(std::move(out), last.substr(typed_as_option_.size()));
      for (auto& one : out) one.word.insert(0, typed_as_option_);
      return out;
    }
    if (only_words_ || !last.starts_with("-")) {
      const auto* arg = positional();
      auto out = arg ? values_of(op_, *arg, ask) : std::vector<Candidate>();
      if (positional_ == 0)
        for (auto& word : next_words(op_.name, last)) out.push_back(std::move(word));
      return fitting(std::move(out), last);
    }
    std::vector<Candidate> out;
    for (const auto& arg : op_.args)
      if (!arg.positional) out.push_back({long_option(arg), std::string(arg.help)});
    for (const auto& option : kCommon) out.push_back({std::string(option.name), std::string(option.what)});
    return fitting(std::move(out), last);
  }

 private:
  void read(const std::string& word) {
    if (awaited_) {
      awaited_ = false;
      return;
    }
    if (only_words_ || !word.starts_with("-") || word == "-") {
      ++positional_;
    } else if (word == "--") {
      only_words_ = true;
    } else {
      option_ = word;
      value_ = option_called(op_, word);
      const auto common =
          std::find_if(kCommon.begin(), kCommon.end(), [&](const auto& option) { return option.name == word; });
      awaited_ = value_ ? value_->kind != ArgKind::flag && value_->bare.empty()
                        : common != kCommon.end() && common->takes_value;
    }
  }

  const Arg* positional() const {
    std::size_t at = 0;
    for (const auto& arg : op_.args) {
      if (!arg.positional) continue;
      if (at == positional_ || arg.many) return &arg;
      ++at;
    }
    return nullptr;
  }

  const Op& op_;
  std::size_t positional_ = 0;
  bool only_words_ = false;
  bool awaited_ = false;
  const Arg* value_ = nullptr;
  std::string option_;
  std::string typed_as_option_;
};

}  // namespace

std::vector<Candidate> complete(const std::vector<std::string>& words, const AskTown& ask) {
  if (words.empty()) return {};
  const std::vector<std::string> before(words.begin(), words.end() - 1);
  const auto found = find_command(before);
  if (!found) return {};
  if (!found->op) {
    std::string group = found->group;
    std::replace(group.begin(), group.end(), ' ', '.');
    return fitting(next_words(group, words.back()), words.back());
  }
  auto rest = found->rest;
  rest.push_back(words.back());
  return Place(*found->op, rest).candidates(words.back(), ask);
}

}  // namespace townpost
