#include "app/context.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>

#include "base/files.h"
#include "base/text.h"
#include "post/supervised.h"
#include "post/town_folder.h"
#include "store/copy.h"
#include "store/migrations.h"
#include "store/postgres_bell.h"
#include "store/sql_admin.h"
#include "store/sql_store.h"

namespace townpost {

namespace fs = std::filesystem;

namespace {
constexpr std::string_view kDraftPrefix = ".town.";
constexpr Millis kHookPatience(500);
constexpr Millis kServicePatience(10'000);
}  // namespace

LocalContext::LocalContext(const std::optional<std::string>& town_flag, const std::optional<std::string>& as_flag,
                           Haste haste, const Environment& environment)
    : environment_(environment),
      haste_(haste),
      sessions_(processes_, environment),
      identity_(IdentityInputs::collect(as_flag, environment)),
      folder_(find_town(town_flag, environment)),
      doors_(processes_, random_, system_clock_, folder_ ? *folder_ : fs::path()),
      starter_(folder_ ? *folder_ : fs::path()),
      bell_(std::make_unique<FileBell>(folder_ ? *folder_ : fs::path())) {
  if (folder_) identity_.supervised = supervised_agent(*folder_);
}

Result<Settings> LocalContext::read_settings() const {
  if (!folder_) return Failure(folder_.error());
  TRY(text, read_file(*folder_ / "town.toml", 1u << 20));
  TRY(settings, Settings::parse(text));
  std::vector<fs::path> files;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(*folder_ / "types", none))
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    if (auto more = read_file(file, 1u << 20))
      settings.add_types(*more, cat("types/", to_utf8(file.filename().string())));
    else
      settings.warnings.push_back(more.error().message);
  }
  return settings;
}

Result<Town*> LocalContext::town() {
  if (town_) return &*town_;
  TRY(settings, read_settings());
  TRY(place, place_of_town(environment_, settings.store, *folder_));
  TRY(database, open_database(place));
  TRY_VOID(check_schema(*database));
  if (place.url) {
    TRY(bell, PostgresBell::open(*place.url));
    bell_ = std::move(bell);
    database_clock_ = std::make_unique<DatabaseClock>(static_cast<PostgresDatabase&>(*database));
  }
  store_ = std::make_unique<SqlStore>(std::move(database), bell_.get());
  town_.emplace(Town{*folder_, std::move(settings), *store_, *bell_, sessions_, clock(), random_});
  return &*town_;
}

Result<std::unique_ptr<Database>> LocalContext::open_database(const StorePlace& place) {
  return place.open(SqliteDatabase::Mode::existing, haste_ == Haste::hook      ? std::optional(kHookPatience)
                                                    : haste_ == Haste::service ? std::optional(kServicePatience)
                                                                               : std::nullopt);
}

Result<std::string> LocalContext::input() {
  if (!input_) {
    TRY(text, read_all(STDIN_FILENO, 4u << 20));
    input_ = std::move(text);
  }
  return *input_;
}

void LocalContext::tell(std::string_view line) {
  const std::string text = cat("gt: ", for_terminal_line(line), "\n");
  (void)!::write(STDERR_FILENO, text.data(), text.size());
}

std::string LocalContext::own_program() const {
  std::error_code none;
  return fs::read_symlink("/proc/self/exe", none).string();
}

Result<StoreAdmin*> LocalContext::store_admin() {
  if (admin_) return admin_.get();
  TRY(settings, read_settings());
  TRY(place, place_of_town(environment_, settings.store, *folder_));
  TRY(database, open_database(place));
  admin_ = std::make_unique<SqlAdmin>(std::move(database), place.shown());
  return admin_.get();
}

Result<StoreCopy> LocalContext::copy_store(const std::string& from, const std::string& to) {
  if (!folder_) return Failure(folder_.error());
  TRY(source, StorePlace::parse(from, *folder_));
  TRY(target, StorePlace::parse(to, *folder_));
  if (source.shown() == target.shown())
    return fail(Code::usage, "source and target are the same store", "name another one with --to");
  TRY(source_database, source.open(SqliteDatabase::Mode::existing, std::nullopt));
  TRY(target_database, target.open(SqliteDatabase::Mode::create, std::nullopt));
  ProgressBar bar("copying");
  TRY(report,
      copy_town(*source_database, *target_database,
                [&](std::string_view table, std::int64_t done, std::int64_t total) { bar.show(table, done, total); }));
  return StoreCopy{source.shown(), target.shown(), report.rows, report.written, report.messages};
}

Result<Caller> LocalContext::caller() {
  if (caller_) return *caller_;
  TRY(opened, town());
  TRY(found, identify(identity_, *opened));
  caller_ = found;
  return found;
}

std::optional<std::string> LocalContext::caller_key() {
  // What one look found is kept for the file in the folder only: a shared database is changed by other machines, too.
  const auto elsewhere = environment_.get("GT_STORE");
  if (!folder_ || (elsewhere && *elsewhere != "sqlite")) return std::nullopt;
  return identity_.key();
}

Result<MadeTown> LocalContext::make_town(const fs::path& folder, const std::string& name, const std::string& store) {
  return make_town_folder(folder, name, store);
}

namespace {

Failure already_there(const fs::path& folder) {
  return fail(Code::refused, cat("there is a town already in ", for_terminal_line(folder.string())),
              "gt mail inbox shows its mail");
}

/// Removes what earlier inits left that were killed: `.town.PID` of a process that is gone.
void remove_abandoned_drafts(const fs::path& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kDraftPrefix)) continue;
    const int pid = std::atoi(name.c_str() + kDraftPrefix.size());
    if (pid > 0 && ::kill(pid, 0) != 0 && errno == ESRCH) fs::remove_all(entry.path(), error);
  }
}

/// The schema in the database of a new town; whether a town was there already.
Result<bool> make_shared_store(const std::string& store) {
  TRY(place, StorePlace::parse(store, {}));
  if (!place.url)
    return fail(Code::usage, "--store wants the url of a PostgreSQL", "leave it out for a town in this folder alone");
  if (without_password(store) != store)
    return fail(Code::usage, "the url holds a password, and town.toml is no place for it",
                "keep it in ~/.pgpass or in PGPASSWORD");
  TRY(database, place.open(SqliteDatabase::Mode::existing, std::nullopt));
  TRY(version, database->schema_version());
  if (version != 0) {
    TRY_VOID(check_schema(*database));
    return true;
  }
  TRY_VOID(migrate(*database));
  return false;
}

}  // namespace

Result<MadeTown> make_town_folder(const fs::path& folder, const std::string& name, const std::string& store) {
  const fs::path town = folder / ".town";
  std::error_code error;
  if (fs::exists(town, error)) return already_there(folder);
  TRY_VOID(make_folders(folder));
  // Everything is made beside its place and moved there in one step: a crash leaves no half town.
  remove_abandoned_drafts(folder);
  const fs::path draft = folder / cat(kDraftPrefix, ::getpid());
  fs::remove_all(draft, error);
  bool joined = false;
  auto build = [&]() -> Result<> {
    for (const auto* part : {"run/bell", "run/hint", "run/listing", "log"}) TRY_VOID(make_folders(draft / part));
    TRY_VOID(write_file_durably(draft / "town.toml", new_town_toml(name, store)));
    TRY_VOID(write_file_durably(draft / ".gitignore", "*\n"));
    if (!store.empty()) {
      TRY(was_there, make_shared_store(store));
      joined = was_there;
    } else {
      TRY(database, SqliteDatabase::open(draft / "town.db", SqliteDatabase::Mode::create));
      TRY_VOID(migrate(*database));
      TRY_VOID(database->run_script("PRAGMA wal_checkpoint(TRUNCATE)"));  // a new town is one file
    }
    if (::rename(draft.c_str(), town.c_str()) != 0)
      return errno == ENOTEMPTY || errno == EEXIST ? already_there(folder) : fail(file_error("make", town, errno));
    const FileDescriptor parent(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (parent) ::fsync(parent.get());
    return {};
  };
  if (auto built = build(); !built) {
    fs::remove_all(draft, error);
    return Failure(built.error());
  }
  return MadeTown{town, joined};
}

}  // namespace townpost
