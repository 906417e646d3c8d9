#include "post/people/list_names.h"

#include "base/text.h"
#include "post/people/resolve.h"

namespace townpost {

namespace {

/// "group", "queue" or "channel" if something has this name; else empty.
Result<std::string> kind_of(Ledger& ledger, std::string_view wanted) {
  TRY(group, ledger.find_group(wanted));
  if (group) return std::string("group");
  TRY(queue, ledger.find_queue(wanted));
  if (queue) return std::string("queue");
  TRY(channel, ledger.find_channel(wanted));
  return std::string(channel ? "channel" : "");
}

Result<std::vector<std::string>> names_of(Ledger& ledger, ListKind kind) {
  std::vector<std::string> out;
  if (kind == ListKind::group) {
    TRY(groups, ledger.groups());
    for (const auto& group : groups) out.push_back(group.name);
  } else if (kind == ListKind::queue) {
    TRY(queues, ledger.queues());
    for (const auto& queue : queues) out.push_back(queue.name);
  } else {
    TRY(channels, ledger.channels());
    for (const auto& channel : channels) out.push_back(channel.name);
  }
  return out;
}

}  // namespace

std::string_view name(ListKind kind) {
  switch (kind) {
    case ListKind::group:
      return "group";
    case ListKind::queue:
      return "queue";
    case ListKind::channel:
      return "channel";
  }
  return "";
}

Result<> check_new_list(Ledger& ledger, ListKind kind, std::string_view wanted) {
  const std::string shown = for_terminal_line(shorten(to_utf8(wanted), 80));
  if (!is_list_name(wanted))
    return fail(Code::usage, cat("\"", shown, "\" is not a name for a ", name(kind)),
                "names are 1 to 64 of a-z 0-9 _ - and start with a letter or digit");
  if (is_role_word(wanted) || is_registry_pattern({std::string(wanted)}) || wanted == "rig" || wanted == "townpost")
    return fail(Code::usage, cat("\"", shown, "\" is a word of the address grammar"), "choose another name");
  TRY(taken, kind_of(ledger, wanted));
  if (taken == name(kind))
    return fail(Code::refused, cat(taken, " ", wanted, " already exists"),
                next(cat(taken, ".show"), {{"name", std::string(wanted)}}));
  if (!taken.empty())
    return fail(Code::refused, cat("\"", wanted, "\" is already the name of a ", taken), "choose another name");
  auto agent = resolve_one(ledger, wanted);
  if (agent)
    return fail(Code::refused,
                agent->address.str() == wanted ? cat(wanted, " is the name of an agent")
                                               : cat("\"", wanted, "\" already means ", agent->address.str()),
                "choose another name");
  if (agent.error().code != Code::not_found) return Failure(agent.error());
  return {};
}

Result<> check_number_of_lists(ListKind kind, std::int64_t made, const Agent& maker) {
  constexpr std::int64_t kMost = 100;
  if (made < kMost) return {};
  return fail(Code::refused,
              cat(maker.address.str(), " has made ", made, " ", name(kind), "s; at most ", kMost, " are allowed"),
              "delete one with " + next(cat(name(kind), ".delete"), {}, ", or ask a person to make it"));
}

Result<> check_case(Ledger& ledger, const Address& wanted, std::optional<AgentId> itself) {
  TRY(agents, ledger.agents());
  for (const auto& agent : agents)
    if (agent.address != wanted && agent.id != itself && lower_ascii(agent.address.str()) == lower_ascii(wanted.str()))
      return fail(Code::refused, cat("there is ", agent.address.str(), ", which ", wanted.str(), " would be taken for"),
                  cat("use ", agent.address.str(), ", or choose another name"));
  return {};
}

Result<> check_new_flat_name(Ledger& ledger, std::string_view wanted) {
  if (const auto word = lower_ascii(wanted); word != wanted && (is_role_word(word) || word == "townpost"))
    return fail(Code::refused, cat("\"", wanted, "\" would be taken for ", word), "choose another name");
  TRY(taken, kind_of(ledger, wanted));
  if (taken.empty()) return {};
  return fail(Code::refused, cat("\"", wanted, "\" is already the name of a ", taken), "choose another name");
}

std::string list_name(ListKind kind, std::string_view text) {
  const std::string_view prefix = name(kind);
  if (text.starts_with(cat(prefix, ":"))) return std::string(text.substr(prefix.size() + 1));
  if (kind == ListKind::group && text.starts_with('@')) return std::string(text.substr(1));
  return std::string(text);
}

std::string list_bead(ListKind kind, std::string_view name) { return cat("hq-", townpost::name(kind), "-", name); }

std::string_view name_in_bead(ListKind kind, std::string_view id) {
  const auto before = list_bead(kind, "");
  return id.starts_with(before) ? id.substr(before.size()) : std::string_view();
}

Failure no_such_list(Ledger& ledger, ListKind kind, std::string_view wanted) {
  std::vector<std::string> known;
  if (auto names = names_of(ledger, kind)) known = std::move(*names);
  return fail(Code::not_found, cat(name(kind), " not found: \"", for_terminal_line(shorten(to_utf8(wanted), 80)), "\""),
              did_you_mean(wanted, known, next(cat(name(kind), ".list"), {}, " shows them")));
}

}  // namespace townpost
