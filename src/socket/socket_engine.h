#pragma once
#include <chrono>
#include <map>
#include <memory>

#include "ops/engine.h"

namespace townpost {

/// Runs operations in the town's server where one is up and can, else in this process: the caller sees no difference
/// but speed. For one thread.
class SocketEngine final : public Engine {
 public:
  SocketEngine(LocalEngine& here, const Environment& environment) : here_(here), environment_(environment) {}
  ~SocketEngine() override;

  Result<Answer> call(const Op& op, const Args& args, Request& request) override;
  Result<> handed_over(Request& request) override;
  Result<std::unique_ptr<Pause>> pause(const Again& again, Request& request) override;

 private:
  class Line;
  class RemotePause;
  /// The line of this request to the town's server; null where there is none.
  std::shared_ptr<Line> line_for(Call& call);
  /// Tells the wait of this request, if there is one, who answered last; null: this process.
  void tell_pause(const Request& request, const std::shared_ptr<Line>& line);
  /// A wait in this process, though the server gave the last answer.
  Result<std::unique_ptr<Pause>> pause_here(const Again& again, Request& request);
  /// What the server answered; nothing if this process is to do it: then the server has not done it and never will, or
  /// it does no harm to do it again.
  std::optional<Result<Answer>> ask(Line& line, const Op& op, const Args& args, Request& request);

  /// The server of this request is there and does not answer: nothing waits long for it.
  void leave_alone(Request& request);

  LocalEngine& here_;
  const Environment& environment_;
  std::shared_ptr<Line> newest_;
  std::map<const Request*, std::weak_ptr<Line>> lines_;  ///< also those that only a pause still holds
  std::chrono::steady_clock::time_point ask_again_at_;   ///< a server that is silent is left alone until then
  std::multimap<const Request*, RemotePause*> pauses_;
};

}  // namespace townpost
