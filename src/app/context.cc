#include "app/context.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "base/files.h"
#include "base/text.h"
#include "post/town_folder.h"
#include "store/db/sqlite.h"
#include "store/migrations.h"
#include "store/sql_admin.h"
#include "store/sql_store.h"

namespace townpost {

namespace fs = std::filesystem;

namespace {
constexpr std::string_view kDraftPrefix = ".town.";
constexpr Millis kHookPatience(500);
}  // namespace

LocalContext::LocalContext(const std::optional<std::string>& town_flag, const std::optional<std::string>& as_flag,
                           Haste haste, const Environment& environment)
    : environment_(environment),
      haste_(haste),
      sessions_(processes_, environment),
      identity_(IdentityInputs::collect(as_flag, environment)),
      folder_(find_town(town_flag, environment)),
      bell_(folder_ ? *folder_ : fs::path()) {}

Result<Town*> LocalContext::town() {
  if (town_) return &*town_;
  if (!folder_) return Failure(folder_.error());
  TRY(text, read_file(*folder_ / "town.toml", 1u << 20));
  TRY(settings, Settings::parse(text));
  TRY(database, open_database());
  TRY_VOID(check_schema(*database));
  store_ = std::make_unique<SqlStore>(std::move(database));
  town_.emplace(Town{*folder_, std::move(settings), *store_, bell_, sessions_, clock_, random_});
  return &*town_;
}

Result<std::unique_ptr<Database>> LocalContext::open_database() {
  if (!folder_) return Failure(folder_.error());
  if (const auto wanted = environment_.get("GT_STORE"); wanted && *wanted != "sqlite")
    return fail(Code::unavailable, "GT_STORE asks for another store than sqlite, which this version does not have",
                "unset GT_STORE");
  TRY(database, SqliteDatabase::open(*folder_ / "town.db", SqliteDatabase::Mode::existing));
  if (haste_ == Haste::hook) database->hurry(kHookPatience);
  return std::unique_ptr<Database>(std::move(database));
}

Result<StoreAdmin*> LocalContext::store_admin() {
  if (admin_) return admin_.get();
  TRY(database, open_database());
  admin_ = std::make_unique<SqlAdmin>(std::move(database), *folder_ / "town.db");
  return admin_.get();
}

Result<Caller> LocalContext::caller() {
  if (caller_) return *caller_;
  TRY(opened, town());
  TRY(found, identify(identity_, *opened));
  caller_ = found;
  return found;
}

std::optional<std::string> LocalContext::caller_key() {
  if (!folder_) return std::nullopt;
  return identity_.key();
}

Result<fs::path> LocalContext::make_town(const fs::path& folder, const std::string& name) {
  return make_town_folder(folder, name);
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

}  // namespace

Result<fs::path> make_town_folder(const fs::path& folder, const std::string& name) {
  const fs::path town = folder / ".town";
  std::error_code error;
  if (fs::exists(town, error)) return already_there(folder);
  TRY_VOID(make_folders(folder));
  // Everything is made beside its place and moved there in one step: a crash leaves no half town.
  remove_abandoned_drafts(folder);
  const fs::path draft = folder / cat(kDraftPrefix, ::getpid());
  fs::remove_all(draft, error);
  auto build = [&]() -> Result<> {
    for (const auto* part : {"run/bell", "run/hint", "run/listing", "log"}) TRY_VOID(make_folders(draft / part));
    TRY_VOID(write_file_durably(draft / "town.toml", new_town_toml(name)));
    TRY_VOID(write_file_durably(draft / ".gitignore", "*\n"));
    {
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
  return town;
}

}  // namespace townpost
