// What people and programs are shown: every list, card and receipt of one town, whose clock stands still and whose
// chance is always the same. Each is a file in tests/cli/screens. UPDATE_SCREENS=1 writes them again.
#include <gtest/gtest.h>

#include <cstdlib>
#include <regex>

#include "app/libpq_door.h"
#include "app/local_host.h"
#include "base/display_width.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/exit_code.h"
#include "cli/render.h"
#include "ops/table.h"

namespace townpost {
namespace {

using Words = std::vector<std::string>;

/// Where a screen is shown.
struct View {
  std::string_view name;
  std::size_t width;  ///< 0: a pipe
  std::map<std::string, std::string> variables;
};
const std::vector<View>& views() {
  static const std::vector<View> list = {
      {"80 columns", 80, {{"NO_COLOR", "1"}}},   {"100 columns", 100, {{"NO_COLOR", "1"}}},
      {"120 columns", 120, {{"NO_COLOR", "1"}}}, {"80 columns, colour", 80, {}},
      {"TERM=dumb", 80, {{"TERM", "dumb"}}},     {"pipe", 0, {}}};
  return list;
}

class Screens : public testing::Test {
 protected:
  Screens() {
    ::setenv("TZ", "UTC", 1);
    ::setenv("PATH", (folder_.path() / "bin").c_str(), 1);
    std::filesystem::create_directory(folder_.path() / "bin");
    has_program("gt", "gt (Townpost) 1.0.0");
    Request request = {};
    request.origin = origin({}, {}, Haste::none);
    request.started_at = clock_.now();
    request.input = [] { return Result<std::string>(""); };
    request.tell = [](std::string_view) {};
    const auto made = host_.make_town({.folder = folder_.path(), .name = "acme"}, request);
    EXPECT_TRUE(made.has_value()) << made.error().message;
  }

  Origin origin(const std::optional<std::string>& town, const std::optional<std::string>& as, Haste) const {
    Origin out{.from = From::this_process};
    out.town = town.value_or(folder_.path().string());
    out.environment = &environment_;
    out.identity.flag = as;
    out.identity.terminal = Terminal::attended;
    out.process = "somebody.1@here";
    return out;
  }

  /// Runs it; what it prints, both streams.
  std::string gt(const Words& words, const View& view) {
    std::string out;
    auto variables = view.variables;
    variables["TERM"] = variables.contains("TERM") ? variables["TERM"] : "xterm-256color";
    const FixedEnvironment environment(variables, folder_.path());
    const auto add = [&out](const Shown& text) {
      out += text.bytes();
      return Printed::whole;
    };
    const CliHost host{
        .engine = engine_,
        .origin = [this](const auto& town, const auto& as, Haste haste) { return origin(town, as, haste); },
        .clock = clock_,
        .out = add,
        .err = add,
        .read_stdin = [](std::size_t, const auto&) { return Result<std::string>(""); },
        .in_is_terminal = view.width > 0,
        .out_is_terminal = view.width > 0,
        .page = [](const Shown&) { return false; },
        .window =
            [&view] {
              return WindowSize{view.width, 24};
            },
        .environment = environment};
    run_cli(words, host);
    return out;
  }
  std::string gt(const Words& words) {
    clock_.advance(std::chrono::seconds(1));
    return gt(words, views().front());
  }
  std::string id_of(const Words& words) {
    auto with_quiet = words;
    with_quiet.emplace_back("-q");
    const auto out = gt(with_quiet);
    return out.substr(0, out.find('\n'));
  }

  /// A program in PATH that only says its version.
  void has_program(const std::string& name, const std::string& version) const {
    const auto file = folder_.path() / "bin" / name;
    EXPECT_TRUE(write_file_lightly(file, cat("#!/bin/sh\ncase $1 in -*) echo '", version, "' ;; esac\n")).has_value());
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  }

  /// What differs from run to run: where the town is, and what the machine has.
  std::string settled(std::string text) const {
    const auto place = folder_.path().string();
    const std::string stands_for = cat("/home/you/", std::string(place.size() - 10, 'w'));
    for (auto at = text.find(place); at != std::string::npos; at = text.find(place, at))
      text.replace(at, place.size(), stands_for);
    text = std::regex_replace(text, std::regex(R"(\d+ MiB are free)"), "2048 MiB are free");
    text = std::regex_replace(text, std::regex(R"((Bytes: +)[\d.]+ .iB)"), "$011.0 MiB");
    text = std::regex_replace(text, std::regex(R"([^\n]*inotify[^\n]*\n([^\n]*→ sysctl[^\n]*\n)?)"), "");
    for (auto at = text.find('\x1b'); at != std::string::npos; at = text.find('\x1b', at)) text.replace(at, 1, "␛");
    return text;
  }

  /// People get local times; only programs get UTC.
  static void expect_local_times(const std::string& name, const std::string& seen) {
    static const std::regex utc(R"(\d{4}-\d\d-\d\dT\d\d:\d\d)");
    std::smatch found;
    EXPECT_FALSE(std::regex_search(seen, found, utc)) << name << ": " << found.str();
  }

  static void compare(const std::string& name, const std::string& seen) {
    expect_local_times(name, seen);
    const auto file = std::filesystem::path(SCREENS) / cat(name, ".txt");
    if (std::getenv("UPDATE_SCREENS") != nullptr) {
      ASSERT_TRUE(write_file_lightly(file, seen).has_value());
      return;
    }
    const auto expected = read_file(file);
    ASSERT_TRUE(expected.has_value()) << file << " is missing; UPDATE_SCREENS=1 makes it";
    EXPECT_EQ(seen, *expected) << "if that is right: UPDATE_SCREENS=1 " << name;
  }

  /// Something that changes nothing, in every view.
  void expect_screens(const std::string& name, const Words& words) {
    std::string seen = cat("gt ", join(words, " "), "\n");
    for (const auto& view : views()) {
      const auto text = settled(gt(words, view));
      seen += cat("\n== ", view.name, "\n", text);
      if (view.width == 0 || view.variables.empty()) continue;
      for (const auto line : split(text, '\n')) EXPECT_LE(display_width(line), view.width) << name << ": " << line;
    }
    compare(name, seen);
  }

  /// Several things, one after the other, as a person sees them.
  void expect_receipts(const std::string& name, const std::vector<Words>& commands) {
    std::string seen;
    for (const auto& words : commands) seen += settled(cat("$ gt ", join(words, " "), "\n", gt(words), "\n"));
    compare(name, seen);
  }

  void fill() {
    for (const auto* rig : {"api", "web"}) {
      std::filesystem::create_directory(folder_.path() / rig);
      gt({"rig", "add", rig, (folder_.path() / rig).string()});
    }
    for (const auto* agent : {"api/crew/max", "api/crew/ada", "web/crew/ada", "web/polecats/toast", "nux", kLongName})
      gt({"agent", "add", agent});
    gt({"agent", "add", "api/crew/eve", "--description", "reviews what others write"});
    gt({"group", "create", "backend", "api/crew/max", "api/crew/eve"});
    gt({"queue", "create", "jobs"});
    gt({"queue", "create", "idle", "--order", "priority", "--max-concurrency", "2"});
    gt({"channel", "create", "builds", "--retain-count", "100"});
    gt({"channel", "subscribe", "builds", "--as", "nux"});
    clock_.advance(std::chrono::minutes(5));
    send("api/crew/max", "overseer", "new one", {"--urgent"});
    send("web/polecats/toast", "overseer", "Token budget nearly used",
         {"--priority", "1", "--ack", "--reply-by", "2h"});
    clock_.advance(std::chrono::hours(3));
    send("api/crew/ada", "overseer", "日本語の件名とても長いので切られるはずですよね本当に長い件名ですからね");
    send("web/crew/ada", "overseer", "🚀 shipped 👩‍👩‍👧‍👦 e\u0301le\u0300ve");
    send("nux", "overseer", "שלום, the parser branch", {"--pinned"});
    send(kLongName, "overseer",
         "a subject that goes on for longer than any screen is wide, so that it has to be cut somewhere");
    clock_.advance(std::chrono::hours(26));
    send("overseer", "nux", "Review the parser branch", {"--ack"});
    send("overseer", "backend", "Standup");
    for (int i = 1; i <= 3; ++i) send("overseer", "jobs", cat("Fix issue ", i));
    send("nux", "channel:builds", "main is green");
  }
  void send(const std::string& from, const std::string& to, const std::string& subject, const Words& more = {}) {
    Words words = {"mail", "send", to, "-s", subject, "-m", "text", "--as", from};
    words.insert(words.end(), more.begin(), more.end());
    const auto out = gt(words);
    EXPECT_TRUE(out.starts_with("sent ")) << out;
  }

  static constexpr const char* kLongName = "an-agent-whose-name-is-sixty-characters-long-as-some-will-be";

  TemporaryFolder folder_ = *TemporaryFolder::make("townpost-screens");
  FixedEnvironment environment_{{{"HOME", folder_.path().string()}, {"PATH", (folder_.path() / "bin").string()}},
                                folder_.path()};
  StandardInput input_;
  LibpqDoor postgres_;
  const Program program_{.input = input_, .postgres = postgres_, .called = (folder_.path() / "bin" / "gt").string()};
  ManualClock clock_{*parse_instant("2026-03-05T14:00:00Z")};
  SeededRandom random_{14};
  LocalHost host_{program_, Serves::many, clock_, random_};
  LocalEngine engine_{host_};
};

TEST_F(Screens, OfMail) {
  fill();
  expect_screens("inbox", {"mail", "inbox"});
  expect_screens("inbox-cut", {"mail", "inbox", "--limit", "2"});
  expect_screens("inbox-empty", {"mail", "inbox", "--as", "api/crew/eve", "--type", "task"});
  expect_screens("sent", {"mail", "sent"});
  expect_screens("search", {"mail", "search", "parser"});
  expect_screens("budget", {"mail", "budget"});
  expect_screens("directory", {"mail", "directory"});
  expect_screens("waiting", {"mail", "waiting"});
  expect_screens("check", {"mail", "check", "--as", "nux"});
  expect_screens("peek", {"mail", "peek"});
  const auto id = id_of({"mail", "inbox"});
  expect_screens("read", {"mail", "read", id, "--keep-unread"});
  expect_screens("thread", {"mail", "thread", id});
  expect_screens("thread-summary", {"mail", "thread", id, "--summary"});
  expect_screens("explain", {"mail", "explain", id});
  expect_screens("why", {"why", id});
  expect_screens("quote", {"mail", "quote", id});
  expect_receipts("overdue", {{"mail", "read", id_of({"mail", "inbox", "--as", "mayor/"}), "--as", "mayor/"}});
}

TEST_F(Screens, OfListsOfPeopleAndWork) {
  fill();
  expect_screens("groups", {"group", "list"});
  expect_screens("group", {"group", "show", "backend"});
  gt({"mail", "claim", "jobs", "--as", "nux"});
  expect_screens("queues", {"queue", "list"});
  expect_screens("queue", {"queue", "show", "jobs"});
  expect_screens("queue-dead", {"queue", "dead", "jobs"});
  expect_screens("channels", {"channel", "list"});
  expect_screens("channel", {"channel", "show", "builds"});
  expect_screens("posts", {"channel", "read", "builds"});
  expect_screens("subscribers", {"channel", "subscribers", "builds"});
  expect_screens("rigs", {"rig", "list"});
  expect_screens("rig", {"rig", "show", "api"});
  expect_screens("agents", {"agent", "list"});
  expect_screens("agent", {"agent", "show", "api/crew/eve"});
}

TEST_F(Screens, OfNudgesAndTheTown) {
  fill();
  gt({"nudge", "nux", "deploy is red", "--as", "api/crew/max"});
  gt({"nudge", "api/crew/max", "look at 日本語", "--urgent"});
  expect_screens("nudges", {"nudge", "list"});
  const auto id = id_of({"nudge", "list"});
  expect_screens("nudge", {"nudge", "show", id});
  expect_screens("nudge-explain", {"nudge", "explain", id});
  expect_screens("top", {"top", "--table"});
  expect_screens("status", {"status"});
  expect_screens("status-line", {"status", "--line"});
  expect_screens("feed", {"feed", "--limit", "12"});
  expect_screens("dnd", {"dnd", "status"});
  expect_screens("whoami", {"whoami"});
  expect_screens("config-get", {"config", "get", "town.human"});
  expect_screens("config", {"config", "list", "--changed"});
  expect_screens("types", {"protocol", "types"});
}

TEST_F(Screens, OfTokens) {
  fill();
  gt({"token", "create", "--agent", "api/crew/max", "--expires", "30d", "--note", "the sandbox"});
  gt({"token", "create", "--rig", "web", "--note", "for 日本語 that is longer than the room that it has on a screen"});
  gt({"token", "create", "--human"});
  clock_.advance(std::chrono::hours(50));
  expect_screens("tokens", {"token", "list"});
  const auto id = id_of({"token", "list"});
  expect_receipts("change-tokens", {{"token", "revoke", id}, {"token", "revoke", id, "tok-1"}, {"open"}});
  expect_screens("tokens-all", {"token", "list", "--all"});
}

TEST_F(Screens, OfWhatChangesLists) {
  fill();
  expect_receipts("change-groups", {{"group", "create", "frontend", "web/crew/ada"},
                                    {"group", "create", "empty"},
                                    {"group", "add", "frontend", "nux", "web/polecats/toast"},
                                    {"group", "remove", "frontend", "nux"},
                                    {"group", "delete", "frontend"}});
  expect_receipts("change-queues", {{"queue", "create", "other", "--lease", "30m", "--max-attempts", "1"},
                                    {"mail", "claim", "jobs", "--as", "nux"},
                                    {"queue", "pause", "jobs"},
                                    {"queue", "resume", "jobs"},
                                    {"queue", "close", "jobs"},
                                    {"queue", "close", "other"},
                                    {"queue", "delete", "other"}});
  expect_receipts("change-channels", {{"channel", "create", "news"},
                                      {"channel", "update", "news", "--retain-hours", "48"},
                                      {"channel", "subscribe", "news", "--wake", "--as", "nux"},
                                      {"channel", "unsubscribe", "news", "--as", "nux"},
                                      {"channel", "unsubscribe", "news", "--as", "nux"},
                                      {"channel", "close", "builds"},
                                      {"channel", "reopen", "builds"},
                                      {"channel", "prune"},
                                      {"channel", "delete", "news"}});
}

TEST_F(Screens, OfWhatChangesMail) {
  fill();
  const auto id = id_of({"mail", "inbox"});
  expect_receipts("change-mail", {{"mail", "send", "nux", "-s", "One", "-m", "x"},
                                  {"mail", "send", "nux", "api/crew/max", "-s", "Two", "-m", "x"},
                                  {"mail", "reply", id, "-m", "thanks"},
                                  {"mail", "archive", id},
                                  {"mail", "unarchive", id},
                                  {"mail", "pin", id},
                                  {"mail", "unpin", id},
                                  {"mail", "mark-unread", id},
                                  {"mail", "ack", id},
                                  {"mail", "ack", "--all"},
                                  {"mail", "ack", "--all"},
                                  {"mail", "delete", id},
                                  {"mail", "drain"},
                                  {"mail", "recall", "--from", "web/polecats/toast"}});
}

TEST_F(Screens, OfAReceiptForManyIsTwoLines) {
  for (int i = 0; i < 40; ++i) gt({"agent", "add", cat("worker-", i)});
  gt({"dnd", "on", "worker-7"});
  Words group = {"group", "create", "everyone"};
  for (int i = 0; i < 40; ++i) group.push_back(cat("worker-", i));
  gt(group);
  const auto receipt = gt({"mail", "send", "everyone", "-s", "Standup", "-m", "now"});
  EXPECT_EQ(split(receipt, '\n').size(), 3u) << receipt;
  compare("receipt-of-forty", receipt);
}

TEST_F(Screens, OfWhatChangesAgents) {
  fill();
  expect_receipts("change-agents", {{"agent", "add", "coder"},
                                    {"dnd", "on", "coder", "--for", "1h"},
                                    {"dnd", "off", "coder"},
                                    {"hold", "coder"},
                                    {"release", "coder"},
                                    {"hold", "--all", "--for", "8h"},
                                    {"release", "--all"},
                                    {"agent", "quarantine", "coder"},
                                    {"agent", "quarantine", "coder", "--lift"},
                                    {"agent", "hook", "coder", "gp-1"},
                                    {"agent", "alias", "coder", "writer"},
                                    {"agent", "release", "writer"},
                                    {"agent", "remove", "writer"},
                                    {"agent", "remove", "nux"},
                                    {"rig", "remove", "web"},
                                    {"config", "set", "town.human", "boss"},
                                    {"config", "unset", "town.human"},
                                    {"store", "check"},
                                    {"store", "migrate"},
                                    {"store", "purge", "--older", "90d"}});
}

TEST_F(Screens, OfDoctor) {
  fill();
  expect_screens("doctor-bare", {"doctor"});
  for (const auto& [name, version] :
       {std::pair{"claude", "2.1.325 (Claude Code)"}, {"tmux", "tmux 3.3a"}, {"ring", "1"}})
    has_program(name, version);
  gt({"config", "set", "notify.command", "ring"});
  gt({"harness", "install", "claude"});
  expect_screens("doctor", {"doctor"});
  gt({"config", "set", "notify.command", "no-such-program --loud"});
  expect_screens("doctor-notify", {"doctor"});
}

TEST_F(Screens, OfHarnesses) {
  fill();
  expect_screens("harness-none", {"harness", "status", "claude"});
  expect_receipts("change-harness", {{"harness", "install", "claude"},
                                     {"harness", "install", "claude"},
                                     {"harness", "status", "claude"},
                                     {"harness", "uninstall", "claude"},
                                     {"harness", "uninstall", "claude"},
                                     {"harness", "install", "codex"}});
  gt({"harness", "install", "claude"});
  expect_screens("harness", {"harness", "status", "claude"});
}

TEST_F(Screens, OfTheStore) {
  fill();
  expect_screens("store", {"store", "info"});
  expect_screens("store-check", {"store", "check"});
  expect_receipts("change-store", {{"store", "check"},
                                   {"store", "migrate"},
                                   {"store", "purge", "--older", "90d"},
                                   {"store", "copy", "--to", cat("sqlite:", (folder_.path() / "copy.db").string())},
                                   {"store", "copy", "--to", "nowhere"}});
}

/// What `gt start` answers; no window is opened for it.
TEST_F(Screens, OfWhatWasStarted) {
  fill();
  const auto show = [](std::string_view answer) {
    std::string seen;
    for (const auto& view : views()) {
      CommandLine line{.op = find_op("start")};
      const Screen screen{.terminal = view.width > 0,
                          .colour = view.width > 0 && view.variables.empty(),
                          .now = *parse_instant("2026-03-05T14:00:00Z"),
                          .width = view.width};
      auto text = render(line, {.json = *parse_json(answer)}, screen).bytes();
      for (auto at = text.find('\x1b'); at != std::string::npos; at = text.find('\x1b', at)) text.replace(at, 1, "␛");
      seen += cat("== ", view.name, "\n", text, "\n");
    }
    return seen;
  };
  compare("start", show(R"({"agents":[{"address":"alice","session":"tmux:%3","tmux_session":"springfield"}],)"
                        R"("hooks":{"changed":true,"file":"/home/you/ol/.claude/settings.local.json"},)"
                        R"("dispatcher":{"started":true,"pid":4712}})"));
  compare("start-many", show(R"({"agents":[{"address":"claude-1","session":"tmux:%3","tmux_session":"springfield"},)"
                             R"({"address":"claude-2","session":"tmux:%4","tmux_session":"springfield"}],)"
                             R"("dispatcher":{"started":false,"pid":4712}})"));
  expect_receipts("start-refused", {{"start", "nux"}, {"start", "0"}, {"start", "nux", "--", "no-such-program"}});
}

}  // namespace
}  // namespace townpost
