#include <array>

#include "fuzz/fuzz.h"
#include "protocol/build.h"
#include "protocol/reader.h"
#include "protocol/typed_message.h"

using namespace townpost;
using namespace townpost::protocol;

namespace {

const TypeRegistry& types() { return TypeRegistry::built_in(); }

/// What was read is UTF-8, cost no more than a few looks at each byte, and is the same in both modes.
Parsed check_reading(const RawMessage& letter, Compat compat) {
  Parsed strict;
  Reader reader(types(), letter, {Strictness::strict, compat}, strict);
  reader.read();
  CHECK(reader.bytes_looked_at() <= 3 * (3 * letter.body.size() + 1));
  CHECK(is_utf8(to_line(strict.json())));
  for (const Problem& problem : strict.problems()) {
    CHECK(!problem.field.empty() && problem.line >= 0);
    CHECK(fuzz::is_harmless(problem.message, fuzz::Lines::one));
  }
  Parsed lenient = parse(types(), letter, {Strictness::lenient, compat});
  CHECK(lenient.type() == strict.type() && lenient.json() == strict.json() && lenient.problems().empty());
  return lenient;
}

/// What was read can be built or is refused; once built, it is read and built the same for ever.
void check_building(const Parsed& parsed) {
  if (parsed.type() == nullptr) return;
  JsonObject fields = parsed.fields();
  if (!parsed.topic().empty()) fields["topic"] = parsed.topic();
  if (!parsed.text().empty()) fields["text"] = parsed.text();
  const auto built = build(types(), parsed.type_name(), fields);
  if (!built) return fuzz::check_error(built.error());
  const Parsed again = parse(types(), {built->subject, built->body, built->type});
  CHECK(again.type() == parsed.type() && again.fields() == parsed.fields());
  CHECK(parsed.topic().empty() || again.topic() == parsed.topic());
  CHECK(parsed.text().empty() || again.text() == parsed.text());
  JsonObject twice = again.fields();
  twice["topic"] = again.topic();
  twice["text"] = again.text();
  const auto rebuilt = build(types(), again.type_name(), twice);
  CHECK(rebuilt.has_value());
  CHECK(rebuilt->subject == built->subject && rebuilt->body == built->body);
}

void check_batch(std::string_view input) {
  const auto batch = read_batch(types(), input, {.strictness = Strictness::strict});
  if (!batch) return fuzz::check_error(batch.error());
  const auto answer = read_batch(types(), batch->str());
  // An answer is a batch again, but for one of errors alone, which has no messages.
  CHECK(batch->entries.empty() || answer.has_value());
  CHECK(is_utf8(batch->str()));
}

}  // namespace

/// The first line is the subject and the rest the body, read in a way that the size decides; and all of it is JSON.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::array<std::string_view, 8> kTypes = {
      "", "", "", "HELP_REQUEST", "FAILED", "CHECKPOINT", "REWORK_REQUEST", "HANDOFF"};
  const auto text = fuzz::as_text(data, size);
  auto body = text;
  const auto subject = fuzz::take(body, '\n');
  const RawMessage letter{subject, body, kTypes[size % kTypes.size()]};
  check_building(check_reading(letter, size % kTypes.size() == 2 ? Compat::agentops : Compat::none));
  if (text.starts_with('{') || text.starts_with('[')) check_batch(text);
  return 0;
}
