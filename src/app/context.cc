#include "app/context.h"

#include <unistd.h>

#include <algorithm>

#include "app/make_town.h"
#include "base/files.h"
#include "base/shown.h"
#include "base/text.h"
#include "post/town/town_folder.h"
#include "post/town/trusted_towns.h"
#include "store/copy.h"
#include "store/migrations.h"
#include "store/sql_admin.h"
#include "store/sql_store.h"

namespace townpost {

namespace fs = std::filesystem;

namespace {
constexpr Millis kHookPatience(500);
constexpr Millis kServicePatience(10'000);
}  // namespace

LocalContext::LocalContext(const Program& program, const std::optional<std::string>& town_flag,
                           const std::optional<std::string>& as_flag, Haste haste, const Environment& environment)
    : program_(program),
      environment_(environment),
      haste_(haste),
      notes_(ProcessNotes::folder_of_user()),
      session_(session_around(environment, notes_)),
      sessions_(processes_, random_, session_.environment ? *session_.environment : environment),
      identity_(IdentityInputs::collect(as_flag, environment)),
      folder_(find_town(town_flag, environment, session_.around ? Asks::agent : Asks::person)),
      doors_(processes_, random_, system_clock_, session_.environment ? *session_.environment : environment,
             folder_ ? *folder_ : fs::path()),
      starter_(folder_ ? *folder_ : fs::path(), notes_),
      bell_(std::make_unique<FileBell>(folder_ ? *folder_ : fs::path())) {
  identity_.around = session_.around;
  identity_.terminal = terminal_here();
  // A hook speaks for its session, whatever its variables say.
  if (haste == Haste::hook && identity_.around && identity_.around->is_proven) identity_.named = {};
  // Inside a session its own process says which pane that is; who runs in it might have forgotten.
  if (session_.environment) identity_.pane = session_.environment->get("TMUX_PANE");
}

Result<Settings> LocalContext::read_settings() const {
  if (!folder_) return Failure(folder_.error());
  const auto file = *folder_ / "town.toml";
  const auto text = read_private_file(file, 1u << 20);
  if (!text && text.error().code == Code::not_found)
    return fail(Code::unavailable,
                cat("the town in ", for_terminal_line(folder_->parent_path().string()), " has lost its settings"),
                cat("put ", for_terminal_line(file.string()), " back; an empty file means the defaults"));
  if (!text) return Failure(text.error());
  TRY(settings, Settings::parse(*text));
  std::vector<fs::path> files;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(*folder_ / "types", none))
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const auto& types : files) {
    if (auto more = read_private_file(types, 1u << 20))
      settings.add_types(*more, cat("types/", to_utf8(types.filename().string())));
    else
      settings.warnings.push_back(more.error().message);
  }
  if (auto set = share_with_group(*folder_, settings.group); !set) settings.warnings.push_back(set.error().message);
  return settings;
}

Result<Town*> LocalContext::town() {
  if (town_) return &*town_;
  TRY(settings, read_settings());
  TRY(place, store_place(settings));
  TRY(database, open_database(place));
  TRY_VOID(check_schema(*database));
  if (!place.url && place.file != *folder_ / "town.db")
    bell_ = std::make_unique<FileBell>(FileBell::beside(place.file));
  if (place.url) {
    TRY(bell, program_.postgres.bell(*place.url));
    bell_ = std::move(bell);
    database_clock_ = program_.postgres.clock(*database);
  }
  store_ = std::make_unique<SqlStore>(std::move(database), bell_.get());
  town_.emplace(Town{*folder_, std::move(settings), *store_, *bell_, sessions_, clock(), random_});
  return &*town_;
}

Result<StorePlace> LocalContext::store_place(const Settings& settings) const {
  TRY(place, place_of_town(environment_, settings.store, *folder_));
  // A folder that was only named may be anybody's gift: it does not send passwords and mail to a place of its choice.
  const bool own = !place.url && place.file == *folder_ / "town.db";
  if (!own && TrustedTowns(environment_).judge(*folder_).standing != TrustedTowns::Standing::trusted)
    return fail(Code::no_town,
                cat("the town in ", for_terminal_line(folder_->parent_path().string()), " keeps its mail in ",
                    for_terminal_line(place.shown()), ", and you have not trusted it"),
                cat("if that is right, run gt trust ", for_terminal_line(folder_->parent_path().string())));
  return place;
}

Result<std::unique_ptr<Database>> LocalContext::open_database(const StorePlace& place) {
  const auto hurry = haste_ == Haste::hook      ? std::optional(kHookPatience)
                     : haste_ == Haste::service ? std::optional(kServicePatience)
                                                : std::nullopt;
  return place.open(SqliteDatabase::Mode::existing, hurry, program_.postgres);
}

Result<std::string> LocalContext::input() { return program_.input.read(4u << 20); }

void LocalContext::tell(std::string_view line) {
  const Shown text = Shown::line(cat("gt: ", line));
  (void)!::write(STDERR_FILENO, text.bytes().data(), text.bytes().size());
}

Result<StoreAdmin*> LocalContext::store_admin() {
  if (admin_) return admin_.get();
  TRY(settings, read_settings());
  TRY(place, store_place(settings));
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
  TRY(source_database, source.open(SqliteDatabase::Mode::existing, std::nullopt, program_.postgres));
  TRY(target_database, target.open(SqliteDatabase::Mode::create, std::nullopt, program_.postgres));
  ProgressBar bar("copying");
  TRY(report,
      copy_town(*source_database, *target_database,
                [&](std::string_view table, std::int64_t done, std::int64_t total) { bar.show(table, done, total); }));
  return StoreCopy{source.shown(), target.shown(), report.rows, report.written, report.messages};
}

Result<Caller> LocalContext::caller() {
  if (caller_) return *caller_;
  const auto opened = town();
  if (!opened) {  // nobody to ask, whatever the reason
    const auto human = identity_.human_by_default();
    return human ? Result<Caller>(*human) : Result<Caller>(fail(opened.error()));
  }
  for (const auto& process : session_.above) identity_.above.push_back(process_name(process));
  TRY(found, identify(identity_, **opened, notes_));
  caller_ = found.caller;
  how_known_ = found.how;
  is_newly_named_ = found.is_newly_named;
  return found.caller;
}

std::optional<std::string> LocalContext::caller_key() {
  // What one look found is kept for the file in the folder only: a shared database is changed by other machines, too.
  const auto elsewhere = environment_.get("GT_STORE");
  if (!folder_ || (elsewhere && *elsewhere != "sqlite")) return std::nullopt;
  return identity_.key();
}

Result<MadeTown> LocalContext::make_town(const NewTown& wanted) {
  return make_town_folder(wanted, identity_.around ? MadeBy::agent : MadeBy::person, environment_, program_.postgres);
}

}  // namespace townpost
