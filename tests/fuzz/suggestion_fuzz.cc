#include "cli/parse.h"
#include "cli/suggest.h"
#include "fuzz/fuzz.h"
#include "post/values/address.h"
#include "post/values/address_slips.h"

using namespace townpost;

/// What is suggested to whoever typed something else: words of a command, one a line, and an address.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::as_text(data, size);
  std::vector<std::string> words;
  for (auto rest = text; !rest.empty();) words.emplace_back(fuzz::take(rest, '\n'));
  const auto said = suggestion_for(words);
  CHECK(!said.empty() && is_utf8(said) && said.find('\n') == std::string::npos && said.size() < 400);
  CHECK(said.starts_with("did you mean gt ") || said.ends_with("--help lists the commands"));
  for (const auto* verb : {" delete", " remove", " recall", " drop", " quarantine", " purge"})
    CHECK(said.find(verb) == std::string::npos);

  const auto meant = address_meant_by(text);
  CHECK(meant != text || text.empty());
  if (const auto address = Destination::parse(text); !address) fuzz::check_error(address.error());
  return 0;
}
