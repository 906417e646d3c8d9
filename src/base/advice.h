#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

namespace townpost {

/// An error's hint in full, its call as the table of operations has it: "queue.resume name=dispatch opens it again".
/// For whoever has no spelling of their own; the command line has.
std::string advice(const Error& error);

/// A call within a text: "`queue.retry id=hq-m-1`". Each front end may spell it in its own words, where it shows what
/// the town says. Values are plain words: ids, addresses, names.
std::string called(std::string_view op, const std::vector<std::pair<std::string, std::string>>& args = {});

}  // namespace townpost
