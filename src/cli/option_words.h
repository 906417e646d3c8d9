#pragma once
#include <span>

#include "ops/arg_word.h"

namespace townpost {

/// Other words for options that mean the same wherever they are typed; those of one operation stand in its row. The
/// argument may also be "file".
std::span<const ArgWord> words_of_every_command();

}  // namespace townpost
