#include "post/values/token.h"

#include <array>

#include "base/text.h"
#include "post/values/id_text.h"

namespace townpost {

namespace {

constexpr std::array<std::string_view, 4> kRoles = {"agent", "rig", "town", "human"};
constexpr std::array<std::string_view, 3> kKinds = {"token", "page", "code"};
constexpr std::array<std::string_view, 3> kPrefixes = {"tok-", "page-", "code-"};
static_assert(kRoles.size() == static_cast<std::size_t>(last_value(TokenRole{})) + 1);
static_assert(kKinds.size() == static_cast<std::size_t>(last_value(TokenKind{})) + 1);
static_assert(kPrefixes.size() == kKinds.size());

constexpr std::string_view kMark = "gt_";
constexpr int kIdBits = 40;  // eight digits; an id need not be a secret, only another one each time

}  // namespace

std::string_view name(TokenRole role) { return kRoles[static_cast<std::size_t>(role)]; }
std::string_view name(TokenKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

std::string new_token_id(TokenKind kind, Random& random) {
  constexpr std::uint64_t kTop = std::uint64_t{1} << (kIdBits - 1);
  const auto number = (random.bits() & (kTop - 1)) | kTop;  // always of one length
  return id_text(kPrefixes[static_cast<std::size_t>(kind)], static_cast<std::int64_t>(number));
}

bool is_token_id(std::string_view text) {
  for (const auto prefix : kPrefixes)
    if (id_key(prefix, text)) return true;
  return false;
}

std::string token_text(std::string_view id, std::string_view secret) { return cat(kMark, id, "_", secret); }

std::string_view token_id_in(std::string_view text) {
  if (!text.starts_with(kMark)) return {};
  text.remove_prefix(kMark.size());
  const auto id = text.substr(0, text.find('_'));
  return id.size() < text.size() && is_token_id(id) ? id : std::string_view();
}

TokenHolder TokenHolder::trusted_loopback() { return {.role = TokenRole::human, .reach = Reach::reading_and_sending}; }

std::string TokenHolder::sign() const {
  return token.empty() ? "a client of this machine without a token" : cat("the token ", token);
}

}  // namespace townpost
