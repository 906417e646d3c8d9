#include "fuzz/fuzz.h"
#include "protocol/build.h"
#include "protocol/markdown.h"
#include "protocol/parse.h"
#include "protocol/subject.h"

using namespace townpost;
using namespace townpost::protocol;

namespace {

Json some_value(const Field& field) {
  switch (field.kind) {
    case Kind::integer:
    case Kind::percent:
      return 7;
    case Kind::flag:
      return true;
    case Kind::list:
      return JsonArray{"~a", "~b"};
    case Kind::instant:
      return "2026-01-31T10:30:00Z";
    case Kind::enumeration:
      return Json(words_of(field.values).at(0));
    case Kind::text:
    case Kind::section:
      break;
  }
  return "~x";
}

/// Whatever was accepted can be written with all its fields and read back.
void check_type(const TypeRegistry& registry, const ProtocolType& type) {
  CHECK(registry.find(type.name) == &type && type.dialect != Dialect::directory);
  JsonObject fields;
  for (const Field& field : type.fields) fields[field.key] = some_value(field);
  JsonObject given = fields;
  given["text"] = "~text";
  const auto built = build(registry, type.name, given);
  CHECK(built.has_value());
  CHECK(built->problems.empty());
  const Parsed parsed = parse(registry, {built->subject, built->body}, {.strictness = Strictness::strict});
  CHECK(parsed.type() == &type && parsed.fields() == fields && parsed.text() == "~text");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::as_text(data, size);
  const Beside beside = size % 2 == 0 ? Beside::nothing : Beside::settings;
  TypeRegistry registry = TypeRegistry::built_in();
  const std::size_t before = registry.types().size();
  for (const Error& error : registry.add(text, "types.toml", beside)) {
    fuzz::check_error(error);
    CHECK(error.message.starts_with("types.toml, line "));
  }
  const std::size_t after = registry.types().size();
  if (after == before) return 0;
  for (std::size_t i = before; i < after; ++i) check_type(registry, *registry.types()[i]);
  CHECK(is_utf8(registry_markdown(registry)));
  // The same file a second time adds nothing.
  CHECK(registry.add(text, "types.toml", beside).size() >= after - before);
  CHECK(registry.types().size() == after);
  return 0;
}
