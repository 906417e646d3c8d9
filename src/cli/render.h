#pragma once
#include "base/shown.h"
#include "cli/parse.h"
#include "cli/screen.h"
#include "ops/op.h"

namespace townpost {

/// The answer as text for people (or agents): short, ending with the next command where there is one.
Shown render(const CommandLine& line, const Answer& answer, const Screen& screen);

/// One item of what somebody watches while an operation goes on.
Shown render_item(const Json& item, const Screen& screen);

/// In which way the answer of an operation becomes text.
enum class ShownAs {
  sentence,  ///< what it did, and what follows
  drawn,     ///< by a function of its own
  list,      ///< a table of its columns
  card,      ///< key by key
  json,      ///< as a program reads it: whoever adds such a row has forgotten people
};
ShownAs shown_as(const Op& op);

/// How many rows of a list a pipe is shown, unless another number is asked for.
constexpr std::size_t kPipeRows = 20;
/// Whether its list is shown as rows, with how many more there are.
bool is_shown_in_rows(const Op& op);
/// "31 more: --cursor 176": how a list goes on that ends after `rows` of its items. Empty if it does not.
std::string how_it_goes_on(const CommandLine& line, const Answer& answer, std::size_t rows);

/// Only the ids of the answer, one a line.
Shown render_ids(const Answer& answer);

}  // namespace townpost
