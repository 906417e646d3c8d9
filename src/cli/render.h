#pragma once
#include "base/shown.h"
#include "cli/parse.h"
#include "ops/op.h"

namespace townpost {

/// Where the text goes.
struct Screen {
  bool terminal = false;  ///< a person looks at it; else it is a pipe and every line costs somebody tokens
  bool colour = false;
  Instant now;
};

/// The answer as text for people (or agents): short, ending with the next command where there is one.
Shown render(const CommandLine& line, const Answer& answer, const Screen& screen);

/// How many rows of a list a pipe is shown, unless more are asked for.
constexpr std::size_t kPipeRows = 20;

/// Only the ids of the answer, one a line.
Shown render_ids(const Answer& answer);

}  // namespace townpost
