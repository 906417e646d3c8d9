#pragma once
#include "cli/cli.h"
#include "cli/parse.h"

namespace townpost {

/// Whether `gt top` as it was typed is the full screen: a person sits at a terminal that can show one.
bool is_full_screen(const CommandLine& line, const CliHost& host);

/// The screen, until it is left; the exit code. It sleeps until a key comes, a bell rings, or a minute has passed, so
/// that what it says is as old as it says.
int run_top(const CommandLine& line, const CliHost& host);

}  // namespace townpost
