#include "post/values/harness.h"

#include <array>

#include "base/text.h"

namespace townpost {

namespace {

/// Programs whose hooks we know how to be called by (src/delivery, a folder each).
constexpr std::array<std::string_view, 1> kHooked = {"claude"};
constexpr std::string_view kServer = "opencode";
constexpr std::string_view kStream = "stream";
constexpr std::string_view kTerminal = "terminal";
constexpr std::string_view kTyped = "tmux";

}  // namespace

Harness Harness::of_word(std::string_view word) {
  if (word.empty()) return {};
  if (word == kServer) return {Kind::server, std::string(word)};
  if (word == kStream) return stream();
  if (word == kTerminal) return terminal();
  if (word == kTyped) return typed("");
  if (word.starts_with(kTyped) && word[kTyped.size()] == '/') return typed(word.substr(kTyped.size() + 1));
  for (const auto hooked : kHooked)
    if (word == hooked) return {Kind::hooked, std::string(word)};
  return {Kind::named, std::string(word)};
}

std::string Harness::word() const {
  switch (kind_) {
    case Kind::unknown:
      return "";
    case Kind::hooked:
    case Kind::named:
    case Kind::server:
      return program_;
    case Kind::stream:
      return std::string(kStream);
    case Kind::terminal:
      return std::string(kTerminal);
    case Kind::typed:
      return program_.empty() ? std::string(kTyped) : cat(kTyped, "/", program_);
  }
  return "";
}

}  // namespace townpost
