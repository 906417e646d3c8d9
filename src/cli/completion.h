#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/cli.h"

namespace townpost {

/// `gt completion SHELL`: prints what the shell reads to complete our commands. `gt completion of -- WORD…`: what the
/// shell asks then, a candidate a line. The exit code; nothing if the words mean another command.
std::optional<int> run_completion(const std::vector<std::string>& words, const CliHost& host);

}  // namespace townpost
