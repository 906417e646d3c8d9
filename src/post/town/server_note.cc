#include "post/town/server_note.h"

#include <algorithm>

#include "base/text.h"

namespace townpost {

namespace {

constexpr std::size_t kLongest = 300;

/// A scheme, a host and perhaps a port: what is put behind it is ours.
bool is_place_of_server(std::string_view url) {
  for (const std::string_view scheme : {"http://", "https://"})
    if (url.starts_with(scheme)) {
      url.remove_prefix(scheme.size());
      return !url.empty() && std::all_of(url.begin(), url.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view(".-:[]").find(c) != std::string_view::npos;
      });
    }
  return false;
}

}  // namespace

std::string ServerNote::text() const { return cat(url, "\n", process, "\n"); }

std::optional<ServerNote> ServerNote::parse(std::string_view text) {
  if (text.size() > kLongest || !text.ends_with('\n')) return std::nullopt;
  text.remove_suffix(1);
  const auto end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const auto url = text.substr(0, end);
  const auto process = text.substr(end + 1);
  if (!is_place_of_server(url) || process.empty() || process.find('\n') != std::string_view::npos) return std::nullopt;
  return ServerNote{std::string(url), std::string(process)};
}

std::filesystem::path ServerNote::place(const std::filesystem::path& town) { return town / "run" / "server"; }

}  // namespace townpost
