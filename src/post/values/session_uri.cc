#include "post/values/session_uri.h"

#include "base/text.h"

namespace townpost {

std::string shown_session(std::string_view uri) {
  const auto scheme = uri.find("://");
  if (scheme == std::string_view::npos) return std::string(uri);
  const auto start = scheme + 3;
  // All up to the last @ before the path: a password may hold one that was not escaped.
  const auto authority = uri.substr(start, uri.find_first_of("/?#", start) - start);
  const auto at = authority.rfind('@');
  // One that holds a slash was not escaped either, and then the rest may be part of it.
  if (at == std::string_view::npos && uri.find('@', start) != std::string_view::npos)
    return cat(uri.substr(0, start), "...", uri.substr(uri.rfind('@')));
  return cat(uri.substr(0, start), at == std::string_view::npos ? authority : authority.substr(at + 1),
             uri.substr(start + authority.size()));
}

}  // namespace townpost
