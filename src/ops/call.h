#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "delivery/dispatcher.h"
#include "delivery/session_doors.h"
#include "ops/args.h"
#include "ops/host.h"
#include "ops/request.h"
#include "post/people/caller.h"
#include "post/town/town.h"
#include "post/town/town_folder.h"

namespace townpost {

/// One run of an operation: its arguments, and what it may ask for while it runs. The town is opened by the first call
/// of town(). For one thread.
class Call {
 public:
  Call(Args given, Host& host_, Request& request_);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  Args args;  ///< the gate puts whole ids for what stands for one
  Host& host;
  Request& request;

  Result<std::filesystem::path> town_folder();
  Result<Town*> town();
  /// For a call that goes on: gives its town the settings as they are now.
  void renew_settings();
  /// What town.toml says, without opening the store.
  Result<Settings> settings();
  /// Without a town or a usable store: the human, if nothing points to anybody else.
  Result<Caller> caller();
  /// Whether the caller's session was given its name by this very call.
  bool is_newly_named() const { return is_newly_named_; }
  /// What said who is calling, for people; empty while nobody has asked.
  const std::string& how_known() const { return how_known_; }
  /// Where "I looked, nothing waits" is kept for this caller; nothing if there is no town. Does not open the store.
  std::optional<std::string> caller_key();
  Result<StoreAdmin*> store_admin();
  Bell& bell();
  SessionDoors& doors();
  const Clock& clock() const;
  const Environment& environment() const { return *request.origin.environment; }
  /// What a person should know about the town's settings, if it was opened.
  std::vector<std::string> notices() const;

  /// `work` is done once the caller has the answer, and not if it never gets it.
  void after_handover(std::function<Result<>()> work) { request.after_handover.push_back(std::move(work)); }

 private:
  class TimedStore;
  SessionTies ties_of(const SessionAround& around) const;
  std::optional<Result<std::filesystem::path>> folder_;
  std::shared_ptr<OpenTown> open_;
  std::shared_ptr<const Settings> settings_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Machine> machine_;
  std::unique_ptr<SessionDoors> doors_;
  std::unique_ptr<Bell> folder_bell_;
  std::unique_ptr<StoreAdmin> admin_;
  std::optional<Town> town_;
  std::optional<Caller> caller_;
  std::string how_known_;
  bool is_newly_named_ = false;
};

}  // namespace townpost
