#include "cli/contract.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "cli/parse.h"
#include "ops/shapes.h"
#include "support/witness.h"

namespace townpost {

namespace {

using Words = TestTown::Words;

const bool kEveryCallIsHeld = (call_witness(expect_contract), true);

/// Whether one of these words stands before `--`.
bool says(const TestTown::Words& words, std::initializer_list<std::string_view> any) {
  return std::any_of(words.begin(), std::find(words.begin(), words.end(), "--"),
                     [&](const std::string& word) { return std::find(any.begin(), any.end(), word) != any.end(); });
}

/// What was printed: one value, or one a line.
std::optional<std::vector<Json>> values_of(std::string_view printed) {
  if (auto whole = parse_json(trim(printed))) return std::vector<Json>{std::move(*whole)};
  std::vector<Json> out;
  for (const auto& line : split(trim(printed), '\n')) {
    auto value = parse_json(line);
    if (!value) return std::nullopt;
    out.push_back(std::move(*value));
  }
  return out;
}

/// The shapes that one value may have: that of the answer, and that of one item where it is a list.
std::vector<Shape> shapes_of(const Op& op) {
  std::vector<Shape> out = {op.result()};
  const auto alternatives =
      out.front().kind() == Shape::Kind::one_of ? out.front().alternatives() : std::vector<Shape>{out.front()};
  for (const auto& one : alternatives)
    if (one.kind() == Shape::Kind::list) out.push_back(one.item());
  return out;
}

}  // namespace

void expect_contract(const TestTown::Words& words, const ProcessOutput& output) {
  if (words.empty() || words.front() == "version") return;  // no operation
  if (!says(words, {"--json"}) || says(words, {"--help", "-h", "help"}) || output.out.empty()) return;
  SCOPED_TRACE(cat("gt ", for_terminal_line(to_utf8(join(words, " ")))));
  auto values = values_of(output.out);
  if (!values) {
    ADD_FAILURE() << "with --json it printed: " << for_terminal(output.out);
    return;
  }
  const auto found = find_command(words);
  // The program that it runs prints, too; the answer is what comes last.
  if (found && found->op && found->op->name == "agent.run") values->erase(values->begin(), values->end() - 1);
  for (const auto& value : *values) {
    if (keys_of(value) == std::vector<std::string>{"error"}) {
      EXPECT_EQ(misfit(shapes::error(), value).value_or("fits"), "fits") << to_line(value);
      EXPECT_NE(output.exit_code, 0) << "an error is no success: " << to_line(value);
      continue;
    }
    if (!found || !found->op) {
      ADD_FAILURE() << "an answer of no operation: " << to_line(value);
      continue;
    }
    const Json& shown = says(words, {"--page"}) ? value.at("items") : value;
    const auto shapes = shapes_of(*found->op);
    EXPECT_TRUE(std::any_of(shapes.begin(), shapes.end(), [&](const Shape& one) { return !misfit(one, shown); }))
        << misfit(shapes.front(), shown).value_or("fits");
  }
}

}  // namespace townpost
