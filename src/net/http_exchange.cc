#include "net/http_exchange.h"

#include <algorithm>

namespace townpost {

std::string_view HttpRequest::header(std::string_view name) const {
  for (const auto& [its_name, value] : headers)
    if (its_name == name) return value;
  return {};
}

std::size_t HttpRequest::count(std::string_view name) const {
  return static_cast<std::size_t>(
      std::count_if(headers.begin(), headers.end(), [&](const auto& header) { return header.first == name; }));
}

}  // namespace townpost
