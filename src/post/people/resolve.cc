#include "post/people/resolve.h"

#include <algorithm>
#include <set>

#include "base/advice.h"
#include "base/text.h"
#include "post/people/list_names.h"
#include "post/people/membership.h"
#include "post/people/registry.h"
#include "post/values/address_slips.h"

namespace townpost {

namespace {

using Kind = Destination::Kind;

std::vector<std::string> names_of(const std::vector<Agent>& agents) {
  std::vector<std::string> out;
  for (const auto& agent : agents)
    if (!agent.address.name().empty()) out.push_back(agent.address.name());
  return out;
}

/// Whether somebody or something is written to by it: only that is suggested.
bool is_there(Ledger& ledger, std::string_view address);

Failure unknown_address(Ledger& ledger, std::string_view wanted, std::string_view what, NextStep otherwise) {
  const auto shown = for_terminal_line(wanted);
  if (wanted == "me" || wanted == "self" || wanted == "myself")
    return fail(Code::not_found, cat("unknown ", what, " \"", shown, "\""),
                next("mail.send", {{"self", "true"}}, " sends to yourself"));
  if (const auto meant = address_meant_by(wanted); meant == kAnyRig || is_there(ledger, meant))
    return fail(Code::not_found, cat("unknown ", what, " \"", shown, "\""), cat("did you mean ", meant, "?"));
  std::vector<std::string> known;
  if (auto everyone = deliverable(ledger)) {
    for (const auto& agent : *everyone) known.push_back(agent.address.str());
    // A misspelled bare name is near a worker's name, not near the whole address.
    for (const auto& near : nearest(wanted, names_of(*everyone)))
      for (const auto& agent : *everyone)
        if (agent.address.name() == near && agent.address.str() != near)
          return fail(Code::not_found, cat("unknown ", what, " \"", for_terminal_line(wanted), "\""),
                      cat("did you mean ", agent.address.str(), "?"));
  }
  return fail(Code::not_found, cat("unknown ", what, " \"", for_terminal_line(wanted), "\""),
              did_you_mean(wanted, known, std::move(otherwise)));
}

/// An @name that is neither a pattern nor a group: what is near may be either, or an agent.
Failure unknown_group(Ledger& ledger, std::string_view wanted, const std::string& name) {
  std::vector<std::string> known;
  if (const auto groups = ledger.groups())
    for (const auto& group : *groups) known.push_back("@" + group.name);
  if (const auto near = nearest("@" + name, known); !near.empty())
    return fail(Code::not_found, "", cat("did you mean ", join(near, ", "), "?"));
  return unknown_address(ledger, address_meant_by(wanted).empty() ? std::string_view(name) : wanted, "recipient",
                         next("mail.directory", {}, " lists every address"));
}

Failure ambiguous(std::string_view wanted, const std::vector<Agent>& candidates) {
  std::vector<std::string> names;
  names.reserve(candidates.size());
  for (const auto& agent : candidates) names.push_back(agent.address.str());
  return fail(Code::usage, cat("\"", for_terminal_line(wanted), "\" is ambiguous: ", join(names, ", ")),
              "write the whole address");
}

bool is_worker(Role role) { return role == Role::polecat || role == Role::crew || role == Role::dog; }

/// The mailbox of a canonical address, if it exists: registered, or a singleton of a known rig (then with id 0).
Result<std::optional<Agent>> existing(Ledger& ledger, const Address& address) {
  TRY(found, ledger.find_agent(address.str()));
  const bool rig_singleton = address.role() == Role::witness || address.role() == Role::refinery;
  if (found && (!found->removed_at || rig_singleton)) {
    if (!rig_singleton) return found;
  } else if (!rig_singleton) {
    return std::optional<Agent>();
  }
  TRY(rigs, ledger.rigs());
  const bool known = std::any_of(rigs.begin(), rigs.end(), [&](const Rig& rig) { return rig.name == address.rig(); });
  // A witness that wrote before its rig was added is there, too.
  if (!known && !(found && !found->removed_at)) return std::optional<Agent>();
  if (found) return found;
  return std::optional<Agent>(Agent{.id = {}, .address = address});
}

/// The one registered worker that `fits`; nothing if there is none.
template <class Fits>
Result<std::optional<Agent>> only_worker(Ledger& ledger, std::string_view wanted, Fits fits) {
  TRY(agents, ledger.agents());
  std::vector<Agent> candidates;
  for (const auto& agent : agents)
    if (is_worker(agent.address.role()) && fits(agent.address)) candidates.push_back(agent);
  if (candidates.size() > 1) return ambiguous(wanted, candidates);
  if (candidates.empty()) return std::optional<Agent>();
  return std::optional<Agent>(candidates.front());
}

/// The mailbox that a destination stands for if it stands for one; nothing if there is no such mailbox.
Result<std::optional<Agent>> single(Ledger& ledger, const Destination& destination) {
  const auto& s = destination.segments;
  switch (destination.kind) {
    case Kind::mailbox: {
      TRY(address, Address::parse(destination.text));
      return existing(ledger, address);
    }
    case Kind::rig_worker: {
      TRY(worker,
          only_worker(ledger, destination.text, [&](const Address& a) { return a.rig() == s[0] && a.name() == s[1]; }));
      if (worker) return worker;
      TRY(alias, ledger.find_agent(destination.text));
      return alias;
    }
    case Kind::role_worker: {
      const Role role = s[0] == "crew" ? Role::crew : Role::polecat;
      return only_worker(ledger, destination.text,
                         [&](const Address& a) { return a.role() == role && a.name() == s[1]; });
    }
    case Kind::bare_name: {
      TRY(address, Address::parse(s[0]));
      TRY(flat, existing(ledger, address));
      if (flat) return flat;
      return only_worker(ledger, destination.text, [&](const Address& a) { return a.name() == s[0]; });
    }
    default:
      return fail(Code::usage, cat("\"", destination.text, "\" is not the address of one mailbox"),
                  next("mail.directory", {}, " lists them"));
  }
}

bool is_there(Ledger& ledger, std::string_view address) {
  const auto destination = Destination::parse(address);
  if (!destination) return false;
  const auto found = [](const auto& result) { return result && result->has_value(); };
  const auto& name = destination->segments.empty() ? destination->text : destination->segments[0];
  switch (destination->kind) {
    case Kind::group:
      return found(ledger.find_group(name));
    case Kind::queue:
      return found(ledger.find_queue(name));
    case Kind::channel:
      return found(ledger.find_channel(name));
    case Kind::pattern:
      return is_registry_pattern(destination->segments) || found(ledger.find_group(name));
    case Kind::wildcard:
      return true;  // of whoever is there by then
    default:
      return found(single(ledger, *destination));
  }
}

Result<Agent> create(Ledger& ledger, const Destination& destination, Instant now) {
  auto address = Address::parse(destination.kind == Kind::bare_name ? destination.segments[0] : destination.text);
  if (!address) return Failure(address.error());
  if (!address->rig().empty()) {
    TRY(rigs, ledger.rigs());
    if (std::none_of(rigs.begin(), rigs.end(), [&](const Rig& rig) { return rig.name == address->rig(); }))
      return fail(Code::not_found, cat("no rig \"", address->rig(), "\""),
                  next("rig.add", {{"name", address->rig()}, {"path", "PATH"}}, " makes it"));
  }
  return ensure_agent(ledger, *address, now);
}

/// A singleton that is written to for the first time gets its row now.
Result<Agent> with_mailbox(Ledger& ledger, const Agent& agent, Instant now) {
  if (agent.id.key != 0 && !agent.removed_at) return agent;
  return ensure_agent(ledger, agent.address, now);
}

}  // namespace

NextStep did_you_mean(std::string_view wanted, const std::vector<std::string>& known, NextStep otherwise) {
  const auto near = nearest(wanted, known);
  if (near.empty()) return otherwise;
  return cat("did you mean ", join(near, ", "), "?");
}

Result<Agent> resolve_one(Ledger& ledger, std::string_view name) {
  TRY(destination, Destination::parse(name));
  return resolve_one(ledger, destination, name);
}

Result<Agent> resolve_one(Ledger& ledger, const Destination& destination, std::string_view name) {
  TRY(found, single(ledger, destination));
  if (!found) return unknown_address(ledger, name, "agent", next("mail.directory", {}, " lists every address"));
  return *found;
}

Result<std::vector<Agent>> deliverable(Ledger& ledger) {
  TRY(agents, ledger.agents());
  std::vector<Agent> out;
  for (const auto& agent : agents)
    if (agent.address.role() != Role::system) out.push_back(agent);
  TRY(rigs, ledger.rigs());
  for (const auto& rig : rigs)
    for (const auto* role : {"witness", "refinery"}) {
      TRY(address, Address::parse(cat(rig.name, "/", role)));
      if (std::none_of(out.begin(), out.end(), [&](const Agent& a) { return a.address == address; }))
        out.push_back(Agent{.id = {}, .address = address});
    }
  std::sort(out.begin(), out.end(), [](const Agent& a, const Agent& b) { return a.address < b.address; });
  return out;
}

std::vector<LiveSession> unregistered(std::vector<LiveSession> live, const std::vector<Agent>& everyone) {
  std::erase_if(live, [&](const LiveSession& session) {
    const auto address = Address::parse(session.name);
    return !address || address->role() != Role::session ||
           std::any_of(everyone.begin(), everyone.end(),
                       [&](const Agent& agent) { return agent.address == *address || agent.session == session.uri; });
  });
  return live;
}

std::string about(const LiveSession& session) {
  return session.is_agents ? cat(session.program, " runs in it; registered by its first mail")
                           : cat(session.program, " runs in it, no agent; a person may write to it");
}

namespace {

Result<Resolved> to_group(Ledger& ledger, const Group& group, Instant now) {
  Resolved out{.spelling = "group:" + group.name, .is_list = true};
  TRY(expansion, expand_group(ledger, group));
  if (expansion.too_large) return too_many_groups(group.name);
  for (const auto& agent : expansion.agents) {
    if (agent.address.role() == Role::system) continue;
    TRY(member, with_mailbox(ledger, agent, now));
    out.members.push_back(member);
  }
  if (out.members.empty())
    return fail(Code::not_found, cat("group ", group.name, " has no members now"),
                next("group.add", {{"name", group.name}, {"member", "MEMBER"}}));
  out.unmatched = std::move(expansion.unmatched);
  return out;
}

Result<Resolved> to_queue(const Queue& queue) {
  if (queue.state == QueueState::closed)
    return fail(Code::refused, cat("queue ", queue.name, " is closed"),
                next("queue.resume", {{"name", queue.name}}, " opens it again, by a person or a coordinator"));
  return Resolved{.spelling = "queue:" + queue.name, .queue = queue};
}

Result<Resolved> to_channel(const Channel& channel) {
  if (channel.closed)
    return fail(Code::refused, cat("channel ", channel.name, " is closed"),
                next("channel.reopen", {{"name", channel.name}}, " opens it again, by its maker or a person"));
  return Resolved{.spelling = "channel:" + channel.name, .channel = channel};
}

/// The group, queue or channel that a destination names by its kind.
Result<Resolved> to_named_list(Ledger& ledger, const Destination& destination, Instant now) {
  const auto& name = destination.segments[0];
  if (destination.kind == Kind::queue) {
    TRY(queue, ledger.find_queue(name));
    if (!queue) return no_such_list(ledger, ListKind::queue, name);
    return to_queue(*queue);
  }
  if (destination.kind == Kind::channel) {
    TRY(channel, ledger.find_channel(name));
    if (!channel) return no_such_list(ledger, ListKind::channel, name);
    return to_channel(*channel);
  }
  TRY(group, ledger.find_group(name));
  if (!group) return no_such_list(ledger, ListKind::group, name);
  return to_group(ledger, *group, now);
}

/// A bare name that is a group, queue or channel; nothing if it is none. `agent` says whether it is an agent's, too.
Result<std::optional<Resolved>> to_list(Ledger& ledger, const std::string& name, bool agent, Instant now) {
  TRY(group, ledger.find_group(name));
  TRY(queue, ledger.find_queue(name));
  TRY(channel, ledger.find_channel(name));
  std::vector<std::string> kinds;
  if (agent) kinds.push_back("agent:" + name);
  if (group) kinds.push_back("group:" + name);
  if (queue) kinds.push_back("queue:" + name);
  if (channel) kinds.push_back("channel:" + name);
  if (kinds.size() > 1)
    return fail(Code::usage, cat("\"", name, "\" has several meanings"), cat("write ", join(kinds, " or ")));
  if (agent || kinds.empty()) return std::optional<Resolved>();
  TRY(resolved, group ? to_group(ledger, *group, now) : queue ? to_queue(*queue) : to_channel(*channel));
  return std::optional(std::move(resolved));
}

}  // namespace

namespace {

/// Whether a name stands for a live session if one has it: a bare one that is nobody's in the town.
Result<bool> may_be_a_session(Ledger& ledger, const Destination& destination) {
  if (destination.kind != Kind::bare_name || destination.agents_only) return false;
  TRY(found, single(ledger, destination));
  if (found) return false;
  const auto& name = destination.segments[0];
  TRY(group, ledger.find_group(name));
  TRY(queue, ledger.find_queue(name));
  TRY(channel, ledger.find_channel(name));
  return !group && !queue && !channel;
}

/// A session becomes an agent when an agent's program runs in it, or a person writes to it.
Result<std::optional<Agent>> registered_session(Ledger& ledger, const std::string& name, const SeenSessions& seen,
                                                Instant now, Unknown unknown) {
  const auto found = std::find_if(seen.sessions.begin(), seen.sessions.end(),
                                  [&](const LiveSession& session) { return session.name == name; });
  if (found == seen.sessions.end()) return std::optional<Agent>();
  if (!found->is_agents && !seen.by_a_person) {
    if (unknown == Unknown::create) return std::optional<Agent>();
    return fail(Code::refused,
                cat("\"", name, "\" is a tmux session in which ", for_terminal_line(found->program),
                    " runs, and no agent that is known"),
                "a person may register it: " + next("agent.add", {{"address", name}, {"session", found->uri}}));
  }
  TRY(address, Address::parse(name));
  TRY(agent, ensure_agent(ledger, address, now));
  agent.session = found->uri;
  TRY_VOID(ledger.update_agent(agent));
  return std::optional(std::move(agent));
}

}  // namespace

Result<SeenSessions> look_for_sessions(Town& town, const std::vector<std::string>& names, const Caller& caller,
                                       std::string_view argument) {
  SeenSessions out{.sessions = {}, .by_a_person = caller.is_person()};
  if (names.size() > kMostRecipients)
    return fail_argument(std::string(argument), cat(names.size(), " names; at most ", kMostRecipients, " are allowed"),
                         "name a group, or post to a channel");
  std::set<std::string> wanted;
  for (const auto& name : names)
    if (const auto destination = Destination::parse(name); destination && destination->kind == Kind::bare_name)
      wanted.insert(name);
  if (wanted.empty()) return out;
  TRY_VOID(town.store.read([&, asked = std::move(wanted)](Ledger& ledger) -> Result<> {
    wanted.clear();
    for (const auto& name : asked) {
      TRY(destination, Destination::parse(name));
      const auto may = may_be_a_session(ledger, destination);  // what is ambiguous is told by whoever resolves it
      if (may.value_or(false)) wanted.insert(destination.segments[0]);
    }
    return {};
  }));
  if (!wanted.empty()) out.sessions = town.machine.named(wanted);
  return out;
}

Result<Resolved> resolve(Ledger& ledger, std::string_view name, const SeenSessions& seen, Instant now,
                         Unknown unknown) {
  TRY(destination, Destination::parse(name));
  Resolved out{.spelling = destination.text};
  if (destination.kind == Kind::group || destination.kind == Kind::queue || destination.kind == Kind::channel)
    return to_named_list(ledger, destination, now);
  if (destination.kind == Kind::pattern && !is_registry_pattern(destination.segments)) {
    TRY(group, ledger.find_group(destination.segments[0]));
    if (group) return to_group(ledger, *group, now);
    auto none = unknown_group(ledger, name, destination.segments[0]);
    none.value().message = cat("unknown recipient \"", destination.text, "\": no group of that name");
    return none;
  }

  if (destination.kind == Kind::pattern || destination.kind == Kind::wildcard) {
    out.is_list = true;
    TRY(everyone, deliverable(ledger));
    for (const auto& agent : everyone) {
      const bool match = destination.kind == Kind::pattern ? matches_pattern(destination.segments, agent.address)
                                                           : matches_wildcard(destination.segments, agent.address);
      if (!match) continue;
      TRY(member, with_mailbox(ledger, agent, now));
      out.members.push_back(member);
    }
    if (!out.members.empty()) return out;
    return fail(Code::not_found, cat("\"", destination.text, "\" matches nobody"),
                next("mail.directory", {}, " lists every address"));
  }
  TRY(found, single(ledger, destination));
  if (destination.kind == Kind::bare_name && !destination.agents_only) {
    TRY(list, to_list(ledger, destination.segments[0], found.has_value(), now));
    if (list) return std::move(*list);
  }
  if (!found && destination.kind == Kind::bare_name && !destination.agents_only) {
    TRY(session, registered_session(ledger, destination.segments[0], seen, now, unknown));
    found = session;
  }
  if (!found && unknown == Unknown::create) {
    TRY(made, create(ledger, destination, now));
    found = made;
  }
  if (!found)
    return unknown_address(
        ledger, name, "recipient",
        next("mail.directory", {},
             cat(" lists every address; ", called("agent.add", {{"address", "NAME"}}), " makes a new one")));
  if (found->address.role() == Role::system)
    return fail(Code::refused, "townpost writes notices and reads no mail", "write to the person or agent concerned");
  TRY(agent, with_mailbox(ledger, *found, now));
  out.spelling = agent.address.str();
  out.members.push_back(agent);
  return out;
}

}  // namespace townpost
