#pragma once
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/json.h"
#include "net/little_server_test.h"

namespace townpost {

/// A server that answers as OpenCode 1.18 was seen to do, as far as we ask. Paths that it does not know are answered
/// with a web page, and 200.
class FakeOpencode {
 public:
  FakeOpencode() : server_([this](const Asked& asked, const Wire& wire) { answer(asked, wire); }) {}

  struct Session {
    JsonObject info;
    std::string status;                         ///< "busy", "retry" or empty
    std::map<std::string, JsonArray> messages;  ///< the parts of each, by its id
    std::vector<std::string> order;
  };
  enum class Trouble {
    none,
    no_async,  ///< an older server: without prompt_async
    hangs_up,  ///< at a prompt, before it answers
    takes_and_hangs_up,
    never_answers,  ///< a prompt
    refuses,        ///< a prompt: 500
    locked,         ///< everything: 401
  };

  /// Makes it a session in the folder.
  void add(const std::string& id, const std::string& folder = "/home/max/work") {
    const std::lock_guard lock(mutex_);
    sessions_[id].info = JsonObject{{"id", id},
                                    {"directory", folder},
                                    {"agent", "plan"},
                                    {"model", JsonObject{{"id", "m1"}, {"providerID", "fake"}}}};
  }
  void status(const std::string& id, const std::string& now) {
    const std::lock_guard lock(mutex_);
    sessions_[id].status = now;
  }
  void forget_agent(const std::string& id) {
    const std::lock_guard lock(mutex_);
    sessions_[id].info.erase("agent");
  }
  void open_request(const std::string& path, const JsonObject& request) {
    const std::lock_guard lock(mutex_);
    requests_[path].push_back(request);
  }
  void parent(const std::string& child, const std::string& parent) {
    const std::lock_guard lock(mutex_);
    parents_[child] = parent;
  }
  void trouble(Trouble now) {
    const std::lock_guard lock(mutex_);
    trouble_ = now;
  }
  Session session(const std::string& id) const {
    const std::lock_guard lock(mutex_);
    return sessions_.at(id);
  }
  /// The texts of the session's messages, in order; parts of one message joined by |.
  std::vector<std::string> texts(const std::string& id) const;
  /// "GET /session/ses_1", …: without queries.
  std::vector<std::string> asked() const;
  std::vector<Asked> requests() const { return server_.asked(); }
  std::size_t connections() const { return server_.connections(); }
  std::string url() const { return server_.url(); }
  std::string port() const { return server_.port(); }

 private:
  void answer(const Asked& asked, const Wire& wire);
  std::string answer_get(const std::vector<std::string>& path, const std::string& folder) const;
  void take(Session& session, const std::string& body);
  Json messages(const Session& session) const;

  mutable std::mutex mutex_;
  std::map<std::string, Session> sessions_;
  std::map<std::string, JsonArray> requests_;
  std::map<std::string, std::string> parents_;
  Trouble trouble_ = Trouble::none;
  LittleServer server_;  // last, as its threads use the rest
};

}  // namespace townpost
