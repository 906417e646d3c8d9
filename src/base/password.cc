#include "base/password.h"

#include <vector>

#include "base/text.h"

namespace townpost {

std::string without_password(const std::string& url) {
  const auto start = url.find("://");
  if (start == std::string::npos) return url;
  // As libpq reads it: user and password end at the first @, if that comes before a slash.
  const auto at = url.find_first_of("@/", start + 3);
  std::string out = url.substr(0, start + 3);
  std::string rest = url.substr(start + 3);
  if (at != std::string::npos && url[at] == '@') {
    const std::string who = url.substr(start + 3, at - start - 3);
    if (who.find("password=") != std::string::npos) return out + "...";  // meant otherwise than libpq reads it
    out += who.substr(0, who.find(':'));
    rest = url.substr(at);
  }
  const auto question = rest.find('?');
  out += rest.substr(0, question);
  if (question == std::string::npos) return out;
  std::vector<std::string> kept;
  for (const auto part : split(std::string_view(rest).substr(question + 1), '&')) {
    // A key may be spelled with %: whatever is not plain is left out, too.
    const auto key = part.substr(0, part.find('='));
    if (!key.ends_with("password") && key.find('%') == std::string_view::npos) kept.emplace_back(part);
  }
  return kept.empty() ? out : cat(out, "?", join(kept, "&"));
}

}  // namespace townpost
