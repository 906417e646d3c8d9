// Programs that run agents and speak HTTP: they report how their agents are, and are sent, or ask for, what waits.
#include <atomic>

#include "base/json_fields.h"
#include "base/text.h"
#include "net/http_client.h"
#include "net/little_server_test.h"
#include "server/served_town.h"
#include "support/await.h"

namespace townpost {
namespace {

struct Told {
  int status = 0;
  Json json;
  const Json& data() const { return member_of(json, "data"); }
};

class WithRunner {
 protected:
  std::atomic<int> status = 200;  ///< what the runner answers
  LittleServer runner{[this](const Asked&, const Wire& wire) { wire.send(http_answer(status, "{}")); }};
};

class Runner : protected WithRunner, public ServedTown {
 protected:
  explicit Runner(const std::string& http = "")
      : ServedTown("", http.empty() ? cat("allow_targets = \"127.0.0.1:", runner.port(), "\"\n") : http) {}

  Told ask(const std::string& token, const std::string& method, const std::string& path, const std::string& body = "",
           std::vector<std::pair<std::string, std::string>> headers = {}) const {
    if (!body.empty()) headers.emplace_back("Content-Type", "application/json");
    headers.emplace_back("Authorization", "Bearer " + token);
    const auto answer =
        HttpClient().exchange({.method = method, .url = url() + path, .body = body, .headers = std::move(headers)});
    EXPECT_TRUE(answer.has_value()) << method << " " << path << ": " << answer.error().message;
    return answer ? Told{answer->status, parse_json(answer->body).value_or(Json())} : Told{};
  }
  void report(const std::string& event) const {
    const auto told = ask(alice_, "POST", "/agents/alice/events", cat(R"({"event":")", event, "\"}"));
    EXPECT_EQ(told.status, 200) << to_line(told.json);
  }
  void has_its_runner_at(const std::string& uri) const {
    const auto added = town.gt({"agent", "add", "alice", "--session", uri, "--as", "overseer"});
    ASSERT_EQ(added.exit_code, 0) << added.err;
  }
  std::string nudge(const std::string& text, const Words& more = {}) const {
    return text_at(town.json(with({"nudge", "alice", text, "--as", "bob"}, more)).get_array().front(), "id");
  }
  std::string state_of(const std::string& id) const {
    return text_at(town.json({"nudge", "show", id, "--as", "overseer"}), "state");
  }

  const std::string alice_ = token({"--agent", "alice"});
  const std::string bob_ = token({"--agent", "bob"});
  const std::string human_ = token({"--human"});
};

TEST_F(Runner, IsSentWhatIsDueOnceTheTurnHasEnded) {
  has_its_runner_at("http:" + runner.url());
  report("started");
  report("busy");
  const auto id = nudge("look at main");
  EXPECT_EQ(state_of(id), "queued");
  EXPECT_TRUE(runner.asked().empty()) << "its turn goes on";
  report("idle");
  await("the nudge is delivered", [&] { return state_of(id) == "delivered"; });
  ASSERT_EQ(runner.asked().size(), 1u);
  const auto asked = runner.asked().front();
  EXPECT_EQ(asked.method, "POST");
  EXPECT_EQ(asked.target, "/agents/alice/message");
  const auto prompt = text_at(parse_json(asked.body).value_or(Json()), "prompt");
  EXPECT_NE(prompt.find("look at main"), std::string::npos) << prompt;
  EXPECT_EQ(prompt.find("<system-reminder>"), std::string::npos) << prompt;
  EXPECT_NE(asked.head.find("Idempotency-Key: " + id), std::string::npos) << asked.head;
}

TEST_F(Runner, TakesAnImmediateNudgeInTheMiddleOfATurn) {
  has_its_runner_at(runner.url());
  report("busy");
  const auto told = ask(human_, "POST", "/agents/alice/message", R"({"prompt":"stop"})");
  ASSERT_EQ(told.status, 201) << to_line(told.json);
  await("it was sent", [&] { return runner.asked().size() == 1; });
  await("the nudge is delivered", [&] { return state_of(text_at(told.data(), "id")) == "delivered"; });
}

TEST_F(Runner, IsSentTheSameIdAgainAfterItFailed) {
  has_its_runner_at("http:" + runner.url());
  report("idle");
  status = 500;
  const auto id = nudge("again");
  await("it was tried", [&] { return !runner.asked().empty(); });
  status = 204;
  await("the nudge is delivered", [&] { return state_of(id) == "delivered"; });
  for (const auto& asked : runner.asked())
    EXPECT_NE(asked.head.find("Idempotency-Key: " + id), std::string::npos) << asked.head;
}

TEST_F(Runner, IsNotLedToAnotherAddress) {
  LittleServer other([](const Asked&, const Wire& wire) { wire.send(http_answer(200, "{}")); });
  LittleServer leads([&](const Asked&, const Wire& wire) {
    wire.send(http_answer(307, "", "text/plain", cat("Location: ", other.url("/agents/alice/message"), "\r\n")));
  });
  ASSERT_EQ(town.gt({"config", "set", "http.allow_targets", "127.0.0.1", "--as", "overseer"}).exit_code, 0);
  has_its_runner_at("http:" + leads.url());
  report("idle");
  nudge("here");
  await("it was tried", [&] { return !leads.asked().empty(); });
  EXPECT_EQ(other.connections(), 0u);
}

class RunnerThatNobodyAllowed : public Runner {
 protected:
  RunnerThatNobodyAllowed() : Runner("allow_targets = \"runner.example 127.0.0.1:1\"\n") {}
};

TEST_F(RunnerThatNobodyAllowed, IsNotReachedOnThisMachine) {
  for (const auto& uri : {"http:" + runner.url(), cat("http:http://localhost:", runner.port()),
                          cat("http:http://[::ffff:127.0.0.1]:", runner.port())}) {
    has_its_runner_at(uri);
    report("idle");
    const auto id = nudge(uri);
    EXPECT_NE(state_of(id), "delivered") << uri;
    EXPECT_EQ(runner.connections(), 0u) << uri;
  }
}

TEST_F(Runner, IsRegisteredByAPersonOnly) {
  for (const auto* who : {"alice", "mayor/"}) {
    const auto out = town.gt({"agent", "add", "alice", "--session", "http:" + runner.url(), "--as", who});
    EXPECT_EQ(out.exit_code, 5) << who << out.out;
  }
  EXPECT_EQ(town.gt({"agent", "add", "bob", "--session", "http:nonsense", "--as", "overseer"}).exit_code, 2);
}

TEST_F(Runner, AsksForWhatWaitsAndConfirmsIt) {
  report("idle");
  const auto id = nudge("look at main");
  const auto looked = ask(human_, "GET", "/agents/alice/pending-nudges");
  EXPECT_EQ(texts_in(list_in(looked.data(), "nudges"), "id"), Words{id});
  EXPECT_EQ(state_of(id), "queued") << "whoever only looks takes nothing";
  EXPECT_EQ(ask(bob_, "GET", "/agents/alice/pending-nudges").status, 403);
  const auto took = ask(alice_, "GET", "/agents/alice/pending-nudges");
  EXPECT_EQ(texts_in(list_in(took.data(), "nudges"), "id"), Words{id});
  EXPECT_NE(text_at(took.data(), "text").find("look at main"), std::string::npos) << to_line(took.json);
  EXPECT_EQ(state_of(id), "leased");
  EXPECT_TRUE(list_in(ask(alice_, "GET", "/agents/alice/pending-nudges").data(), "nudges").empty()) << "it has it";
  const auto confirm = cat("/agents/alice/nudges/", id, "/delivered");
  for (const auto& token : {bob_, human_}) EXPECT_EQ(ask(token, "POST", confirm).status, 403);
  EXPECT_EQ(state_of(id), "leased");
  for (int i = 0; i < 2; ++i) EXPECT_EQ(ask(alice_, "POST", confirm).status, 200) << "once more changes nothing";
  EXPECT_EQ(state_of(id), "delivered");
}

TEST_F(Runner, ConfirmsOnlyWhatItTook) {
  report("idle");
  const auto id = nudge("look", {"--delay", "1h"});
  EXPECT_EQ(ask(alice_, "POST", cat("/agents/alice/nudges/", id, "/delivered")).status, 409);
  EXPECT_EQ(ask(alice_, "POST", "/agents/alice/nudges/hq-n-zzzzz/delivered").status, 404);
  EXPECT_EQ(ask(alice_, "POST", cat("/agents/bob/nudges/", id, "/delivered")).status, 403);
}

TEST_F(Runner, ReportsForItsOwnAgentOnly) {
  EXPECT_EQ(ask(bob_, "POST", "/agents/alice/events", R"({"event":"exited"})").status, 403);
  EXPECT_EQ(ask(alice_, "POST", "/agents/alice/events", R"({"event":"sleeping"})").status, 400);
  EXPECT_EQ(ask(alice_, "POST", "/agents/alice/events", "{}").status, 400);
  report("busy");
  const auto seen = ask(human_, "GET", "/agents/alice").data();
  EXPECT_EQ(text_at(seen, "state"), "running") << to_line(seen);
}

TEST_F(Runner, SaysWhyNothingReachesAnAgentThatHasEnded) {
  report("busy");
  report("exited");
  const auto told = ask(human_, "POST", "/agents/alice/message", R"({"prompt":"still there?"})");
  EXPECT_EQ(told.status, 409) << to_line(told.json);
  EXPECT_NE(to_line(told.json).find("not running"), std::string::npos) << to_line(told.json);
  EXPECT_TRUE(town.json({"nudge", "list", "--agent", "alice", "--as", "overseer"}).get_array().empty());
}

TEST_F(Runner, AReportTakesNoOtherSessionsPlace) {
  const auto out = town.shell(R"sh(
    cat >program <<'SH'
      until "$GT" agent show alice --json | grep -q '"pid"'; do :; done
      "$GT" agent report alice idle
SH
    "$GT" agent run --as alice --adapter lines -- sh program </dev/null 2>&1)sh");
  EXPECT_NE(out.out.find("the town sees itself"), std::string::npos) << out.out;
}

using ApiChanges = Runner;

TEST_F(ApiChanges, AMessageIsSentOnceForAKey) {
  const std::string body = R"({"to":"bob","subject":"Hi","body":"there"})";
  const auto once = ask(alice_, "POST", "/api/mail", body, {{"Idempotency-Key", "k-1"}});
  const auto again = ask(alice_, "POST", "/api/mail", body, {{"Idempotency-Key", "k-1"}});
  ASSERT_EQ(once.status, 201) << to_line(once.json);
  EXPECT_EQ(again.status, 201);
  EXPECT_EQ(text_at(once.data(), "messageId"), text_at(again.data(), "messageId"));
  EXPECT_EQ(inbox_ids(town, "bob").size(), 1u);
  const auto other =
      ask(alice_, "POST", "/api/mail", R"({"to":"bob","subject":"Other","body":"x"})", {{"Idempotency-Key", "k-1"}});
  EXPECT_EQ(other.status, 409) << "the same key for something else";
  EXPECT_EQ(ask(bob_, "POST", "/api/mail", R"({"to":"carol","subject":"Hi","body":"x"})", {{"Idempotency-Key", "k-1"}})
                .status,
            201)
      << "another's key is another key";
}

TEST_F(ApiChanges, AKeyIsRefusedWhereItWouldNotHelp) {
  const std::vector<std::pair<std::string, std::string>> key = {{"Idempotency-Key", "k-1"}};
  EXPECT_EQ(ask(human_, "POST", "/api/groups", R"({"name":"ops"})", key).status, 400);
  EXPECT_EQ(ask(human_, "GET", "/api/groups", "", key).status, 200) << "a look may be repeated anyway";
  EXPECT_EQ(ask(human_, "POST", "/api/mail", R"({"to":"bob","subject":"s","body":"b","key":"other"})", key).status,
            400);
  EXPECT_EQ(ask(human_, "POST", "/api/mail", R"({"to":"bob","subject":"s","body":"b"})",
                {{"Idempotency-Key", "a"}, {"Idempotency-Key", "b"}})
                .status,
            400);
  EXPECT_TRUE(inbox_ids(town, "bob").empty());
}

TEST_F(ApiChanges, AGroupsMembersAreReplaced) {
  ASSERT_EQ(ask(alice_, "POST", "/api/groups", R"({"name":"ops","members":["alice","bob"]})").status, 201);
  const auto changed = ask(alice_, "PATCH", "/api/groups/ops", R"({"members":["bob","carol"]})");
  ASSERT_EQ(changed.status, 200) << to_line(changed.json);
  EXPECT_EQ(texts_in(list_in(changed.data(), "members")), (Words{"bob", "carol"}));
  EXPECT_EQ(ask(bob_, "PATCH", "/api/groups/ops", R"({"members":["bob"]})").status, 403);
  EXPECT_EQ(ask(alice_, "PATCH", "/api/groups/ops", R"({"members":["a//b"]})").status, 400);
  EXPECT_EQ(texts_in(list_in(ask(bob_, "GET", "/api/groups/ops").data(), "members")), (Words{"bob", "carol"}));
}

TEST_F(ApiChanges, WorkIsCompletedAndFailedInItsQueue) {
  ASSERT_EQ(ask(human_, "POST", "/api/queues", R"({"name":"jobs"})").status, 201);
  ASSERT_EQ(ask(human_, "POST", "/api/queues", R"({"name":"other"})").status, 201);
  for (const auto* step : {"fail", "complete"}) {
    town.send("bob", "queue:jobs", step);
    const auto id = text_at(ask(alice_, "POST", "/api/queues/jobs/claim", "{}").data(), "id");
    const auto body = cat(R"({"id":")", id, "\"}");
    EXPECT_EQ(ask(alice_, "POST", cat("/api/queues/other/", step), body).status, 404) << step;
    EXPECT_GE(ask(bob_, "POST", cat("/api/queues/jobs/", step), body).status, 403) << step;
    const auto told = ask(alice_, "POST", cat("/api/queues/jobs/", step), body);
    EXPECT_EQ(told.status, 200) << step << to_line(told.json);
    if (std::string_view(step) == "fail") {  // it is back: out of the way
      const auto back = text_at(ask(alice_, "POST", "/api/queues/jobs/claim", "{}").data(), "id");
      EXPECT_EQ(back, id);
      EXPECT_EQ(ask(alice_, "POST", "/api/queues/jobs/complete", body).status, 200);
    }
  }
}

}  // namespace
}  // namespace townpost
