#include "post/identity.h"

#include "base/files.h"
#include "base/json.h"
#include "base/text.h"
#include "post/resolve.h"

namespace townpost {

namespace {

std::optional<std::string> nearest_agent_file(const std::filesystem::path& from) {
  for (auto at = from;; at = at.parent_path()) {
    if (auto text = read_file(at / ".gt-agent", 4096)) return *text;
    if (!at.has_parent_path() || at == at.parent_path()) return std::nullopt;
  }
}

Result<std::string> needs(const std::string& role, std::string_view variable, const std::optional<std::string>& value) {
  if (value) return *value;
  return fail(Code::usage, cat("GT_ROLE is ", role, " but ", variable, " is not set"),
              cat("set ", variable, ", or write the whole address into GT_ROLE"));
}

/// The address that a role word and its companions spell.
Result<std::string> spelled(const std::string& role, const std::optional<std::string>& rig, const IdentityInputs& in) {
  if (role == "mayor" || role == "deacon") return role + "/";
  if (role == "witness" || role == "refinery") {
    TRY(where, needs(role, "GT_RIG", rig));
    return cat(where, "/", role);
  }
  if (role == "polecat" || role == "crew") {
    TRY(where, needs(role, "GT_RIG", rig));
    TRY(who, role == "crew" ? needs(role, "GT_CREW", in.crew) : needs(role, "GT_POLECAT", in.polecat));
    return cat(where, role == "crew" ? "/crew/" : "/polecats/", who);
  }
  if (role == "dog") {
    TRY(who, needs(role, "GT_DOG_NAME", in.dog));
    return "deacon/dogs/" + who;
  }
  return fail(Code::usage, cat("GT_ROLE is \"", for_terminal_line(shorten(to_utf8(role), 80)), "\", which is no role"),
              "use mayor, deacon, witness, refinery, polecat, crew, dog, or a whole address");
}

Result<std::string> from_agent_file(const std::string& text) {
  auto wrong = [](std::string_view why) {
    return fail(Code::usage, cat(".gt-agent is not usable: ", why),
                "it should look like {\"role\":\"crew\",\"rig\":\"beads\",\"name\":\"max\"}");
  };
  auto json = parse_json(text);
  if (!json) return wrong(json.error().message);
  const auto* object = json->if_object();
  if (!object) return wrong("it is not a JSON object");
  auto member = [&](const char* key) -> std::optional<std::string> {
    const auto* value = object->if_contains(key);
    if (!value || !value->is_string() || value->get_string().empty()) return std::nullopt;
    return std::string(value->get_string());
  };
  IdentityInputs companions;
  companions.polecat = companions.crew = companions.dog = member("name");
  const auto role = member("role");
  if (!role) return wrong("\"role\" is missing");
  if (role->find('/') != std::string::npos) return *role;
  auto address = spelled(*role, member("rig"), companions);
  if (!address)
    return wrong(*role == "dog" ? "\"name\" is missing" : "\"rig\" or \"name\" is missing, or the role is unknown");
  return *address;
}

/// An address written into the environment may be a shorthand; a whole one need not be registered yet.
Result<Address> address_named(Ledger& ledger, const std::string& text, std::string_view where) {
  auto in_place = [&](Error error) {
    error.message = cat(where, ": ", error.message);
    return fail(std::move(error));
  };
  auto whole = Address::parse(text);
  if (whole && whole->role() == Role::session) {  // a bare name may be a worker's
    auto agent = resolve_one(ledger, text);
    if (agent) return agent->address;
    if (agent.error().code != Code::not_found) return in_place(agent.error());
  }
  if (whole) {
    TRY(known, ledger.find_agent(whole->str()));
    return known && !known->removed_at ? known->address : *whole;
  }
  auto agent = resolve_one(ledger, text);
  if (!agent) return in_place(agent.error());
  return agent->address;
}

/// The agent that is registered for the tmux pane the caller runs in.
Result<std::optional<Address>> pane_agent(Ledger& ledger, const IdentityInputs& in, Sessions& sessions) {
  if (!in.pane) return std::optional<Address>();
  TRY(agents, ledger.agents());
  bool by_name = false;
  for (const auto& agent : agents) {
    if (agent.session == "tmux:" + *in.pane) return std::optional<Address>(agent.address);
    by_name = by_name || agent.session.starts_with("tmux:");
  }
  if (!by_name) return std::optional<Address>();
  const auto own = sessions.own_session();
  for (const auto& agent : agents)
    if (own && agent.session == "tmux:" + *own) return std::optional<Address>(agent.address);
  return std::optional<Address>();
}

Result<std::optional<Caller>> from_environment(Ledger& ledger, const IdentityInputs& in) {
  std::optional<Caller> out;
  auto take = [&](const std::string& text, std::string_view where) -> Result<std::optional<Caller>> {
    TRY(address, address_named(ledger, text, where));
    return std::optional<Caller>(Caller{address, Grade::env});
  };
  if (in.role && in.role->find('/') != std::string::npos) return take(*in.role, "GT_ROLE");
  if (in.role) {
    TRY(text, spelled(*in.role, in.rig, in));
    return take(text, "GT_ROLE");
  }
  if (in.mail_identity) return take(*in.mail_identity, "MAIL_IDENTITY");
  if (in.actor) return take(*in.actor, "BD_ACTOR");
  return out;
}

/// The agent in whose session the caller runs, if that is known without its own word: by its supervisor or its pane.
Result<std::optional<Address>> session_agent(Ledger& ledger, const IdentityInputs& in, Sessions& sessions) {
  if (!in.supervised) return pane_agent(ledger, in, sessions);
  TRY(address, address_named(ledger, *in.supervised, "gt agent run"));
  return std::optional<Address>(address);
}

Result<Caller> identify_in(Ledger& ledger, const IdentityInputs& in, Sessions& sessions) {
  TRY(pane, session_agent(ledger, in, sessions));
  auto only_itself = [&](const Address& claimed, std::string_view how) -> Result<> {
    if (!pane || *pane == claimed) return {};
    return fail(Code::forbidden,
                cat("this ", in.supervised ? "session" : "pane", " belongs to ", pane->str(),
                    ", which may not speak as ", claimed.str(), " (", how, ")"),
                "an agent speaks only for itself");
  };
  if (in.flag) {
    auto agent = resolve_one(ledger, *in.flag);
    if (!agent) {
      Error error = agent.error();
      error.message = cat("--as: ", error.message);
      return fail(std::move(error));
    }
    TRY_VOID(only_itself(agent->address, "--as"));
    return Caller{agent->address, pane ? Grade::pane : Grade::flag};
  }
  TRY(named, from_environment(ledger, in));
  if (named) {
    TRY_VOID(only_itself(named->address, "environment"));
    if (pane) named->grade = Grade::pane;
    return *named;
  }
  if (pane) return Caller{*pane, Grade::pane};
  if (in.agent_file) {
    TRY(text, from_agent_file(*in.agent_file));
    TRY(address, address_named(ledger, text, ".gt-agent"));
    return Caller{address, Grade::env};
  }
  return Caller{Address::human(), Grade::env};
}

}  // namespace

IdentityInputs IdentityInputs::collect(const std::optional<std::string>& flag, const Environment& environment) {
  IdentityInputs in;
  in.flag = flag;
  in.role = environment.get("GT_ROLE");
  in.rig = environment.get("GT_RIG");
  in.polecat = environment.get("GT_POLECAT");
  in.crew = environment.get("GT_CREW");
  in.dog = environment.get("GT_DOG_NAME");
  in.mail_identity = environment.get("MAIL_IDENTITY");
  in.actor = environment.get("BD_ACTOR");
  in.pane = environment.get("TMUX_PANE");
  if (!in.flag && !in.role && !in.mail_identity && !in.actor)
    in.agent_file = nearest_agent_file(environment.working_folder());
  return in;
}

std::string IdentityInputs::key() const {
  std::uint64_t digest = digest64("identity");
  for (const auto& part : {flag, role, rig, polecat, crew, dog, mail_identity, actor, pane, supervised, agent_file})
    digest = digest64(part.value_or(""), digest64(part ? "\x01" : "\x02", digest));
  std::string hex;
  for (int shift = 60; shift >= 0; shift -= 4) hex += "0123456789abcdef"[digest >> shift & 15];
  return hex;
}

Result<Caller> identify(const IdentityInputs& inputs, Town& town) {
  TRY(caller, read_value(town.store, [&](Ledger& ledger) { return identify_in(ledger, inputs, town.sessions); }));
  if (caller.address.role() == Role::system)
    return fail(Code::forbidden, "nobody may speak as townpost: it is the town's own voice",
                "use an address of your own");
  return caller;
}

}  // namespace townpost
