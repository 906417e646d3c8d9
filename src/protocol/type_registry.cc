#include "protocol/type_registry.h"

#include <algorithm>

#include "base/text.h"
#include "base/toml.h"
#include "protocol/built_in_types.h"
#include "protocol/definition.h"
#include "protocol/subject.h"

namespace townpost::protocol {

namespace {

char lower(char byte) { return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + ('a' - 'A')) : byte; }

/// Lengths differ most of the time and cost nothing to compare.
bool comes_before(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return a.size() < b.size();
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                      [](char x, char y) { return lower(x) < lower(y); });
}

/// Whether the subjects that are written for a type, with a topic and without, are read as that.
bool is_named_by_its_subject(const TypeRegistry& registry, const ProtocolType& type) {
  for (const std::string_view topic : {"x", ""}) {
    const std::string text = write_subject(type, "", topic);
    const Subject subject = read_subject(registry, text);
    if (subject.type != &type || subject.topic != topic) return false;
  }
  return true;
}

}  // namespace

const TypeRegistry& TypeRegistry::built_in() {
  static const TypeRegistry kRegistry = [] {
    TypeRegistry registry;
    for (const auto types : {gas_town_types(), agent_mail_types(), directory_types()})
      for (const ProtocolType& type : types) registry.insert(type);
    return registry;
  }();
  return kRegistry;
}

const ProtocolType* TypeRegistry::find(std::string_view name) const {
  const auto at = std::lower_bound(
      by_name_.begin(), by_name_.end(), name,
      [](const ProtocolType* type, std::string_view wanted) { return comes_before(type->name, wanted); });
  return at != by_name_.end() && equal_ascii_case((*at)->name, name) ? *at : nullptr;
}

void TypeRegistry::insert(const ProtocolType& type) {
  types_.push_back(&type);
  by_name_.insert(std::upper_bound(
                      by_name_.begin(), by_name_.end(), type.name,
                      [](std::string_view name, const ProtocolType* known) { return comes_before(name, known->name); }),
                  &type);
}

std::vector<Error> TypeRegistry::add(std::string_view toml, std::string_view file, Beside beside) {
  std::vector<Error> errors;
  const auto refuse = [&errors, file](const Error& error) {
    errors.push_back({error.code, cat(file, ", ", error.message), cat("correct ", file, "; the rest works on"), {}});
  };
  const auto parsed = TomlFile::parse(toml, TomlFile::Others::listed);
  if (!parsed) {
    refuse(parsed.error());
    return errors;
  }
  const auto drafts = drafts_in(*parsed, beside, refuse);
  for (const DefinitionDraft& draft : drafts) {
    auto definition = define(draft, file);
    if (!definition) {
      refuse(definition.error());
      continue;
    }
    const ProtocolType& type = (*definition)->type;
    if (find(type.name) != nullptr) {
      const auto own =
          std::find_if(own_.begin(), own_.end(), [&type](const auto& known) { return known->type.name == type.name; });
      refuse(in_line(draft.line, cat(type.name, own == own_.end() ? " is built in and stays what it is"
                                                                  : cat(" is defined already, in ", (*own)->file))));
      continue;
    }
    // Whether the subject it asks for names it can only be seen in the company of the others.
    TypeRegistry with_it = *this;
    with_it.own_.push_back(*definition);
    with_it.insert(type);
    if (!is_named_by_its_subject(with_it, type)) {
      refuse(in_line(draft.line, cat("a subject like \"", type.subject, "\" does not name ", type.name)));
      continue;
    }
    *this = std::move(with_it);
  }
  return errors;
}

}  // namespace townpost::protocol
