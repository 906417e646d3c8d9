#include "bench/workshop.h"

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "base/text.h"

namespace townpost::bench {

namespace fs = std::filesystem;

namespace {

/// Puts the programs where the work is, as an installation does. The linker writes a file in pieces; the kernel then
/// keeps it in small ones, and every start of any program pays for each (docs/performance.md).
void install(const fs::path& built, const fs::path& place) {
  fs::create_directories(place);
  std::vector<std::string> words = {"/usr/bin/install", "-m", "755"};
  for (const auto* name :
       {"gt", "townpostd", "reference_nothing", "reference_send", "reference_contended", "bench_harness"})
    if (fs::exists(built / name)) words.push_back((built / name).string());
  words.push_back(place.string());
  Command({.words = std::move(words), .folder = place}).run();
}

}  // namespace

Workshop::Workshop(const fs::path& built, fs::path work) : programs_(work / "programs"), work_(std::move(work)) {
  fs::remove_all(work_);  // of a run that was interrupted
  fs::create_directories(work_);
  install(built, programs_);
}

Workshop::~Workshop() {
  std::error_code ignored;
  fs::remove_all(work_, ignored);
}

const FilledTown& Workshop::town(const std::string& name, std::int64_t messages) {
  if (const auto known = towns_.find(name); known != towns_.end()) return known->second;
  const auto start = std::chrono::steady_clock::now();
  const fs::path folder = work_ / name;
  Command({.words = {program("gt"), "init", folder.string()},
           .folder = work_,
           .environment = {"PATH=/usr/bin:/bin", cat("HOME=", folder.string())}})
      .run();
  auto town = fill_town(folder, messages);
  if (!town) give_up(cat("cannot fill ", folder.string(), ": ", town.error().message));
  // What is still to be written would otherwise be written while we measure.
  const FileDescriptor disk(::open(work_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ::syncfs(disk.get());
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::printf("    town %s: %lld messages, %lld MB, made in %.1f s\n", name.c_str(), static_cast<long long>(messages),
              static_cast<long long>(fs::file_size(folder / ".town" / "town.db") >> 20), took.count());
  std::fflush(stdout);
  return towns_.emplace(name, *town).first->second;
}

fs::path Workshop::folder(const std::string& name) const {
  fs::create_directories(work_ / name);
  return work_ / name;
}

Command Workshop::gt(const FilledTown& town, const std::string& as, std::vector<std::string> words,
                     int exit_code) const {
  words.insert(words.begin(), program("gt"));
  std::vector<std::string> environment = {"PATH=/usr/bin:/bin", cat("HOME=", town.folder.string())};
  if (!as.empty()) environment.push_back(cat("GT_ROLE=", as));
  return Command({std::move(words), town.folder, std::move(environment), exit_code});
}

}  // namespace townpost::bench
