#include "post/town/bell.h"

#include "base/number.h"
#include "post/town/listening.h"

namespace townpost {

std::optional<AgentId> mailbox_named(std::string_view digits) {
  const auto key = whole_number(digits);
  if (!key || *key <= 0) return std::nullopt;
  return AgentId{*key};
}

std::optional<AgentId> BellKey::mailbox() const { return mailbox_named(name); }

std::unique_ptr<Listener> Bell::listen(const std::vector<BellKey>&, const std::vector<std::filesystem::path>& folders) {
  return std::make_unique<ListenerAt<EarsAt>>(std::map<std::filesystem::path, BellKey>(), folders);
}

std::unique_ptr<Listener> Bell::listen_to_all(const std::vector<std::filesystem::path>& folders) {
  return std::make_unique<ListenerAt<WatchAt>>(std::filesystem::path(), folders);
}

std::string names_of(const std::vector<BellKey>& keys) {
  std::string out;
  for (const auto& key : keys) out += (out.empty() ? "" : " ") + key.name;
  return out;
}

}  // namespace townpost
