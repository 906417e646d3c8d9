#include "app/store_place.h"

#include "base/text.h"

namespace townpost {

namespace {

bool is_postgres(std::string_view text) { return text.starts_with("postgres://") || text.starts_with("postgresql://"); }

}  // namespace

std::string without_password(const std::string& url) {
  std::string out = url;
  const auto start = out.find("://");
  if (start == std::string::npos) return out;
  const auto end = out.find_first_of("/?", start + 3);
  const auto at = out.rfind('@', end == std::string::npos ? std::string::npos : end);
  if (at != std::string::npos && at > start) {
    const auto colon = out.find(':', start + 3);
    if (colon != std::string::npos && colon < at) out.erase(colon, at - colon);
  }
  if (const auto word = out.find("password="); word != std::string::npos) {
    const auto stop = out.find('&', word);
    out.erase(word, stop == std::string::npos ? std::string::npos : stop - word + 1);
    if (out.ends_with('?') || out.ends_with('&')) out.pop_back();
  }
  return out;
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
  return StorePlace{std::filesystem::path(path), std::nullopt};
}

Result<std::unique_ptr<Database>> StorePlace::open(SqliteDatabase::Mode mode, std::optional<Millis> hurry) const {
  if (url) {
    TRY(database, PostgresDatabase::open(*url, hurry));
    return std::unique_ptr<Database>(std::move(database));
  }
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
