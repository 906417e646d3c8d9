#pragma once
#include <filesystem>

#include "base/environment.h"
#include "base/result.h"

namespace townpost {

/// Opens the file in the editor of $VISUAL or $EDITOR, and waits until that ends. Error: usage, if there is none or it
/// fails.
Result<> open_in_editor(const std::filesystem::path& file, const Environment& environment);

}  // namespace townpost
