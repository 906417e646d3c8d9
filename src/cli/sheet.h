#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace townpost {

/// A letter as it stands in an editor: To, Cc and Subject, an empty line, the text.
struct Sheet {
  std::vector<std::string> to;
  std::vector<std::string> cc;
  std::string subject;
  std::string text;
};

std::string written(const Sheet& sheet);
/// Error: usage, for a head with something else in it.
Result<Sheet> read_sheet(std::string_view text);

}  // namespace townpost
