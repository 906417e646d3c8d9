#pragma once
#include <string_view>

#include "base/result.h"

namespace townpost {

/// What is said of a list besides its rows. Front ends spell the calls.
struct ListWords {
  NextStep none = "nothing";   ///< of an empty one; may end with the call that fills it
  NextStep next = {};          ///< what is worth calling with one of its rows
  std::string_view noun = {};  ///< what is counted; else what its shape is called
};

}  // namespace townpost
