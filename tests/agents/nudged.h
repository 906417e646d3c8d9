#pragma once
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "agents/agent_stage.h"
#include "base/text.h"

namespace townpost {

/// What people do with the agent `coder` on a stage: nudge it, and look what became of that.
class Nudged {
 public:
  explicit Nudged(const AgentStage& stage) : stage_(stage) {}

  /// `gt WORDS… --json` on the stage's network; throws unless it exits 0.
  Json gt(AgentStage::Words words) const {
    words.insert(words.begin(), gt_program());
    words.emplace_back("--json");
    const auto done = stage_.run(words);
    const auto out = parse_json(done.out);
    if (done.exit_code != 0 || !out) throw std::runtime_error(cat(join(words, " "), ": ", done.out, done.err));
    return *out;
  }

  struct Sent {
    std::string id;
    std::string state;  ///< when `gt nudge` returned
    std::string note;
  };
  Sent nudge(const std::string& text, const AgentStage::Words& more = {}) const {
    AgentStage::Words words = {"nudge", "coder", text};
    words.insert(words.end(), more.begin(), more.end());
    const auto answer = items_of(gt(words)).at(0);
    return {text_at(answer, "id"), text_at(answer, "state"), text_at(answer, "note")};
  }
  std::string state_of(const std::string& id) const { return text_at(gt({"nudge", "show", id}), "state"); }
  /// Waits until the nudge has arrived.
  void await_delivered(const std::string& id) const {
    stage_.await(cat(id, " is delivered"), [&] { return state_of(id) == "delivered"; });
  }
  /// What stands in the nudge's way, in one line.
  std::string in_the_way(const std::string& id) const {
    return join(texts_in(value_at(gt({"nudge", "explain", id}), "in_the_way")), "; ");
  }

  /// The state of the agent, as `gt status` tells it; its list begins with those who need a person.
  std::string state() const { return text_at(entry(), "state"); }
  Json entry() const {
    if (auto found = find()) return *found;
    throw std::runtime_error("gt status does not know coder");
  }
  void await_state(const std::string& wanted) const {
    stage_.await(cat("coder is ", wanted), [&] {
      const auto found = find();  // whom only a hook registers is unknown before it
      return found && text_at(*found, "state") == wanted;
    });
  }

  /// The ids in the order in which the model was told of them, and how often each.
  std::vector<std::string> told_in_order(const std::vector<std::string>& ids) const {
    std::vector<std::string> out;
    for (const auto& request : stage_.requests()) {
      std::vector<std::pair<std::size_t, std::string>> here;
      for (const auto& id : ids)
        if (const auto at = request.text.find(id); at != std::string::npos) here.emplace_back(at, id);
      std::sort(here.begin(), here.end());
      for (const auto& [at, id] : here) out.push_back(id);
    }
    return out;
  }

 private:
  std::optional<Json> find() const {
    for (const auto& agent : items_of(value_at(gt({"status"}), "agents")))
      if (text_at(agent, "address") == "coder") return agent;
    return std::nullopt;
  }

  const AgentStage& stage_;
};

}  // namespace townpost
