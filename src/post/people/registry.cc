#include "post/people/registry.h"

#include <algorithm>

#include "base/text.h"
#include "post/people/list_names.h"
#include "post/people/resolve.h"
#include "post/people/surroundings.h"
#include "post/people/tokens.h"
#include "post/values/session_uri.h"

namespace townpost {

namespace {

Result<std::optional<Rig>> find_rig(Ledger& ledger, std::string_view name) {
  TRY(rigs, ledger.rigs());
  for (const auto& rig : rigs)
    if (rig.name == name) return rig;
  return std::optional<Rig>();
}

Failure no_rig(std::string_view name, const std::vector<Rig>& rigs) {
  std::vector<std::string> names;
  names.reserve(rigs.size());
  for (const auto& rig : rigs) names.push_back(rig.name);
  return fail(Code::not_found, cat("no rig \"", for_terminal_line(shorten(to_utf8(name), 80)), "\""),
              did_you_mean(name, names, next("rig.list", {}, " shows them")));
}

Failure no_agent(std::string_view name) {
  return fail(Code::not_found, cat("no agent \"", for_terminal_line(shorten(to_utf8(name), 80)), "\""),
              next("agent.list", {}, " shows them"));
}

bool is_prefix(std::string_view text) {
  return !text.empty() && text.size() <= 12 &&
         std::all_of(text.begin(), text.end(), [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); });
}

/// The kinds of mailbox that exist without being registered.
bool is_singleton(Role role) {
  return role == Role::human || role == Role::system || role == Role::mayor || role == Role::deacon ||
         role == Role::witness || role == Role::refinery;
}

}  // namespace

std::string derive_prefix(std::string_view rig_name, const std::vector<std::string>& taken) {
  const std::string letters = [&] {
    std::string out;
    for (const char c : lower_ascii(rig_name))
      if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) out += c;
    return out.empty() ? std::string("rig") : out;
  }();
  auto is_free = [&](const std::string& prefix) {
    return prefix != "hq" && std::find(taken.begin(), taken.end(), prefix) == taken.end();
  };
  for (std::size_t size = 2; size <= letters.size() && size <= 12; ++size)
    if (auto prefix = letters.substr(0, size); is_free(prefix)) return prefix;
  for (int number = 2;; ++number)
    if (auto prefix = cat(letters.substr(0, 8), number); is_free(prefix)) return prefix;
}

Result<Rig> Registry::add_rig(const NewRig& wanted) {
  if (!is_segment(wanted.name) || is_role_word(wanted.name) || wanted.name.front() == '-')
    return fail(Code::usage,
                cat("\"", for_terminal_line(shorten(to_utf8(wanted.name), 80)), "\" is not a name for a rig"),
                "use 1 to 64 of A-Z a-z 0-9 _ . - and no role word such as mayor or crew");
  if (!wanted.prefix.empty() && (!is_prefix(wanted.prefix) || wanted.prefix == "hq"))
    return fail(Code::usage, cat("\"", for_terminal_line(shorten(to_utf8(wanted.prefix), 80)), "\" is not a prefix"),
                "use 1 to 12 of a-z 0-9; hq is the town's own");
  std::optional<Rig> added;
  TRY_VOID(town_.store.write([&](Ledger& ledger) -> Result<> {
    TRY(rigs, ledger.rigs());
    std::vector<std::string> prefixes;
    for (const auto& rig : rigs) {
      if (rig.name == wanted.name)
        return fail(Code::refused, cat("rig ", rig.name, " already exists: it is ", for_terminal_line(rig.path)),
                    next("rig.remove", {{"name", rig.name}}, " first, to add it again; the repository is untouched"));
      if (rig.prefix == wanted.prefix)
        return fail(Code::refused, cat("prefix ", rig.prefix, " belongs to rig ", rig.name),
                    "choose another with " + next("", {{"prefix", ""}}));
      prefixes.push_back(rig.prefix);
    }
    added = Rig{wanted.name,         wanted.prefix.empty() ? derive_prefix(wanted.name, prefixes) : wanted.prefix,
                wanted.path,         wanted.target,
                wanted.test_command, town_.clock.now()};
    ledger.ring(BellKey::registry());
    return ledger.add_rig(*added);
  }));
  return *added;
}

Result<std::vector<Rig>> Registry::rigs() {
  return read_value(town_.store, [](Ledger& ledger) { return ledger.rigs(); });
}

Result<Rig> Registry::rig(std::string_view name) {
  TRY(all, rigs());
  for (const auto& rig : all)
    if (rig.name == name) return rig;
  return no_rig(name, all);
}

Result<> Registry::remove_rig(std::string_view name) {
  return town_.store.write([&](Ledger& ledger) -> Result<> {
    TRY(rigs, ledger.rigs());
    TRY(found, find_rig(ledger, name));
    if (!found) return no_rig(name, rigs);
    TRY(agents, ledger.agents());
    for (const auto& agent : agents)
      if (agent.address.rig() == name && !is_singleton(agent.address.role()))
        return fail(Code::refused, cat("rig ", name, " still has ", agent.address.str()),
                    next("agent.remove", {{"address", agent.address.str()}}, " first"));
    TRY_VOID(end_tokens_of_rig(ledger, name, town_.clock.now()));
    ledger.ring(BellKey::registry());
    return ledger.remove_rig(name);
  });
}

Result<Agent> ensure_agent(Ledger& ledger, const Address& address, Instant now) {
  TRY(found, ledger.find_agent(address.str()));
  if (found && !found->removed_at) return *found;
  if (address.role() == Role::session) TRY_VOID(check_new_flat_name(ledger, address.name()));
  TRY_VOID(check_case(ledger, address));
  if (found) {
    found->removed_at.reset();
    found->created_at = now;
    TRY_VOID(ledger.update_agent(*found));
    return *found;
  }
  Agent agent{.id = {}, .address = address, .created_at = now};
  TRY(id, ledger.add_agent(agent));
  agent.id = id;
  return agent;
}

namespace {

/// That the rig of a worker is there.
Result<> check_rig(Ledger& ledger, const Address& address) {
  if (address.rig().empty()) return {};
  TRY(rigs, ledger.rigs());
  TRY(rig, find_rig(ledger, address.rig()));
  if (rig) return {};
  auto failure = no_rig(address.rig(), rigs);
  auto& error = failure.value();
  error.hint = error.next ? "" : cat(error.hint, " ");  // what may have been meant
  error.next = NextCall{"rig.add", {{"name", address.rig()}, {"path", "PATH"}}, " makes it"};
  return failure;
}

Result<> check_session(const std::string& uri) {
  if (uri.empty()) return {};
  for (const std::string_view kind : {"tmux:", "opencode:", "codex:", "http:", "https:"})
    if (uri.starts_with(kind) && uri.size() > kind.size()) return {};
  return fail(Code::usage,
              cat("\"", for_terminal_line(shorten(to_utf8(shown_session(uri)), 80)), "\" is not a session"),
              "sessions look like tmux:NAME, tmux:%5 or opencode:http://127.0.0.1:4096#ses_1");
}

/// An agent may say where it runs itself, as far as tmux can confirm it: anything else would lead what is meant for it,
/// or the authority of whoever sits there, somewhere else.
Result<> check_own_session(Town& town, const Registry::NewAgent& wanted, const Caller& caller) {
  const std::string& session = wanted.session;
  if (wanted.no_session && !caller.is_person())  // its shell would be the human next
    return fail(Code::forbidden, "only a person may take an agent's session from it",
                "a person does it from another terminal: " +
                    next("agent.add", {{"address", caller.address.str()}, {"session", "none"}}));
  if (session.empty() || caller.coordinates()) return {};
  const auto own = town.machine.own_pane();
  if (own && (session == own->uri() || session == own->session_uri())) return {};
  return fail(Code::forbidden, cat(caller.address.str(), " may register no session but the pane it runs in"),
              own ? cat("that is ", own->uri(), "; ask the human for another") : "ask the human");
}

void leave_session(Agent& agent) {
  agent.session.clear();
  agent.pane_process.clear();
  agent.harness.clear();  // that was said of this terminal
}

/// Takes the session from whoever had it, and notes where it is.
Result<> move_session(Ledger& ledger, const Agent& agent, const std::string& session, const std::string& host,
                      Instant now) {
  TRY(agents, ledger.agents());
  for (auto& other : agents) {
    if (other.id == agent.id || other.session != session) continue;
    other.session.clear();
    TRY_VOID(ledger.update_agent(other));
  }
  if (host.empty()) return {};
  TRY(known, ledger.presence(agent.id));
  if (known && known->session == session && known->host == host) return {};
  return ledger.set_presence(
      {.agent = agent.id, .session = session, .host = host, .started_at = now, .since = now, .last_activity = now});
}

}  // namespace

Result<Agent> Registry::add_agent(NewAgent wanted, const Caller& caller) {
  TRY(address, Address::parse(wanted.address));
  TRY_VOID(check_session(wanted.session));
  if (address.role() == Role::system)
    return fail(Code::refused, "townpost is the town's own voice", "choose another name");
  if (address.role() == Role::human)
    return fail(Code::refused, "the human is not an agent and needs no registration", "choose another name");
  TRY_VOID(check_own_session(town_, wanted, caller));
  // A session may have other panes, which are somebody else's: an agent has only the one it is in.
  if (!caller.is_person() && !wanted.session.empty())
    if (const auto own = town_.machine.own_pane(); own && wanted.session == own->session_uri()) {
      wanted.session = own->uri();
      wanted.pane_process = first_process_of(*own);
    }
  std::optional<Agent> out;
  TRY_VOID(town_.store.write([&](Ledger& ledger) -> Result<> {
    TRY_VOID(check_rig(ledger, address));
    TRY(agent, ensure_agent(ledger, address, town_.clock.now()));
    if (!wanted.session.empty()) {
      TRY_VOID(move_session(ledger, agent, wanted.session, wanted.host, town_.clock.now()));
      if (agent.session != wanted.session) agent.harness.clear();  // that was said of another terminal
      agent.session = wanted.session;
      agent.pane_process = wanted.pane_process;
    }
    if (wanted.no_session) leave_session(agent);
    if (!wanted.harness.empty()) agent.harness = wanted.harness;
    if (!wanted.description.empty()) agent.description = wanted.description;
    if (!wanted.start_command.empty()) agent.start_command = wanted.start_command;
    if (!wanted.resume_command.empty()) agent.resume_command = wanted.resume_command;
    if (wanted.start_on != StartOn::never) agent.start_on = wanted.start_on;
    TRY_VOID(ledger.update_agent(agent));
    ledger.ring(BellKey::registry());
    out = agent;
    return {};
  }));
  return *out;
}

Result<std::vector<Agent>> Registry::agents() {
  return read_value(town_.store, [](Ledger& ledger) { return ledger.agents(); });
}

Result<std::vector<LiveSession>> Registry::sessions() {
  auto live = town_.machine.all();
  TRY(everyone, read_value(town_.store, [](Ledger& ledger) { return deliverable(ledger); }));
  return unregistered(std::move(live), everyone);
}

Result<Agent> Registry::agent(std::string_view address) {
  return read_value(town_.store, [&](Ledger& ledger) { return resolve_one(ledger, address); });
}

Result<std::vector<std::string>> Registry::aliases(const Agent& agent) {
  return read_value(town_.store, [&](Ledger& ledger) { return ledger.aliases(agent.id); });
}

Result<> Registry::remove_agent(std::string_view address) {
  return town_.store.write([&](Ledger& ledger) -> Result<> {
    TRY(agent, resolve_one(ledger, address));
    if (is_singleton(agent.address.role()) && agent.address.rig().empty())
      return fail(Code::refused, cat(agent.address.str(), " belongs to every town and cannot be removed"),
                  "leave it; mail to it waits until it is read");
    agent.removed_at = town_.clock.now();
    leave_session(agent);  // who is added again under its name is somewhere else
    TRY_VOID(end_tokens_of(ledger, agent.id, *agent.removed_at));
    TRY(line, ledger.pending_nudges(agent.id));
    for (const auto& nudge : line)
      TRY_VOID(end_nudge(ledger, nudge, NudgeState::dropped, "its target was removed", *agent.removed_at));
    ledger.ring(BellKey::registry());
    return ledger.update_agent(agent);
  });
}

namespace {

Result<> check_no_singleton(const Address& address) {
  if (!is_singleton(address.role())) return {};
  return fail(Code::refused, cat(address.str(), " has one holder and cannot be another's name"),
              "only workers and sessions can be renamed");
}

/// A name that is to be given up, in full, and the agent that has it. Nobody has it if only the name is left.
struct OldName {
  Address address;
  std::optional<Agent> holder;
};

/// What `text` means as an old name: a name in full before what it is short for.
Result<OldName> old_name_of(Ledger& ledger, std::string_view text) {
  auto in_full = Address::parse(text);
  if (in_full) {
    TRY(exact, ledger.find_agent(in_full->str()));
    if (exact) return OldName{*in_full, std::move(exact)};
  }
  auto meant = resolve_one(ledger, text);
  if (meant) return OldName{meant->address, *meant};
  if (in_full && meant.error().code == Code::not_found) return OldName{*in_full, std::nullopt};
  return Failure(meant.error());
}

Failure is_its_name(const Address& address) {
  return fail(Code::usage, cat(address.str(), " is already its own name"), "name another one");
}

}  // namespace

Result<Registry::Renamed> Registry::alias(std::string_view old_name, std::string_view new_name) {
  TRY(new_address, Address::parse(new_name));
  TRY_VOID(check_no_singleton(new_address));
  const auto spelled = Address::parse(old_name);
  if (spelled && *spelled == new_address) return is_its_name(new_address);
  std::optional<Renamed> out;
  TRY_VOID(town_.store.write([&](Ledger& ledger) -> Result<> {
    TRY(old, old_name_of(ledger, old_name));
    auto& [old_address, source] = old;
    TRY_VOID(check_no_singleton(old_address));
    if (old_address == new_address) return is_its_name(new_address);
    std::string merged;
    // OLD may be one of several names that it had: the one it has now becomes an old one, too.
    const auto former = source ? source->address : old_address;
    TRY(target, ledger.agent_at(new_address.str()));
    if (!target) {
      TRY(known, ledger.find_agent(new_address.str()));
      if (!source && !known) return no_agent(old_name);
      if (!source) source = known;
    }
    if (!target && new_address.role() == Role::session) TRY_VOID(check_new_flat_name(ledger, new_address.name()));
    if (!target) {
      TRY_VOID(check_rig(ledger, new_address));
      TRY_VOID(check_case(ledger, new_address, source->id));
    }
    if (!target) {  // a plain renaming: the same mailbox goes on under the new name
      source->address = new_address;
      source->removed_at.reset();
      TRY_VOID(ledger.update_agent(*source));
      target = source;
    } else {
      if (target->removed_at) {
        if (new_address.role() == Role::session) TRY_VOID(check_new_flat_name(ledger, new_address.name()));
        target->removed_at.reset();
        TRY_VOID(ledger.update_agent(*target));
      }
      if (source && source->id != target->id) {
        TRY_VOID(ledger.merge_mailboxes(source->id, target->id));
        source->removed_at = town_.clock.now();
        TRY_VOID(ledger.update_agent(*source));
        merged = former.str();
      }
    }
    TRY_VOID(ledger.remove_alias(new_address.str()));
    TRY_VOID(ledger.add_alias(old_address.str(), target->id));
    if (former != old_address && former != new_address) TRY_VOID(ledger.add_alias(former.str(), target->id));
    ledger.ring(BellKey::registry());
    out = Renamed{*target, merged};
    return {};
  }));
  return *out;
}

Result<Agent> Registry::release(std::string_view address, const Caller& caller) {
  std::optional<Agent> out;
  TRY_VOID(town_.store.write([&](Ledger& ledger) -> Result<> {
    TRY(agent, resolve_one(ledger, address));
    agent.held_since.reset();
    TRY_VOID(ledger.update_agent(agent));
    TRY(unread, ledger.unread_from(agent.id, Instant{0}));
    for (auto& copy : unread) {
      if (copy.held_by != "L3") continue;
      copy.held_by.clear();
      TRY_VOID(ledger.update_delivery(copy));
      ledger.ring(copy.mailbox);
    }
    TRY_VOID(ledger.add_event({.at = town_.clock.now(),
                               .kind = EventKind::sender_freed,
                               .agent = agent.id,
                               .detail = "by " + caller.address.str()}));
    ledger.ring(BellKey::registry());
    out = agent;
    return {};
  }));
  return *out;
}

}  // namespace townpost
