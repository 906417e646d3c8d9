#include "app/store_place.h"

#include <vector>

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
                  cat("use that town: --town ", for_terminal_line(folder.parent_path().string())));
  return {};
}

bool is_postgres(std::string_view text) { return text.starts_with("postgres://") || text.starts_with("postgresql://"); }

}  // namespace

std::string without_password(const std::string& url) {
  const auto start = url.find("://");
  if (start == std::string::npos) return url;
  // As libpq reads it: user and password end at the first @, if that comes before a slash.
  const auto at = url.find_first_of("@/", start + 3);
  std::string out = url.substr(0, start + 3);
  std::string rest = url.substr(start + 3);
  if (at != std::string::npos && url[at] == '@') {
    const std::string who = url.substr(start + 3, at - start - 3);
    if (who.find("password=") != std::string::npos) return out + "...";  // meant otherwise than libpq reads it
    out += who.substr(0, who.find(':'));
    rest = url.substr(at);
  }
  const auto question = rest.find('?');
  out += rest.substr(0, question);
  if (question == std::string::npos) return out;
  std::vector<std::string> kept;
  for (const auto part : split(std::string_view(rest).substr(question + 1), '&')) {
    // A key may be spelled with %: whatever is not plain is left out, too.
    const auto key = part.substr(0, part.find('='));
    if (!key.ends_with("password") && key.find('%') == std::string_view::npos) kept.emplace_back(part);
  }
  return kept.empty() ? out : cat(out, "?", join(kept, "&"));
}

Result<StorePlace> StorePlace::parse(const std::string& text, const std::filesystem::path& town_folder) {
  if (text == "sqlite") return StorePlace{town_folder / "town.db", std::nullopt};
  if (is_postgres(text)) return StorePlace{{}, text};
  const auto scheme = text.find("://");
  const std::string path = text.starts_with("sqlite:") ? text.substr(7) : text;
  const bool looks_like_a_file = text.starts_with("sqlite:") || text.find('/') != std::string::npos;
  if (path.empty() || scheme != std::string::npos || !looks_like_a_file)
    return fail(Code::usage,
                cat("\"", for_terminal_line(shorten(to_utf8(without_password(text)), 80)), "\" is no store"),
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
