#include "post/people/token_identity.h"

#include "base/text.h"

namespace townpost {

namespace {

Failure not_for(const TokenHolder& holder, const Address& named, std::string_view whom) {
  return fail(Code::forbidden, cat(holder.sign(), " is for ", whom, ", who may not speak as ", named.str()),
              holder.role == TokenRole::agent ? "an agent speaks only for itself" : "use a token that is for it");
}

Failure name_one(const TokenHolder& holder, std::string_view whom) {
  return fail_argument("as", cat("the agent is missing: ", holder.sign(), " is for ", whom),
                       next("", {{"as", "ADDR"}}, " says which agent you are"));
}

Result<Caller> of_agent(Ledger& ledger, const TokenHolder& holder, const std::optional<Address>& named) {
  TRY(agent, holder.agent ? ledger.agent(*holder.agent) : Result<std::optional<Agent>>(std::nullopt));
  if (!agent || agent->removed_at)
    return fail(Code::forbidden, cat("the agent of ", holder.sign(), " is gone"), "ask the human");
  if (named && *named != agent->address) return not_for(holder, *named, agent->address.str());
  return Caller{agent->address, Grade::token};
}

/// At a terminal the human may speak for any agent, so with a token as well; a client that is only trusted may not.
Result<Caller> of_human(const TokenHolder& holder, const std::optional<Address>& named) {
  const bool is_trusted = holder.reach == TokenHolder::Reach::everything;
  if (!named || *named == Address::human()) return Caller{Address::human(), is_trusted ? Grade::token : Grade::script};
  if (!is_trusted) return not_for(holder, *named, "the human");
  return Caller{*named, Grade::flag};
}

}  // namespace

Result<Caller> caller_by_token(Ledger& ledger, const TokenHolder& holder, const std::optional<Address>& named) {
  switch (holder.role) {
    case TokenRole::agent:
      return of_agent(ledger, holder, named);
    case TokenRole::rig: {
      const auto whom = cat("the agents of the rig ", holder.rig);
      if (!named) return name_one(holder, whom);
      if (holder.rig.empty() || named->rig() != holder.rig) return not_for(holder, *named, whom);
      return Caller{*named, Grade::token};
    }
    case TokenRole::town:
      if (!named) return name_one(holder, "the agents of the town");
      if (named->role() == Role::human) return not_for(holder, *named, "the agents of the town");
      return Caller{*named, Grade::token};
    case TokenRole::human:
      return of_human(holder, named);
  }
  return name_one(holder, "nobody");
}

}  // namespace townpost
