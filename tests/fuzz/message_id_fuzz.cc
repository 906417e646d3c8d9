#include <cstring>

#include "fuzz/fuzz.h"
#include "post/values/message.h"

using namespace townpost;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::as_text(data, size);
  if (const auto id = MessageId::parse(text)) {
    CHECK(id->str() == text);  // one spelling per message
    CHECK(id->key >= 0 && id->seq() >= 0);
  } else {
    fuzz::check_error(id.error());
  }
  std::uint64_t number = 0;
  std::memcpy(&number, data, std::min(size, sizeof number));
  const MessageId made{static_cast<std::int64_t>(number >> 4)};  // as large as they may get: 60 bits
  CHECK(MessageId::parse(made.str()) == made);

  if (const auto priority = parse_priority(text)) CHECK(parse_priority(name(*priority)) == *priority);
  if (const auto type = find_message_type(text)) CHECK(name(*type) == text);
  if (is_utf8(text)) {
    const auto reply = reply_subject(text);
    CHECK(is_utf8(reply) && reply.size() <= kSubjectBytes && reply.starts_with("Re: "));
    CHECK(bare_subject(reply_subject(reply)) == bare_subject(reply));  // "Re:" once
  }
  return 0;
}
