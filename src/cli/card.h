#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/shown.h"
#include "cli/screen.h"
#include "ops/shape.h"

namespace townpost {

/// What is told of one thing: labels at the left, what is there beside them. What is empty is left out.
using CardLines = std::vector<std::pair<std::string, std::string>>;
Shown card(const CardLines& lines, const Screen& screen, std::size_t indent = 0);

/// An object of this shape as a card: each key that holds something, moments in local time; below it, lists of objects
/// as tables. Keys in `without` are left to the caller.
Shown card_of(const JsonObject& object, const Shape& shape, const Screen& screen,
              const std::vector<std::string_view>& without = {});

/// "12 bytes", "3 KiB", "1.4 MiB"
std::string in_units(std::int64_t bytes);

}  // namespace townpost
