#pragma once
#include <optional>

#include "cli/cli.h"
#include "cli/draft.h"
#include "cli/parse.h"

namespace townpost {

/// Lets a person write the letter of this command in an editor: To, Subject and, of an answer, the quoted original are
/// there. Afterwards the arguments say what they wrote; it stays in `draft` until it was sent. Error: usage, if there
/// is nothing to send.
Result<> compose(CommandLine& line, const Origin& origin, const CliHost& host, std::optional<Draft>& draft);

/// Tells the writer where a text is that was not sent.
void keep_draft(Draft& draft, const CliHost& host);

}  // namespace townpost
