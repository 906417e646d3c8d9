#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "app/program.h"
#include "app/progress_bar.h"
#include "app/session_around.h"
#include "app/store_place.h"
#include "app/this_machine.h"
#include "base/process.h"
#include "base/random.h"
#include "delivery/session_doors.h"
#include "delivery/system_starter.h"
#include "ops/op.h"
#include "post/people/identity.h"
#include "store/db/database.h"
#include "store/file_bell.h"

namespace townpost {

/// The parts of one command on this machine, joined: the town is found at once, the store opened when it is asked for.
class LocalContext final : public Context {
 public:
  LocalContext(const Program& program, const std::optional<std::string>& town_flag,
               const std::optional<std::string>& as_flag, Haste haste, const Environment& environment);

  Result<Town*> town() override;
  Result<Caller> caller() override;
  bool is_newly_named() const override { return is_newly_named_; }
  std::string how_known() const override { return how_known_; }
  std::optional<std::string> sign_of_agents_session() const override {
    return identity_.around ? std::optional(identity_.around->sign) : std::nullopt;
  }
  bool at_terminal() const override { return identity_.terminal == Terminal::attended; }
  const std::vector<ProcessLook>& processes_above() const override { return session_.above; }
  const ProcessNotes& process_notes() const override { return notes_; }
  Result<Settings> settings() override { return read_settings(); }
  Result<StoreAdmin*> store_admin() override;
  const Environment& environment() const override { return environment_; }
  const Clock& clock() const override {
    return database_clock_ ? *database_clock_ : static_cast<const Clock&>(system_clock_);
  }
  Result<MadeTown> make_town(const NewTown& wanted) override;
  Result<StoreCopy> copy_store(const std::string& from, const std::string& to) override;
  std::optional<std::string> caller_key() override;
  Result<std::filesystem::path> town_folder() override { return folder_; }
  Bell& bell() override { return *bell_; }
  SessionDoors& doors() override { return doors_; }
  Starter& starter() override { return starter_; }
  Result<std::string> input() override;
  void tell(std::string_view line) override;
  std::string own_program() const override { return program_.path.string(); }
  std::vector<std::string> notices() const override {
    return town_ ? town_->settings.warnings : std::vector<std::string>();
  }

 private:
  Result<Settings> read_settings() const;
  Result<StorePlace> store_place(const Settings& settings) const;
  Result<std::unique_ptr<Database>> open_database(const StorePlace& place);
  const Program& program_;
  const Environment& environment_;
  Haste haste_;
  SystemClock system_clock_;
  SystemRandom random_;
  SystemProcesses processes_;
  ProcessNotes notes_;
  SessionFound session_;
  ThisMachine sessions_;
  IdentityInputs identity_;
  Result<std::filesystem::path> folder_;
  SystemDoors doors_;
  SystemStarter starter_;
  std::unique_ptr<Bell> bell_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Clock> database_clock_;  ///< on PostgreSQL: one clock for all machines
  std::unique_ptr<StoreAdmin> admin_;
  std::optional<Town> town_;
  std::optional<Caller> caller_;
  std::string how_known_;
  bool is_newly_named_ = false;
};

}  // namespace townpost
