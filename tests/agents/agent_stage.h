#pragma once
#include <filesystem>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "agents/loopback_network.h"
#include "support/test_town.h"

namespace townpost {

/// Which Claude Code: what most tests use, or the oldest version that is supported.
enum class ClaudeVersion { pinned, oldest };
inline void PrintTo(ClaudeVersion version, std::ostream* out) {
  *out << (version == ClaudeVersion::oldest ? "the oldest one" : "the pinned one");
}

/// Where real agent programs play: a town, a HOME of the agents that asks no questions, and a network with nothing but
/// a model server that answers from rules and logs what it was asked (README.md). All of it is gone with this object,
/// and so is whatever was started here.
class AgentStage {
 public:
  using Words = TestTown::Words;
  using Variables = TestTown::Variables;

  explicit AgentStage(ClaudeVersion version = ClaudeVersion::pinned);

  const TestTown& town() const { return town_; }
  std::filesystem::path home() const { return place_.path() / "home"; }
  /// The programs, as tools/agents finds or downloads them.
  const std::string& claude() const { return claude_; }
  const std::string& opencode() const { return opencode_; }
  const std::string& model_url() const { return model_url_; }

  /// Runs a command to its end in the town's folder, on the network, as an agent would: with the agents' HOME, with
  /// `gt` on the PATH.
  ProcessOutput run(const Words& command, const Variables& variables = {}, const std::string& input = "") const;
  /// Starts one that goes on by itself; it writes to `log`, a file on this stage.
  void start(const Words& command, const std::string& log, const Variables& variables = {}) const;
  std::string log(const std::string& name) const;
  /// What `url` answers to `body` (a GET if that is empty). Throws unless the status is 2xx.
  std::string http(const std::string& url, const std::string& body = "") const;

  /// Replaces the rules of the model server: a JSON array.
  void rules(const std::string& json) const;
  /// One request of a conversation to the model; titles and the like are not among them.
  struct Request {
    std::string text;  ///< of the last turn: what the model had not seen before
    std::string all;   ///< of the whole conversation
  };
  std::vector<Request> requests() const;
  /// In how many requests this text was new.
  int times_told(const std::string& text) const;
  /// Waits until it was new in one.
  void await_told(const std::string& text) const;

  /// Waits until the condition holds. Throws, with `what` and all that is known, if it never does.
  void await(const std::string& what, const std::function<bool()>& condition) const;

 private:
  Variables surroundings(const Variables& more) const;
  void furnish_home() const;

  TestTown town_;
  TemporaryFolder place_;
  std::string claude_, opencode_;
  LoopbackNetwork network_;
  std::string model_url_;
};

}  // namespace townpost
