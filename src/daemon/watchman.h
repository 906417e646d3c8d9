#pragma once
#include "daemon/serving.h"
#include "ops/services.h"

namespace townpost {

/// The services of a process on this host: they hold its locks, hear its signals, and write its log.
class Watchman final : public Services {
 public:
  /// `serving` may be null: then nobody is served.
  explicit Watchman(Serving* serving) : serving_(serving) {}
  void hand_over() override;
  Result<> watch(const Watching& watching) override;
  Result<BackgroundWatch> watch_in_background(const std::filesystem::path& town, const std::string& program,
                                              Other other, const std::string& listen) override;
  Result<> end_watch(const std::filesystem::path& town, const Watcher& watcher, Next next) override;
  Result<EndedProgram> run_agent(Town& town, const Agent& agent, const SupervisorPlan& plan,
                                 const ProcessNotes& notes) override;

 private:
  Serving* const serving_;
};

}  // namespace townpost
