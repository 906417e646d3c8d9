#include <fcntl.h>
#include <sys/stat.h>

#include <stdexcept>

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
  std::int64_t stamp(const BellKey& key) override {
    if (key == BellKey::registry()) return 3;
    if (key == BellKey::channels()) return 4;
    return std::stoll(key.name) + 7;
  }
  void wait(const BellKey&, std::int64_t, Millis) override {}
  void wait_for_any(const std::vector<int>&, Millis) override {}
  bool stamps_last() const override { return true; }
};

/// Files beside the store, and no store.
class FolderContext final : public Context {
 public:
  FolderContext() : folder_(*TemporaryFolder::make("townpost-fuzz")) {
    for (const char* part : {"hint", "listing"}) CHECK(make_folders(folder_.path() / "run" / part).has_value());
    const auto settings = folder_.path() / "town.toml";
    CHECK(write_file_lightly(settings, "").has_value());
    const timespec long_ago[2] = {};
    CHECK(::utimensat(AT_FDCWD, settings.c_str(), long_ago, 0) == 0);
  }
  void put(const char* part, std::string_view text) {
    CHECK(write_file_lightly(folder_.path() / "run" / part / "caller", text).has_value());
  }

  Result<Town*> town() override { return fail(Code::no_town, "only files here"); }
  Result<Caller> caller() override { return Caller{}; }
  bool is_newly_named() const override { return false; }
  std::string how_known() const override { return {}; }
  std::optional<std::string> sign_of_agents_session() const override { return std::nullopt; }
  bool at_terminal() const override { return false; }
  const std::vector<ProcessLook>& processes_above() const override { return above_; }
  const ProcessNotes& process_notes() const override { return notes_; }
  Result<Settings> settings() override { return Settings(); }
  Result<StoreAdmin*> store_admin() override { return fail(Code::no_town, "only files here"); }
  std::vector<std::string> notices() const override { return {}; }
  const Environment& environment() const override { return environment_; }
  const Clock& clock() const override { return clock_; }
  Result<MadeTown> make_town(const NewTown&) override { return fail(Code::refused, "only files here"); }
  Result<StoreCopy> copy_store(const std::string&, const std::string&) override {
    return fail(Code::refused, "only files here");
  }
  std::optional<std::string> caller_key() override { return "caller"; }
  Result<std::filesystem::path> town_folder() override { return folder_.path(); }
  Bell& bell() override { return bell_; }
  SessionDoors& doors() override { throw std::logic_error("only files here"); }
  Starter& starter() override { throw std::logic_error("only files here"); }
  Result<std::string> input() override { return fail(Code::refused, "only files here"); }
  void tell(std::string_view) override {}
  std::string own_program() const override { return "gt"; }

 private:
  std::vector<ProcessLook> above_;
  ProcessNotes notes_{{}};
  TemporaryFolder folder_;
  FixedEnvironment environment_;
  ManualClock clock_{kNow};
  StillBell bell_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static FolderContext context;
  const auto text = fuzz::as_text(data, size);

  context.put("hint", text);
  const Hint hint(*context.town_folder(), "caller", context.bell(), context.clock());
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

  context.put("listing", text);
  for (const std::int64_t number :
       {INT64_MIN, std::int64_t{-1}, std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, INT64_MAX}) {
    const auto id = listed(context, number);
    if (id) CHECK(number >= 1 && text.find(id->str()) != std::string_view::npos);
    if (!id) fuzz::check_error(id.error());
  }
  return 0;
}
