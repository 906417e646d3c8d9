#include "post/town/town_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/advice.h"
#include "base/files.h"
#include "post/town/trusted_towns.h"

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
  /// A `.town` that came from somewhere.
  fs::path strange_town(const std::string& path) {
    const auto made = folder(path + "/.town");
    EXPECT_TRUE(write_file_lightly(made / "town.toml", ""));
    return made;
  }
  /// One that this user trusts.
  fs::path town(const std::string& path) {
    const auto made = strange_town(path);
    EXPECT_TRUE(trusted().trust(made));
    return made;
  }
  TrustedTowns trusted() const { return TrustedTowns(FixedEnvironment({{"HOME", home()}})); }
  std::string home() const { return (root() / "home").string(); }
  void redirect(const std::string& from, const std::string& text) {
    ASSERT_TRUE(write_file_lightly(root() / from / ".town" / "redirect", text));
  }
  Result<fs::path> find(const fs::path& from, const Variables& variables = {},
                        const std::optional<std::string>& flag = std::nullopt) {
    auto all = variables;
    all.emplace("HOME", home());
    return find_town(flag, FixedEnvironment(all, from));
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
  EXPECT_EQ(advice(found.error()), "run init");
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

std::string told(const Result<fs::path>& found) {
  if (found) return "used: " + found->string();
  EXPECT_EQ(found.error().code, Code::no_town);
  return found.error().message + "; " + advice(found.error());
}

bool mentions(const std::string& text, std::string_view words) { return text.find(words) != std::string::npos; }

TEST_F(TownFolder, ThatNobodyTrustsIsUsedOnlyIfItIsNamed) {
  const auto strange = strange_town("download");
  EXPECT_TRUE(mentions(told(find(root() / "download")), "trust dir=" + (root() / "download").string()));
  EXPECT_TRUE(same(find(root(), {}, "download"), strange));
  EXPECT_TRUE(same(find(root(), {{"GT_TOWN", "download"}}), strange));
}

TEST_F(TownFolder, ThatIsTrustedAndComesAgainFromElsewhereIsNotTrusted) {
  const auto own = town("a");
  fs::remove_all(own);
  strange_town("a");
  EXPECT_TRUE(mentions(told(find(root() / "a")), "is not the one that you trusted there"));
}

TEST_F(TownFolder, ThatWasMovedSaysSoAndIsTrustedAgain) {
  town("old");
  fs::rename(root() / "old", root() / "new");
  const auto moved = told(find(root() / "new"));
  EXPECT_TRUE(mentions(moved, "was moved or copied from " + (root() / "old").string())) << moved;
  EXPECT_TRUE(mentions(moved, "trust dir=" + (root() / "new").string())) << moved;
  ASSERT_TRUE(trusted().trust(root() / "new/.town"));
  EXPECT_TRUE(same(find(root() / "new"), root() / "new/.town"));
  EXPECT_EQ(trusted().known(), std::vector<fs::path>{root() / "new/.town"});
}

TEST_F(TownFolder, OfACopyIsAnotherTownThanTheOriginal) {
  const auto original = town("original");
  fs::copy(root() / "original", root() / "copy", fs::copy_options::recursive);
  EXPECT_FALSE(find(root() / "copy").has_value());
  ASSERT_TRUE(trusted().trust(root() / "copy/.town"));
  EXPECT_TRUE(find(root() / "copy").has_value());
  EXPECT_TRUE(same(find(root() / "original"), original)) << "the original was forgotten";
}

TEST_F(TownFolder, ThatIsTrustedNoLongerIsNotUsed) {
  const auto own = town("a");
  EXPECT_EQ(trusted().remove(own), true);
  EXPECT_FALSE(find(root() / "a").has_value());
  EXPECT_EQ(trusted().remove(own), false);
}

TEST_F(TownFolder, IsNotLookedForBehindOneThatIsNotUsed) {
  town("outer");
  strange_town("outer/download");
  EXPECT_FALSE(find(root() / "outer/download").has_value());
}

TEST_F(TownFolder, WithoutHomeIsUsedOnlyIfItIsNamed) {
  const auto own = town("a");
  EXPECT_FALSE(find_town(std::nullopt, FixedEnvironment({}, root() / "a")).has_value());
  EXPECT_TRUE(same(find_town("a", FixedEnvironment({}, root())), own));
  const auto noted = TrustedTowns(FixedEnvironment()).trust(own);
  ASSERT_FALSE(noted.has_value());
  EXPECT_TRUE(mentions(noted.error().message, "HOME is not set"));
}

TEST_F(TownFolder, TrustIsKeptWhereTheUserKeepsSettings) {
  const auto own = strange_town("a");
  const FixedEnvironment elsewhere({{"XDG_CONFIG_HOME", (root() / "xdg").string()}, {"HOME", home()}}, root() / "a");
  ASSERT_TRUE(TrustedTowns(elsewhere).trust(own));
  EXPECT_TRUE(fs::exists(root() / "xdg/townpost/towns"));
  EXPECT_FALSE(fs::exists(home()));
  EXPECT_TRUE(same(find_town(std::nullopt, elsewhere), own));
  EXPECT_FALSE(find(root() / "a").has_value()) << "another list";
}

TEST_F(TownFolder, AListThatOthersMayWriteToSaysNothing) {
  const auto own = town("a");
  const fs::path list = fs::path(home()) / ".config/townpost/towns";
  ASSERT_EQ(::chmod(list.c_str(), 0666), 0);
  EXPECT_FALSE(find(root() / "a").has_value());
  ASSERT_EQ(::chmod(list.c_str(), 0600), 0);
  EXPECT_TRUE(same(find(root() / "a"), own));
}

TEST_F(TownFolder, WhereThereIsNoneTheUsersOwnAreNamed) {
  town("springfield");
  strange_town("download");
  const auto none = told(find(folder("empty")));
  EXPECT_TRUE(mentions(none, (root() / "springfield").string())) << none;
  EXPECT_TRUE(mentions(none, "`town=DIR`")) << none;
  EXPECT_FALSE(mentions(none, "download")) << none;
}

TEST_F(TownFolder, IsMadePrivateWhenItIsUsed) {
  const auto own = town("a");
  ASSERT_TRUE(make_folders(own / "log"));
  ASSERT_TRUE(write_file_durably(own / "log/x", "x", 0644));
  ASSERT_EQ(::chmod(own.c_str(), 0755), 0);
  ASSERT_EQ(::chmod((own / "log").c_str(), 0777), 0);
  ASSERT_TRUE(find(root() / "a"));
  const auto mode = [](const fs::path& path) { return static_cast<unsigned>(fs::status(path).permissions()); };
  EXPECT_EQ(mode(own), 0700u);
  EXPECT_EQ(mode(own / "log"), 0700u);
  EXPECT_EQ(mode(own / "log/x"), 0600u);
  ASSERT_EQ(::chmod(own.c_str(), 02770), 0);
  ASSERT_TRUE(find(root() / "a"));
  EXPECT_EQ(mode(own), 02770u) << "shared with its group on purpose";
}

TEST_F(TownFolder, ThatIsALinkIsNotFollowed) {
  const auto own = town("a");
  folder("b");
  fs::create_directory_symlink(own, root() / "b/.town");
  EXPECT_TRUE(mentions(told(find(root() / "b")), "is a link"));
  EXPECT_TRUE(mentions(told(find(root(), {}, "b")), "is a link"));
  fs::create_directory_symlink(root() / "a", root() / "c");
  EXPECT_TRUE(same(find(root(), {}, "c"), own)) << "the way to it may lead over links";
}

TEST_F(TownFolder, ARedirectLeadsOnlyToATownThatIsTrusted) {
  const auto target = strange_town("main");
  strange_town("worktree");
  redirect("worktree", "../main");
  EXPECT_FALSE(find(root() / "worktree").has_value());
  EXPECT_FALSE(find(root(), {}, "worktree").has_value());
  ASSERT_TRUE(trusted().trust(target));
  EXPECT_TRUE(same(find(root() / "worktree"), target));
}

}  // namespace
}  // namespace townpost
