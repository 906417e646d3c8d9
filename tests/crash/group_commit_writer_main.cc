// Writes with 64 threads through one GroupCommitStore until it is killed: group_commit_writer STORE EVIDENCE. Each
// write is two events, `NAME first` and `NAME second`; when it is answered, NAME is added to EVIDENCE. Every fifth
// write fails after it wrote, and must leave nothing.
#include <sys/prctl.h>

#include <csignal>
#include <thread>

#include "app/libpq_door.h"
#include "app/store_place.h"
#include "base/files.h"
#include "base/text.h"
#include "store/group_commit_store.h"

namespace townpost {
namespace {

constexpr int kThreads = 64;

void write_for_ever(Store& store, int thread, const std::filesystem::path& evidence) {
  for (int number = 0;; ++number) {
    const std::string name = cat("write-", thread, "-", number);
    const bool fails = number % 5 == 4;
    const auto done = store.write([&](Ledger& ledger) -> Result<> {
      for (const auto* half : {" first", " second"})
        TRY_VOID(ledger.add_event({.at = {number}, .kind = EventKind::other, .detail = cat(name, half)}));
      if (fails) return fail(Code::refused, "changed my mind");
      return {};
    });
    const bool as_expected = fails ? !done && done.error().code == Code::refused : done.has_value();
    const auto line = as_expected ? cat(fails ? "refused " : "stored ", name)
                                  : cat("error ", name, ": ", done ? "was stored" : done.error().message);
    if (!append_line(evidence, line)) std::_Exit(2);
  }
}

int run(const std::string& where, const std::filesystem::path& evidence) {
  const auto place = StorePlace::parse(where, {});
  if (!place) return 3;
  LibpqDoor postgres;
  auto store = GroupCommitStore::open(
      [&] { return place->open(SqliteDatabase::Mode::existing, std::nullopt, postgres); }, {.readers = 1}, nullptr);
  if (!store) return 4;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back([&, i] { write_for_ever(**store, i, evidence); });
  for (auto& thread : threads) thread.join();
  return 0;
}

}  // namespace
}  // namespace townpost

int main(int argc, char** argv) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // never outlives the test
  if (argc != 3) return 2;
  return townpost::run(argv[1], argv[2]);
}
