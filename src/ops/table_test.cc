#include "ops/table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "base/text.h"

namespace townpost {
namespace {

TEST(OpTable, EveryNameIsThereOnce) {
  std::set<std::string_view> names;
  for (const auto& entry : op_table()) EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
}

TEST(OpTable, ANameWorksOrIsAnsweredAndNotBoth) {
  std::set<std::string_view> names;
  for (const auto& entry : op_table()) names.insert(entry.name);
  for (const auto& hint : op_hints()) EXPECT_TRUE(names.insert(hint.name).second) << hint.name;
}

TEST(OpTable, WhatIsSaidInsteadCanBeCalled) {
  for (const auto& hint : op_hints()) {
    const Op& op = hint.op();
    EXPECT_NE(op.effect, Effect::destroys) << hint.name;
    if (hint.args.empty()) continue;
    for (const auto part : split(hint.args, ',')) {
      const auto* arg = find_argument(op, part.substr(0, part.find('=')));
      ASSERT_TRUE(arg) << hint.name << ": " << part;
      EXPECT_EQ(arg->kind == ArgKind::flag, part.find('=') == std::string_view::npos) << hint.name << ": " << part;
    }
  }
}

TEST(OpTable, EveryRowTellsWhatItDoesAndHow) {
  for (const auto& entry : op_table()) {
    const Op& op = entry.op();
    EXPECT_FALSE(op.summary.empty()) << entry.name;
    EXPECT_FALSE(op.examples.empty()) << entry.name << ": --help shows examples";
    EXPECT_NE(op.result().kind(), Shape::Kind::any) << entry.name << ": an answer has a shape";
  }
}

TEST(OpTable, ArgumentsOfARowHaveDistinctNamesAndLetters) {
  for (const auto& entry : op_table()) {
    std::set<std::string_view> names;
    std::set<char> letters;
    bool many_seen = false;
    for (const auto& arg : entry.op().args) {
      EXPECT_TRUE(names.insert(arg.name).second) << entry.name << " " << arg.name;
      EXPECT_FALSE(arg.help.empty()) << entry.name << " " << arg.name;
      EXPECT_EQ(arg.name.find('-'), std::string_view::npos) << entry.name << ": names are snake_case: " << arg.name;
      EXPECT_EQ(arg.kind == ArgKind::choice, !arg.choices.empty()) << entry.name << " " << arg.name;
      if (arg.letter) {
        EXPECT_TRUE(letters.insert(arg.letter).second) << entry.name << " -" << arg.letter;
      }
      if (!arg.positional) continue;
      EXPECT_FALSE(many_seen) << entry.name << ": nothing can follow " << arg.name;
      many_seen = arg.many;
    }
  }
}

/// Whether it names a command or an option as a terminal spells it: " gt ", " --as", "(-q".
bool speaks_of_a_terminal(std::string_view words) {
  const std::string text = cat(" ", words, " ");
  if (text.find(" gt ") != std::string::npos) return true;
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    const bool begins = text[i - 1] == ' ' || text[i - 1] == '(';
    const char after = text[i + 1];
    if (begins && text[i] == '-' && (after == '-' || std::isalpha(static_cast<unsigned char>(after)))) return true;
  }
  return false;
}

// The same words are shown over HTTP and MCP: an argument is `reply_by` there, and an operation `mail.pin`.
TEST(OpTable, WordsOfARowAreOfNoFrontEnd) {
  for (const auto& entry : op_table()) {
    const Op& op = entry.op();
    EXPECT_FALSE(speaks_of_a_terminal(op.summary)) << entry.name << ": " << op.summary;
    EXPECT_FALSE(speaks_of_a_terminal(op.authority.describe())) << entry.name;
    for (const auto& arg : op.args) EXPECT_FALSE(speaks_of_a_terminal(arg.help)) << entry.name << ": " << arg.help;
    for (const auto& word : op.other_words) EXPECT_FALSE(speaks_of_a_terminal(word.instead)) << word.instead;
    EXPECT_FALSE(speaks_of_a_terminal(op.list.none.words)) << entry.name << ": " << op.list.none.words;
  }
  EXPECT_TRUE(speaks_of_a_terminal("the text (-F)") && speaks_of_a_terminal("with --as") &&
              speaks_of_a_terminal("gt up"));
}

TEST(OpTable, ColumnsAreFieldsOfTheList) {
  for (const auto& entry : op_table()) {
    const Op& op = entry.op();
    if (op.columns.empty()) continue;
    Shape shape = op.result();
    if (shape.kind() == Shape::Kind::one_of) shape = shape.alternatives().back();
    ASSERT_EQ(shape.kind(), Shape::Kind::list) << entry.name;
    for (const auto& column : op.columns) {
      if (column.key.empty()) continue;
      const auto& fields = shape.item().fields();
      EXPECT_TRUE(
          std::any_of(fields.begin(), fields.end(), [&](const Field& field) { return field.key == column.key; }))
          << entry.name << ": " << column.key;
    }
  }
}

/// The first argument of a call that its operation does not have, or lacks; nothing if it can be called so.
std::optional<std::string> misfit(const NextCall& call) {
  const Op* op = find_op(call.op);
  if (!op) return call.op;
  std::set<std::string_view> given;
  for (const auto& [name, value] : call.args) {
    if (!find_argument(*op, name)) return name;
    given.insert(name);
  }
  for (const auto& arg : op->args)
    if (arg.required && arg.unless.empty() && !given.count(arg.name)) return std::string(arg.name);
  return std::nullopt;
}

TEST(OpTable, WhatAListSaysNextCanBeCalled) {
  for (const auto& entry : op_table()) {
    const auto& list = entry.op().list;
    for (const auto* step : {&list.none, &list.next}) {
      if (!step->call) continue;
      EXPECT_EQ(misfit(*step->call), std::nullopt) << entry.name << ": " << step->call->op;
    }
  }
}

TEST(OpTable, OtherWordsMeanAnArgumentThatHasThatValue) {
  for (const auto& entry : op_table()) {
    const Op& op = entry.op();
    std::set<std::string_view> typed;
    for (const auto& word : op.other_words) {
      EXPECT_TRUE(typed.insert(word.typed).second) << entry.name << ": " << word.typed;
      EXPECT_FALSE(find_argument(op, word.typed)) << entry.name << ": " << word.typed;
      const auto* arg = find_argument(op, word.argument);
      EXPECT_TRUE(arg || word.argument.empty() || word.argument == "as") << entry.name << ": " << word.argument;
      if (!arg || word.value.empty()) continue;
      Arg alone = *arg;
      alone.required = false;
      alone.unless = {};
      const boost::json::string_view name(alone.name.data(), alone.name.size());
      const std::string value(word.value);
      EXPECT_TRUE(Args::check({alone}, {{name, alone.many ? Json(JsonArray{Json(value)}) : Json(value)}}).has_value())
          << entry.name << ": " << word.typed;
    }
  }
}

TEST(OpTable, ThingsOfOneNameHaveOneShape) {
  std::map<std::string, std::string> known;
  auto look = [&](auto& again, const Shape& shape) -> void {
    switch (shape.kind()) {
      case Shape::Kind::object: {
        std::string fields;
        for (const auto& field : shape.fields()) {
          fields += cat(field.key, field.always ? " " : "? ");
          again(again, field.shape);
        }
        if (shape.name().empty()) return;
        const auto [at, is_new] = known.emplace(shape.name(), fields);
        EXPECT_TRUE(is_new || at->second == fields) << shape.name();
        return;
      }
      case Shape::Kind::list:
      case Shape::Kind::map:
        return again(again, shape.item());
      case Shape::Kind::one_of:
        for (const auto& one : shape.alternatives()) again(again, one);
        return;
      default:
        return;
    }
  };
  for (const auto& entry : op_table()) look(look, entry.op().result());
}

TEST(OpTable, DefaultsFitTheirKind) {
  for (const auto& entry : op_table())
    for (const auto& arg : entry.op().args) {
      if (arg.standard.empty()) continue;
      Arg alone = arg;
      alone.required = false;
      EXPECT_TRUE(Args::check({alone}, {}).has_value()) << entry.name << " " << arg.name;
    }
}

}  // namespace
}  // namespace townpost
