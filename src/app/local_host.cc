#include "app/local_host.h"

#include <chrono>

#include "app/make_town.h"
#include "app/progress_bar.h"
#include "app/settings_files.h"
#include "app/this_machine.h"
#include "base/mutex.h"
#include "base/text.h"
#include "delivery/session_doors.h"
#include "delivery/system_starter.h"
#include "post/town/town_folder.h"
#include "post/town/trusted_towns.h"
#include "store/copy.h"
#include "store/file_bell.h"
#include "store/group_commit_store.h"
#include "store/migrations.h"
#include "store/sql_admin.h"
#include "store/sql_store.h"

namespace townpost {

namespace fs = std::filesystem;

namespace {

constexpr GroupCommitStore::Bounds kManyCallers = {.readers = 4, .waiting = 1024, .memory = 16};

/// Of the connection itself: how long each call waits for its turn is the call's own.
std::optional<Millis> to_connect(const Request& request, const Clock& clock) { return request.patience(clock).longest; }

}  // namespace

/// A town that was opened here.
class TownHere final : public OpenTown {
 public:
  std::shared_ptr<const Settings> settings() const override {
    const MutexLock lock(mutex_);
    return settings_;
  }
  Store& store() override { return *store_; }
  Bell& bell() override { return *bell_; }
  const Clock& clock() const override { return database_clock_ ? *database_clock_ : *clock_; }
  void set(std::shared_ptr<const Settings> settings) {
    const MutexLock lock(mutex_);
    settings_ = std::move(settings);
  }

  std::string place_;  ///< of the store
  const Clock* clock_ = nullptr;
  std::unique_ptr<Bell> bell_;
  std::shared_ptr<const Clock> database_clock_;  ///< on PostgreSQL: one clock for all machines
  std::unique_ptr<Store> store_;

 private:
  mutable Mutex mutex_;
  std::shared_ptr<const Settings> settings_ GUARDED_BY(mutex_);
};

/// Where calls for one town come in. One of them opens it, or reads its settings again; the others wait for that.
struct LocalHost::Door {
  Mutex mutex;
  Signal changed;
  bool is_busy GUARDED_BY(mutex) = false;
  std::shared_ptr<TownHere> town GUARDED_BY(mutex);
  SettingsStamp read_at GUARDED_BY(mutex);
};

namespace {

/// A folder that was only named may be anybody's gift: it does not send passwords and mail to a place of its choice.
Result<StorePlace> store_place(const fs::path& folder, const Settings& settings, const Environment& environment) {
  TRY(place, place_of_town(environment, settings.store, folder));
  const bool own = !place.url && place.file == folder / "town.db";
  if (!own && TrustedTowns(environment).judge(folder).standing != TrustedTowns::Standing::trusted)
    return fail(Code::no_town,
                cat("the town in ", for_terminal_line(folder.parent_path().string()), " keeps its mail in ",
                    for_terminal_line(place.shown()), ", and you have not trusted it"),
                "if that is right, " + next("trust", {{"dir", folder.parent_path().string()}}));
  return place;
}

}  // namespace

LocalHost::LocalHost(const Program& program, Serves serves)
    : program_(program), serves_(serves), clock_(system_clock_), random_(system_random_) {}

LocalHost::LocalHost(const Program& program, Serves serves, const Clock& clock, Random& random)
    : program_(program), serves_(serves), clock_(clock), random_(random) {}

LocalHost::~LocalHost() = default;

Result<Settings> LocalHost::settings(const fs::path& folder) { return read_settings(folder); }

LocalHost::Door& LocalHost::door_of(const std::string& key) {
  const MutexLock lock(mutex_);
  auto& door = doors_[key];
  if (!door) door = std::make_unique<Door>();
  return *door;
}

Result<std::shared_ptr<OpenTown>> LocalHost::open(const fs::path& folder, const Request& request) {
  using Timer = std::chrono::steady_clock;
  const auto elsewhere = environment_for(request.origin).get("GT_STORE").value_or("");
  Door& door = door_of(cat(folder.string(), "\n", elsewhere));
  std::shared_ptr<TownHere> known;
  SettingsStamp read_at;
  const auto now = SettingsStamp::of(folder);
  {
    const auto patience = request.patience(clock_);
    const auto begun = Timer::now();
    MutexLock lock(door.mutex);
    while (door.is_busy) {
      TRY_VOID(patience.check());
      if (patience.longest && Timer::now() - begun >= *patience.longest)
        return fail(Code::unavailable, "the town is being opened", "try again in a moment");
      door.changed.wait_until(lock, Timer::now() + kTurnLook);
    }
    if (door.town && door.read_at.holds_for(now)) return door.town;
    door.is_busy = true;
    known = door.town;
    read_at = door.read_at;
  }
  auto town = known && now.is_of_same_folder(read_at) ? renewed(known, folder, request) : opened(folder, request);
  {
    const MutexLock lock(door.mutex);
    door.is_busy = false;
    if (town) {
      door.town = *town;
      door.read_at = now;
    }
  }
  door.changed.notify_all();
  return town;
}

Result<std::shared_ptr<TownHere>> LocalHost::renewed(const std::shared_ptr<TownHere>& town, const fs::path& folder,
                                                     const Request& request) {
  auto settings = read_settings(folder);
  if (!settings) {  // half written, perhaps: whoever has the town open goes on by what was valid
    auto last = std::make_shared<Settings>(*town->settings());
    last->warnings = {cat(settings.error().message, "; what its settings were before goes on")};
    town->set(std::move(last));
    return town;
  }
  TRY(place, store_place(folder, *settings, environment_for(request.origin)));
  if (place.shown() != town->place_) return opened(folder, request);
  town->set(std::make_shared<const Settings>(std::move(*settings)));
  return town;
}

Result<std::shared_ptr<TownHere>> LocalHost::opened(const fs::path& folder, const Request& request) {
  TRY(settings, read_settings(folder));
  TRY(place, store_place(folder, settings, environment_for(request.origin)));
  TRY(database, place.open(SqliteDatabase::Mode::existing, to_connect(request, clock_), program_.postgres));
  TRY_VOID(check_schema(*database));
  auto town = std::make_shared<TownHere>();
  town->set(std::make_shared<const Settings>(std::move(settings)));
  town->place_ = place.shown();
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
    return town;
  }
  const auto connect = [this, place = place] {
    return place.open(SqliteDatabase::Mode::existing, std::nullopt, program_.postgres);
  };
  // The first one was opened by somebody's patience, which is nobody else's.
  TRY(store, GroupCommitStore::open(connect, kManyCallers, town->bell_.get()));
  town->store_ = std::move(store);
  return town;
}

std::unique_ptr<Bell> LocalHost::folder_bell(const fs::path& folder) { return std::make_unique<FileBell>(folder); }

Result<std::unique_ptr<StoreAdmin>> LocalHost::store_admin(const fs::path& folder, const Request& request) {
  TRY(settings, read_settings(folder));
  TRY(place, store_place(folder, settings, environment_for(request.origin)));
  TRY(database, place.open(SqliteDatabase::Mode::existing, to_connect(request, clock_), program_.postgres));
  return std::unique_ptr<StoreAdmin>(std::make_unique<SqlAdmin>(std::move(database), place.shown()));
}

Result<StoreCopy> LocalHost::copy_store(const fs::path& folder, const std::string& from, const std::string& to) {
  TRY(source, StorePlace::parse(from, folder));
  TRY(target, StorePlace::parse(to, folder));
  if (source.shown() == target.shown())
    return fail_argument("to", "source and target are the same store", "name another one");
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
  return std::make_unique<ThisMachine>(processes_, random_, origin.outer_environment(), process_notes(),
                                       origin.process);
}

std::unique_ptr<SessionDoors> LocalHost::doors(const fs::path& folder, const Origin& origin) {
  HttpReach http{.dialer = [this](Url::Scheme scheme, AllowsNumber allows) -> Result<std::unique_ptr<Dialer>> {
                   if (scheme == Url::Scheme::http) return plain_dialer_to(std::move(allows));
                   if (!program_.remote) return fail(Code::unavailable, "https is not spoken here");
                   return program_.remote->dialer(std::move(allows));
                 },
                 .allowed =
                     [folder] {
                       const auto settings = read_settings(folder);
                       return settings ? settings->http.allow_targets : std::vector<std::string>();
                     }};
  return std::make_unique<SystemDoors>(processes_, random_, clock_, origin.outer_environment(), folder,
                                       std::move(http));
}

std::unique_ptr<Starter> LocalHost::starter(const fs::path& folder) {
  return std::make_unique<SystemStarter>(folder, notes_);
}

}  // namespace townpost
