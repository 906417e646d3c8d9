#include "post/people/tokens.h"

#include <algorithm>

#include "base/secret.h"
#include "base/text.h"
#include "post/people/registry.h"
#include "post/people/resolve.h"

namespace townpost {

namespace {

constexpr Millis kNotedEvery = std::chrono::minutes(1);
constexpr Millis kRemembered = std::chrono::days(90);  ///< so long an ended token is listed
constexpr std::size_t kLongestNote = 200;
/// Nobody is kept waiting for the hash of a novel.
constexpr std::size_t kLongestText = 200;
/// What is compared where there is no token of that id: no secret has this hash.
constexpr std::string_view kNobodysHash = "0000000000000000000000000000000000000000000000000000000000000000";

Failure unauthorised() {
  return fail(Code::forbidden, "this token lets nobody in: it is unknown, expired or revoked",
              "ask the human for another one");
}

Failure no_token(std::string_view id) {
  // What is no id may be the secret itself, which is not repeated.
  return fail(Code::not_found, is_token_id(id) ? cat("no token ", id) : "this is not the id of a token",
              "ids look like tok-1a2b3c4d; " + next("token.list", {}, " shows them"));
}

/// The token of that kind that was shown. One hash, one look and one comparison, whatever is wrong with it.
Result<std::optional<Token>> shown_token(Ledger& ledger, std::string_view text, TokenKind kind, Instant now) {
  text = text.substr(0, kLongestText);
  const auto hash = hash_of_secret(text);
  TRY(found, ledger.find_token(token_id_in(text)));
  const bool is_its = is_same_hash(hash, found ? std::string_view(found->hash) : kNobodysHash);
  if (!found || !is_its || found->kind != kind || !found->is_live(now)) return std::optional<Token>();
  return found;
}

/// Whether those that it speaks for are (still) there.
Result<bool> is_for_somebody(Ledger& ledger, const Token& token) {
  if (token.role == TokenRole::agent) {
    if (!token.agent) return false;
    TRY(agent, ledger.agent(*token.agent));
    return agent && !agent->removed_at;
  }
  if (token.role == TokenRole::rig) {
    TRY(rigs, ledger.rigs());
    return std::any_of(rigs.begin(), rigs.end(), [&](const Rig& rig) { return rig.name == token.rig; });
  }
  return true;
}

Result<TokenHolder> holder_of(Ledger& ledger, std::string_view text, TokenKind kind, Instant now) {
  TRY(token, shown_token(ledger, text, kind, now));
  if (!token) return unauthorised();
  TRY(there, is_for_somebody(ledger, *token));
  if (!there) return unauthorised();
  TokenHolder out{.token = token->id,
                  .role = token->role,
                  .agent = token->agent,
                  .rig = token->rig,
                  .expires_at = token->expires_at};
  out.use_is_to_be_noted = !token->last_used_at || *token->last_used_at + kNotedEvery <= now;
  return out;
}

/// That a token came or went: for people, who see whose it is.
Result<> tell(Ledger& ledger, EventKind kind, const Token& token, Instant now) {
  auto whose = token.agent;
  if (!whose) {
    TRY(human, ledger.find_agent(Address::human().str()));
    if (human) whose = human->id;
  }
  return ledger.add_event({.at = now, .kind = kind, .agent = whose, .detail = token.id, .audience = Audience::people});
}

/// Keeps a new one; the text is for its holder.
Result<std::string> keep(Ledger& ledger, Token& token, Random& random, Instant now) {
  TRY_VOID(ledger.forget_tokens(now, now - kRemembered));
  token.id = new_token_id(token.kind, random);
  token.created_at = now;
  auto text = token_text(token.id, new_secret());
  token.hash = hash_of_secret(text);
  TRY_VOID(ledger.add_token(token));
  if (token.kind != TokenKind::code) TRY_VOID(tell(ledger, EventKind::token_made, token, now));
  return text;
}

Result<> check_maker(const Caller& caller) {
  if (caller.is_person() && caller.grade != Grade::token) return {};
  return fail(Code::forbidden, "tokens are made by people, on the town's own machine", "ask the human");
}

Result<> end(Ledger& ledger, Token token, Instant now) {
  if (token.revoked_at) return {};
  token.revoked_at = now;
  TRY_VOID(ledger.update_token(token));
  return tell(ledger, EventKind::token_revoked, token, now);
}

Result<Agent> agent_for(Ledger& ledger, std::string_view name, Instant now) {
  auto found = resolve_one(ledger, name);
  if (!found) {
    auto error = found.error();
    error.argument = "agent";
    return fail(std::move(error));
  }
  if (found->address.role() == Role::human || found->address.role() == Role::system)
    return fail_argument("agent", cat("invalid agent: ", found->address.str(), " is none"),
                         "for people, " + next("", {{"human", "true"}}));
  if (found->id.key != 0) return *found;
  return ensure_agent(ledger, found->address, now);  // a singleton that nobody has written to yet
}

}  // namespace

Result<Tokens::Made> Tokens::create(const NewToken& wanted, const Caller& caller) {
  TRY_VOID(check_maker(caller));
  const Instant now = town_.clock.now();
  if (wanted.expires_at && *wanted.expires_at <= now)
    return fail_argument("expires", "invalid expires: that is over already", "name a time to come, such as 30d");
  if (wanted.note.size() > kLongestNote)
    return fail_argument("note", cat("invalid note: it is longer than ", kLongestNote, " bytes"), "shorten it");
  Made out;
  TRY_VOID(town_.store.write([&](Ledger& ledger) -> Result<> {
    out = {};
    auto& token = out.token;
    token.role = wanted.role;
    token.note = wanted.note;
    token.created_by = caller.address.str();
    token.expires_at = wanted.expires_at;
    if (wanted.role == TokenRole::agent) {
      TRY(agent, agent_for(ledger, wanted.agent, now));
      token.agent = agent.id;
      out.agent = agent.address.str();
    }
    token.rig = wanted.rig;
    TRY(there, is_for_somebody(ledger, token));
    if (!there)
      return fail(Error{.code = Code::not_found,
                        .message = cat("no rig \"", for_terminal_line(shorten(to_utf8(wanted.rig), 80)), "\""),
                        .argument = "rig",
                        .next = NextCall{"rig.list", {}, " shows them"}});
    TRY(text, keep(ledger, token, town_.random, now));
    out.text = text;
    return {};
  }));
  return out;
}

Result<std::vector<Tokens::Listed>> Tokens::list(Which which, const Caller& caller) {
  const Instant now = town_.clock.now();
  return read_value(town_.store, [&](Ledger& ledger) -> Result<std::vector<Listed>> {
    std::vector<Token> tokens;
    if (caller.is_person()) {
      TRY(all, ledger.tokens());
      tokens = std::move(all);
    } else {
      TRY(self, ledger.find_agent(caller.address.str()));
      if (self) {
        TRY(own, ledger.tokens_of(self->id));
        tokens = std::move(own);
      }
    }
    std::vector<Listed> out;
    for (auto& token : tokens) {
      if (which == Which::live && !token.is_live(now)) continue;
      Listed one{std::move(token), {}};
      if (one.token.agent) {
        TRY(agent, ledger.agent(*one.token.agent));
        if (agent) one.agent = agent->address.str();
      }
      out.push_back(std::move(one));
    }
    return out;
  });
}

Result<Token> Tokens::revoke(std::string_view id) {
  Token out;
  TRY_VOID(town_.store.write([&](Ledger& ledger) -> Result<> {
    TRY(found, is_token_id(id) ? ledger.find_token(id) : Result<std::optional<Token>>(std::nullopt));
    if (!found) return no_token(id);
    out = *found;
    return end(ledger, *found, town_.clock.now());
  }));
  return out;
}

Result<Tokens::Made> Tokens::make_open_code(const Caller& caller) {
  TRY_VOID(check_maker(caller));
  const Instant now = town_.clock.now();
  Made out;
  TRY_VOID(town_.store.write([&](Ledger& ledger) -> Result<> {
    out = {};
    out.token.kind = TokenKind::code;
    out.token.role = TokenRole::human;
    out.token.created_by = caller.address.str();
    out.token.expires_at = now + kCodeLife;
    TRY(text, keep(ledger, out.token, town_.random, now));
    out.text = text;
    return {};
  }));
  return out;
}

Result<Tokens::Made> Tokens::redeem_open_code(std::string_view code) {
  const Instant now = town_.clock.now();
  const auto used = [] {
    return fail(Code::forbidden, "this link was used already, or is too old",
                "on the town's machine, " + next("open", {}, " makes another one"));
  };
  // Anybody may show anything here: only a code that there is takes a turn to write.
  TRY(known, read_value(town_.store, [&](Ledger& ledger) { return shown_token(ledger, code, TokenKind::code, now); }));
  if (!known) return used();
  Made out;
  TRY_VOID(town_.store.write([&](Ledger& ledger) -> Result<> {
    out = {};
    TRY(found, shown_token(ledger, code, TokenKind::code, now));
    TRY(was_there, found ? ledger.remove_token(found->id) : Result<bool>(false));
    if (!was_there) return used();
    out.token.kind = TokenKind::page;
    out.token.role = TokenRole::human;
    out.token.created_by = found->created_by;
    out.token.expires_at = now + kPageLife;
    TRY(text, keep(ledger, out.token, town_.random, now));
    out.text = text;
    return {};
  }));
  return out;
}

Result<> Tokens::note_use(const TokenHolder& holder) {
  if (!holder.use_is_to_be_noted || holder.token.empty()) return {};
  const Instant now = town_.clock.now();
  return town_.store.write([&](Ledger& ledger) { return ledger.note_token_use(holder.token, now, now - kNotedEvery); });
}

Result<TokenHolder> who_holds(Ledger& ledger, std::string_view token, Instant now) {
  return holder_of(ledger, token, TokenKind::token, now);
}

Result<TokenHolder> who_browses(Ledger& ledger, std::string_view cookie, Instant now) {
  return holder_of(ledger, cookie, TokenKind::page, now);
}

Result<> end_tokens_of(Ledger& ledger, AgentId agent, Instant now) {
  TRY(tokens, ledger.tokens_of(agent));
  for (const auto& token : tokens) TRY_VOID(end(ledger, token, now));
  return {};
}

Result<> end_tokens_of_rig(Ledger& ledger, std::string_view rig, Instant now) {
  TRY(tokens, ledger.tokens());
  for (const auto& token : tokens)
    if (token.role == TokenRole::rig && token.rig == rig) TRY_VOID(end(ledger, token, now));
  return {};
}

}  // namespace townpost
