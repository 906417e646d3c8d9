#include "app/store_place.h"

#include <vector>

#include "base/password.h"
#include "base/text.h"

namespace townpost {

namespace {

/// A town's own file is reached through the town itself: only there it is known who may, and in whose name.
Result<> not_anothers(const std::filesystem::path& file, const std::filesystem::path& town_folder) {
  for (auto folder = file.parent_path(); folder.has_filename(); folder = folder.parent_path())
    if (folder.filename() == ".town" && folder != town_folder)
      return fail(Code::refused,
                  cat(for_terminal_line(file.string()), " belongs to the town in ",
                      for_terminal_line(folder.parent_path().string())),
                  "use that town: " + next("", {{"town", folder.parent_path().string()}}));
  return {};
}

bool is_postgres(std::string_view text) { return text.starts_with("postgres://") || text.starts_with("postgresql://"); }

}  // namespace

Result<StorePlace> StorePlace::parse(const std::string& text, const std::filesystem::path& town_folder) {
  if (text == "sqlite") return StorePlace{town_folder / "town.db", std::nullopt};
  if (is_postgres(text)) return StorePlace{{}, text};
  const auto scheme = text.find("://");
  const std::string path = text.starts_with("sqlite:") ? text.substr(7) : text;
  const bool looks_like_a_file = text.starts_with("sqlite:") || text.find('/') != std::string::npos;
  if (path.empty() || scheme != std::string::npos || !looks_like_a_file)
    return fail(Code::usage,
                cat("\"", for_terminal_line(shorten(to_utf8(without_password(text)), 80)), "\" is not a store"),
                "write sqlite, sqlite:FILE or postgres://HOST/DATABASE");
  // Its real name: a link must not hide whose file it is, and two towns that name one file differently share its bells.
  std::error_code none;
  const auto real = std::filesystem::weakly_canonical(path, none);
  StorePlace place{none ? std::filesystem::path(path) : real, std::nullopt};
  TRY_VOID(not_anothers(place.file, town_folder));
  return place;
}

Result<std::unique_ptr<Database>> StorePlace::open(SqliteDatabase::Mode mode, std::optional<Millis> hurry,
                                                   PostgresDoor& postgres) const {
  if (url) return postgres.open(*url, hurry);
  TRY(database, SqliteDatabase::open(file, mode));
  if (hurry) database->hurry(*hurry);
  return std::unique_ptr<Database>(std::move(database));
}

std::string StorePlace::shown() const { return url ? without_password(*url) : file.string(); }

Result<StorePlace> place_of_town(const Environment& environment, const std::string& setting,
                                 const std::filesystem::path& town_folder) {
  const auto wanted = environment.get("GT_STORE");
  if (wanted && !wanted->empty()) return StorePlace::parse(*wanted, town_folder);
  return StorePlace::parse(setting.empty() ? "sqlite" : setting, town_folder);
}

}  // namespace townpost
