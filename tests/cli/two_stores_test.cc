// The same commands give the same answers on both stores; ids and times aside.
#include <gtest/gtest.h>
#include <unistd.h>

#include <map>
#include <regex>

#include "base/child.h"
#include "base/text.h"
#include "cli/expect.h"
#include "cli/two_stores_script.h"
#include "delivery/tmux/session_lock.h"
#include "post/town/presences.h"
#include "support/shared_postgres.h"

namespace townpost {
namespace {

struct Line {
  std::string text;
  Words words;
  std::string keep;  ///< the name under which the answer's id is kept
};

Line parsed(std::string_view text) {
  Line line{.text = std::string(text), .words = {}, .keep = ""};
  std::string word;
  bool begun = false;
  bool quoted = false;
  for (const char c : cat(text, " ")) {
    if (c == '"') {
      quoted = !quoted;
      begun = true;
    } else if (c != ' ' || quoted) {
      word += c;
      begun = true;
    } else if (begun) {
      line.words.push_back(word);
      word.clear();
      begun = false;
    }
  }
  if (line.words.size() > 2 && line.words[line.words.size() - 2] == ">") {
    line.keep = line.words.back();
    line.words.resize(line.words.size() - 2);
  }
  return line;
}

std::vector<Line> script() {
  std::vector<Line> out;
  for (const auto text : split(kScript, '\n'))
    if (!text.empty() && text.front() != '#') out.push_back(parsed(text));
  return out;
}

/// Who does the work of a command.
enum class DoneBy { itself, server };

/// A town that is told the script line by line.
class Listener {
 public:
  explicit Listener(const std::string& store, DoneBy done_by = DoneBy::itself)
      : town_(TestTown::Start::empty_folder), done_by_(done_by) {
    Words init = {"init", "--name", "testtown"};
    if (!store.empty()) init = with(init, {"--store", store});
    const auto made = town_.gt(init);
    if (made.exit_code != 0) throw std::runtime_error(made.err);
    if (done_by == DoneBy::server) {
      const auto up = town_.gt({"up", "--detach"});
      if (up.exit_code != 0) throw std::runtime_error(up.err);
      return;
    }
    // As if gt up ran: else mail would leave carriers behind, and what they find would come between the lines.
    const auto locks = town_.folder() / ".town" / "run" / "lock";
    watching_.emplace(SessionLock::take(locks, watcher_name(), Millis(0), [](Millis) {}).value());
  }

  ~Listener() {
    if (done_by_ == DoneBy::server) town_.gt({"down"});
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// What is answered: exit code, output and errors, with names of ids and threads in the order of their appearance.
  std::string answer(const Line& line) {
    Words words;
    for (const auto& word : line.words) words.push_back(word.starts_with("$") ? kept_.at(word.substr(1)) : word);
    const auto output = town_.gt(with(words, {"--json"}));
    if (!line.keep.empty()) kept_[line.keep] = text_at(parse_json(trim(output.out)).value_or(Json()), "id");
    return cat("exit ", output.exit_code, "\n", without_chance(output.out), without_chance(output.err));
  }

 private:
  std::string without_chance(std::string text) {
    const std::string folder = std::filesystem::canonical(town_.folder()).string();
    for (auto at = text.find(folder); at != std::string::npos; at = text.find(folder))
      text.replace(at, folder.size(), "DIR");
    static const std::regex kInstant(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)");
    text = std::regex_replace(text, kInstant, "INSTANT");
    static const std::regex kChance(R"(hq-[mn]-[0-9a-z]+|thread-[0-9a-f]{12})");
    std::string out;
    auto rest = text.cbegin();
    for (std::smatch found; std::regex_search(rest, text.cend(), found, kChance); rest = found[0].second) {
      out.append(rest, found[0].first);
      const auto number = names_.try_emplace(found.str(), names_.size() + 1).first->second;
      out += cat(found.str().substr(0, found.str().find('-')), "#", number);
    }
    out.append(rest, text.cend());
    return out;
  }

  TestTown town_;
  const DoneBy done_by_;
  std::optional<SessionLock> watching_;
  std::map<std::string, std::string> kept_;
  std::map<std::string, std::size_t> names_;
};

/// An empty place in a PostgreSQL, gone with the test.
class Place {
 public:
  Place() = default;
  ~Place() { SharedPostgres::drop_schema(url_); }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  const std::string& url() const { return url_; }

 private:
  std::string url_ = SharedPostgres::make_schema();
};

TEST(TwoStores, TheSameScriptGivesTheSameAnswers) {
  const auto lines = script();
  ASSERT_GE(lines.size(), 200u);
  const Place place;
  Listener sqlite("");
  Listener postgres(place.url());
  int done = 0;
  for (const auto& line : lines) {
    const auto here = sqlite.answer(line);
    EXPECT_EQ(here, postgres.answer(line)) << "gt " << line.text;
    if (here.starts_with("exit 0\n")) ++done;
    if (!line.keep.empty()) {
      EXPECT_TRUE(here.starts_with("exit 0\n")) << "gt " << line.text << "\n" << here;
    }
  }
  EXPECT_GE(done, 150) << "most of the script is to work";
}

TEST(TwoStores, TheSameScriptGivesTheSameAnswersThroughTheServer) {
  const Place place;
  Listener direct("");
  Listener sqlite("", DoneBy::server);
  Listener postgres(place.url(), DoneBy::server);
  // The dispatcher looks for bob's pane, which is nowhere, and says so from then on.
  const auto but_for_bobs_pane = [](const std::string& answer) {
    static const std::regex kReach(R"re("state":"(queued|asleep|waiting|offered)","reason":"[^"]*tmux:%7[^"]*")re");
    return std::regex_replace(answer, kReach, "REACH");
  };
  for (const auto& line : script()) {
    const auto here = but_for_bobs_pane(direct.answer(line));
    EXPECT_EQ(here, but_for_bobs_pane(sqlite.answer(line))) << "gt " << line.text;
    EXPECT_EQ(here, but_for_bobs_pane(postgres.answer(line))) << "gt " << line.text;
  }
}

TEST(TwoStores, TheSameCommandIsFoundByTheVariableAndByTheSettings) {
  const Place place;
  const TestTown town(TestTown::Start::empty_folder);
  ASSERT_EQ(town.gt({"init", "--store", place.url()}).exit_code, 0);
  ASSERT_EQ(town.gt({"agent", "add", "coder"}).exit_code, 0);
  const TestTown other;  // a town of its own, told where to look
  const auto found = other.json({"agent", "show", "coder"}, {{"GT_STORE", place.url()}});
  EXPECT_EQ(text_at(found, "address"), "coder");
  EXPECT_EQ(other.gt({"agent", "show", "coder"}).exit_code, 4) << "its own store has no such agent";
}

TEST(TwoStores, ACommandForTheServerIsHandedOverWithItsInput) {
  const Place place;
  const TestTown town(TestTown::Start::empty_folder);
  ASSERT_EQ(town.gt({"init", "--store", place.url()}).exit_code, 0);
  EXPECT_EQ(town.shell("ls -A | grep draft").out, "") << "init leaves nothing behind where it is handed over";
  ASSERT_EQ(town.gt({"agent", "add", "coder"}).exit_code, 0);
  const auto id =
      std::string(trim(town.gt({"mail", "send", "coder", "-s", "x", "--stdin", "-q"}, {}, "by a pipe").out));
  EXPECT_EQ(text_at(town.json({"mail", "read", id, "--as", "coder"}), "body"), "by a pipe");
  EXPECT_EQ(town.gt({"whoami", "--as", "nobody-here"}).exit_code, 4) << "exit codes come through";
  const auto settings = town.gt({"harness", "install", "claude", "--print"});
  EXPECT_EQ(settings.out.find("townpostd"), std::string::npos) << "others call gt";
}

TEST(TwoStores, WithoutTheOtherProgramOnlyTheServerIsOutOfReach) {
  const Place place;
  const TestTown town;
  std::filesystem::copy(gt_program(), town.folder() / "alone");
  const auto alone = [&](const std::string& words) {
    return town.shell("exec ./alone " + words, {{"URL", place.url()}});
  };
  EXPECT_EQ(alone("mail inbox").exit_code, 0);
  const auto refused = alone("store copy --to \"$URL\" --as overseer");
  EXPECT_EQ(refused.exit_code, 6);
  EXPECT_NE(refused.err.find("townpostd"), std::string::npos) << refused.err;
}

}  // namespace
}  // namespace townpost
