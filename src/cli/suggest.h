#pragma once
#include <string>
#include <vector>

namespace townpost {

/// What was meant by the words of a command that does not exist: "did you mean gt mail read?", or where to look. Never
/// a command that takes something away.
std::string suggestion_for(const std::vector<std::string>& words);

}  // namespace townpost
