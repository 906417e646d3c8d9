#include "cli/render.h"
#include "fuzz/fuzz.h"
#include "ops/views.h"

using namespace townpost;

namespace {

/// One message with the same hostile text wherever a sender can put it.
Mail mail(std::string_view text) {
  Mail out;
  out.message.id = {std::int64_t{1} << kChanceBits};
  out.message.created_at = {1'700'000'000'000};
  out.message.from = "overseer";
  out.message.to = {"mayor/"};
  out.message.subject = to_utf8(text);
  out.message.body = to_utf8(text);
  out.message.thread = to_utf8(text);
  out.delivery = Delivery{.message = out.message.id, .mailbox = {3}};
  return out;
}

void check_rendering(const Op& op, const Json& json) {
  CommandLine line;
  line.op = &op;
  for (const bool terminal : {false, true}) {
    const Screen screen{.terminal = terminal, .colour = false, .now = {1'700'000'060'000}};
    const auto shown = render(line, Answer{.json = json}, screen);
    CHECK(fuzz::is_harmless(shown, fuzz::Lines::several));
  }
}

const Op* op_named(std::string_view name) {
  for (const auto& entry : op_table())
    if (entry.name == name) return &entry.op();
  CHECK(false);
  return nullptr;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::as_text(data, size);
  const Settings settings;
  const auto one = views::mail(mail(text), settings);
  for (const char* name : {"mail.read", "mail.peek"}) check_rendering(*op_named(name), one);
  for (const char* name : {"mail.inbox", "mail.search"}) check_rendering(*op_named(name), JsonArray{one, one});
  return 0;
}
