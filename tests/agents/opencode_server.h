#pragma once
#include <string>

#include "agents/agent_stage.h"

namespace townpost {

/// `opencode serve` in the town's folder, with one session.
class OpencodeServer {
 public:
  explicit OpencodeServer(const AgentStage& stage);

  const std::string& url() const { return url_; }
  const std::string& session() const { return session_; }
  /// What the server answers below the session, such as "/message"; a POST if there is a body.
  Json ask(const std::string& path, const std::string& body = "") const;
  /// Says something to the agent, as its user; returns at the end of the turn.
  void prompt(const std::string& text) const;

 private:
  const AgentStage& stage_;
  std::string url_;
  std::string session_;
};

}  // namespace townpost
