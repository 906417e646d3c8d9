#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "app/postgres_door.h"
#include "base/environment.h"
#include "base/result.h"
#include "store/db/sqlite.h"

namespace townpost {

/// Where a town's state is: a file, or a PostgreSQL.
struct StorePlace {
  std::filesystem::path file;      ///< if there is no url
  std::optional<std::string> url;  ///< postgres://…

  /// `sqlite` (the file in the town's folder), `sqlite:FILE`, a path, or `postgres://…`. Error: usage; refused for a
  /// file inside another town's folder.
  static Result<StorePlace> parse(const std::string& text, const std::filesystem::path& town_folder);

  /// A connection to it. With `hurry` nothing is waited for longer than that.
  Result<std::unique_ptr<Database>> open(SqliteDatabase::Mode mode, std::optional<Millis> hurry,
                                         PostgresDoor& postgres) const;
  /// For people; without the password.
  std::string shown() const;
};

/// What GT_STORE says, else `setting` ([store] url of town.toml), else the file in the town's folder.
Result<StorePlace> place_of_town(const Environment& environment, const std::string& setting,
                                 const std::filesystem::path& town_folder);

}  // namespace townpost
