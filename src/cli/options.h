#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace townpost {

/// One option of a command, and what was said of it.
struct Option {
  enum class Takes {
    nothing,
    a_value,             ///< `--name VALUE`, `--name=VALUE`, `-x VALUE`, `-xVALUE`; the value may look like an option
    a_duration_or_none,  ///< `--name=30s`, `--name 30s`; before any other word it stands alone and means `alone`
  };
  std::string name;  ///< "subject" for --subject
  Takes takes = Takes::nothing;
  char letter = '\0';          ///< 's' for -s
  std::string_view also = {};  ///< another name
  std::string_view alone = {};
  std::string means = {};    ///< of another word for an option: "--subject", which is suggested in its place
  std::string instead = {};  ///< of one that does not work: what to do instead
  std::vector<std::string> values = {};  ///< one for each time it was written; an empty text if it takes nothing

  bool given() const { return !values.empty(); }
};

/// What is not an option, and the first thing that could not be understood. Error: usage.
struct WordsRead {
  std::vector<std::string> positional;
  Result<> understood;
};

/// Reads words by the options, into their values. Letters that take nothing may stand together (`-qh`); a whole name
/// may stand behind one dash (`-subject`); behind `--` everything is positional. It goes on behind what it does not
/// understand, because `--help` may follow.
WordsRead read_words(std::span<Option> options, const std::vector<std::string>& words);

}  // namespace townpost
