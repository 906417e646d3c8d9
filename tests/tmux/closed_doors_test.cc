// Panes that are no agent's prompt, with the real programs: nothing is typed there, and the look says why.
#include "base/child.h"
#include "base/clock.h"
#include "base/environment.h"
#include "base/text.h"
#include "delivery/session_doors.h"
#include "tmux/lab.h"

namespace townpost {
namespace {

struct Tenant {
  std::string name;
  std::string program;
  std::vector<std::string> command;
  std::string ready;  ///< what the pane shows once it is there
  std::string why;    ///< a part of what the look says
};

void PrintTo(const Tenant& tenant, std::ostream* out) { *out << tenant.name; }

class DoorsLab : public TmuxLab {
 protected:
  std::string uri(const std::string& pane) { return cat("tmux:", socket().string(), "/", pane); }
  /// An agent that a person registered for this pane, as `gt agent add` does.
  Agent registered(const std::string& pane, const std::string& harness = "") {
    return {.id = {1},
            .address = Address::parse("coder").value(),
            .session = uri(pane),
            .harness = harness,
            .pane_process = process_name(static_cast<int>(pid(pane)))};
  }
  std::unique_ptr<AgentSession> open(const Agent& agent, const Presence& presence = {}) {
    return doors.open(agent.session, agent, presence).value();
  }
  Result<std::string> harness_word(const std::string& word, const std::string& pane) {
    return doors.harness_word(word, uri(pane));
  }

  SystemClock clock;
  FixedEnvironment environment;
  SystemDoors doors{processes_, random_, clock, environment, folder()};
};

class ClosedDoor : public DoorsLab, public testing::WithParamInterface<Tenant> {};

TEST_P(ClosedDoor, IsNotTypedIntoWhateverWasSaidOfIt) {
  const auto& tenant = GetParam();
  const auto pane = start("agent", tenant.command);
  wait_for(pane, tenant.ready);
  const auto before = screen(pane);
  for (const auto& harness : {std::string(), std::string("claude"), "raw:" + tenant.program}) {
    auto session = open(registered(pane, harness));
    const auto look = session->look();
    EXPECT_EQ(look.state, SessionState::shut) << harness << ": " << text(look);
    EXPECT_NE(look.detail.find(tenant.why), std::string::npos) << look.detail;
    const auto injected =
        session->inject({.text = "/dev/null touch pwned\n> hello", .ids = {}, .at = Injection::At::any});
    EXPECT_EQ(injected.outcome, Injected::Outcome::not_started) << text(injected);
    EXPECT_NE(injected.detail.find(tenant.why), std::string::npos) << injected.detail;
  }
  EXPECT_FALSE(harness_word("raw", pane).has_value()) << "nor may anybody say so";
  EXPECT_EQ(screen(pane), before);
}

INSTANTIATE_TEST_SUITE_P(
    Of, ClosedDoor,
    testing::Values(Tenant{"bash", "bash", {"env", "PS1=ready> ", "bash", "--norc", "-i"}, "ready>", "a shell"},
                    Tenant{"dash", "dash", {"env", "PS1=ready> ", "dash", "-i"}, "ready>", "a shell"},
                    Tenant{"zsh", "zsh", {"env", "PS1=ready> ", "zsh", "-f", "-i"}, "ready>", "a shell"},
                    Tenant{"fish",
                           "fish",
                           {"fish", "--no-config", "-C", "function fish_prompt; echo 'ready> '; end"},
                           "ready>",
                           "a shell"},
                    Tenant{"python", "python3", {"python3", "-q"}, ">>>", "an interpreter"},
                    Tenant{"vim", "vim", {"vim", "-u", "NONE"}, "~", "an editor"},
                    Tenant{"less", "less", {"less", "/etc/passwd"}, "root", "a pager"},
                    Tenant{"a_password",
                           "cat",
                           {"sh", "-c", "stty -echo; echo Password:; exec cat"},
                           "Password:",
                           "a password is asked for"},
                    Tenant{"a_password_of_bash",
                           "bash",
                           {"bash", "-c", "read -s -p Password: word; echo $word"},
                           "Password:",
                           "a password is asked for"},
                    Tenant{"a_script_that_asks",
                           "sh",
                           {"sh", "-c", "printf 'Are you sure (yes/no)? '; read word; echo $word"},
                           "(yes/no)?",
                           "a shell"},
                    Tenant{"a_login",
                           "sudo",
                           {"bash", "-c", "printf 'Password: '; exec -a sudo cat"},
                           "Password:",
                           "asks for passwords"}),
    [](const auto& one) { return one.param.name; });

TEST_F(DoorsLab, AProgramThatIsNotKnownWaitsForAPersonsWord) {
  const auto pane = start("agent", {"cat"});
  auto nobody_said = open(registered(pane));
  EXPECT_EQ(text(nobody_said->look()), "shut: cat runs there, which is not a known agent");
  EXPECT_EQ(nobody_said->inject({.text = "x", .ids = {}}).outcome, Injected::Outcome::not_started);
  EXPECT_EQ(harness_word("raw", pane).value(), "raw:cat");
  auto said = open(registered(pane, "raw:cat"));
  EXPECT_EQ(text(said->look()), "idle");
  EXPECT_EQ(text(said->inject({.text = "deploy is red", .ids = {}})), "shown");
  wait_for(pane, "deploy is red");
}

TEST_F(DoorsLab, ALineReaderIsTypedIntoOnlyWhileItIsTheOneThatWasMeant) {
  const auto pane = start("agent", {"sh", "-c", "cat; echo over; exec sleep 600"});
  auto session = open(registered(pane, "raw:cat"));
  EXPECT_EQ(text(session->look()), "idle");
  tmux({"send-keys", "-t", pane, "C-d"});
  wait_for(pane, "over");
  EXPECT_EQ(text(session->look()), "shut: sleep runs there, and it was registered for cat") << "at the next look";
  EXPECT_EQ(session->inject({.text = "x", .ids = {}}).outcome, Injected::Outcome::not_started);
}

TEST_F(DoorsLab, ALineReaderThatHidesWhatIsTypedAsksForAPassword) {
  const auto pane = start("agent", {"sh", "-c", "echo ready; exec cat"});
  wait_for(pane, "ready");
  auto session = open(registered(pane, "raw:cat"));
  EXPECT_EQ(text(session->look()), "idle");
  const auto tty = tmux({"display-message", "-p", "-t", pane, "#{pane_tty}"});
  ASSERT_EQ(processes_.run({.command = {"stty", "-F", tty, "-echo"}})->exit_code, 0);
  EXPECT_EQ(session->look().state, SessionState::shut);
}

TEST_F(DoorsLab, ALineReaderWithTheWholeScreenIsLeftAlone) {
  const auto pane = start("agent", {"sh", "-c", "printf '\\033[?1049h'; echo ready; exec cat"});
  wait_for(pane, "ready");
  EXPECT_EQ(text(open(registered(pane, "raw:cat"))->look()),
            "shut: cat fills the screen: it reads keys there, not lines");
}

TEST_F(DoorsLab, AHarnessOfAnUnknownNameIsWhatAPersonSaysItIs) {
  const auto pane = start_harness("agent");
  EXPECT_EQ(open(registered(pane))->look().state, SessionState::shut);
  auto session = open(registered(pane, "claude"));
  EXPECT_EQ(text(session->look()), "idle");
  EXPECT_EQ(text(session->inject({.text = "deploy is red", .ids = {}})), "shown");
  EXPECT_EQ(prompts("agent"), Words{"deploy is red"});
}

TEST_F(DoorsLab, AHarnessThatItsHooksToldOfIsKnownByItsProcess) {
  const auto pane = start_harness("agent");
  Agent agent = registered(pane);
  Presence presence{.state = AgentState::idle,
                    .harness = Harness::of_word("claude"),
                    .session = agent.session,
                    .pid = static_cast<int>(pid(pane))};
  EXPECT_EQ(text(open(agent, presence)->look()), "idle");
  presence.pid = static_cast<int>(::getpid());
  EXPECT_EQ(open(agent, presence)->look().state, SessionState::gone) << "a process of another place";
}

TEST_F(DoorsLab, APanesNumberThatOnlyHooksToldIsThePaneOfTheirProcess) {
  const auto pane = start_harness("agent");
  const Agent agent{.id = {1}, .address = Address::parse("coder").value(), .session = ""};
  const int process = static_cast<int>(pid(pane));
  Presence presence{.state = AgentState::idle,
                    .harness = Harness::of_word("claude"),
                    .session = uri(pane),
                    .host = host_name(),
                    .pid = process,
                    .process = process_name(process)};
  const auto look = [&] { return text(doors.open(presence.session, agent, presence).value()->look()); };
  EXPECT_EQ(look(), "idle");
  presence.process = "4711.1-anotherb@" + host_name();
  EXPECT_TRUE(look().starts_with("shut: it is not known whose")) << look() << ": another process has that number now";
  presence.pid = 0;
  presence.process.clear();
  EXPECT_TRUE(look().starts_with("shut: it is not known whose")) << look() << ": which one it was nobody knows";
}

TEST_F(DoorsLab, AHarnessInTheBackgroundOfAShellIsNotAtThePrompt) {
  const auto claude = folder() / "claude";
  std::filesystem::create_symlink("/bin/sleep", claude);
  const auto pane = start("agent", {"bash", "--norc", "-i"});
  tmux({"send-keys", "-t", pane, cat(claude.string(), " 600 & echo started"), "Enter"});
  wait_for(pane, "\nstarted");
  EXPECT_EQ(open(registered(pane))->look().state, SessionState::shut);
  tmux({"send-keys", "-t", pane, "fg", "Enter"});
  while (tmux({"display-message", "-p", "-t", pane, "#{pane_current_command}"}) != "claude") waits_.sleep(Millis(10));
  EXPECT_EQ(open(registered(pane))->look().state, SessionState::starting) << "it is there, but shows no prompt";
}

TEST_F(DoorsLab, APanesNumberMeansNothingOnceItsServerWasStartedAnew) {
  const auto pane = start_harness("agent");
  const Agent agent = registered(pane, "claude");
  EXPECT_EQ(text(open(agent)->look()), "idle");
  const auto end = [&] { return processes_.run({.command = {"tmux", "-S", socket().string(), "kill-server"}})->err; };
  while (end().find("no server") == std::string::npos) waits_.sleep(Millis(10));  // it answers longer than it lives
  ASSERT_EQ(start_harness("payroll"), pane) << "the same number";
  const auto look = open(agent)->look();
  EXPECT_EQ(text(look),
            cat("shut: tmux pane ", pane, " is not the one that was registered: another process has it now"));
  EXPECT_EQ(open(agent)->inject({.text = "x", .ids = {}}).outcome, Injected::Outcome::not_started);
  EXPECT_EQ(prompts("payroll"), Words{});
}

TEST_F(DoorsLab, APanesNumberThatWasRegisteredBeforeThePaneWasThereMeansNothing) {
  const auto pane = start_harness("agent");
  Agent agent = registered(pane, "claude");
  agent.pane_process.clear();
  EXPECT_EQ(text(open(agent)->look()), cat("shut: tmux pane ", pane, " was not there when it was registered"));
}

TEST_F(DoorsLab, ASessionThatWasSplitIsReachedInThePaneWithTheAgent) {
  const auto pane = start_harness("agent");
  tmux({"split-window", "-t", pane, "cat"});
  Agent agent = registered(pane, "claude");
  agent.session = uri("agent");
  tmux({"kill-pane", "-t", pane, ";", "split-window", "-t", "=agent:", FAKE_HARNESS, (folder() / "two.log").string()});
  // Neither pane is a known program; with the person's word the first that fits is taken, and only if it shows a
  // prompt.
  EXPECT_NE(open(agent)->look().state, SessionState::idle) << "cat shows no prompt";
}

}  // namespace
}  // namespace townpost
