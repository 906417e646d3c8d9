#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "app/program.h"
#include "app/store_place.h"
#include "base/environment.h"
#include "base/mutex.h"
#include "base/process.h"
#include "base/random.h"
#include "daemon/watchman.h"
#include "ops/host.h"

namespace townpost {

class TownHere;

/// How many calls a host serves at a time: one command, or the threads of a server.
enum class Serves { one_call, many };

/// This machine, as the program that runs here has it. Towns are opened when they are asked for, and stay open.
class LocalHost final : public Host {
 public:
  LocalHost(const Program& program, Serves serves);
  /// With a time and a chance of somebody's own, as tests have.
  LocalHost(const Program& program, Serves serves, const Clock& clock, Random& random);
  ~LocalHost() override;

  const Clock& clock() const override { return clock_; }
  Random& random() override { return random_; }
  const ProcessNotes& process_notes() const override { return notes_; }
  std::string own_program() const override { return program_.path().string(); }
  Result<std::shared_ptr<OpenTown>> open(const std::filesystem::path& folder, const Request& request) override;
  Result<Settings> settings(const std::filesystem::path& folder) override;
  std::unique_ptr<Bell> folder_bell(const std::filesystem::path& folder) override;
  Result<std::unique_ptr<StoreAdmin>> store_admin(const std::filesystem::path& folder, const Request& request) override;
  Result<MadeTown> make_town(const NewTown& wanted, const Request& request) override;
  Result<StoreCopy> copy_store(const std::filesystem::path& folder, const std::string& from,
                               const std::string& to) override;
  std::unique_ptr<Machine> machine(const Origin& origin) override;
  std::unique_ptr<SessionDoors> doors(const std::filesystem::path& folder, const Origin& origin) override;
  std::unique_ptr<Starter> starter(const std::filesystem::path& folder) override;
  Services& services() override { return services_; }

 private:
  const Program& program_;
  const Serves serves_;
  SystemClock system_clock_;
  SystemRandom system_random_;
  const Clock& clock_;
  Random& random_;
  const SystemEnvironment environment_;
  SystemProcesses processes_;
  ProcessNotes notes_{ProcessNotes::folder_of_user()};
  Watchman services_{program_.serving};
  /// Who calls from elsewhere brings no variables: the store is the one that this program was told of.
  const Environment& environment_for(const Origin& origin) const {
    return origin.from == From::elsewhere ? static_cast<const Environment&>(environment_) : *origin.environment;
  }
  struct Door;
  Door& door_of(const std::string& key);
  /// The town with its settings read anew, or the town that they lead to now.
  Result<std::shared_ptr<TownHere>> renewed(const std::shared_ptr<TownHere>& town, const std::filesystem::path& folder,
                                            const Request& request);
  Result<std::shared_ptr<TownHere>> opened(const std::filesystem::path& folder, const Request& request);

  Mutex mutex_;
  std::map<std::string, std::unique_ptr<Door>> doors_ GUARDED_BY(mutex_);  ///< by folder and place of the store
};

}  // namespace townpost
