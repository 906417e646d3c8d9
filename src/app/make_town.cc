#include "app/make_town.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "app/store_place.h"
#include "base/advice.h"
#include "base/child.h"
#include "base/files.h"
#include "base/password.h"
#include "base/private_files.h"
#include "base/random.h"
#include "base/text.h"
#include "post/town/settings.h"
#include "post/town/town_folder.h"
#include "post/town/trusted_towns.h"
#include "store/migrations.h"

namespace townpost {

namespace fs = std::filesystem;

namespace {

// A town in the making: `.town.draft-PID-CHANCE`, with a marker that says who makes it, and where.
constexpr std::string_view kDraft = ".town.draft-";
constexpr int kChanceDigits = 16;
constexpr std::string_view kMarker = "draft";

std::string shown(const fs::path& path) { return for_terminal_line(path.string()); }

/// A town that is there is as good as a new one, unless something else was asked for.
Result<MadeTown> already_there(const NewTown& wanted, const TrustedTowns& trusted) {
  const fs::path town = town_named(wanted.folder);
  const auto there = [&](const NextStep& hint) {
    return fail(Code::refused, cat("there is a town already in ", shown(wanted.folder)), hint);
  };
  if (!may_be_town(town))
    return fail(Code::refused, cat("there is a folder ", shown(town), " already, and no town in it"),
                "remove it if nobody needs it, or choose another folder");
  TRY_VOID(check_town_folder(town));
  if (trusted.judge(town).standing != TrustedTowns::Standing::trusted)
    return there("if you know where it comes from, " + next("trust", {{"dir", wanted.folder.string()}}));
  TRY(text, read_private_file(town / "town.toml", 1u << 20));
  TRY(settings, Settings::parse(text));
  if (!wanted.store.empty() && wanted.store != settings.store)
    return there("its town.toml says where its state is kept; " + next("store.copy", {}, " moves it"));
  if (!wanted.name.empty() && wanted.name != settings.town_name) return there("its name is in its town.toml");
  struct stat found {};
  if (settings.store.empty() && ::lstat((town / "town.db").c_str(), &found) != 0)
    return fail(Code::refused, cat("there is a town already in ", shown(wanted.folder), ", but its town.db is gone"),
                "put the file back from a backup, or move the folder .town away");
  return MadeTown{.folder = town, .name = settings.town_name, .existed = true};
}

/// A second town inside the first would hide it from everything below.
Result<> not_within_another(const fs::path& folder, const Environment& environment) {
  const auto around = town_around(folder, environment);
  if (!around) return {};
  return fail(Code::refused,
              cat("commands in ", shown(folder), " use the town in ", shown(around->parent_path()), " already"),
              "use that one, or make another town with " + next("", {{"nested", "true"}}));
}

/// Where process numbers mean what they mean here: this start of this machine, and this container on it.
std::string this_very_host() {
  std::error_code none;
  return cat(trim(read_file("/proc/sys/kernel/random/boot_id", 64).value_or("")), " ",
             fs::read_symlink("/proc/self/ns/pid", none).string());
}

std::string marker() { return cat(process_name(::getpid()), "\n", this_very_host(), "\n"); }

bool is_draft_name(std::string_view name) {
  if (!name.starts_with(kDraft)) return false;
  const auto parts = split(name.substr(kDraft.size()), '-');
  constexpr auto only = [](std::string_view text, const char* of) {
    return !text.empty() && text.find_first_not_of(of) == std::string_view::npos;
  };
  return parts.size() == 2 && only(parts[0], "0123456789") && only(parts[1], "0123456789abcdef") &&
         parts[1].size() == kChanceDigits;
}

/// Whether an init that was killed left it: it says so itself, and its process is gone from this very host. Whatever
/// else lies there is somebody's, such as a backup.
bool is_abandoned_draft(const fs::path& path) {
  struct stat found {};
  if (!is_draft_name(path.filename().string()) || ::lstat(path.c_str(), &found) != 0 || !S_ISDIR(found.st_mode))
    return false;
  const auto text = read_private_file(path / kMarker, 1024);
  if (!text) return false;
  const auto lines = split(*text, '\n');
  return lines.size() == 3 && lines[1] == this_very_host() && lines[1].size() > 1 &&
         !process_runs(std::string(lines[0]));
}

void remove_abandoned_drafts(const fs::path& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (is_abandoned_draft(entry.path())) fs::remove_all(entry.path(), error);
}

/// The schema in the database of a new town; whether a town was there already.
Result<bool> make_shared_store(const std::string& store, PostgresDoor& postgres) {
  TRY(place, StorePlace::parse(store, {}));
  if (!place.url)
    return fail_argument("store", "store wants the url of a PostgreSQL",
                         "leave it out for a town in this folder alone");
  if (without_password(store) != store)
    return fail_argument("store", "the url holds a password, which does not belong in town.toml",
                         "keep it in ~/.pgpass or in PGPASSWORD");
  TRY(database, place.open(SqliteDatabase::Mode::existing, std::nullopt, postgres));
  TRY(version, database->schema_version());
  if (version != 0) {
    TRY_VOID(check_schema(*database));
    return true;
  }
  TRY_VOID(migrate(*database));
  return false;
}

/// Everything that is in a new town.
Result<> fill(const fs::path& draft, const std::string& name, const std::string& store, const std::string& id) {
  for (const auto* part : {"run/bell", "run/hint", "run/listing", "log"}) TRY_VOID(make_private_folders(draft / part));
  TRY_VOID(write_file_durably(draft / "town.toml", new_town_toml(name, store), 0600));
  TRY_VOID(write_file_durably(draft / ".gitignore", "*\n", 0600));
  TRY_VOID(write_file_durably(draft / "id", id + "\n", 0600));
  if (!store.empty()) return {};
  TRY(database, SqliteDatabase::open(draft / "town.db", SqliteDatabase::Mode::create));
  TRY_VOID(migrate(*database));
  return database->run_script("PRAGMA wal_checkpoint(TRUNCATE)");  // a new town is one file
}

}  // namespace

Result<MadeTown> make_town_folder(const NewTown& wanted, MadeBy by, const Environment& environment,
                                  PostgresDoor& postgres) {
  const TrustedTowns trusted(environment);
  const fs::path& folder = wanted.folder;
  struct stat found {};
  const bool occupied = ::lstat((folder / ".town").c_str(), &found) == 0;
  const bool leads_on = occupied && ::lstat((folder / ".town" / "redirect").c_str(), &found) == 0;
  if (leads_on || (!occupied && !wanted.nested)) TRY_VOID(not_within_another(folder, environment));
  if (occupied) return already_there(wanted, trusted);
  bool joined = false;
  if (!wanted.store.empty()) {  // before anything is made: this may be the end of this program
    TRY(was_there, make_shared_store(wanted.store, postgres));
    joined = was_there;
  }
  TRY_VOID(make_folders(folder));
  const fs::path town = town_named(folder);
  // Everything is made beside its place and moved there in one step: a crash leaves no half town.
  remove_abandoned_drafts(town.parent_path());
  SystemRandom random;
  const fs::path draft = town.parent_path() / cat(kDraft, ::getpid(), "-", random_hex(random, kChanceDigits));
  MadeTown made{.folder = town, .name = wanted.name, .joined = joined};
  if (made.name.empty()) made.name = to_utf8(town.parent_path().filename().string());
  if (made.name.empty()) made.name = "town";
  auto build = [&]() -> Result<MadeTown> {
    TRY_VOID(make_private_folders(draft));
    TRY_VOID(write_file_lightly(draft / kMarker, marker()));
    const auto id = TrustedTowns::new_id();
    TRY_VOID(fill(draft, made.name, wanted.store, id));
    // Noted first: a town that is there is also trusted, whenever we are killed. Which folders others believe is no
    // agent's to say.
    if (by == MadeBy::agent)
      made.warnings.push_back(
          cat("an agent's session made the town, so nobody trusts it yet: it is used where GT_TOWN names it; a person "
              "makes it a town for all with ",
              called("trust"), " in ", town.parent_path().string()));
    else if (auto noted = trusted.add(town, id); !noted)
      made.warnings.push_back(cat("the town was made, but cannot be noted as yours: ", noted.error().message,
                                  "; it is used where GT_TOWN names it"));
    remove_private_file(draft / kMarker);
    if (::rename(draft.c_str(), town.c_str()) != 0) {
      const int error = errno;
      (void)trusted.forget(id);
      if (error != ENOTEMPTY && error != EEXIST) return fail(file_error("make", town, error));
      return already_there(wanted, trusted);
    }
    const FileDescriptor parent(::open(town.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (parent) ::fsync(parent.get());
    return made;
  };
  auto built = build();
  std::error_code none;
  if (!built || built->existed) fs::remove_all(draft, none);
  return built;
}

}  // namespace townpost
