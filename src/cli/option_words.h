#pragma once
#include <span>
#include <string_view>

namespace townpost {

/// Another word for an option: what people and programs type who know other tools.
struct OptionWord {
  std::string_view op;            ///< of this operation only; of every one that has the argument if empty
  std::string_view typed;         ///< without its dashes; one character is a letter
  std::string_view argument;      ///< what it means: an argument, "as" or "file"; empty: what is done anyway
  std::string_view value = {};    ///< this value of it: `--high` is --priority high
  std::string_view instead = {};  ///< it does not work: what to do instead, with calls in it as in base/advice.h
};

std::span<const OptionWord> option_words();

}  // namespace townpost
