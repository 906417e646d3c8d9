#include "ops/gate.h"

#include <algorithm>
#include <array>

#include "base/advice.h"
#include "base/files.h"
#include "base/log.h"
#include "base/text.h"
#include "ops/contract.h"
#include "ops/fault.h"
#include "ops/whole_ids.h"
#include "post/people/identity.h"
#include "post/people/resolve.h"
#include "post/rules/mail_access.h"

namespace townpost {

namespace {

constexpr std::string_view kRefused = "refused ";
constexpr std::string_view kRefusedPerson = "refused at a person's terminal: ";
constexpr Millis kRefusalsTold = std::chrono::hours(24);

// Each in a file of its own: whoever is refused all day must not push out what was done in a person's name.
constexpr const char* kAuthorityLog = "authority.log";
constexpr const char* kRefusalLog = "refused.log";

/// For somebody who may have forgotten a variable: what makes them this agent.
std::string with_reason(const Call& call, const Caller& caller) {
  const auto how = call.how_known();
  return how.empty() ? caller.address.str() : cat(caller.address.str(), " (known by ", how, ")");
}

/// As far as anything shows, a person types there.
bool is_at_own_terminal(const Call& call) {
  return call.request.origin.at_terminal() && !call.request.origin.sign_of_agents_session();
}

Failure refuse(const Op& op, const Call& call, const Caller& caller, std::string_view who) {
  const bool at_own_terminal = is_at_own_terminal(call) && call.how_known() == kKnownByFile;
  return fail(Code::forbidden, cat(op.name, " is for ", who, ", not for ", with_reason(call, caller)),
              at_own_terminal ? "if you are the human, say " + next("", {{"as", "overseer"}}, " or remove that file")
                              : "ask the human");
}

/// Whether the caller is the one that this argument names.
Result<bool> is_itself(std::string_view argument, Call& call, const Caller& caller) {
  const auto whom = argument.empty() ? std::nullopt : call.args.maybe_text(argument);
  if (!whom) return true;
  TRY(town, call.town());
  return read_value(town->store, [&](Ledger& ledger) -> Result<bool> {
    const auto whole = Address::parse(*whom);
    if (whole && *whole == caller.address) return true;  // it need not be registered yet
    auto agent = resolve_one(ledger, *whom);
    if (!agent && agent.error().code == Code::not_found) return false;
    if (!agent) return Failure(agent.error());
    return agent->address == caller.address;
  });
}

Result<> admit_by_role(const Op& op, Call& call, const Caller& caller) {
  const auto who = describe(op.authority.who());
  switch (op.authority.who()) {
    case Who::anyone:
    case Who::participant:
    case Who::claimer:
    case Who::creator:
      return {};
    case Who::coordinator:
      return caller.coordinates() ? Result<>() : refuse(op, call, caller, who);
    case Who::person:
      return caller.is_person() ? Result<>() : refuse(op, call, caller, who);
    case Who::itself:
    case Who::owner: {
      if (op.authority.who() == Who::itself ? caller.coordinates() : caller.is_person()) return {};
      TRY(itself, is_itself(op.authority.whom(), call, caller));
      return itself ? Result<>() : refuse(op, call, caller, who);
    }
  }
  return {};
}

Result<> admit_in_quarantine(const Op& op, Call& call, const Caller& caller) {
  if (op.authority.open_in_quarantine() || caller.is_person()) return {};
  TRY(town, call.town());
  TRY(quarantined, read_value(town->store, [&](Ledger& ledger) -> Result<bool> {
        TRY(self, own_mailbox(ledger, caller));
        if (self.id.key == 0) return false;
        TRY(care, ledger.care(self.id));
        return care.quarantined_at.has_value();
      }));
  if (!quarantined) return {};
  return fail(Code::forbidden, cat(op.name, " is closed to ", caller.address.str(), ", which is in quarantine"),
              "a person can lift it: " + next("agent.quarantine", {{"agent", caller.address.str()}, {"lift", "true"}}));
}

/// What only people may do wants more than a script that says nothing.
Result<> admit_by_grade(std::string_view what, const Authority& authority, const Caller& caller) {
  if (is_at_least(caller.grade, authority.least())) return {};
  return fail(Code::forbidden, cat(what, " is for people, and neither its input nor its output is a terminal"),
              "in a script, add " + next("", {{"as", "overseer"}}, "; the town's log records it"));
}

bool is_given(const Arg& arg, const Args& args) {
  return arg.kind == ArgKind::flag ? args.flag(arg.name) : args.has(arg.name);
}

Result<> admit_arguments(const Op& op, Call& call, const Caller& caller) {
  for (const auto& arg : op.args) {
    if (!arg.only || !is_given(arg, call.args)) continue;
    const auto what = cat(arg.name, " of ", op.name);
    const bool may = arg.only == Who::person ? caller.is_person() : caller.coordinates();
    Result<> admitted;
    if (!may)
      admitted = fail(Code::forbidden, cat(what, " is for ", describe(*arg.only), ", not for ", caller.address.str()),
                      "leave it out, or ask the human");
    else if (arg.only == Who::person)
      admitted = admit_by_grade(what, by_people(), caller);
    if (admitted) continue;
    admitted.error().argument = arg.name;
    return admitted;
  }
  return {};
}

/// Whether something is asked for that only people may do.
bool takes_a_person(const Op& op, const Args& args) {
  return op.authority.who() == Who::person || std::any_of(op.args.begin(), op.args.end(), [&](const Arg& arg) {
           return arg.only == Who::person && is_given(arg, args);
         });
}

/// What the human does who reads mail and answers it. Whatever is not named here, or only reads, is more than that.
bool is_reading_or_sending(const Op& op, const Args& args) {
  constexpr std::array<std::string_view, 12> kMail = {
      "mail.send", "mail.reply", "mail.reply-all", "mail.read",      "mail.ack", "mail.mark-unread",
      "mail.pin",  "mail.unpin", "mail.archive",   "mail.unarchive", "nudge",    "channel.read"};
  if (op.authority.who() == Who::person) return false;
  if (op.effect == Effect::reads) return op.changes_with.empty() || !args.flag(op.changes_with);
  return std::find(kMail.begin(), kMail.end(), op.name) != kMail.end();
}

Result<> admit_reach(const Op& op, const Call& call) {
  const auto& token = call.request.origin.identity.token;
  if (!token || token->reach == TokenHolder::Reach::everything || is_reading_or_sending(op, call.args)) return {};
  return fail(Code::forbidden,
              cat(op.name, " needs a token: without one a client of this machine reads and sends only"),
              "make one: " + next("token.create", {{"human", "true"}}));
}

/// On this machine an agent may look at the list of any inbox; with a token it lists its own.
Result<> admit_own_list(const Op& op, Call& call) {
  if (!call.request.origin.identity.token || op.name != "mail.inbox") return {};
  TRY(caller, call.caller());
  TRY(itself, is_itself("address", call, caller));
  if (itself || caller.is_person()) return {};
  return fail(Code::forbidden, cat("with a token ", op.name, " is for the owner, not for ", with_reason(call, caller)),
              "leave the address out");
}

/// Whether the row asks nothing of the caller; the handler may still want to know who it is.
bool needs_nobody(const Op& op, const Args& args) {
  const auto who = op.authority.who();
  const bool open = who == Who::anyone || who == Who::participant || who == Who::claimer || who == Who::creator ||
                    ((who == Who::itself || who == Who::owner) && op.authority.whom().empty());
  return open && op.authority.open_in_quarantine() &&
         std::none_of(op.args.begin(), op.args.end(), [&](const Arg& arg) { return arg.only && is_given(arg, args); });
}

/// Where there is no town there is no log either.
Result<> note(Call& call, const char* file, std::string_view line) {
  const auto folder = call.town_folder();
  return folder ? Log(*folder / "log" / file, call.clock()).write(line) : Result<>();
}

/// What somebody who reads the log can tell a person's terminal from anything else by.
std::string programs_above(const Call& call) {
  std::vector<std::string> names;
  for (const auto& process : call.request.origin.above)
    names.push_back(cat(for_terminal_line(to_utf8(process.program)), "[", process.pid, "]"));
  return names.empty() ? "nothing visible" : join(names, " < ");
}

/// Logs that a person's rights are used, before they are. A script may use them because somebody can see that it did,
/// so without the log it may not. What the caller is to be told, if anything.
Result<std::string> note_person(const Op& op, Call& call) {
  const auto caller = call.caller();
  const bool by_script =
      caller && (caller->grade == Grade::flag || caller->grade == Grade::token) && !call.request.origin.at_terminal();
  const auto noted =
      note(call, kAuthorityLog, cat("by ", call.how_known(), " below ", programs_above(call), ": ", op.name));
  if (noted) return by_script ? cat(called(op.name), " is done in the human's name; log/authority.log says so") : "";
  if (by_script)
    return fail(Code::unavailable,
                cat(op.name, " in the human's name must be logged, and that failed: ", noted.error().message),
                "make .town/log/authority.log writable, or type the command at a terminal");
  return cat(called(op.name), " could not be logged: ", noted.error().message);
}

bool is_hook(const Op& op, const Args& args) { return op.fails_open && op.fails_open(args); }

/// A session that got its name just now does not know it yet.
void tell_name(Answer& answer, Call& call) {
  if (const auto caller = call.caller())
    answer.warnings.push_back(cat("you are ", caller->address.str(), "; a person renames you with ",
                                  called("agent.alias", {{"old", caller->address.str()}, {"new", "NAME"}})));
}

}  // namespace

Result<> admit_from(const Op& op, From from) {
  switch (op.where) {
    case Where::anywhere:
      return {};
    case Where::this_host:
      if (from != From::elsewhere) return {};
      return fail(Code::forbidden, cat(op.name, " is for the caller's own host, and this call comes from another one"),
                  "call it there");
    case Where::this_terminal:
      if (from == From::this_process) return {};
      return fail(Code::forbidden, cat(op.name, " is for the caller's own terminal, and this call comes from outside"),
                  "call it there");
  }
  return {};
}

Result<> admit(const Op& op, Call& call) {
  TRY_VOID(admit_reach(op, call));
  TRY_VOID(admit_own_list(op, call));
  if (needs_nobody(op, call.args)) return {};
  if (!op.works_without_town) TRY_VOID(call.town_folder());
  if (const auto sign = call.request.origin.sign_of_agents_session(); sign && op.authority.who() == Who::person)
    return fail(Code::forbidden, cat(op.name, " is for people only, and this is an agent's session (", *sign, ")"),
                "ask the human; if this terminal is not an agent's, free it from another one: " +
                    next("agent.add", {{"address", "NAME"}, {"session", "none"}}));
  const auto found = call.caller();
  if (!found && op.works_without_town)
    return fail(Code::forbidden,
                cat(op.name, " is for ", describe(op.authority.who()), ", and something says that you are an agent"),
                "ask the human");
  TRY(caller, found);
  TRY_VOID(admit_by_role(op, call, caller));
  TRY_VOID(admit_by_grade(op.name, op.authority, caller));
  TRY_VOID(admit_arguments(op, call, caller));
  return admit_in_quarantine(op, call, caller);
}

std::optional<Answer> answer_without_store(const Op& op, Call& call) {
  const bool may_be_quick = op.run_without_store && admit_from(op, call.request.origin.from);
  auto quick = may_be_quick ? op.run_without_store(call) : std::nullopt;
  if (quick) hold_to_contract(op, *quick);
  return quick;
}

Result<Answer> perform(const Op& op, Call& call) {
  const auto near = admit_from(op, call.request.origin.from);
  auto admitted = near ? admit(op, call) : near;
  std::string warning;
  if (admitted && takes_a_person(op, call.args)) {
    auto noted = note_person(op, call);
    if (noted) warning = *noted;
    if (!noted) admitted = Failure(noted.error());
  }
  std::vector<std::string> taken;
  if (admitted) {
    auto whole = whole_ids(op, call);
    if (whole) {
      call.args = std::move(whole->args);
      taken = std::move(whole->taken);
    } else {
      admitted = Failure(whole.error());
    }
  }
  auto answer = admitted ? op.run.run_(call) : Result<Answer>(fail(admitted.error()));
  if (!answer) {
    if (answer.error().code == Code::forbidden)
      (void)note(call, kRefusalLog,
                 cat(is_at_own_terminal(call) ? kRefusedPerson : kRefused, op.name, ": ", answer.error().message));
    name_fault(op, call.args, answer.error());
    hold_to_contract(&op, answer.error());
    return answer;
  }
  hold_to_contract(op, *answer);
  if (call.is_newly_named() && !is_hook(op, call.args)) tell_name(*answer, call);
  if (!warning.empty()) answer->warnings.push_back(warning);
  answer->warnings.insert(answer->warnings.begin(), taken.begin(), taken.end());
  return answer;
}

Refusals refusals_of(const std::filesystem::path& town, Instant now) {
  Refusals out;
  const auto text = read_private_file(town / "log" / kRefusalLog, 4u << 20);
  if (!text) return out;
  for (const auto line : split(*text, '\n')) {
    const auto space = line.find(' ');
    if (space == std::string_view::npos || !line.substr(space + 1).starts_with(kRefused)) continue;
    if (line.substr(space + 1).starts_with(kRefusedPerson)) continue;  // who mistypes needs no alarm
    if (const auto at = parse_instant(line.substr(0, space)); !at || *at + kRefusalsTold < now) continue;
    ++out.count;
    out.last = line;
  }
  return out;
}

}  // namespace townpost
