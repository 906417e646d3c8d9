#pragma once
#include <string_view>

namespace townpost {

/// Another word for an argument: what people and programs type who know other tools.
struct ArgWord {
  std::string_view typed;          ///< one character is a letter
  std::string_view argument = {};  ///< what it means: an argument, or what every call takes; empty: it is done anyway
  std::string_view value = {};     ///< this value of it: `high` is priority=high
  std::string_view instead = {};   ///< it does not work: what to do instead, with calls in it as in base/advice.h
};

}  // namespace townpost
