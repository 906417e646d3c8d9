// Each operation of the table, called with each kind of token: it does for its holder what the row says, and nothing
// for or to anybody else.
#include <gtest/gtest.h>

#include "app/libpq_door.h"
#include "app/local_host.h"
#include "base/text.h"
#include "cli/parse.h"
#include "ops/engine.h"
#include "security/every_operation.h"
#include "security/expected.h"
#include "security/token_verdicts.h"

namespace townpost {
namespace {

/// Somebody who calls the town's server.
struct Client {
  std::string_view what;
  TokenHolder holder;
  std::optional<std::string> as;
  std::optional<Standing> standing;  ///< nothing: it says to be somebody whom the token is not for
};

class TokenMatrix : public testing::Test {
 protected:
  struct Outcome {
    Result<Answer> answer;
    std::string shown;  ///< all of the answer, or of the error
    bool changed = false;
    bool is_forbidden() const { return !answer && answer.error().code == Code::forbidden; }
    /// By the row, or by what it would be done to.
    bool is_refused() const { return is_forbidden() || (!answer && answer.error().code == Code::refused); }
    bool is_refused_by_row() const {
      return is_forbidden() && answer.error().message.find(" is for ") != std::string::npos;
    }
  };

  Outcome call(const Client& client, const Op& op, const TestTown::Words& words) {
    if (seen_.empty()) {
      town_.restore();
      seen_ = look();
    }
    // Another host for each: the store may have been exchanged under the last one.
    LocalHost host(program_, Serves::many);
    LocalEngine engine(host);
    Request request;
    request.origin.from = From::elsewhere;
    request.origin.town = town_.town().folder().string();
    request.origin.environment = &environment_;
    request.origin.identity.token = client.holder;
    request.origin.identity.flag = client.as;
    request.started_at = host.clock().now();
    request.input = [] { return Result<std::string>(""); };
    request.tell = [](std::string_view) {};
    Outcome out{engine.call(op, args_of(op, words), request), {}, false};
    out.shown = out.answer ? to_line(out.answer->json) : cat(out.answer.error().message, " ", out.answer.error().hint);
    out.changed = look() != seen_;
    if (out.changed) seen_.clear();
    return out;
  }

  /// Every operation; what needs the caller's own host is refused before anybody asks who calls.
  template <class Each>
  void each_operation(const Each& each) {
    const auto words = call_of_each(town_);
    int tried = 0;
    for (const auto& entry : op_table()) {
      const Op& op = entry.op();
      if (op.name != entry.name) continue;
      const auto found = words.find(op.name);
      ASSERT_NE(found, words.end()) << op.name << " has no call";
      each(op, found->second);
      ++tried;
    }
    EXPECT_GT(tried, 100);
  }

  AgentId id_of(const std::string& address) {
    return {std::stoll(town_.town().sql(cat("SELECT id FROM agent WHERE address = '", address, "';")))};
  }
  TokenHolder for_agent(const std::string& address) {
    return {.token = "tok-1", .role = TokenRole::agent, .agent = id_of(address)};
  }

  HostileTown town_;

 private:
  std::string seen_;  ///< what the store has; empty where that is to be as it was when the town was made
  static Args args_of(const Op& op, const TestTown::Words& words) {
    const auto found = find_command(words);
    EXPECT_TRUE(found && found->op == &op) << join(words, " ");
    const auto line = parse_command_line(op, found->rest, found->named);
    EXPECT_TRUE(line.has_value()) << join(words, " ") << ": " << line.error().message;
    const auto args = Args::check(op.args, line->args);
    EXPECT_TRUE(args.has_value()) << join(words, " ") << ": " << args.error().message;
    return *args;
  }
  std::string look() {
    return town_.town()
        .shell("sqlite3 -cmd '.timeout 10000' .town/town.db .dump | grep -v -E 'INTO (watch|log_state) '")
        .out;
  }
  StandardInput input_;
  LibpqDoor postgres_;
  const Program program_{.input = input_, .postgres = postgres_, .called = gt_program()};
  FixedEnvironment environment_{{{"HOME", town_.town().folder().string()}}, town_.town().folder()};
};

TEST_F(TokenMatrix, HoldsForEveryOperation) {
  const TokenHolder rig{.token = "tok-2", .role = TokenRole::rig, .rig = "beads"};
  const TokenHolder any{.token = "tok-3", .role = TokenRole::town};
  const TokenHolder human{.token = "tok-4", .role = TokenRole::human};
  const std::vector<Client> clients = {
      {"an agent", for_agent("evil"), {}, Standing::agent},
      {"an agent in quarantine", for_agent("shut"), {}, Standing::quarantined},
      {"any agent, as one in quarantine", any, "shut", Standing::quarantined},
      {"the human", human, {}, Standing::person},
      {"an agent, as another", for_agent("evil"), "victim", {}},
      {"an agent, as the human", for_agent("evil"), "overseer", {}},
      {"the agents of a rig, as one of none", rig, "victim", {}},
      {"the agents of a rig, as nobody", rig, {}, {}},
      {"any agent, as the human", any, "overseer", {}},
      {"a client without a token, as another", TokenHolder::trusted_loopback(), "victim", {}},
  };
  for (const auto& client : clients)
    each_operation([&](const Op& op, const TestTown::Words& words) {
      const auto done = call(client, op, words);
      const auto told = cat(op.name, " by ", client.what, ": ", done.shown);
      EXPECT_FALSE(done.is_refused() && done.changed) << told;
      const bool may_see = client.standing == Standing::person;
      EXPECT_TRUE(may_see || done.shown.find("SECRET") == std::string::npos) << told;
      if (!client.standing) {
        EXPECT_FALSE(done.changed) << told;
        EXPECT_TRUE(!done.answer || (op.authority.who() == Who::anyone && op.effect == Effect::reads)) << told;
        return;
      }
      auto wanted = op.where == Where::anywhere ? expected(op, *client.standing) : Expected::refused;
      if (op.name == "mail.inbox" && *client.standing != Standing::person) wanted = Expected::refused;  // not its own
      if (wanted == Expected::refused && !is_told_by_each(op.name)) {
        EXPECT_TRUE(done.is_refused()) << told;
      }
      if (wanted == Expected::allowed) {
        EXPECT_FALSE(done.is_refused_by_row()) << told;
      }
    });
}

TEST_F(TokenMatrix, AClientWithoutATokenReadsAndSendsOnly) {
  const Client client{"a client without a token", TokenHolder::trusted_loopback(), {}, Standing::script};
  int sent = 0, refused = 0;
  each_operation([&](const Op& op, const TestTown::Words& words) {
    const auto done = call(client, op, words);
    const auto told = cat(op.name, ": ", done.shown);
    EXPECT_FALSE(done.is_forbidden() && done.changed) << told;
    if (op.where != Where::anywhere || op.effect == Effect::destroys || op.authority.who() == Who::person ||
        (op.authority.who() == Who::coordinator && op.effect != Effect::reads)) {
      EXPECT_TRUE(done.is_forbidden()) << told;
    }
    if (done.changed) {
      EXPECT_TRUE(op.name.starts_with("mail.") || op.name == "nudge" || op.name == "channel.read") << told;
    }
    sent += done.answer && done.changed ? 1 : 0;
    refused += done.is_forbidden() ? 1 : 0;
  });
  EXPECT_GE(sent, 3) << "it may send";
  EXPECT_GE(refused, 20);
}

TEST_F(TokenMatrix, OfAnAgentIsDecidedForEveryOperationAndTouchesNothingOfAnothers) {
  const Client client{"an agent", for_agent("evil"), {}, Standing::agent};
  each_operation([&](const Op& op, TestTown::Words words) {
    if (op.name == "channel.subscribe" || op.name == "channel.unsubscribe") words.emplace_back("victim");
    const auto done = call(client, op, words);
    const auto told = cat(op.name, " by an agent's token: ", done.shown);
    switch (token_verdict(op.name)) {
      case TokenVerdict::none:
        ADD_FAILURE() << "nobody has decided what an agent's token is worth for " << told;
        break;
      case TokenVerdict::refused:
        EXPECT_TRUE(done.is_refused()) << told;
        EXPECT_FALSE(done.changed) << told;
        break;
      case TokenVerdict::reads:
        EXPECT_FALSE(done.is_refused() || done.changed) << told;
        EXPECT_EQ(done.shown.find("SECRET"), std::string::npos) << told;
        break;
      case TokenVerdict::acts:
        EXPECT_TRUE(done.answer && done.changed) << told;
        EXPECT_EQ(done.shown.find("\"from\":\"victim\""), std::string::npos) << told;
        break;
    }
  });
}

}  // namespace
}  // namespace townpost
