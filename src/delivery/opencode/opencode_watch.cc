#include "delivery/opencode/opencode_watch.h"

#include <algorithm>
#include <set>

#include "delivery/opencode/opencode_events.h"

namespace townpost {

void OpencodeWatch::follow(const std::vector<std::pair<AgentId, OpencodeAddress>>& agents) {
  who_.clear();
  std::set<std::string> servers;
  for (const auto& [agent, address] : agents) {
    who_[{address.server, address.session}] = agent;
    if (!servers.insert(address.server).second || streams_.contains(address.server)) continue;
    auto stream = EventStream::open({.url = address.events_url(), .timeout = std::chrono::seconds(1)});
    if (stream) streams_.emplace(address.server, std::move(*stream));
  }
  std::erase_if(streams_, [&](const auto& entry) { return !servers.contains(entry.first); });
}

bool OpencodeWatch::hears_all() const {
  return std::all_of(who_.begin(), who_.end(),
                     [this](const auto& entry) { return streams_.contains(entry.first.first); });
}

std::vector<int> OpencodeWatch::descriptors() const {
  std::vector<int> out;
  for (const auto& [server, stream] : streams_) out.push_back(stream.fd());
  return out;
}

std::vector<std::pair<AgentId, SessionEvent>> OpencodeWatch::read() {
  std::vector<std::pair<AgentId, SessionEvent>> out;
  std::vector<std::string> ended;
  for (auto& [server, stream] : streams_) {
    auto events = stream.read();
    if (!events) {
      ended.push_back(server);
      continue;
    }
    for (const auto& event : *events) {
      const auto told = opencode_event(event.data);
      if (!told) continue;
      const auto agent = who_.find({server, told->session});
      if (agent != who_.end()) out.emplace_back(agent->second, *told);
    }
  }
  for (const auto& server : ended) streams_.erase(server);
  return out;
}

}  // namespace townpost
