#include "base/files.h"
#include "base/text.h"
#include "ops/outcomes.h"
#include "ops/shapes.h"
#include "ops/table.h"
#include "ops/view_keys.h"
#include "ops/views.h"
#include "post/people/tokens.h"
#include "post/town/server_note.h"

namespace townpost::ops {

using namespace shape;  // NOLINT(google-build-using-namespace): the words that the list below is written in

namespace {

struct SeenToken {
  const Token& token;
  const std::string& agent;
  Instant now;
  const Settings& settings;
};

std::vector<std::string_view> role_names() {
  std::vector<std::string_view> out;
  for (int role = 0; role <= static_cast<int>(last_value(TokenRole{})); ++role)
    out.push_back(name(static_cast<TokenRole>(role)));
  return out;
}

const Keys<SeenToken>& token_keys() {
  static const Keys<SeenToken> keys({
      {always("id", text()), [](const SeenToken& s) -> Value { return s.token.id; }},
      {always("kind", choice({"token", "page"}), "page: an open browser page"),
       [](const SeenToken& s) -> Value { return name(s.token.kind); }},
      {always("role", choice(role_names())), [](const SeenToken& s) -> Value { return name(s.token.role); }},
      {maybe("agent", text(), "it speaks for this agent"), [](const SeenToken& s) { return unless_empty(s.agent); }},
      {maybe("rig", text(), "it speaks for agents of this rig"),
       [](const SeenToken& s) { return unless_empty(s.token.rig); }},
      {maybe("note", text()), [](const SeenToken& s) { return unless_empty(s.token.note); }},
      {always("state", choice({"live", "expired", "revoked"})),
       [](const SeenToken& s) -> Value {
         return s.token.is_live(s.now) ? "live" : s.token.revoked_at ? "revoked" : "expired";
       }},
      {always("created_at", instant()), [](const SeenToken& s) -> Value { return rfc3339(s.token.created_at); }},
      {always("created_by", text()),
       [](const SeenToken& s) -> Value { return views::shown(s.token.created_by, s.settings); }},
      {maybe("expires_at", instant()), [](const SeenToken& s) { return instant_of(s.token.expires_at); }},
      {maybe("last_used_at", instant(), "to the minute"),
       [](const SeenToken& s) { return instant_of(s.token.last_used_at); }},
      {maybe("revoked_at", instant()), [](const SeenToken& s) { return instant_of(s.token.revoked_at); }},
  });
  return keys;
}

const Shape& token_shape() {
  static const Shape it = token_keys().shape("token");
  return it;
}

/// Whom the call names, of the four that it may name one of.
Result<Tokens::NewToken> wanted(const Call& call) {
  const auto& args = call.args;
  const bool agent = args.has("agent"), rig = args.has("rig"), any = args.flag("any_agent"), human = args.flag("human");
  const int named = int{agent} + int{rig} + int{any} + int{human};
  if (named != 1)
    return fail(Code::usage,
                named == 0 ? "the holder of the token is missing"
                           : "a token is for an agent, a rig, any agent or the human, and only one of them",
                next("token.create", {{"agent", "ADDR"}}, " makes one for an agent"));
  Tokens::NewToken out{.agent = args.text("agent"), .rig = args.text("rig"), .note = args.text("note")};
  out.role = agent ? TokenRole::agent : rig ? TokenRole::rig : any ? TokenRole::town : TokenRole::human;
  out.expires_at = args.deadline("expires", call.clock().now());
  return out;
}

}  // namespace

const Op& token_create() {
  static const Op op{
      .name = "token.create",
      .summary = "Make a token with which a program calls the town's server; it is shown this once",
      .args = {option("agent", "ADDR", "For this agent, and nobody else", ArgKind::address),
               flag("human", "For the human"), option("rig", "RIG", "For the agents of this rig; each call names one"),
               flag("any_agent", "For every agent of the town; each call names one"),
               option("expires", "WHEN", "When it ends: so far ahead (30d), or a moment (default: never)",
                      ArgKind::deadline),
               option("note", "TEXT", "What it is for, for people")},
      .authority = by_people(),
      // Whoever has a token could make others with it, which its revocation would not end.
      .where = Where::this_host,
      .effect = Effect::changes,
      .result =
          [] {
            return shape::with("new_token", token_shape(),
                               {always("token", text(), "the secret: anyone who shows it is let in")});
          },
      .examples = {{"gt token create --agent coder --expires 30d", "for the sandbox that coder runs in"},
                   {"gt token create --human --note phone", ""},
                   {"gt token create --rig greenplace", "for the agents of another machine"}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(want, wanted(call));
        TRY(town, call.town());
        TRY(caller, call.caller());
        TRY(made, Tokens(*town).create(want, caller));
        auto out = token_keys().json({made.token, made.agent, town->clock.now(), town->settings});
        out["token"] = made.text;
        return Answer{.json = std::move(out)};
      }};
  return op;
}

const Op& token_list() {
  static const Op op{
      .name = "token.list",
      .summary = "List the tokens and open pages of the town's server; an agent sees its own",
      .args = {flag("all", "Also those that have ended")},
      .authority = by_owner(),
      .where = Where::anywhere,
      .effect = Effect::reads,
      .result = [] { return shape::list_of(token_shape()); },
      .columns = {{"id", Column::As::id},
                  {"role"},
                  {"agent", Column::As::address},
                  {"rig"},
                  {"state", Column::As::state},
                  {"created_at", Column::As::age, "MADE"},
                  {"last_used_at", Column::As::age, "USED"},
                  {"expires_at", Column::As::value, "EXPIRES"},
                  {"note", Column::As::prose}},
      .list = {.none = "no tokens: " + next("token.create", {{"agent", "ADDR"}}),
               .next = next("token.revoke", {{"id", "ID"}})},
      .examples = {{"gt token list", ""}, {"gt token list --all --json", ""}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(town, call.town());
        TRY(caller, call.caller());
        TRY(tokens, Tokens(*town).list(call.args.flag("all") ? Tokens::Which::all : Tokens::Which::live, caller));
        JsonArray out;
        for (const auto& one : tokens)
          out.push_back(token_keys().json({one.token, one.agent, town->clock.now(), town->settings}));
        return Answer{.json = std::move(out)};
      }};
  return op;
}

const Op& token_revoke() {
  static const Op op{
      .name = "token.revoke",
      .summary = "Revoke tokens and open pages: they no longer let anyone in, and streams opened with them end",
      .args = {many("id", "ID", "Of a token or a page")},
      .authority = by_people(),
      .where = Where::anywhere,
      .effect = Effect::destroys,
      .result = [] { return shapes::outcomes(); },
      .examples = {{"gt token revoke tok-1a2b3c4d", ""}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(town, call.town());
        std::vector<OfOneId> outcomes;
        for (const auto& id : call.args.list("id")) {
          auto revoked = Tokens(*town).revoke(id);
          if (!revoked && revoked.error().code == Code::unavailable) return Failure(revoked.error());
          Result<std::string> state("revoked");
          if (!revoked) {
            auto error = revoked.error();
            error.argument = "id";
            state = fail(std::move(error));
          }
          outcomes.push_back({is_token_id(id) ? id : "", std::move(state)});  // anything else may be the secret
        }
        return told(outcomes);
      }};
  return op;
}

const Op& open() {
  static const Op op{.name = "open",
                     .summary = "Make a link that opens the town's page in a browser; it works once, within a minute",
                     .args = {flag("print", "Print the link and nothing else")},
                     .authority = by_people(),
                     .where = Where::this_host,
                     .effect = Effect::changes,
                     .result =
                         [] {
                           return shape::object(
                               "link",
                               {always("url", text(), "for you alone: it opens your page for anyone who has it"),
                                always("expires_at", instant())});
                         },
                     .examples = {{"gt open", "paste the link into your browser"}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(town, call.town());
                       TRY(caller, call.caller());
                       const auto text = read_private_file(ServerNote::place(town->folder));
                       const auto note = text ? ServerNote::parse(*text) : std::nullopt;
                       if (!note || !town->machine.is_running(note->process))
                         return fail(Code::unavailable, "the town's server is not running", next("up", {{"detach", "true"}}, " starts it"));
                       TRY(made, Tokens(*town).make_open_code(caller));
                       JsonObject out;
                       out["url"] = cat(note->url, "/open?code=", made.text);
                       out["expires_at"] = rfc3339(*made.token.expires_at);
                       return Answer{.json = std::move(out)};
                     }};
  return op;
}

}  // namespace townpost::ops
