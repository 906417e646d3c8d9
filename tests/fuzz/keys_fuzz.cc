// What a terminal, or whoever pastes into it, sends to `gt top`: no byte makes a control character of a key, the pieces
// it comes in make no difference, and little is kept.
#include <vector>

#include "base/sight.h"
#include "fuzz/fuzz.h"
#include "tty/keys.h"

using namespace townpost;

namespace {

std::vector<Key> keys_of(std::string_view text, std::size_t piece) {
  KeyReader reader;
  for (std::size_t at = 0; at < text.size(); at += piece) reader.add(text.substr(at, piece));
  reader.settle();
  std::vector<Key> out;
  while (const auto key = reader.next()) out.push_back(*key);
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::as_text(data, size);
  const auto whole = keys_of(text, text.size() + 1);
  for (const auto& key : whole) CHECK(key.name != Key::Name::character || !is_control(key.point));
  CHECK(keys_of(text, 1) == whole);
  CHECK(whole.size() <= text.size() + 1);
  return 0;
}
