#include "post/people/identity.h"

#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "base/child.h"
#include "contract/town_fixture.h"
#include "post/town/hint.h"

namespace townpost {
namespace {

using Variables = std::map<std::string, std::string>;

class IdentityTest : public TownTest {
 protected:
  Result<Caller> who(const Variables& variables, const std::optional<std::string>& flag = std::nullopt,
                     const std::filesystem::path& folder = "/") {
    return caller_of(identify(IdentityInputs::collect(flag, FixedEnvironment(variables, folder)), town(), notes()));
  }
  /// An agent program above the caller, started with these names.
  static SessionAround session(const std::string& harness, const NamingVariables& started_with,
                               const std::string& process = "1.1@host") {
    return {.harness = harness, .process = process, .is_proven = true, .started_with = started_with};
  }
  Result<Identified> identified(const SessionAround& around, const Variables& variables,
                                const std::optional<std::string>& flag = std::nullopt) {
    auto inputs = IdentityInputs::collect(flag, FixedEnvironment(variables, "/"));
    inputs.around = around;
    return identify(inputs, town(), notes());
  }
  Result<Caller> within(const SessionAround& around, const Variables& variables,
                        const std::optional<std::string>& flag = std::nullopt) {
    return caller_of(identified(around, variables, flag));
  }
  void end_session_of(const std::string& who) {
    const auto id = agent_of(who).id;
    must(town().store.write([&](Ledger& ledger) -> Result<> {
      TRY(presence, ledger.presence(id));
      presence->state = AgentState::exited;
      return ledger.set_presence(*presence);
    }));
  }
  ProcessNotes notes() { return ProcessNotes(town().folder / "notes" / "session"); }
  std::string address(const Variables& variables, const std::optional<std::string>& flag = std::nullopt) {
    const auto found = who(variables, flag);
    return found ? found->address.str() : cat(name(found.error().code), ": ", found.error().message);
  }
  Error error(const Variables& variables, const std::optional<std::string>& flag = std::nullopt) {
    return error_of(who(variables, flag));
  }

 private:
  static Result<Caller> caller_of(const Result<Identified>& found) {
    return found ? Result<Caller>(found->caller) : Result<Caller>(fail(found.error()));
  }
};
ON_EVERY_STORE(IdentityTest);

TEST_P(IdentityTest, WithoutAnySignItIsTheHuman) {
  const Caller caller = must(who({}));
  EXPECT_EQ(caller.address, Address::human());
  EXPECT_TRUE(caller.is_person());
}

TEST_P(IdentityTest, ARoleWithItsCompanionsSpellsAnAddress) {
  const std::vector<std::pair<Variables, std::string>> roles = {
      {{{"GT_ROLE", "mayor"}}, "mayor/"},
      {{{"GT_ROLE", "deacon"}}, "deacon/"},
      {{{"GT_ROLE", "witness"}, {"GT_RIG", "beads"}}, "beads/witness"},
      {{{"GT_ROLE", "refinery"}, {"GT_RIG", "beads"}}, "beads/refinery"},
      {{{"GT_ROLE", "polecat"}, {"GT_RIG", "beads"}, {"GT_POLECAT", "nux"}}, "beads/polecats/nux"},
      {{{"GT_ROLE", "crew"}, {"GT_RIG", "beads"}, {"GT_CREW", "max"}}, "beads/crew/max"},
      {{{"GT_ROLE", "dog"}, {"GT_DOG_NAME", "fido"}}, "deacon/dogs/fido"},
      {{{"GT_ROLE", "beads/crew/max"}}, "beads/crew/max"},
      {{{"GT_ROLE", "beads/max"}}, "beads/crew/max"},
      {{{"GT_ROLE", "mayor/"}}, "mayor/"},
      {{{"MAIL_IDENTITY", "beads/polecats/nux"}}, "beads/polecats/nux"},
      {{{"BD_ACTOR", "beads/polecats/nux"}}, "beads/polecats/nux"},
  };
  for (const auto& [variables, wanted] : roles) {
    EXPECT_EQ(address(variables), wanted);
    EXPECT_EQ(must(who(variables)).grade, Grade::env);
  }
}

TEST_P(IdentityTest, AnIncompleteRoleNamesWhatIsMissing) {
  const std::vector<std::pair<Variables, std::string>> incomplete = {
      {{{"GT_ROLE", "witness"}}, "GT_RIG"},
      {{{"GT_ROLE", "refinery"}, {"GT_RIG", ""}}, "GT_RIG"},
      {{{"GT_ROLE", "polecat"}, {"GT_POLECAT", "nux"}}, "GT_RIG"},
      {{{"GT_ROLE", "polecat"}, {"GT_RIG", "beads"}, {"GT_CREW", "max"}}, "GT_POLECAT"},
      {{{"GT_ROLE", "crew"}, {"GT_RIG", "beads"}}, "GT_CREW"},
      {{{"GT_ROLE", "dog"}}, "GT_DOG_NAME"},
  };
  for (const auto& [variables, missing] : incomplete) {
    EXPECT_EQ(error(variables).code, Code::usage);
    EXPECT_NE(error(variables).message.find(missing), std::string::npos) << error(variables).message;
  }
}

TEST_P(IdentityTest, AnUnknownRoleIsAnError) {
  for (const auto* role : {"boss", "overseer", "Mayor", "\x1b[31m"}) {
    EXPECT_EQ(error({{"GT_ROLE", role}}).code, Code::usage) << role;
    EXPECT_EQ(error({{"GT_ROLE", role}}).message.find('\x1b'), std::string::npos);
  }
  EXPECT_EQ(error({{"GT_ROLE", "polecat"}, {"GT_RIG", "a/b"}, {"GT_POLECAT", "c"}}).code, Code::usage);
  EXPECT_EQ(error({{"GT_ROLE", "polecat"}, {"GT_RIG", ".."}, {"GT_POLECAT", "c"}}).code, Code::usage);
}

TEST_P(IdentityTest, ASessionSpeaksForTheAgentItWasStartedFor) {
  const SessionAround max = session("claude", {.mail_identity = "beads/crew/max"});
  const Caller caller = must(within(max, {}));
  EXPECT_EQ(caller.address.str(), "beads/crew/max");
  EXPECT_EQ(caller.grade, Grade::pane);
  EXPECT_EQ(must(within(max, {{"GT_ROLE", "beads/crew/max"}})).grade, Grade::pane);
  EXPECT_EQ(error_of(within(max, {{"GT_ROLE", "mayor"}})).code, Code::forbidden);
  EXPECT_EQ(error_of(within(max, {{"BD_ACTOR", "beads/polecats/nux"}})).code, Code::forbidden);
  EXPECT_EQ(error_of(within(max, {}, "overseer")).code, Code::forbidden);
  EXPECT_EQ(error_of(within(max, {}, "nux")).code, Code::forbidden);
  auto inputs = IdentityInputs::collect(std::nullopt, FixedEnvironment({}, "/"));
  const auto key = inputs.key();
  inputs.around = max;
  EXPECT_NE(inputs.key(), key) << "nor is it told what was looked up for the human";
}

TEST_P(IdentityTest, ASupervisedSessionSpeaksForWhomItsSupervisorSays) {
  SessionAround supervised = session("agent", {.mail_identity = "beads/polecats/nux"});
  supervised.flag = "beads/crew/max";
  EXPECT_EQ(must(within(supervised, {})).address.str(), "beads/crew/max");
  EXPECT_EQ(error_of(within(supervised, {{"MAIL_IDENTITY", "beads/polecats/nux"}})).code, Code::forbidden);
}

TEST_P(IdentityTest, ASessionIsNeverTheHumanWhateverItWasStartedAs) {
  EXPECT_EQ(error_of(within(session("claude", {.mail_identity = "overseer"}), {})).code, Code::forbidden);
  const SessionAround nameless = session("claude", {});
  EXPECT_EQ(error_of(within(nameless, {{"MAIL_IDENTITY", "overseer"}})).code, Code::forbidden);
  EXPECT_EQ(error_of(within(nameless, {{"BD_ACTOR", "user"}})).code, Code::forbidden);
  EXPECT_EQ(error_of(within(nameless, {}, "overseer")).code, Code::forbidden);
  EXPECT_EQ(error_of(within(nameless, {}, "max")).code, Code::forbidden);
}

TEST_P(IdentityTest, ASessionWithoutANameGetsOneAndKeepsIt) {
  const auto first = must(identified(session("claude", {}), {}));
  EXPECT_EQ(first.caller.address.str(), "claude-1");
  EXPECT_EQ(first.caller.grade, Grade::pane);
  EXPECT_TRUE(first.is_newly_named);
  EXPECT_TRUE(registry().agent("claude-1").has_value()) << "it can be written to";
  const auto again = must(identified(session("claude", {}), {}));
  EXPECT_EQ(again.caller.address.str(), "claude-1");
  EXPECT_FALSE(again.is_newly_named);
  EXPECT_EQ(error_of(within(session("claude", {}), {{"MAIL_IDENTITY", "beads/polecats/nux"}})).code, Code::forbidden)
      << "it has a name now";
  EXPECT_EQ(must(within(session("claude", {}, "2.2@host"), {})).address.str(), "claude-2") << "another session";
  EXPECT_EQ(must(within(session("codex", {}, "3.3@host"), {})).address.str(), "codex-1");
}

TEST_P(IdentityTest, ANameThatIsTakenIsGivenToNoSession) {
  must(registry().add_agent({.address = "claude-1"}, {}));
  must(registry().add_agent({.address = "claude-2"}, {}));
  must(registry().alias("claude-2", "writer"));
  EXPECT_EQ(must(within(session("claude", {}), {})).address.str(), "claude-3");
}

TEST_P(IdentityTest, ARenamedSessionIsItsNewName) {
  ASSERT_EQ(must(within(session("claude", {}), {})).address.str(), "claude-1");
  must(registry().alias("claude-1", "writer"));
  EXPECT_EQ(must(within(session("claude", {}), {})).address.str(), "writer");
}

TEST_P(IdentityTest, ASessionThatBeganWithoutANameTakesNoneFromItsVariables) {
  for (const auto* variable : {"MAIL_IDENTITY", "BD_ACTOR", "GT_ROLE"})
    for (const auto* taken : {"mayor/", "beads/polecats/nux", "newcomer/polecats/x"}) {
      const auto refused = error_of(within(session("codex", {}), {{variable, taken}}));
      EXPECT_EQ(refused.code, Code::forbidden) << variable << " " << taken;
      EXPECT_NE(refused.hint.find(variable), std::string::npos) << refused.hint;
    }
  EXPECT_EQ(must(within(session("codex", {}), {})).address.str(), "codex-1");
}

TEST_P(IdentityTest, ASessionStaysWhoItIsWhateverBecomesOfItsNote) {
  ASSERT_EQ(must(within(session("claude", {}), {})).address.str(), "claude-1");
  std::filesystem::remove_all(town().folder / "notes");
  auto inputs = IdentityInputs::collect(std::nullopt, FixedEnvironment({}, "/"));
  inputs.around = session("claude", {});
  inputs.above = {"9.9@host", "1.1@host", "0.1@host"};
  EXPECT_EQ(must(identify(inputs, town(), notes())).caller.address.str(), "claude-1");
  inputs.around.reset();
  EXPECT_EQ(must(identify(inputs, town(), notes())).caller.address.str(), "claude-1") << "also if nothing else tells";
}

TEST_P(IdentityTest, ATmuxSessionWithANameOfItsOwnLendsIt) {
  machine().own = OwnPane{.pane = "%3", .session = "painter", .pid = 7};
  const Variables in_tmux = {{"TMUX_PANE", "%3"}};
  EXPECT_EQ(must(within(session("claude", {}), in_tmux)).address.str(), "painter");
  EXPECT_EQ(agent_of("painter").session, "") << "the pane is a person's, and the agent only runs in it";
  EXPECT_EQ(address(in_tmux), "overseer") << "whoever has the pane beside it, or afterwards, is not the agent";
  EXPECT_EQ(must(within(session("claude", {}, "2.2@host"), in_tmux)).address.str(), "claude-1") << "it still runs";
  end_session_of("painter");
  EXPECT_EQ(must(within(session("claude", {}, "3.3@host"), in_tmux)).address.str(), "painter")
      << "the next session there goes on with its mail";
  machine().own->session = "4";  // tmux counts sessions that nobody named
  EXPECT_EQ(must(within(session("claude", {}, "4.4@host"), in_tmux)).address.str(), "claude-2");
}

TEST_P(IdentityTest, ATmuxSessionNamedLikeAnotherAgentLendsNothing) {
  must(registry().add_agent({.address = "victim"}, {}));
  machine().own = OwnPane{.pane = "%3", .session = "victim", .pid = 7};
  EXPECT_EQ(must(within(session("claude", {}), {{"TMUX_PANE", "%3"}})).address.str(), "claude-1");
}

TEST_P(IdentityTest, WhereOnlyVariablesTellOfASessionItHasTheirNameOrOneOfItsOwn) {
  SessionAround marked = session("claude", {});
  marked.is_proven = false;
  EXPECT_EQ(must(within(marked, {{"MAIL_IDENTITY", "beads/polecats/nux"}})).grade, Grade::env);
  EXPECT_EQ(error_of(within(marked, {}, "overseer")).code, Code::forbidden);
  EXPECT_EQ(must(within(marked, {})).address.str(), "claude-1");
  EXPECT_EQ(must(within(marked, {})).address.str(), "claude-1");
}

TEST_P(IdentityTest, ASessionThatOnlyVariablesTellOfIsWhoItBeganAsWhateverItDropsLater) {
  SessionAround marked = session("claude", {.mail_identity = "beads/polecats/nux"});
  marked.is_proven = false;
  EXPECT_EQ(must(within(marked, {})).address.str(), "beads/polecats/nux");
  EXPECT_EQ(must(within(marked, {})).grade, Grade::env);
  EXPECT_EQ(error_of(within(marked, {{"MAIL_IDENTITY", "beads/polecats/fresh"}})).code, Code::forbidden);
  must(identified(session("claude", {}), {}));  // another session at the same terminal, which got a name of its own
  EXPECT_EQ(must(within(marked, {})).address.str(), "beads/polecats/nux");
}

TEST_P(IdentityTest, AnAgentProgramInsideASessionThatOnlyVariablesTellOfIsThatSessions) {
  SessionAround beyond = session("claude", {.mail_identity = "beads/polecats/nux"}, "9.9@host");
  beyond.is_proven = false;
  const auto who_is_in = [&](const NamingVariables& started_with) {
    auto inputs = IdentityInputs::collect(std::nullopt, FixedEnvironment({}, "/"));
    inputs.around = session("claude", started_with);
    inputs.beyond = beyond;
    return must(identify(inputs, town(), notes())).caller.address.str();
  };
  EXPECT_EQ(who_is_in({.mail_identity = "beads/crew/max"}), "beads/polecats/nux");
  EXPECT_EQ(who_is_in({}), "beads/polecats/nux");
  beyond.started_with = {};
  EXPECT_EQ(who_is_in({.mail_identity = "beads/crew/max"}), "beads/crew/max") << "nobody is known beyond it";
  EXPECT_EQ(must(within(beyond, {})).address.str(), "claude-1");
  EXPECT_EQ(who_is_in({.mail_identity = "beads/crew/max"}), "claude-1") << "it has a name by now";
}

TEST_P(IdentityTest, AScriptIsTheHumanByItsOwnWordOnly) {
  EXPECT_EQ(must(who({})).grade, Grade::script);
  EXPECT_EQ(must(who({{"MAIL_IDENTITY", "overseer"}})).grade, Grade::script) << "a variable is no terminal";
  EXPECT_EQ(must(who({}, "overseer")).grade, Grade::flag);
  auto inputs = IdentityInputs::collect(std::nullopt, FixedEnvironment({}, "/"));
  inputs.terminal = Terminal::attended;
  EXPECT_EQ(must(identify(inputs, town(), notes())).caller.grade, Grade::env);
}

TEST_P(IdentityTest, TheFirstHitWins) {
  Variables all = {{"GT_ROLE", "mayor"}, {"MAIL_IDENTITY", "beads/polecats/nux"}, {"BD_ACTOR", "beads/polecats/slit"}};
  EXPECT_EQ(address(all, "beads/crew/max"), "beads/crew/max");
  EXPECT_EQ(address(all), "mayor/");
  all.erase("GT_ROLE");
  EXPECT_EQ(address(all), "beads/polecats/nux");
  all.erase("MAIL_IDENTITY");
  EXPECT_EQ(address(all), "beads/polecats/slit");
}

TEST_P(IdentityTest, AFlagNamesSomebodyKnown) {
  EXPECT_EQ(must(who({}, "max")).address.str(), "beads/crew/max");
  EXPECT_EQ(must(who({}, "max")).grade, Grade::flag);
  EXPECT_EQ(error({}, "mxa").code, Code::not_found);
  EXPECT_NE(error({}, "mxa").hint.find("beads/crew/max"), std::string::npos) << error({}, "mxa").hint;
  EXPECT_FALSE(registry().agent("mxa").has_value()) << "a typo registers nobody";
}

TEST_P(IdentityTest, TheEnvironmentNeedsNoRegistration) {
  EXPECT_EQ(address({{"GT_ROLE", "beads/polecats/newcomer"}}), "beads/polecats/newcomer");
  EXPECT_FALSE(registry().agent("beads/polecats/newcomer").has_value()) << "asking who I am is no write";
}

TEST_P(IdentityTest, APaneBelongsToItsAgent) {
  Registry::NewAgent max{.address = "beads/crew/max", .session = "tmux:%5"};
  max.pane_process = process_name(::getpid());
  must(registry().add_agent(max, {}));
  const Variables pane = {{"TMUX_PANE", "%5"}};
  EXPECT_EQ(address(pane), "overseer") << "a variable proves nothing";
  machine().own = OwnPane{.pane = "%5", .session = "work", .pid = ::getpid()};
  EXPECT_EQ(address(pane), "beads/crew/max");
  EXPECT_EQ(must(who(pane)).grade, Grade::pane);
  machine().own = OwnPane{.pane = "%5", .session = "work", .socket = "/tmp/another/server", .pid = ::getpid()};
  EXPECT_EQ(address(pane), "overseer") << "the same number on another server";
  machine().own = OwnPane{.pane = "%6", .session = "nux", .pid = 8};
  EXPECT_EQ(address({{"TMUX_PANE", "%6"}}), "overseer");
  must(registry().add_agent({.address = "beads/polecats/nux", .session = "tmux:nux"}, {}));
  EXPECT_EQ(address({{"TMUX_PANE", "%6"}}), "overseer") << "which pane of the session is meant is not known";
  machine().own->is_alone = true;
  EXPECT_EQ(address({{"TMUX_PANE", "%6"}}), "beads/polecats/nux") << "by the session's name";
}

TEST_P(IdentityTest, ALaterPaneOfTheSameNumberIsSomebodyElses) {
  machine().own = OwnPane{.pane = "%5", .session = "work", .pid = ::getpid()};
  const Variables pane = {{"TMUX_PANE", "%5"}};
  Registry::NewAgent max{.address = "beads/crew/max", .session = "tmux:%5"};
  max.pane_process = process_name(::getpid());
  must(registry().add_agent(max, {}));
  EXPECT_EQ(address(pane), "beads/crew/max");
  const auto own = process_name(::getpid());
  const auto start = own.find('.') + 1;
  const auto boot = own.find('-');
  const auto at = own.find('@');
  for (const auto& earlier : {
           std::string("1.1") + own.substr(boot),                                     // before this server was started
           cat("1.", own.substr(start, boot - start), "9-anotherb", own.substr(at)),  // before the machine was
           std::string("1.1@another-start"),
           std::string(),  // before there was such a pane
       }) {
    max.pane_process = earlier;
    must(registry().add_agent(max, {}));
    EXPECT_EQ(address(pane), "overseer") << earlier;
  }
  max.pane_process = cat("1.", own.substr(start, boot - start), own.substr(boot));
  must(registry().add_agent(max, {}));
  EXPECT_EQ(address(pane), "beads/crew/max") << "another program of that pane, while its server runs";
}

TEST_P(IdentityTest, AnAgentsPaneMaySpeakForNobodyElse) {
  machine().own = OwnPane{.pane = "%5", .session = "work", .pid = ::getpid()};
  Registry::NewAgent max{.address = "beads/crew/max", .session = "tmux:%5"};
  max.pane_process = process_name(::getpid());
  must(registry().add_agent(max, {}));
  const Variables pane = {{"TMUX_PANE", "%5"}};
  EXPECT_EQ(error(pane, "nux").code, Code::forbidden);
  EXPECT_EQ(error(pane, "overseer").code, Code::forbidden);
  EXPECT_EQ(error({{"TMUX_PANE", "%5"}, {"GT_ROLE", "mayor"}}).code, Code::forbidden);
  EXPECT_EQ(error({{"TMUX_PANE", "%5"}, {"MAIL_IDENTITY", "overseer"}}).code, Code::forbidden);
  EXPECT_EQ(must(who(pane, "max")).grade, Grade::pane);
  EXPECT_EQ(address({{"TMUX_PANE", "%5"}, {"GT_ROLE", "crew"}, {"GT_RIG", "beads"}, {"GT_CREW", "max"}}),
            "beads/crew/max");
}

TEST_P(IdentityTest, NobodySpeaksAsTheTownItself) {
  EXPECT_FALSE(who({}, "townpost").has_value());
  EXPECT_FALSE(who({{"GT_ROLE", "townpost/"}}).has_value());
  EXPECT_FALSE(who({{"MAIL_IDENTITY", "townpost"}}).has_value());
}

TEST_P(IdentityTest, TheNearestAgentFileIsRead) {
  const auto folder = must(TemporaryFolder::make("agent"));
  const auto deep = folder.path() / "a" / "b";
  must(make_folders(deep));
  const auto write = [&](const std::string& text) { must(write_file_lightly(folder.path() / ".gt-agent", text)); };
  const auto found = [&](const Variables& variables = {}) { return who(variables, std::nullopt, deep); };
  write(R"({"role":"crew","rig":"beads","name":"max"})");
  EXPECT_EQ(must(found()).address.str(), "beads/crew/max");
  EXPECT_EQ(must(found({{"GT_ROLE", "mayor"}})).address.str(), "mayor/") << "the environment comes first";
  write(R"({"role":"polecat","rig":"beads","name":"nux"})");
  EXPECT_EQ(must(found()).address.str(), "beads/polecats/nux");
  write(R"({"role":"dog","name":"fido"})");
  EXPECT_EQ(must(found()).address.str(), "deacon/dogs/fido");
  write(R"({"role":"mayor"})");
  EXPECT_EQ(must(found()).address.str(), "mayor/");
  for (const auto* broken :
       {"", "{", "[]", "{}", R"({"role":7})", R"({"role":"crew"})", R"({"role":"crew","rig":"beads"})",
        R"({"role":"boss"})", R"({"role":"crew","rig":"..","name":"max"})"}) {
    write(broken);
    EXPECT_EQ(error_of(found()).code, Code::usage) << broken;
    EXPECT_NE(error_of(found()).message.find(".gt-agent"), std::string::npos) << error_of(found()).message;
  }
}

TEST_P(IdentityTest, AnAgentFileThatGitTracksSaysNothing) {
  const auto folder = must(TemporaryFolder::make("agent"));
  must(write_file_lightly(folder.path() / ".gt-agent", R"({"role":"mayor"})"));
  const auto found = [&] { return must(who({}, std::nullopt, folder.path())).address.str(); };
  const auto git = [&](const std::string& words) {
    ASSERT_EQ(std::system(cat("git -C ", folder.path().string(), " ", words).c_str()), 0);
  };
  git("init -q");
  EXPECT_EQ(found(), "mayor/");
  git("add .gt-agent");
  EXPECT_EQ(found(), "overseer") << "whoever pushes to a repository would say who works in it";
  git("update-index --split-index");
  EXPECT_EQ(found(), "overseer") << "in a file beside the index";
}

TEST_P(IdentityTest, AnAgentFileThatWasThereBeforeTheSessionNamesIt) {
  const auto folder = must(TemporaryFolder::make("agent"));
  must(write_file_lightly(folder.path() / ".gt-agent", R"({"role":"crew","rig":"beads","name":"max"})"));
  auto child = must(Child::start({.command = {"sleep", "600"}, .environment = {}, .folder = folder.path().string()}));
  const auto late = must(TemporaryFolder::make("agent"));
  auto other = must(Child::start({.command = {"sleep", "600"}, .environment = {}, .folder = late.path().string()}));
  EXPECT_EQ(must(within(session("claude", {}, process_name(child.pid())), {})).address.str(), "beads/crew/max");
  ::usleep(2'100'000);  // the kernel tells the start of processes in whole seconds
  must(write_file_lightly(late.path() / ".gt-agent", R"({"role":"mayor"})"));
  EXPECT_EQ(must(within(session("claude", {}, process_name(other.pid())), {})).address.str(), "claude-1");
  child.signal(SIGKILL);
  other.signal(SIGKILL);
}

TEST_P(IdentityTest, AnAgentFileMakesNoSessionACoordinator) {
  const auto folder = must(TemporaryFolder::make("agent"));
  must(write_file_lightly(folder.path() / ".gt-agent", R"({"role":"mayor"})"));
  auto child = must(Child::start({.command = {"sleep", "600"}, .environment = {}, .folder = folder.path().string()}));
  EXPECT_EQ(must(within(session("claude", {}, process_name(child.pid())), {})).address.str(), "claude-1");
  child.signal(SIGKILL);
}

TEST_P(IdentityTest, AnAgentFileCountsInTheFolderTheSessionWasStartedInOnly) {
  const auto folder = must(TemporaryFolder::make("agent"));
  const auto max = folder.path() / "max";
  const auto work = folder.path() / "work";
  std::filesystem::create_directories(max);
  std::filesystem::create_directories(work);
  must(write_file_lightly(max / ".gt-agent", R"({"role":"crew","rig":"beads","name":"max"})"));
  auto child = must(Child::start({.command = {"sleep", "600"}, .environment = {}, .folder = work.string()}));
  auto around = session("claude", {}, process_name(child.pid()));
  around.started_in = work.string();
  std::filesystem::rename(work, max / "work");
  EXPECT_EQ(must(within(around, {})).address.str(), "claude-1") << "it was moved below another's file";
  auto linked = must(Child::start({.command = {"sleep", "600"}, .environment = {}, .folder = (max / "work").string()}));
  std::filesystem::create_symlink("../.gt-agent", max / "work" / ".gt-agent");
  std::filesystem::rename(max / "work", work);
  std::filesystem::rename(max, folder.path() / "gone");
  EXPECT_EQ(must(within(session("claude", {}, process_name(linked.pid())), {})).address.str(), "claude-2");
  child.signal(SIGKILL);
  linked.signal(SIGKILL);
}

TEST_P(IdentityTest, TheWitnessOfNoRigIsNobody) {
  EXPECT_EQ(error_of(who({{"GT_ROLE", "nowhere/witness"}})).code, Code::not_found);
  EXPECT_EQ(error_of(within(session("claude", {.role = "nowhere/refinery"}), {})).code, Code::not_found);
  EXPECT_EQ(address({{"GT_ROLE", "beads/witness"}}), "beads/witness");
}

TEST_P(IdentityTest, AnOldNameIsTheRenamedAgent) {
  must(registry().alias("beads/crew/max", "beads/crew/moe"));
  EXPECT_EQ(address({{"GT_ROLE", "beads/crew/max"}}), "beads/crew/moe");
  EXPECT_EQ(address({}, "beads/crew/max"), "beads/crew/moe");
}

TEST_P(IdentityTest, EqualInputsHaveEqualKeysAndOthersDoNot) {
  const auto key = [](const Variables& variables, const std::optional<std::string>& flag = std::nullopt) {
    return IdentityInputs::collect(flag, FixedEnvironment(variables, "/")).key();
  };
  EXPECT_EQ(key({{"GT_ROLE", "mayor"}}), key({{"GT_ROLE", "mayor"}}));
  const std::set<std::string> keys = {key({}),
                                      key({{"GT_ROLE", "mayor"}}),
                                      key({{"MAIL_IDENTITY", "mayor"}}),
                                      key({{"BD_ACTOR", "mayor"}}),
                                      key({}, "mayor"),
                                      key({{"TMUX_PANE", "%1"}}),
                                      key({{"GT_ROLE", "crew"}, {"GT_RIG", "ab"}, {"GT_CREW", "c"}}),
                                      key({{"GT_ROLE", "crew"}, {"GT_RIG", "a"}, {"GT_CREW", "bc"}})};
  EXPECT_EQ(keys.size(), 8u);
}

TEST_P(IdentityTest, MailToSomebodyWhoOnlyLookedBeforeIsNotHiddenByItsHint) {
  const auto settings = town().folder / "town.toml";
  must(write_file_lightly(settings, ""));
  using FileTime = std::filesystem::file_time_type;
  std::filesystem::last_write_time(settings,
                                   FileTime::clock::now() - std::chrono::hours(24 * 365 * 20));  // long before the look
  Hint hint(town().folder, "witness", bell(), clock());
  const Agent mailbox = must(room().mailbox_of(caller("alpha/witness")));
  hint.nothing_found(hint.before_look(mailbox.id));
  ASSERT_TRUE(hint.nothing_waits_for().has_value());
  send("nux", "alpha/witness");
  EXPECT_FALSE(hint.nothing_waits_for().has_value());
}

}  // namespace
}  // namespace townpost
