// What people and language models type who have not read the manual: tests/cli/guesses/*.txt, a line for each.
//   TYPED => COMMAND      works, and is the same call as COMMAND
//   TYPED => ? TEXT       is refused, and the hint has TEXT
//   TYPED => stores TEXT  sends a message with this text
// TYPED is for a shell, by the agent max, or behind "person: " by the human. ID is a message for max, QID one of a
// queue that max has claimed.
#include <gtest/gtest.h>

#include <fstream>

#include "base/text.h"
#include "cli/expect.h"
#include "cli/parse.h"
#include "cli/typed_words.h"

namespace townpost {
namespace {

struct Guess {
  std::string typed;
  std::string wanted;
  bool by_a_person = false;
};

std::vector<Guess> guesses_in(const std::string& name) {
  std::ifstream file(std::filesystem::path(GUESSES) / name);
  std::vector<Guess> out;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    const auto arrow = line.find(" => ");
    EXPECT_NE(arrow, std::string::npos) << line;
    if (arrow == std::string::npos) continue;
    Guess guess{line.substr(0, arrow), line.substr(arrow + 4)};
    constexpr std::string_view kPerson = "person: ";
    guess.by_a_person = guess.typed.starts_with(kPerson);
    if (guess.by_a_person) guess.typed.erase(0, kPerson.size());
    out.push_back(std::move(guess));
  }
  return out;
}

/// The call that the words are; nothing if they are none of the table's.
std::optional<std::string> call_of(const Words& words) {
  const auto found = find_command(words);
  if (!found || !found->op) return std::nullopt;
  const auto line = parse_command_line(*found->op, found->rest, found->named);
  if (!line || line->help) return std::nullopt;
  return cat(found->op->name, " ", to_line(line->args), " as ", line->as.value_or("nobody"), line->json ? " json" : "");
}

/// A town with something in it of everything, as it is before each guess.
class Guesses : public testing::TestWithParam<const char*> {
 protected:
  Guesses() {
    town_.agents({"max", "ada", "coder", "spare1", "spare2", "spare3"});
    town_.rigs({"api"});
    town_.agents({"api/crew/zed"});
    for (const Words& words : {Words{"queue", "create", "jobs"},
                               {"group", "create", "backend", "ada", "coder"},
                               {"channel", "create", "builds"}})
      town_.json(with(words, {"--as", "overseer"}));
  }

  /// `text` with what ID and QID stand for, new ones each time.
  void fill_in(Guess& guess) {
    const auto number = std::to_string(++filled_);  // the same again would be no other message
    town_.send("overseer", "max", cat("Another ", number), {"-m", "please"});
    const auto id = town_.send("overseer", "max", cat("Parser review ", number), {"-m", "please"});
    town_.send("overseer", "queue:jobs", cat("Run the tests ", number));
    std::string claimed;
    if (guess.typed.find("QID") != std::string::npos)
      claimed = trim(town_.gt({"mail", "claim", "jobs", "-q", "--as", "max"}).out);
    town_.json({"mail", "inbox"}, kMax);
    for (auto* text : {&guess.typed, &guess.wanted}) {
      replace(*text, "QID", claimed);
      replace(*text, "ID", id);
    }
  }

  static void replace(std::string& text, const std::string& word, const std::string& by) {
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
      const auto end = at + word.size();
      const bool alone = (at == 0 || text[at - 1] == ' ') && (end == text.size() || text[end] == ' ');
      if (alone && !by.empty()) text.replace(at, word.size(), by);
    }
  }

  ProcessOutput type(const std::string& typed, bool by_a_person) const {
    const std::string gt = by_a_person ? R"(gt() { "$GT" "$@" --as overseer; })" : R"(gt() { "$GT" "$@"; })";
    return town_.shell(cat(gt, "\n", typed, "\n"), by_a_person ? Variables{} : kMax);
  }

  void expect_works(const Guess& guess) const {
    const auto ran = type(guess.typed, guess.by_a_person);
    EXPECT_LE(ran.exit_code, 1) << ran.err;
    EXPECT_EQ(ran.err.find("unknown"), std::string::npos) << ran.err;
    const auto typed = typed_words(guess.typed);
    const auto wanted = typed_words(guess.wanted);
    ASSERT_TRUE(typed && wanted);
    if (const auto call = call_of(*wanted))
      EXPECT_EQ(call_of(*typed).value_or("no call"), *call);
    else
      EXPECT_EQ(ran.out, type(guess.wanted, guess.by_a_person).out);
  }

  void expect_refused(const Guess& guess, const std::string& hint) const {
    const auto before = town_.dump();
    const auto ran = type(guess.typed, guess.by_a_person);
    EXPECT_GE(ran.exit_code, 2) << ran.out << ran.err;
    EXPECT_NE(ran.err.find(hint), std::string::npos) << ran.err;
    EXPECT_EQ(town_.dump(), before) << "something was done nevertheless";
  }

  const Variables kMax = {{"MAIL_IDENTITY", "max"}};
  TestTown town_;
  int filled_ = 0;
};

TEST_P(Guesses, DoWhatWasWantedOrSayIt) {
  const auto all = guesses_in(GetParam());
  EXPECT_GE(all.size(), 25u);
  for (auto guess : all) {
    SCOPED_TRACE(guess.typed);
    fill_in(guess);
    constexpr std::string_view kStores = "stores ";
    if (guess.wanted.starts_with("? ")) {
      expect_refused(guess, guess.wanted.substr(2));
    } else if (guess.wanted.starts_with(kStores)) {
      EXPECT_EQ(type(guess.typed, guess.by_a_person).exit_code, 0);
      EXPECT_EQ(texts_in(town_.json({"mail", "sent", "--limit", "1"}, kMax), "body"),
                Words{guess.wanted.substr(kStores.size())});
    } else {
      expect_works(guess);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, Guesses,
                         testing::Values("likeliest.txt", "mistakes.txt", "gastown.txt", "ours.txt", "everyday.txt"),
                         [](const auto& one) {
                           return std::string(one.param).substr(0, std::string(one.param).find('.'));
                         });

}  // namespace
}  // namespace townpost
