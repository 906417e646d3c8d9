#include "app/local_host.h"

#include <algorithm>

#include "app/make_town.h"
#include "app/progress_bar.h"
#include "app/this_machine.h"
#include "base/files.h"
#include "base/private_files.h"
#include "base/text.h"
#include "delivery/session_doors.h"
#include "delivery/system_starter.h"
#include "post/town/town_folder.h"
#include "post/town/trusted_towns.h"
#include "store/copy.h"
#include "store/file_bell.h"
#include "store/migrations.h"
#include "store/sql_admin.h"
#include "store/sql_store.h"
#include "store/store_pool.h"

namespace townpost {

namespace fs = std::filesystem;

namespace {

constexpr Millis kHookPatience(500);
constexpr Millis kServicePatience(10'000);
constexpr std::size_t kConnections = 8;  ///< of a host that serves many calls

class TownHere final : public OpenTown {
 public:
  const Settings& settings() const override { return settings_; }
  Store& store() override { return *store_; }
  Bell& bell() override { return *bell_; }
  const Clock& clock() const override { return database_clock_ ? *database_clock_ : *clock_; }

  Settings settings_;
  const Clock* clock_ = nullptr;
  std::unique_ptr<Bell> bell_;
  std::unique_ptr<Database> clocked_;      ///< whose clock it is, where many share the store
  std::unique_ptr<Clock> database_clock_;  ///< on PostgreSQL: one clock for all machines
  std::unique_ptr<Store> store_;
};

std::optional<Millis> patience(Haste haste) {
  switch (haste) {
    case Haste::hook:
      return kHookPatience;
    case Haste::service:
      return kServicePatience;
    case Haste::none:
      break;
  }
  return std::nullopt;
}

/// A folder that was only named may be anybody's gift: it does not send passwords and mail to a place of its choice.
Result<StorePlace> store_place(const fs::path& folder, const Settings& settings, const Environment& environment) {
  TRY(place, place_of_town(environment, settings.store, folder));
  const bool own = !place.url && place.file == folder / "town.db";
  if (!own && TrustedTowns(environment).judge(folder).standing != TrustedTowns::Standing::trusted)
    return fail(Code::no_town,
                cat("the town in ", for_terminal_line(folder.parent_path().string()), " keeps its mail in ",
                    for_terminal_line(place.shown()), ", and you have not trusted it"),
                cat("if that is right, run gt trust ", for_terminal_line(folder.parent_path().string())));
  return place;
}

}  // namespace

Result<Settings> LocalHost::settings(const fs::path& folder) {
  const auto file = folder / "town.toml";
  const auto text = read_private_file(file, 1u << 20);
  if (!text && text.error().code == Code::not_found)
    return fail(Code::unavailable,
                cat("the town in ", for_terminal_line(folder.parent_path().string()), " has lost its settings"),
                cat("put ", for_terminal_line(file.string()), " back; an empty file means the defaults"));
  if (!text) return Failure(text.error());
  TRY(settings, Settings::parse(*text));
  std::vector<fs::path> files;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder / "types", none))
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const auto& types : files) {
    if (auto more = read_private_file(types, 1u << 20))
      settings.add_types(*more, cat("types/", to_utf8(types.filename().string())));
    else
      settings.warnings.push_back(more.error().message);
  }
  if (auto set = share_with_group(folder, settings.group); !set) settings.warnings.push_back(set.error().message);
  return settings;
}

Result<std::shared_ptr<OpenTown>> LocalHost::open(const fs::path& folder, const Request& request) {
  const auto& environment = *request.origin.environment;
  const auto key = cat(folder.string(), "\n", environment.get("GT_STORE").value_or(""));
  const std::lock_guard lock(mutex_);
  if (const auto known = open_.find(key); known != open_.end()) return known->second;
  TRY(settings, this->settings(folder));
  TRY(place, store_place(folder, settings, environment));
  auto connect = [&]() -> Result<std::unique_ptr<Database>> {
    return place.open(SqliteDatabase::Mode::existing, patience(request.haste), program_.postgres);
  };
  TRY(database, connect());
  TRY_VOID(check_schema(*database));
  auto town = std::make_shared<TownHere>();
  town->settings_ = std::move(settings);
  town->clock_ = &clock_;
  if (place.url) {
    TRY(bell, program_.postgres.bell(*place.url));
    town->bell_ = std::move(bell);
    town->database_clock_ = program_.postgres.clock(*database);
  } else {
    town->bell_ = place.file == folder / "town.db" ? std::make_unique<FileBell>(folder) : FileBell::beside(place.file);
  }
  if (serves_ == Serves::one_call) {
    town->store_ = std::make_unique<SqlStore>(std::move(database), town->bell_.get());
  } else {
    TRY(pool, StorePool::open(connect, kConnections, town->bell_.get()));
    town->store_ = std::move(pool);
    town->clocked_ = std::move(database);
  }
  return open_[key] = std::move(town);
}

std::unique_ptr<Bell> LocalHost::folder_bell(const fs::path& folder) { return std::make_unique<FileBell>(folder); }

Result<std::unique_ptr<StoreAdmin>> LocalHost::store_admin(const fs::path& folder, const Request& request) {
  TRY(settings, this->settings(folder));
  TRY(place, store_place(folder, settings, *request.origin.environment));
  TRY(database, place.open(SqliteDatabase::Mode::existing, patience(request.haste), program_.postgres));
  return std::unique_ptr<StoreAdmin>(std::make_unique<SqlAdmin>(std::move(database), place.shown()));
}

Result<StoreCopy> LocalHost::copy_store(const fs::path& folder, const std::string& from, const std::string& to) {
  TRY(source, StorePlace::parse(from, folder));
  TRY(target, StorePlace::parse(to, folder));
  if (source.shown() == target.shown())
    return fail(Code::usage, "source and target are the same store", "name another one with --to");
  TRY(source_database, source.open(SqliteDatabase::Mode::existing, std::nullopt, program_.postgres));
  TRY(target_database, target.open(SqliteDatabase::Mode::create, std::nullopt, program_.postgres));
  ProgressBar bar("copying");
  TRY(report,
      copy_town(*source_database, *target_database,
                [&](std::string_view table, std::int64_t done, std::int64_t total) { bar.show(table, done, total); }));
  return StoreCopy{source.shown(), target.shown(), report.rows, report.written, report.messages};
}

Result<MadeTown> LocalHost::make_town(const NewTown& wanted, const Request& request) {
  const auto by = request.origin.identity.around ? MadeBy::agent : MadeBy::person;
  return make_town_folder(wanted, by, *request.origin.environment, program_.postgres);
}

std::unique_ptr<Machine> LocalHost::machine(const Origin& origin) {
  return std::make_unique<ThisMachine>(processes_, random_, origin.outer_environment(), origin.process);
}

std::unique_ptr<SessionDoors> LocalHost::doors(const fs::path& folder, const Origin& origin) {
  return std::make_unique<SystemDoors>(processes_, random_, clock_, origin.outer_environment(), folder);
}

std::unique_ptr<Starter> LocalHost::starter(const fs::path& folder) {
  return std::make_unique<SystemStarter>(folder, notes_);
}

}  // namespace townpost
