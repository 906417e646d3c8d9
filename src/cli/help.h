#pragma once
#include <string>
#include <string_view>

#include "ops/op.h"

namespace townpost {

/// `gt --help`: every group and command with its summary. With `group`, only that group's.
std::string help_overview(std::string_view group);

/// `gt mail send --help`: usage, arguments, examples, exit codes.
std::string help_for(const Op& op);

/// docs/reference.md, made from the same rows.
std::string reference_markdown();

/// The manual page townpost(1).
std::string manual_page();

}  // namespace townpost
