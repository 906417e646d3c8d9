#pragma once
#include <optional>

#include "cli/cli.h"
#include "cli/draft.h"
#include "cli/parse.h"

namespace townpost {

/// More than any text may have: enough to tell by how much it is over the limit.
constexpr std::size_t kMostInput = 4u << 20;

/// Puts the text of the command into its arguments, wherever it comes from: words, a file, standard input, or an
/// editor, then what was written stays in `draft`. What is empty without having been asked for (`-m ''`) is left out,
/// so that the operation misses it.
Result<> fetch_text(CommandLine& line, const std::function<Origin()>& origin_of, const CliHost& host,
                    std::optional<Draft>& draft);

}  // namespace townpost
