#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "delivery/opencode/opencode_address.h"
#include "delivery/session/agent_session.h"
#include "net/event_stream.h"
#include "post/values/message.h"

namespace townpost {

/// Listens to the OpenCode servers of several agents: one stream a server.
class OpencodeWatch {
 public:
  /// Listens for exactly these agents from now on; a server that does not answer is tried again with the next call.
  void follow(const std::vector<std::pair<AgentId, OpencodeAddress>>& agents);
  /// Whether all their servers are listened to; a stream may end at any time.
  bool hears_all() const;
  std::vector<int> descriptors() const;
  /// What arrived, by agent; never waits.
  std::vector<std::pair<AgentId, SessionEvent>> read();

 private:
  std::map<std::string, EventStream> streams_;                  ///< by server
  std::map<std::pair<std::string, std::string>, AgentId> who_;  ///< server and session
};

}  // namespace townpost
