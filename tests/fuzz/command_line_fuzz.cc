#include "cli/parse.h"
#include "fuzz/fuzz.h"

using namespace townpost;

/// Words are separated by newlines, so that they may hold anything else.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> words;
  for (auto rest = fuzz::as_text(data, size); !rest.empty();) words.emplace_back(fuzz::take(rest, '\n'));
  const auto found = find_command(words);
  if (!found) {
    fuzz::check_error(found.error());
    return 0;
  }
  if (!found->op) return 0;
  CHECK(found->rest.size() < words.size());
  const auto line = parse_command_line(*found->op, found->rest);
  if (!line) {
    fuzz::check_error(line.error());
    return 0;
  }
  CHECK(line->op == found->op);
  if (const auto args = Args::check(found->op->args, line->args); !args) fuzz::check_error(args.error());
  return 0;
}
