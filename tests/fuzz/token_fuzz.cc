// What somebody shows as a token, and what a file says of the server: input is either.
#include <string>

#include "base/text.h"
#include "fuzz/fuzz.h"
#include "post/town/server_note.h"
#include "post/values/token.h"

using namespace townpost;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::as_text(data, size);
  const auto id = token_id_in(text);
  CHECK(id.empty() || is_token_id(id));
  CHECK(id.empty() || text.starts_with(cat("gt_", id, "_")));
  CHECK(!is_token_id(text) || token_id_in(token_text(text, "x")) == text);

  if (const auto note = ServerNote::parse(text)) {
    CHECK(note->text() == text);
    CHECK(note->url.starts_with("http"));
    CHECK(note->url.find_first_of("\n\x1b \"'<>/?#@", note->url.find("//") + 2) == std::string::npos);
  }
  return 0;
}
