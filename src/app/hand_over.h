#pragma once
#include <string>
#include <vector>

#include "app/postgres_door.h"
#include "app/remote_door.h"
#include "app/standard_input.h"
#include "daemon/serving.h"

namespace townpost {

/// The door of a program without PostgreSQL, without TLS and without a server: the whole command is run again, in this
/// very process, by `townpostd`. What was read of standard input goes along. Nothing of the command may have been done
/// before.
class HandOver final : public PostgresDoor, public RemoteDoor, public Serving {
 public:
  /// `townpostd` is beside our own file, or in ../libexec/townpost.
  HandOver(std::vector<std::string> words, const StandardInput& input) : words_(std::move(words)), input_(input) {}

  /// Does not return where `townpostd` can be started. Error: unavailable.
  Result<std::unique_ptr<Database>> open(const std::string& url, std::optional<Millis> hurry) override;
  Result<std::unique_ptr<Bell>> bell(const std::string& url) override;
  std::shared_ptr<const Clock> clock(Database& database) override;
  Result<std::unique_ptr<Engine>> engine(Engine& here, const Clock& clock) override;
  /// In the middle of a command nothing is handed over: the watcher does it.
  Result<std::unique_ptr<Dialer>> dialer(AllowsNumber allows) override;
  void hand_over() override { (void)go("a server"); }
  void succeed(const std::filesystem::path&) override {}
  /// Without `townpostd` nobody is served.
  Result<std::unique_ptr<Served>> begin(const Plan& plan) override;

 private:
  Failure go(std::string_view what) const;

  std::vector<std::string> words_;
  const StandardInput& input_;
};

}  // namespace townpost
