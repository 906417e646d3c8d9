// The same commands give the same answers on both stores; ids and times aside.
#include <gtest/gtest.h>
#include <unistd.h>

#include <map>
#include <regex>

#include "base/child.h"
#include "base/private_files.h"
#include "base/text.h"
#include "cli/expect.h"
#include "cli/two_stores_script.h"
#include "delivery/tmux/session_lock.h"
#include "post/town/presences.h"
#include "post/town/server_note.h"
#include "support/await.h"
#include "support/certificates.h"
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
enum class DoneBy { itself, server, server_over_tls };

/// A town that is told the script line by line.
class Listener {
 public:
  explicit Listener(const std::string& store, DoneBy done_by = DoneBy::itself)
      : town_(TestTown::Start::empty_folder), done_by_(done_by) {
    Words init = {"init", "--name", "testtown"};
    if (!store.empty()) init = with(init, {"--store", store});
    const auto made = town_.gt(init);
    if (made.exit_code != 0) throw std::runtime_error(made.err);
    if (done_by == DoneBy::server_over_tls) set_tls();
    if (done_by != DoneBy::itself) {
      const auto up = town_.gt({"up", "--detach"});
      if (up.exit_code != 0) throw std::runtime_error(up.err);
      if (done_by == DoneBy::server_over_tls) call_over_tls();
      return;
    }
    // As if gt up ran: else mail would leave carriers behind, and what they find would come between the lines.
    const auto locks = town_.folder() / ".town" / "run" / "lock";
    watching_.emplace(SessionLock::take(locks, watcher_name(), Millis(0), [](Millis) {}).value());
  }

  ~Listener() {
    if (done_by_ != DoneBy::itself) town_.gt({"down"});
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// What is answered: exit code, output and errors, with names of ids and threads in the order of their appearance.
  std::string answer(const Line& line) {
    Words words;
    for (const auto& word : line.words) words.push_back(word.starts_with("$") ? kept_.at(word.substr(1)) : word);
    if (as_the_human && std::find(words.begin(), words.end(), "--as") == words.end())
      words = with(words, {"--as", "overseer"});
    auto output = town_.gt(with(words, {"--json"}), variables_);
    if (!variables_.empty() && output.err.find("works on the town's own machine only") != std::string::npos) {
      EXPECT_EQ(output.exit_code, 5);
      output = town_.gt(with(words, {"--json"}));  // there it is
      ++done_there_;
    }
    if (!line.keep.empty()) kept_[line.keep] = text_at(parse_json(trim(output.out)).value_or(Json()), "id");
    return cat("exit ", output.exit_code, "\n", without_chance(output.out), without_chance(output.err));
  }

  std::size_t done_there() const { return done_there_; }

  bool as_the_human = false;  ///< whoever is not named is: a script has fewer rights

 private:
  void set_tls() const {
    const auto made = make_certificate(town_.folder(), "server");
    for (const auto& [key, value] : {std::pair{"http.listen", std::string("127.0.0.1:0")},
                                     {"http.certificate", made.certificate.string()},
                                     {"http.key", made.key.string()},
                                     {"http.requests_per_minute", "100000"}})
      if (const auto set = town_.gt({"config", "set", key, value, "--as", "overseer"}); set.exit_code != 0)
        throw std::runtime_error(set.err);
  }
  void call_over_tls() {
    const auto place = ServerNote::place(town_.folder() / ".town");
    const auto token = town_.json({"token", "create", "--human", "--as", "overseer"});
    await("the server says where it is", [&] {
      const auto text = read_private_file(place);
      const auto note = text ? ServerNote::parse(*text) : std::nullopt;
      if (note)
        variables_ = {{"GT_SERVER", note->url},
                      {"GT_TOKEN", text_at(token, "token")},
                      {"GT_CA_FILE", (town_.folder() / "server.pem").string()}};
      return note.has_value();
    });
  }

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
  Variables variables_;  ///< that name the server
  std::size_t done_there_ = 0;
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

/// The dispatcher looks for bob's pane, which is nowhere, and says so from then on.
std::string but_for_bobs_pane(const std::string& answer) {
  static const std::regex kReach(R"re("state":"(queued|asleep|waiting|offered)","reason":"[^"]*tmux:%7[^"]*")re");
  return std::regex_replace(answer, kReach, "REACH");
}

TEST(TwoStores, TheSameScriptGivesTheSameAnswersThroughTheServer) {
  const Place place;
  Listener direct("");
  Listener sqlite("", DoneBy::server);
  Listener postgres(place.url(), DoneBy::server);
  for (const auto& line : script()) {
    const auto here = but_for_bobs_pane(direct.answer(line));
    EXPECT_EQ(here, but_for_bobs_pane(sqlite.answer(line))) << "gt " << line.text;
    EXPECT_EQ(here, but_for_bobs_pane(postgres.answer(line))) << "gt " << line.text;
  }
}

TEST(TwoStores, TheSameScriptGivesTheSameAnswersOverTlsWithAToken) {
  const Place place;
  Listener direct("");
  Listener sqlite("", DoneBy::server_over_tls);
  Listener postgres(place.url(), DoneBy::server_over_tls);
  // How a caller is known is what differs.
  const auto but_for_grades = [](const std::string& answer) {
    static const std::regex kGrade(R"re("(from_grade|grade|how)":"(flag|token|--as|the token[^"]*)")re");
    static const std::regex kKnown(R"re(known by (--as|the token [-a-z0-9]*))re");
    static const std::regex kHuman(R"re(from (your user \(a command said so\)|your user))re");
    const auto known = std::regex_replace(but_for_bobs_pane(answer), kGrade, "\"$1\":\"?\"");
    return std::regex_replace(std::regex_replace(known, kKnown, "known"), kHuman, "from your user");
  };
  direct.as_the_human = sqlite.as_the_human = postgres.as_the_human = true;
  for (const auto& line : script()) {
    const auto here = but_for_grades(direct.answer(line));
    if (line.text == "mail inbox alice --as bob") {  // with a token an agent sees its own mail only
      for (auto* far : {&sqlite, &postgres})
        EXPECT_TRUE(far->answer(line).starts_with("exit 5\n")) << "gt " << line.text;
      continue;
    }
    EXPECT_EQ(here, but_for_grades(sqlite.answer(line))) << "gt " << line.text;
    EXPECT_EQ(here, but_for_grades(postgres.answer(line))) << "gt " << line.text;
  }
  EXPECT_LT(sqlite.done_there(), 30u) << "most of the script is done from afar";
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
