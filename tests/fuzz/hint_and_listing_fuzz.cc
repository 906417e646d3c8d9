#include <fcntl.h>
#include <sys/stat.h>

#include "base/files.h"
#include "fuzz/fuzz.h"
#include "ops/listing.h"
#include "post/town/hint.h"

using namespace townpost;

namespace {

constexpr Instant kNow{1'700'000'000'000};

class StillBell final : public Bell {
 public:
  void ring(const BellKey&) override {}
  /// Of a mailbox: seven more than its number.
  std::optional<std::int64_t> stamp(const BellKey& key) override {
    if (key == BellKey::registry()) return 3;
    if (key == BellKey::channels()) return 4;
    return std::stoll(key.name) + 7;
  }
};

/// Files beside the store, and no store.
class TownFiles {
 public:
  TownFiles() : folder_(*TemporaryFolder::make("townpost-fuzz")) {
    for (const char* part : {"hint", "listing"}) CHECK(make_folders(folder_.path() / "run" / part).has_value());
    const auto settings = folder_.path() / "town.toml";
    CHECK(write_file_lightly(settings, "").has_value());
    const timespec long_ago[2] = {};
    CHECK(::utimensat(AT_FDCWD, settings.c_str(), long_ago, 0) == 0);
  }
  const std::filesystem::path& folder() const { return folder_.path(); }
  std::filesystem::path put(const char* part, std::string_view text) const {
    const auto file = folder_.path() / "run" / part / "caller";
    CHECK(write_file_lightly(file, text).has_value());
    return file;
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const TownFiles files;
  static StillBell bell;
  static const ManualClock clock{kNow};
  const auto text = fuzz::as_text(data, size);

  files.put("hint", text);
  const Hint hint(files.folder(), "caller", bell, clock);
  // Only a hint as we write them, of the last minute, may keep a check from looking.
  if (const auto mailbox = hint.nothing_waits_for()) {
    const auto parts = split(trim(text), ' ');
    CHECK(parts.size() == 7 && parts[0] == "3");
    const auto at = std::stoll(std::string(parts[5]));
    CHECK(at <= kNow.ms && at >= kNow.ms - 60'000);
    CHECK(std::stoll(std::string(parts[6])) > kNow.ms);
    CHECK(mailbox->key == std::stoll(std::string(parts[1])));
    CHECK(std::stoll(std::string(parts[2])) == mailbox->key + 7);
    CHECK(std::stoll(std::string(parts[3])) == 3 && std::stoll(std::string(parts[4])) == 4);
  }

  const auto listing = files.put("listing", text);
  if (const auto listed = listed_in(listing, kNow)) {
    for (const auto& id : listed->ids) CHECK(text.find(id) != std::string_view::npos);
    CHECK(text.find(listed->last) != std::string_view::npos);
  } else {
    fuzz::check_error(listed.error());
  }
  return 0;
}
