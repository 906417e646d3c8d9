#include "post/people/identity.h"

#include <algorithm>

#include "base/advice.h"
#include "base/hex.h"
#include "base/json.h"
#include "base/text.h"
#include "post/people/list_names.h"
#include "post/people/registry.h"
#include "post/people/resolve.h"
#include "post/people/surroundings.h"
#include "post/people/token_identity.h"
#include "post/town/presences.h"

namespace townpost {

namespace {

Result<std::string> needs(const std::string& role, std::string_view variable, const std::optional<std::string>& value) {
  if (value) return *value;
  return fail(Code::usage, cat("GT_ROLE is ", role, " but ", variable, " is not set"),
              cat("set ", variable, ", or write the whole address into GT_ROLE"));
}

/// The address that a role word and its companions spell.
Result<std::string> spelled(const std::string& role, const std::optional<std::string>& rig, const NamingVariables& in) {
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
  return fail(Code::usage,
              cat("GT_ROLE is \"", for_terminal_line(shorten(to_utf8(role), 80)), "\", which is not a role"),
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
  NamingVariables companions;
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

Result<std::optional<Address>> named_by(Ledger& ledger, const NamingVariables& in) {
  auto take = [&](const std::string& text, std::string_view where) -> Result<std::optional<Address>> {
    TRY(address, address_named(ledger, text, where));
    return std::optional<Address>(address);
  };
  if (in.role && in.role->find('/') != std::string::npos) return take(*in.role, "GT_ROLE");
  if (in.role) {
    TRY(text, spelled(*in.role, in.rig, in));
    return take(text, "GT_ROLE");
  }
  if (in.mail_identity) return take(*in.mail_identity, "MAIL_IDENTITY");
  if (in.actor) return take(*in.actor, "BD_ACTOR");
  return std::optional<Address>();
}

Result<std::optional<Address>> named_by_file(Ledger& ledger, const std::optional<std::string>& file) {
  if (!file) return std::optional<Address>();
  TRY(text, from_agent_file(*file));
  TRY(address, address_named(ledger, text, ".gt-agent"));
  return std::optional<Address>(address);
}

/// Whom --as names.
Result<Address> named_by_flag(Ledger& ledger, const std::string& flag, bool may_be_new) {
  auto agent = resolve_one(ledger, flag);
  if (agent) return agent->address;
  const bool is_unknown = agent.error().code == Code::not_found;
  if (auto address = Address::parse(flag); may_be_new && is_unknown && address) return *address;
  Error error = agent.error();
  error.message = cat("invalid as: ", error.message);
  error.argument = "as";
  return fail(std::move(error));
}

/// Whoever calls the town's server with a token. Nothing of the server's own surroundings is asked.
Result<Identified> identify_by_token(const TokenHolder& holder, const std::optional<std::string>& flag, Town& town) {
  return read_value(town.store, [&](Ledger& ledger) -> Result<Identified> {
    std::optional<Address> named;
    if (flag) {
      TRY(address, named_by_flag(ledger, *flag, false));
      named = address;
    }
    TRY(caller, caller_by_token(ledger, holder, named));
    return Identified{caller, holder.sign()};
  });
}

/// Whoever calls, inside an agent's session or not.
class Identification {
 public:
  Identification(const IdentityInputs& inputs, Town& town, const ProcessNotes& notes)
      : in_(inputs), town_(town), notes_(notes) {}

  Result<Identified> identify() {
    look_around();
    Identified out;
    TRY_VOID(look_up(out));
    if (!to_ask_for_.empty()) {  // whose the pane is decides: what was found so far does not count
      pane_.emplace(town_.machine, to_ask_for_);
      TRY_VOID(look_up(out));
    }
    if (!nameless_) return out;
    TRY_VOID(give_name(out));
    return out;
  }

 private:
  /// Nothing: a session without a name.
  using Found = std::optional<Caller>;

  /// What files and processes tell, before the store is asked.
  void look_around() {
    if (!in_.around) return;
    const auto& around = *in_.around;
    noted_ = notes_.address_of(around.process, town_.folder);
    if (in_.beyond) noted_beyond_ = notes_.address_of(in_.beyond->process, town_.folder);
    if (!noted_ && around.is_proven && !around.flag) file_of_session_ = agent_file_of_session(around);
  }

  Result<> look_up(Identified& out) {
    return town_.store.read([&](Ledger& ledger) -> Result<> {
      to_ask_for_.clear();
      auto found = in_.around ? in_session(ledger) : outside(ledger);
      if (!to_ask_for_.empty()) return {};
      if (!found) return Failure(found.error());
      out.caller = found->value_or(Caller{});
      if (*found) TRY_VOID(check_rig(ledger, (*found)->address));
      out.how = how_;
      nameless_ = !*found;
      return {};
    });
  }

  /// The agent that is registered for the tmux pane the caller runs in. Nobody while the pane has not been asked for.
  Result<std::optional<Address>> pane_agent(Ledger& ledger) {
    if (!in_.pane) return std::optional<Address>();
    TRY(agents, ledger.agents());
    std::erase_if(agents, [](const Agent& agent) { return !agent.session.starts_with("tmux:"); });
    if (!pane_) {
      to_ask_for_ = std::move(agents);
      return std::optional<Address>();
    }
    for (const auto& agent : agents)
      if (pane_->is_of(agent)) return std::optional<Address>(agent.address);
    return std::optional<Address>();
  }

  Result<Found> outside(Ledger& ledger) {
    TRY(pane, agent_of_place(ledger));
    if (in_.flag) {
      TRY(address, named_by_flag(ledger, *in_.flag, in_.flag_may_be_new));
      if (pane) TRY_VOID(check_own(*pane, address, "--as"));
      how_ = pane ? this_pane() : "--as";
      return Found(Caller{address, pane ? Grade::pane : Grade::flag});
    }
    TRY(named, named_by(ledger, in_.named));
    if (pane && named) TRY_VOID(check_own(*pane, *named, "environment"));
    if (pane) {
      how_ = this_pane();
      return Found(Caller{*pane, Grade::pane});
    }
    how_ = in_.named.source();
    if (!named) {
      TRY(from_file, named_by_file(ledger, in_.agent_file));
      named = from_file;
      if (named) how_ = kKnownByFile;
    }
    const bool is_human = !named || *named == Address::human();
    if (!named) how_ = in_.terminal == Terminal::attended ? "this terminal" : "no terminal: a script of yours";
    if (is_human)
      return Found(Caller{Address::human(), in_.terminal == Terminal::attended ? Grade::env : Grade::script});
    return Found(Caller{*named, Grade::env});
  }

  Result<Found> in_session(Ledger& ledger) {
    const auto& around = *in_.around;
    how_ = cat("the agent's session around you: ", around.sign);
    TRY(outer, agent_beyond(ledger));
    auto own = outer;
    if (!own) {
      TRY(inner, session_agent(ledger));
      own = inner;
    }
    const Grade grade = around.is_proven && !outer ? Grade::pane : Grade::env;
    if (!own && !around.is_proven) {  // nothing but variables tells of the session; they may name it as well
      TRY(named, named_by(ledger, in_.named));
      own = named;
      if (!own) {
        TRY(from_file, worker_of_file(ledger, in_.agent_file));
        own = from_file;
      }
    }
    if (!own && (in_.flag || !in_.named.empty())) return not_by_word();
    if (!own) return Found();
    TRY_VOID(check_not_human(*own));
    TRY_VOID(check_claims(ledger, *own));
    return Found(Caller{*own, grade});
  }

  static Result<std::optional<Address>> noted_as(Ledger& ledger, const std::string& noted) {
    TRY(address, address_named(ledger, noted, "this session"));
    return std::optional<Address>(address);
  }

  /// The agent that started an agent program of its own: it stays who it is. Without a name it is nobody yet.
  Result<std::optional<Address>> agent_beyond(Ledger& ledger) {
    if (!in_.beyond) return std::optional<Address>();
    TRY(named, named_by(ledger, in_.beyond->started_with));
    if (named || !noted_beyond_) return named;
    return noted_as(ledger, *noted_beyond_);
  }

  /// The agent of the session, as it was noted, started or registered; nothing that runs inside can change that.
  Result<std::optional<Address>> session_agent(Ledger& ledger) {
    const auto& around = *in_.around;
    if (!around.is_proven && !around.started_with.empty()) return named_by(ledger, around.started_with);
    if (noted_) return noted_as(ledger, *noted_);
    if (around.is_proven && around.flag) {
      TRY(address, address_named(ledger, *around.flag, called("agent.run", {{"as", ""}})));
      return std::optional<Address>(address);
    }
    if (around.is_proven) {
      TRY(named, named_by(ledger, around.started_with));
      if (named) return named;
    }
    TRY(of_place, agent_of_place(ledger));
    if (of_place || !around.is_proven) return of_place;
    return worker_of_file(ledger, file_of_session_);
  }

  /// A file that anybody could leave in a folder makes nobody a coordinator of what an agent's session does.
  static Result<std::optional<Address>> worker_of_file(Ledger& ledger, const std::optional<std::string>& file) {
    TRY(named, named_by_file(ledger, file));
    if (named && Caller{*named}.coordinates()) return std::optional<Address>();
    return named;
  }

  /// The agent that is registered for the tmux pane around the caller, or for a process above it.
  Result<std::optional<Address>> agent_of_place(Ledger& ledger) {
    TRY(of_pane, pane_agent(ledger));
    if (of_pane || in_.above.empty()) return of_pane;
    TRY(agents, ledger.agents_with_process());
    for (auto process = in_.above.rbegin(); process != in_.above.rend(); ++process)
      for (const auto& agent : agents)
        if (agent.pane_process == *process) return std::optional<Address>(agent.address);
    return std::optional<Address>();
  }

  /// What is said inside the session must not be somebody else.
  Result<> check_claims(Ledger& ledger, const Address& own) {
    if (in_.flag) {
      TRY(claimed, named_by_flag(ledger, *in_.flag, in_.flag_may_be_new));
      return check_own(own, claimed, "--as");
    }
    TRY(claimed, named_by(ledger, in_.named));
    return claimed ? check_own(own, *claimed, "environment") : Result<>();
  }

  Result<> check_own(const Address& own, const Address& claimed, std::string_view how) const {
    if (own == claimed) return {};
    return fail(Code::forbidden,
                cat("this ", in_.around ? "session" : "pane", " belongs to ", own.str(), ", which may not speak as ",
                    claimed.str(), " (", how, ")"),
                "an agent speaks only for itself");
  }

  static Result<> check_not_human(const Address& address) {
    if (address.role() != Role::human) return {};
    return fail(Code::forbidden, "this is an agent's session, which may not speak as the human",
                "an agent speaks only for itself");
  }

  /// Witness and refinery exist for every rig that does.
  static Result<> check_rig(Ledger& ledger, const Address& address) {
    if (address.role() != Role::witness && address.role() != Role::refinery) return {};
    TRY(rigs, ledger.rigs());
    if (std::any_of(rigs.begin(), rigs.end(), [&](const Rig& rig) { return rig.name == address.rig(); })) return {};
    return fail(Code::not_found, cat("you are ", address.str(), ", and there is no rig ", address.rig()),
                next("rig.add", {{"name", address.rig()}, {"path", "PATH"}}, " makes it"));
  }

  /// A session is who it was when it began; what is said inside it changes nothing.
  Failure not_by_word() const {
    const auto said = in_.flag ? std::string("--as") : in_.named.source();
    return fail(
        Code::forbidden,
        cat("this session (", in_.around->sign, ") began without a name, and ", said, " cannot give it one now"),
        in_.flag ? next("whoami", {}, " without it gives you a name of your own")
                 : cat("unset ", said, ", or start the session with it: ", said, "=… ", in_.around->harness));
  }

  Result<> give_name(Identified& out) {
    const auto& around = *in_.around;
    const Grade grade = around.is_proven ? Grade::pane : Grade::env;
    const auto lock = notes_.lock();  // of several calls of this session one gives it its name
    if (noted_ = notes_.address_of(around.process, town_.folder); noted_) {
      return town_.store.read([&](Ledger& ledger) -> Result<> {
        TRY(address, address_named(ledger, *noted_, "this session"));
        out = {{address, grade}, how_, false};
        return {};
      });
    }
    const auto pane = in_.pane ? town_.machine.own_pane() : std::nullopt;
    TRY(predecessor, predecessor_in(pane));
    TRY_VOID(town_.store.write([&](Ledger& ledger) -> Result<> {
      TRY(address, free_name(ledger, pane, predecessor));
      const Instant now = town_.clock.now();
      TRY(agent, ensure_agent(ledger, address, now));
      if (around.is_proven) {  // so that it stays who it is, whatever becomes of the note
        agent.pane_process = around.process;
        TRY_VOID(ledger.update_agent(agent));
      }
      // The pane is its place while it runs. It is not registered for it: whoever has the pane afterwards is another.
      Presence presence{.agent = agent.id, .started_at = now, .since = now, .last_activity = now};
      presence.harness = Harness::of_word(around.harness);
      if (pane) presence.session = pane->uri();
      presence.host = this_host();
      presence.pid = around.is_proven ? std::atoi(around.process.c_str()) : 0;
      TRY_VOID(ledger.set_presence(presence));
      ledger.ring(BellKey::registry());
      out = {{address, grade}, how_, true};
      return {};
    }));
    notes_.note(around.process, around.is_proven ? ProcessNotes::Kind::session : ProcessNotes::Kind::name,
                out.caller.address.str(), town_.folder);
    return {};
  }

  /// Whoever has the name of the pane's session, if it ran in the pane before and has ended: what is started there next
  /// goes on as it.
  Result<std::optional<AgentId>> predecessor_in(const std::optional<OwnPane>& pane) {
    if (!pane) return std::optional<AgentId>();
    std::optional<StoredPresence> stored;
    TRY_VOID(town_.store.read([&](Ledger& ledger) -> Result<> {
      stored.reset();
      TRY(known, ledger.find_agent(pane->session));
      if (!known || !known->session.empty()) return {};
      TRY(found, stored_presence(ledger, known->id));
      stored = std::move(found);
      return {};
    }));
    const auto presence = stored ? seen_presence(town_, *stored) : std::nullopt;
    if (!presence || presence->session != pane->uri() || !is_over(presence->state)) return std::optional<AgentId>();
    return std::optional(stored->agent);
  }

  /// The name of the tmux session, if a person chose one and nobody has it; else the harness and a number.
  Result<Address> free_name(Ledger& ledger, const std::optional<OwnPane>& pane,
                            const std::optional<AgentId>& predecessor) {
    if (pane && pane->session.find_first_not_of("0123456789") != std::string::npos) {
      const auto address = Address::parse(pane->session);
      if (address && address->role() == Role::session) {
        TRY(known, ledger.find_agent(address->str()));
        const bool was_its = known && known->id == predecessor && known->session.empty();
        if (was_its || (!known && check_new_flat_name(ledger, address->name()) && check_case(ledger, *address)))
          return *address;
      }
    }
    for (int number = 1;; ++number) {
      const auto name = cat(in_.around->harness, "-", number);
      TRY(address, Address::parse(name));
      TRY(known, ledger.find_agent(name));
      if (!known && check_new_flat_name(ledger, name)) return address;
    }
  }

  std::string this_pane() const { return cat("the agent of tmux pane ", in_.pane.value_or("")); }

  const IdentityInputs& in_;
  Town& town_;
  const ProcessNotes& notes_;
  std::optional<std::string> noted_;            ///< who this session was noted as
  std::optional<std::string> noted_beyond_;     ///< and the one beyond it
  std::optional<std::string> file_of_session_;  ///< the .gt-agent that it was started beside
  std::vector<Agent> to_ask_for_;               ///< one of them may be the agent of the pane around us
  std::optional<PaneAround> pane_;
  std::string how_;
  bool nameless_ = false;
};

}  // namespace

NamingVariables NamingVariables::from(const Environment& environment) {
  NamingVariables out;
  out.role = environment.get("GT_ROLE");
  out.rig = environment.get("GT_RIG");
  out.polecat = environment.get("GT_POLECAT");
  out.crew = environment.get("GT_CREW");
  out.dog = environment.get("GT_DOG_NAME");
  out.mail_identity = environment.get("MAIL_IDENTITY");
  out.actor = environment.get("BD_ACTOR");
  return out;
}

std::string NamingVariables::source() const {
  return role ? "GT_ROLE" : mail_identity ? "MAIL_IDENTITY" : actor ? "BD_ACTOR" : "";
}

IdentityInputs IdentityInputs::collect(const std::optional<std::string>& flag, const Environment& environment) {
  IdentityInputs in;
  in.flag = flag;
  in.named = NamingVariables::from(environment);
  in.pane = environment.get("TMUX_PANE");
  if (!in.flag && in.named.empty()) in.agent_file = nearest_agent_file(environment.working_folder());
  return in;
}

std::string IdentityInputs::key() const {
  std::uint64_t digest = digest64("identity");
  const auto add = [&](const std::optional<std::string>& part) {
    digest = digest64(part.value_or(""), digest64(part ? "\x01" : "\x02", digest));
  };
  const auto add_named = [&](const NamingVariables& n) {
    for (const auto& part : {n.role, n.rig, n.polecat, n.crew, n.dog, n.mail_identity, n.actor}) add(part);
  };
  if (token) {
    add(token->token);
    add(std::string(name(token->role)));
    add(std::to_string(token->agent ? token->agent->key : 0));
    add(token->rig);
  }
  add(flag);
  add_named(named);
  add(pane);
  add(agent_file);
  if (around) {
    add(around->process);
    add(around->flag);
    add_named(around->started_with);
  }
  if (beyond) {
    add(beyond->process);
    add_named(beyond->started_with);
  }
  return hex64(digest);
}

std::optional<Caller> IdentityInputs::human_by_default() const {
  if (token) return std::nullopt;  // whose it is, the town said
  const bool says_human = flag && (*flag == "overseer" || *flag == "user");
  if (around || !named.empty() || agent_file || (flag && !says_human)) return std::nullopt;
  return Caller{Address::human(), says_human                       ? Grade::flag
                                  : terminal == Terminal::attended ? Grade::env
                                                                   : Grade::script};
}

Result<Identified> identify(const IdentityInputs& inputs, Town& town, const ProcessNotes& notes) {
  TRY(found, inputs.token ? identify_by_token(*inputs.token, inputs.flag, town)
                          : Identification(inputs, town, notes).identify());
  if (found.caller.address.role() == Role::system)
    return fail(Code::forbidden, "nobody may speak as townpost: it is the town's own voice",
                "use an address of your own");
  return found;
}

}  // namespace townpost
