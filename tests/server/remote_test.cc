// `gt` against a town on another machine: over TLS, with a token, and with nothing of that town at hand.
#include <fcntl.h>

#include <filesystem>
#include <fstream>

#include "net/little_server_test.h"
#include "ops/op.h"
#include "server/tls_town.h"

namespace townpost {
namespace {

namespace fs = std::filesystem;

class Remote : public TlsTown {
 protected:
  ProcessOutput as_alice(const Words& words, const Variables& more = {}) const {
    return elsewhere.gt(words, with_token(alice_, more));
  }
  void put_tokens(const fs::path& file, const std::string& text, fs::perms mode) const {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
    fs::permissions(file, mode);
  }
  fs::path usual_tokens() const { return elsewhere.folder() / "config" / "townpost" / "tokens"; }
  static Variables server_at(const std::string& url, Variables more) {
    more["GT_SERVER"] = url;
    return more;
  }
  Variables config() const { return {{"XDG_CONFIG_HOME", (elsewhere.folder() / "config").string()}}; }

  static constexpr fs::perms kOwn = fs::perms::owner_read | fs::perms::owner_write;
  const std::string alice_ = token({"--agent", "alice"});
};

TEST_F(Remote, SendsAndReadsAsTheAgentOfTheToken) {
  const auto sent = as_alice({"mail", "send", "bob", "-s", "Hi", "-m", "there", "-q"});
  ASSERT_EQ(sent.exit_code, 0) << sent.err;
  const auto id = std::string(trim(sent.out));
  EXPECT_EQ(text_at(read_as(town, "bob", id), "from"), "alice");
  const auto answer = town.send("bob", "alice", "And you?");
  const auto read = elsewhere.json({"mail", "read", answer}, with_token(alice_));
  EXPECT_EQ(text_at(read, "subject"), "And you?");
  EXPECT_EQ(as_alice({"mail", "ack", answer}).exit_code, 0);
  EXPECT_TRUE(inbox_ids(town, "alice", {"--unread"}).empty()) << "it was acknowledged there";
  EXPECT_FALSE(fs::exists(elsewhere.folder() / ".town"));
}

TEST_F(Remote, AnAgentsTokenIsNobodyElse) {
  const auto to_bob = town.send("carol", "bob", "for bob");
  const auto other = as_alice({"mail", "send", "bob", "-s", "x", "-m", "y", "--as", "carol"});
  EXPECT_EQ(other.exit_code, 5) << other.err;
  EXPECT_EQ(as_alice({"whoami", "--as", "overseer"}).exit_code, 5);
  EXPECT_EQ(as_alice({"mail", "read", to_bob}).exit_code, 5);
  EXPECT_EQ(as_alice({"agent", "add", "mallory"}).exit_code, 5);
  EXPECT_EQ(inbox_ids(town, "bob"), Words{to_bob});
  EXPECT_EQ(inbox_ids(town, "bob", {"--unread"}), Words{to_bob});
}

TEST_F(Remote, SpeaksForTheNamedAgentWithATokenForSeveral) {
  const auto any = token({"--any-agent"});
  EXPECT_EQ(text_at(elsewhere.json({"whoami", "--as", "bob"}, with_token(any)), "address"), "bob");
  EXPECT_EQ(elsewhere.gt({"whoami"}, with_token(any)).exit_code, 2) << "it must be named";
}

TEST_F(Remote, TakesTheTokenOfThisServerFromAFileOfItsUser) {
  const auto lines =
      cat("# mine\nhttps://elsewhere.example:1 ", token({"--agent", "bob"}), "\n", url(), " ", alice_, "\n");
  put_tokens(usual_tokens(), lines, kOwn);
  const auto mine = elsewhere.json({"whoami"}, with_token("", config()));
  EXPECT_EQ(text_at(mine, "address"), "alice");
  put_tokens(elsewhere.folder() / "one", alice_ + "\n", kOwn);
  const auto named = with_token("", {{"GT_TOKEN_FILE", (elsewhere.folder() / "one").string()}});
  EXPECT_EQ(text_at(elsewhere.json({"whoami"}, named), "address"), "alice") << "a file for one server";
}

TEST_F(Remote, ATokenOfOneServerGoesToNoOther) {
  put_tokens(usual_tokens(), cat(url(), " ", alice_, "\n"), kOwn);
  LittleServer other([](const Asked&, const Wire& wire) { wire.send(http_answer(200, "{}")); });
  const auto out = elsewhere.gt({"mail", "inbox"}, server_at(other.url(), config()));
  EXPECT_EQ(out.exit_code, 2) << out.err;
  EXPECT_EQ(other.connections(), 0u) << "it was asked without a token for it";
}

TEST_F(Remote, RefusesTokensThatOthersMayRead) {
  for (const auto mode : {kOwn | fs::perms::group_read, kOwn | fs::perms::others_read}) {
    put_tokens(usual_tokens(), cat(url(), " ", alice_, "\n"), mode);
    const auto out = elsewhere.gt({"whoami"}, with_token("", config()));
    EXPECT_EQ(out.exit_code, 5) << out.err;
    EXPECT_NE(out.err.find("chmod 600"), std::string::npos) << out.err;
  }
}

TEST_F(Remote, IsTurnedAwayWithATokenThatLetsNobodyIn) {
  const auto of_no_one = elsewhere.gt({"mail", "inbox"}, with_token("gt_tok-00000000_nothing"));
  EXPECT_EQ(of_no_one.exit_code, 5) << of_no_one.err;
  const auto id = alice_.substr(3, alice_.find('_', 3) - 3);
  ASSERT_EQ(town.gt({"token", "revoke", id, "--as", "overseer"}).exit_code, 0) << id;
  EXPECT_EQ(as_alice({"mail", "inbox"}).exit_code, 5);
}

TEST_F(Remote, TrustsNoCertificateButTheAuthoritys) {
  const auto stranger = make_certificate(elsewhere.folder(), "stranger").certificate.string();
  const auto out = as_alice({"mail", "inbox"}, {{"GT_CA_FILE", stranger}});
  EXPECT_EQ(out.exit_code, 6);
  EXPECT_NE(out.err.find("cannot be trusted"), std::string::npos) << out.err;
  EXPECT_EQ(as_alice({"mail", "inbox"}, {{"GT_CA_FILE", ""}}).exit_code, 6) << "the system does not know it either";
  EXPECT_EQ(as_alice({"mail", "inbox"}, {{"GT_CA_FILE", "/nowhere"}}).exit_code, 6);
}

TEST_F(Remote, SendsNothingInTheClearToAnotherMachine) {
  for (const auto* server : {"http://192.0.2.1:8420", "http://town.example", "ftp://localhost", "localhost:8420",
                             "https://user:hunter2@localhost", "https://localhost/path", "https://"}) {
    const auto out = as_alice({"mail", "inbox"}, {{"GT_SERVER", server}});
    EXPECT_EQ(out.exit_code, 2) << server << "\n" << out.err;
    EXPECT_EQ(out.err.find("hunter2"), std::string::npos) << out.err;
  }
}

TEST_F(Remote, FollowsNoRedirectWithItsToken) {
  LittleServer far([](const Asked&, const Wire& wire) { wire.send(http_answer(200, "{}")); });
  LittleServer near([&](const Asked&, const Wire& wire) {
    wire.send(http_answer(307, "", "text/plain", cat("Location: ", far.url("/api/call"), "\r\n")));
  });
  const auto out = as_alice({"mail", "inbox"}, {{"GT_SERVER", near.url()}});
  EXPECT_EQ(out.exit_code, 6) << out.err;
  EXPECT_EQ(near.asked().size(), 1u);
  EXPECT_EQ(far.connections(), 0u);
}

TEST_F(Remote, UnderstandsNothingThatIsNoAnswer) {
  const std::string type = "application/x-townpost-call";
  const std::string head = R"({"spoken":1,"oldest":1,"now":1})";
  const Words bodies = {"",
                        "nonsense",
                        "{}\n{}",
                        head,
                        cat(head, "\n"),
                        cat(head, "\n", R"({"answer":{"outcome":"done","warnings":[],"notices":[]}})", "\n", "{}"),
                        cat(head, "\n", R"({"answer":{"outcome":"done","warnings":[],"notices":[]}})", "\n", "[1]"),
                        R"({"spoken":99,"oldest":99,"now":1})"
                        "\n{}"};
  for (const auto& body : bodies) {
    LittleServer liar([&](const Asked&, const Wire& wire) { wire.send(http_answer(200, body, type)); });
    const auto out = as_alice({"mail", "inbox"}, {{"GT_SERVER", liar.url()}});
    EXPECT_EQ(out.exit_code, 6) << body << "\n" << out.out << out.err;
    EXPECT_EQ(as_alice({"mail", "check", "--inject"}, {{"GT_SERVER", liar.url()}}).exit_code, 0) << body;
  }
}

TEST_F(Remote, TellsThatASendWhoseAnswerIsLostMayBeDone) {
  LittleServer deaf([](const Asked&, const Wire& wire) { wire.close(); });
  const auto out = as_alice({"mail", "send", "bob", "-s", "x", "-m", "y"}, {{"GT_SERVER", deaf.url()}});
  EXPECT_EQ(out.exit_code, 6);
  EXPECT_NE(out.err.find("may be done or not"), std::string::npos) << out.err;
  EXPECT_EQ(deaf.asked().size(), 1u) << "it was asked again";
}

TEST_F(Remote, HooksStaySilentWhateverHappens) {
  const auto quiet = [&](const Words& words, const Variables& more) {
    const auto out = as_alice(words, more);
    EXPECT_EQ(out.exit_code, 0) << words[0] << out.err;
    EXPECT_EQ(out.out + out.err, "") << words[0];
  };
  LittleServer silent([](const Asked&, const Wire& wire) { wire.wait_until_hung_up(); });
  for (const auto& server : {cat("https://127.0.0.1:", unused_port()), silent.url(), std::string("nonsense")}) {
    quiet({"mail", "check", "--inject"}, {{"GT_SERVER", server}});
    quiet({"nudge", "drain"}, {{"GT_SERVER", server}});
    quiet({"signal", "claude", "stop"}, {{"GT_SERVER", server}});
  }
  quiet({"mail", "check", "--inject"}, {{"GT_TOKEN", "x"}});
}

TEST_F(Remote, HooksAnnounceMailOnceItIsShown) {
  town.send("bob", "alice", "Look here");
  const auto first = as_alice({"mail", "check", "--inject"});
  EXPECT_NE(first.out.find("Look here"), std::string::npos) << first.out << first.err;
  const auto second = as_alice({"mail", "check", "--inject"});
  EXPECT_EQ(second.out.find("Look here"), std::string::npos) << "it was announced before: " << second.out;
}

TEST_F(Remote, IsToldOfWhatItWaitsFor) {
  const auto out = elsewhere.shell(R"sh(
    "$GT" mail wait --json >got & wait=$!
    while ! "$GT" mail send alice -s Hi -m there --as alice -q >/dev/null; do :; done
    wait $wait; echo "exit $?"; cat got
  )sh",
                                   with_token(alice_));
  EXPECT_TRUE(out.out.starts_with("exit 0\n")) << out.out << out.err;
  EXPECT_NE(out.out.find("\"unread\":1"), std::string::npos) << out.out;
}

TEST_F(Remote, WaitsNoLongerThanItIsTold) {
  const auto out = as_alice({"mail", "wait", "--timeout", "10ms"});
  EXPECT_EQ(out.exit_code, 8) << out.err;
}

TEST_F(Remote, ClaimsAreLeasedToTheHolderOfTheToken) {
  ASSERT_EQ(town.gt({"queue", "create", "work", "--as", "overseer"}).exit_code, 0);
  town.send("bob", "queue:work", "job");
  const auto claimed = as_alice({"mail", "claim", "work", "-q"});
  ASSERT_EQ(claimed.exit_code, 0) << claimed.err;
  const auto id = std::string(trim(claimed.out));
  EXPECT_EQ(elsewhere.gt({"mail", "complete", id}, with_token(token({"--agent", "carol"}))).exit_code, 5);
  EXPECT_EQ(as_alice({"mail", "complete", id}).exit_code, 0);
}

TEST_F(Remote, WhatIsForTheTownsMachineIsRefused) {
  const auto human = token({"--human"});
  for (const auto& words : {Words{"init"}, Words{"up"}, Words{"token", "create", "--human"}, Words{"open"},
                            Words{"config", "list"}, Words{"harness", "status", "claude"}}) {
    const auto out = elsewhere.gt(words, with_token(human));
    EXPECT_EQ(out.exit_code, 5) << words[0] << out.out << out.err;
    EXPECT_NE(out.err.find("own machine"), std::string::npos) << out.err;
  }
  EXPECT_FALSE(fs::exists(elsewhere.folder() / ".town"));
}

TEST_F(Remote, ATownThatIsNamedIsTheOneHere) {
  ASSERT_EQ(elsewhere.gt({"init"}).exit_code, 0);
  const auto here =
      elsewhere.gt({"mail", "send", "overseer", "-s", "here", "-m", "x", "-q", "--town", "."}, with_token(alice_));
  EXPECT_EQ(here.exit_code, 0) << here.err;
  EXPECT_EQ(inbox_ids(elsewhere, "overseer").size(), 1u);
  EXPECT_TRUE(inbox_ids(town, "overseer").empty());
}

TEST_F(Remote, ASessionThatBeganWithoutAServerIsGivenNone) {
  LittleServer other([](const Asked&, const Wire& wire) { wire.send(http_answer(200, "{}")); });
  // As settings of a project would: the session began without it, what runs in it has it.
  const auto out = town.shell(
      R"sh("$GT" agent run --as carol --adapter lines -- env GT_SERVER=$OTHER GT_TOKEN=x "$GT" mail inbox </dev/null 2>&1)sh",
      {{"OTHER", other.url()}});
  EXPECT_NE(out.out.find("began without it"), std::string::npos) << out.out;
  EXPECT_EQ(other.connections(), 0u);
}

TEST_F(Remote, ATokenIsInNoArgumentNoErrorAndNoLog) {
  const auto out = elsewhere.shell(R"sh(
    exec 2>said
    strace -f -s 4096 -o trace -e trace=execve "$GT" mail send bob -s Hi -m there
    "$GT" mail read nothing
    "$GT" token create
    GT_CA_FILE=/nowhere "$GT" mail inbox
    GT_SERVER=https://127.0.0.1:1 "$GT" mail inbox --json
    GT_TOKEN="$GT_TOKEN x" "$GT" mail inbox
    cat said trace
  )sh",
                                   with_token(alice_));
  const auto secret = alice_.substr(alice_.find('_', 3) + 1);
  ASSERT_NE(out.out.find("execve"), std::string::npos) << out.out << out.err;
  EXPECT_EQ(out.out.find(secret), std::string::npos) << out.out;
  const auto logs = town.shell("cat .town/log/*").out;
  EXPECT_EQ(logs.find(secret), std::string::npos) << logs;
}

TEST_F(Remote, TimesOfDayAreThoseOfTheCommandsMachine) {
  const auto at = [&](const std::string& zone) {
    const auto id =
        as_alice({"mail", "send", "bob", "-s", zone, "-m", "x", "--reply-by", "2031-05-01", "-q"}, {{"TZ", zone}});
    EXPECT_EQ(id.exit_code, 0) << id.err;
    return text_at(read_as(town, "bob", std::string(trim(id.out))), "reply_by").substr(0, 16);
  };
  EXPECT_EQ(at("Asia/Tokyo"), "2031-05-01T15:00");
  EXPECT_EQ(at("UTC"), "2031-05-02T00:00");
}

}  // namespace
}  // namespace townpost
