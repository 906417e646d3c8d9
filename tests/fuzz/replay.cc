// Runs every file below a folder through one target's entry point: what once broke something never does again.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/files.h"
#include "fuzz/fuzz.h"
#include "replays.h"

namespace {

using Entry = int (*)(const std::uint8_t* data, std::size_t size);

}  // namespace

#define DECLARE(name) extern "C" int replay_##name(const std::uint8_t* data, std::size_t size);
REPLAYS(DECLARE)

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
#define NAMED(name) {#name, replay_##name},
  const std::map<std::string, Entry> entries = {REPLAYS(NAMED)};
  const auto entry = entries.find(argc == 3 ? argv[1] : "");
  if (entry == entries.end()) {
    std::fprintf(stderr, "usage: %s TARGET FOLDER\n", argv[0]);
    return 2;
  }
  std::vector<fs::path> files;
  for (const auto& found : fs::recursive_directory_iterator(argv[2]))
    if (found.is_regular_file()) files.push_back(found.path());
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    const auto text = townpost::read_file(file);
    if (!text) {
      std::fprintf(stderr, "%s\n", text.error().message.c_str());
      return 1;
    }
    std::fprintf(stderr, "%s\n", file.c_str());  // the last line before an abort names the culprit
    entry->second(reinterpret_cast<const std::uint8_t*>(text->data()), text->size());
  }
  std::printf("%zu files\n", files.size());
  return files.empty() ? 1 : 0;
}
