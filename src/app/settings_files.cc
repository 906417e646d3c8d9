#include "app/settings_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <vector>

#include "base/clock.h"
#include "base/private_files.h"
#include "base/text.h"
#include "post/town/town_folder.h"

namespace townpost {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostBytes = 1u << 20;
constexpr Millis kCoarse(2'000);

std::vector<fs::path> type_files(const fs::path& town_folder) {
  std::vector<fs::path> out;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(town_folder / "types", none))
    if (entry.path().extension() == ".toml") out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

Result<Settings> read_settings(const fs::path& town_folder) {
  const auto file = town_folder / "town.toml";
  const auto text = read_private_file(file, kMostBytes);
  if (!text && text.error().code == Code::not_found)
    return fail(Code::unavailable,
                cat("the town in ", for_terminal_line(town_folder.parent_path().string()), " has lost its settings"),
                cat("put ", for_terminal_line(file.string()), " back; an empty file means the defaults"));
  if (!text) return Failure(text.error());
  TRY(settings, Settings::parse(*text));
  for (const auto& types : type_files(town_folder)) {
    if (auto more = read_private_file(types, kMostBytes))
      settings.add_types(*more, cat("types/", to_utf8(types.filename().string())));
    else
      settings.warnings.push_back(more.error().message);
  }
  if (auto set = share_with_group(town_folder, settings.group); !set) settings.warnings.push_back(set.error().message);
  return std::move(settings);
}

SettingsStamp SettingsStamp::of(const fs::path& town_folder) {
  SettingsStamp out;
  const Instant now = SystemClock().now();
  const auto look = [&](const fs::path& path) -> std::string {
    struct stat found {};
    if (::lstat(path.c_str(), &found) != 0) return cat(path.filename().string(), " missing\n");
    const auto changed = std::max(found.st_mtim.tv_sec, found.st_ctim.tv_sec) * 1'000;
    if (Instant{changed} > now - kCoarse) out.too_fresh_ = true;
    return cat(path.filename().string(), " ", found.st_dev, ":", found.st_ino, " ", found.st_size, " ",
               found.st_mtim.tv_sec, ".", found.st_mtim.tv_nsec, " ", found.st_ctim.tv_sec, ".", found.st_ctim.tv_nsec,
               "\n");
  };
  struct stat folder {};
  if (::lstat(town_folder.c_str(), &folder) == 0) out.folder_ = cat(folder.st_dev, ":", folder.st_ino);
  out.files_ = out.folder_ + look(town_folder / "town.toml");
  for (const auto& types : type_files(town_folder)) out.files_ += look(types);
  return out;
}

}  // namespace townpost
