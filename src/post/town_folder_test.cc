#include "post/town_folder.h"

#include <gtest/gtest.h>

#include "base/files.h"

namespace townpost {
namespace {

namespace fs = std::filesystem;
using Variables = std::map<std::string, std::string>;

class TownFolder : public ::testing::Test {
 protected:
  fs::path folder(const std::string& path) {
    fs::create_directories(root() / path);
    return root() / path;
  }
  fs::path town(const std::string& path) { return folder(path + "/.town"); }
  void redirect(const std::string& from, const std::string& text) {
    ASSERT_TRUE(write_file_lightly(root() / from / ".town" / "redirect", text));
  }
  Result<fs::path> find(const fs::path& from, const Variables& variables = {},
                        const std::optional<std::string>& flag = std::nullopt) {
    return find_town(flag, FixedEnvironment(variables, from));
  }
  const fs::path& root() const { return root_.path(); }

 private:
  TemporaryFolder root_ = std::move(*TemporaryFolder::make("town"));
};

bool same(const Result<fs::path>& found, const fs::path& wanted) { return found && fs::equivalent(*found, wanted); }

TEST_F(TownFolder, IsThatOfTheNearestAncestor) {
  const auto outer = town("a");
  const auto inner = town("a/b/c");
  EXPECT_TRUE(same(find(folder("a/b")), outer));
  EXPECT_TRUE(same(find(folder("a/b/c/d/e")), inner));
  EXPECT_TRUE(same(find(root() / "a"), outer));
}

TEST_F(TownFolder, NoTownIsAnErrorThatSaysWhereWeLookedAndWhatToDo) {
  const auto found = find(folder("empty"));
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().code, Code::no_town);
  EXPECT_TRUE(found.error().message.starts_with("no town here (looked in ")) << found.error().message;
  EXPECT_NE(found.error().message.find((root() / "empty").string()), std::string::npos);
  EXPECT_EQ(found.error().hint, "run gt init");
}

TEST_F(TownFolder, AFileOfThatNameIsNoTown) {
  const auto outer = town("a");
  folder("a/b");
  ASSERT_TRUE(write_file_lightly(root() / "a/b/.town", "not a folder"));
  EXPECT_TRUE(same(find(root() / "a/b"), outer));
}

TEST_F(TownFolder, FlagBeatsVariableBeatsAncestor) {
  const auto by_flag = town("flag");
  const auto by_variable = town("variable");
  const auto by_root = town("root");
  const auto nearest = town("near");
  const Variables both = {{"GT_TOWN", (root() / "variable").string()}, {"GT_TOWN_ROOT", (root() / "root").string()}};
  const Variables only_root = {{"GT_TOWN_ROOT", (root() / "root").string()}};
  EXPECT_TRUE(same(find(root() / "near", both, (root() / "flag").string()), by_flag));
  EXPECT_TRUE(same(find(root() / "near", both), by_variable));
  EXPECT_TRUE(same(find(root() / "near", only_root), by_root));
  EXPECT_TRUE(same(find(root() / "near"), nearest));
}

TEST_F(TownFolder, ANamedTownIsNotLookedForElsewhere) {
  town("near");
  folder("nothing");
  const auto found = find(root() / "near", {}, (root() / "nothing").string());
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().code, Code::no_town);
}

TEST_F(TownFolder, MayBeNamedInAnyWay) {
  const auto wanted = town("a/b");
  const auto from = folder("a");
  for (const std::string& spelling : {(root() / "a/b").string(), (root() / "a/b").string() + "/", std::string("b"),
                                      std::string("./b/"), std::string("b/.town"), std::string("b/.town/")})
    EXPECT_TRUE(same(find(from, {}, spelling), wanted)) << spelling;
}

TEST_F(TownFolder, ARedirectSendsOn) {
  const auto target = town("main");
  town("worktree");
  redirect("worktree", (root() / "main").string() + "\n");
  EXPECT_TRUE(same(find(folder("worktree/deep")), target));
  redirect("worktree", "../main");
  EXPECT_TRUE(same(find(root() / "worktree"), target)) << "relative to the folder that holds .town";
  redirect("worktree", (root() / "main/.town").string());
  EXPECT_TRUE(same(find(root() / "worktree"), target));
  town("third");
  redirect("third", "../worktree\n");
  EXPECT_TRUE(same(find(root() / "third"), target)) << "redirects may follow one another";
}

TEST_F(TownFolder, ARedirectToNowhereIsAnError) {
  town("worktree");
  redirect("worktree", "../gone");
  const auto found = find(root() / "worktree");
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().code, Code::no_town);
  EXPECT_NE(found.error().message.find("gone"), std::string::npos) << found.error().message;
}

TEST_F(TownFolder, ACircleOfRedirectsIsAnError) {
  town("a");
  town("b");
  redirect("a", "../b");
  redirect("b", "../a");
  const auto found = find(root() / "a");
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().code, Code::no_town);
  EXPECT_NE(found.error().message.find("circle"), std::string::npos) << found.error().message;
  redirect("a", "");
  EXPECT_FALSE(find(root() / "a").has_value()) << "an empty redirect leads to itself";
}

}  // namespace
}  // namespace townpost
