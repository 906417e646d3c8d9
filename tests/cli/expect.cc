#include "cli/expect.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <regex>

#include "base/text.h"

namespace townpost {

namespace {

/// The command as it is typed, for the failure's text; long values cut.
std::string typed(const Words& words) {
  std::string out = "gt";
  for (const auto& word : words) out += cat(" ", for_terminal_line(shorten(to_utf8(word), 60)));
  return out;
}

/// Lines that only one of the two has: "- gone", "+ new".
std::string changed_lines(std::string_view before, std::string_view after) {
  if (before == after) return "";
  auto was = lines_of(before);
  auto is = lines_of(after);
  std::sort(was.begin(), was.end());
  std::sort(is.begin(), is.end());
  Words gone, added;
  std::set_difference(was.begin(), was.end(), is.begin(), is.end(), std::back_inserter(gone));
  std::set_difference(is.begin(), is.end(), was.begin(), was.end(), std::back_inserter(added));
  return cat("- ", join(gone, "\n- "), "\n+ ", join(added, "\n+ "), "\n");
}

}  // namespace

void expect_refusal(const TestTown& town, const Words& words, const Refusal& refusal, const Variables& variables,
                    const std::string& input) {
  SCOPED_TRACE(typed(words));
  const auto text = town.gt(words, variables, input);
  EXPECT_EQ(text.exit_code, refusal.exit_code) << text.err;
  EXPECT_EQ(text.out, "");
  EXPECT_TRUE(text.err.starts_with("gt: ")) << text.err;
  EXPECT_EQ(std::count(text.err.begin(), text.err.end(), '\n'), 1) << text.err;
  EXPECT_NE(text.err.find(refusal.says), std::string::npos)
      << "wanted \"" << refusal.says << "\" in: " << for_terminal(text.err);

  const auto json = town.gt(with(words, {"--json"}), variables, input);
  EXPECT_EQ(json.exit_code, refusal.exit_code) << json.err;
  const auto answer = parse_json(trim(json.out));
  ASSERT_TRUE(answer.has_value()) << "with --json it printed: " << json.out;
  const auto error = value_at(*answer, "error");
  EXPECT_EQ(text_at(error, "code"), refusal.code);
  EXPECT_NE(text_at(error, "message").find(refusal.says), std::string::npos) << text_at(error, "message");
  EXPECT_NE(text_at(error, "hint"), "") << "no word about what to do: " << text_at(error, "message");
  EXPECT_NE(text.err.find(for_terminal_line(text_at(error, "hint"))), std::string::npos) << text.err;
}

void expect_refused_untouched(const TestTown& town, const Words& words, const Refusal& refusal,
                              const Variables& variables, const std::string& input) {
  const auto before = town.dump();
  expect_refusal(town, words, refusal, variables, input);
  EXPECT_EQ(changed_lines(before, town.dump()), "") << "something was left behind by " << typed(words);
}

const std::vector<std::string>& message_keys() {
  static const std::vector<std::string> kKeys = {
      "id",        "seq",  "from",     "from_grade",     "to",   "cc",        "subject",  "body",
      "timestamp", "read", "priority", "priority_level", "type", "thread_id", "reply_to", "ack_required",
      "pinned",    "wisp", "labels"};
  return kKeys;
}

bool is_instant(std::string_view text) {
  static const std::regex kForm(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)");
  return std::regex_match(text.begin(), text.end(), kForm);
}

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Json read_as(const TestTown& town, const std::string& viewer, const std::string& id) {
  return town.json({"mail", "read", id, "--as", viewer});
}

std::vector<std::string> inbox_ids(const TestTown& town, const std::string& owner, const Words& more) {
  return texts_in(town.json(with({"mail", "inbox", "--as", owner}, more)), "id");
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> out;
  for (const auto line : split(text, '\n')) out.emplace_back(line);
  if (!out.empty() && out.back().empty()) out.pop_back();
  return out;
}

}  // namespace townpost
