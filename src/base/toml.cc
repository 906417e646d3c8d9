#include "base/toml.h"

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wconversion"
#endif
#include <toml++/toml.h>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#include "base/text.h"

namespace townpost {

namespace {

Result<> flatten(const toml::table& table, const std::string& prefix, std::map<std::string, TomlFile::Entry>& out) {
  for (const auto& [key, node] : table) {
    const std::string name = cat(prefix, key.str());
    const int line = static_cast<int>(node.source().begin.line);
    if (const auto* inner = node.as_table()) {
      TRY_VOID(flatten(*inner, name + ".", out));
    } else if (const auto* flag = node.as_boolean()) {
      out[name] = {flag->get(), line};
    } else if (const auto* number = node.as_integer()) {
      out[name] = {number->get(), line};
    } else if (const auto* text = node.as_string()) {
      out[name] = {text->get(), line};
    } else {
      return fail(Code::usage, cat("line ", line, ": ", name, " must be a text, a whole number, true or false"));
    }
  }
  return {};
}

}  // namespace

Result<TomlFile> TomlFile::parse(std::string_view text) {
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed)
    return fail(Code::usage, cat("line ", static_cast<int>(parsed.error().source().begin.line), ": ",
                                 std::string_view(parsed.error().description())));
  TomlFile file;
  TRY_VOID(flatten(parsed.table(), "", file.entries_));
  return file;
}

}  // namespace townpost
