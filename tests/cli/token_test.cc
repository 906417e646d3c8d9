// gt token …, gt open: who may call the town's server.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/child.h"
#include "base/text.h"
#include "cli/expect.h"

namespace townpost {
namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

class TokenCommands : public testing::Test {
 protected:
  TokenCommands() {
    town.rigs({"beads"});
    town.agents({"coder", "other"});
  }
  Json create(const Words& words) const { return town.json(with({"token", "create", "--as", "overseer"}, words)); }
  /// As the server writes it; this test is the process.
  void note_server(const std::string& process) const {
    fs::create_directory(town.folder() / ".town/run");
    std::ofstream(town.folder() / ".town/run/server") << "http://127.0.0.1:8420\n" << process << "\n";
  }
  /// Everything in the town's folder.
  std::string all_files() const { return town.shell("cat $(find .town -type f)").out; }
  TestTown town;
};

TEST_F(TokenCommands, CreateShowsTheSecretOnce) {
  const auto made = create({"--agent", "coder", "--expires", "30d", "--note", "for the sandbox"});
  EXPECT_EQ(keys_of(made),
            (Texts{"id", "kind", "role", "agent", "note", "state", "created_at", "created_by", "expires_at", "token"}));
  EXPECT_EQ(text_at(made, "agent"), "coder");
  EXPECT_EQ(text_at(made, "role"), "agent");
  EXPECT_EQ(text_at(made, "state"), "live");
  const auto secret = text_at(made, "token");
  EXPECT_TRUE(secret.starts_with(cat("gt_", text_at(made, "id"), "_"))) << secret;
  const auto listed = town.json({"token", "list"});
  ASSERT_EQ(items_of(listed).size(), 1u);
  auto without = made.get_object();
  without.erase("token");
  EXPECT_EQ(items_of(listed)[0], Json(without));
  const auto told = town.gt({"token", "create", "--human", "--as", "overseer"});
  EXPECT_TRUE(told.out.starts_with("gt_tok-")) << told.out;
  EXPECT_NE(told.out.find("not shown again"), std::string::npos) << told.out;
}

TEST_F(TokenCommands, EachIsForWhomItNames) {
  EXPECT_EQ(text_at(create({"--human"}), "role"), "human");
  EXPECT_EQ(text_at(create({"--any-agent"}), "role"), "town");
  const auto rig = create({"--rig", "beads"});
  EXPECT_EQ(text_at(rig, "role"), "rig");
  EXPECT_EQ(text_at(rig, "rig"), "beads");
  const Words make = {"token", "create", "--as", "overseer"};
  expect_refused_untouched(town, make, {2, "usage", "holder of the token is missing"});
  expect_refused_untouched(town, with(make, {"--human", "--any-agent"}), {2, "usage", "only one of them"});
  expect_refused_untouched(town, with(make, {"--agent", "nobody"}), {4, "not_found", "nobody"});
  expect_refused_untouched(town, with(make, {"--agent", "overseer"}), {2, "usage", "invalid --agent"});
  expect_refused_untouched(town, with(make, {"--rig", "nowhere"}), {4, "not_found", "nowhere"});
  expect_refused_untouched(town, with(make, {"--human", "--expires", "2001-01-01"}), {2, "usage", "--expires"});
}

TEST_F(TokenCommands, AreForPeople) {
  create({"--agent", "coder"});
  const auto id = text_at(create({"--agent", "other"}), "id");
  const Variables coder = {{"MAIL_IDENTITY", "coder"}}, mayor = {{"GT_ROLE", "mayor"}};
  for (const auto& who : {coder, mayor}) {
    expect_refused_untouched(town, {"token", "create", "--agent", "coder"}, {5, "forbidden", "people only"}, who);
    expect_refused_untouched(town, {"token", "revoke", id}, {5, "forbidden", "people only"}, who);
    expect_refused_untouched(town, {"open"}, {5, "forbidden", "people only"}, who);
  }
  const auto own = town.json({"token", "list"}, coder);
  EXPECT_EQ(texts_in(own, "agent"), Texts{"coder"}) << "an agent sees its own";
  expect_refused_untouched(town, {"token", "create", "--human"}, {5, "forbidden", "neither its input"});
}

TEST_F(TokenCommands, RevokeEndsThemAndListShowsThemWithAll) {
  const auto one = text_at(create({"--human"}), "id");
  const auto two = text_at(create({"--any-agent"}), "id");
  const auto done = town.json({"token", "revoke", one, two, "--as", "overseer"});
  EXPECT_EQ(texts_in(done, "state"), (Texts{"revoked", "revoked"}));
  EXPECT_EQ(items_of(town.json({"token", "list"})).size(), 0u);
  const auto all = town.json({"token", "list", "--all"});
  EXPECT_EQ(texts_in(all, "state"), (Texts{"revoked", "revoked"}));
  EXPECT_EQ(town.gt({"token", "revoke", one, "--as", "overseer"}).exit_code, 0) << "once more is the same";
  const auto kinds = texts_in(town.json({"feed"}), "kind");
  EXPECT_EQ(std::count(kinds.begin(), kinds.end(), "token revoked"), 2);
  expect_refused_untouched(town, {"token", "revoke", "tok-1", "--as", "overseer"}, {4, "not_found", "tok-1"});
}

TEST_F(TokenCommands, ASecretIsNowhereButInTheAnswer) {
  Texts secrets;
  for (const auto& whom : {Words{"--agent", "coder"}, {"--human"}, {"--any-agent"}, {"--rig", "beads"}})
    secrets.push_back(text_at(create(whom), "token"));
  note_server(process_name(::getpid()));
  const auto url = text_at(town.json({"open", "--as", "overseer"}), "url");
  secrets.push_back(url.substr(url.find('=') + 1));
  std::string said;
  // Somebody mistakes the secret for an id.
  for (const auto& words : {Words{"token", "revoke", secrets[0], "--as", "overseer"},
                            {"token", "list", "--all"},
                            {"feed"},
                            {"status"},
                            {"doctor"},
                            {"whoami"},
                            {"agent", "show", "coder"}})
    for (const auto* form : {"", "--json"}) {
      const auto done = town.gt(*form ? with(words, {form}) : words);
      said += done.out + done.err;
    }
  const auto kept = all_files();
  EXPECT_NE(kept.find("token.create"), std::string::npos) << "the log of what was done in a person's name is there";
  for (const auto& secret : secrets) {
    const auto bare = secret.substr(secret.find('_', 3) + 1);
    ASSERT_EQ(bare.size(), 43u) << secret;
    EXPECT_EQ(kept.find(bare), std::string::npos);
    EXPECT_EQ(said.find(bare), std::string::npos) << said;
  }
}

TEST_F(TokenCommands, OpenMakesALinkWhereTheServerRuns) {
  expect_refused_untouched(town, {"open", "--as", "overseer"}, {6, "unavailable", "server is not running"});
  note_server(cat("1.1-another-boot@", host_name()));
  expect_refused_untouched(town, {"open", "--as", "overseer"}, {6, "unavailable", "server is not running"});
  note_server(process_name(::getpid()));
  const auto link = town.json({"open", "--as", "overseer"});
  EXPECT_TRUE(text_at(link, "url").starts_with("http://127.0.0.1:8420/open?code=gt_code-")) << text_at(link, "url");
  EXPECT_TRUE(is_instant(text_at(link, "expires_at")));
  const auto bare = town.gt({"open", "--print", "--as", "overseer"}).out;
  EXPECT_EQ(lines_of(bare).size(), 1u) << bare;
  EXPECT_TRUE(bare.starts_with("http://")) << bare;
  EXPECT_EQ(items_of(town.json({"token", "list", "--all"})).size(), 0u) << "a link is no token";
  std::ofstream(town.folder() / ".town/run/server") << "http://evil.example/\x1b[31m\n"
                                                    << process_name(::getpid()) << "\n";
  expect_refused_untouched(town, {"open", "--as", "overseer"}, {6, "unavailable", "server is not running"});
}

TEST_F(TokenCommands, CreateThatIsToBeQuietSaysTheTokenAndNothingElse) {
  const auto quiet = lines_of(town.gt({"token", "create", "--agent", "coder", "-q", "--as", "overseer"}).out);
  ASSERT_EQ(quiet.size(), 1u);
  EXPECT_TRUE(quiet[0].starts_with("gt_tok-")) << quiet[0] << ": an id lets nobody in";
}

}  // namespace
}  // namespace townpost
