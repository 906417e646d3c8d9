#pragma once
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/toml.h"
#include "protocol/protocol_type.h"
#include "protocol/type_registry.h"

namespace townpost::protocol {

/// A type that was defined in a file, and the words its views are of.
struct Definition {
  ProtocolType type;
  std::vector<Field> fields;
  std::vector<std::string> command;
  std::deque<std::string> words;
  std::string file;

  Definition() = default;
  ~Definition() = default;
  Definition(const Definition&) = delete;
  Definition& operator=(const Definition&) = delete;
};

/// One [types.NAME] table as it stands in a file.
struct DefinitionDraft {
  struct Entry {
    std::string key;  ///< behind "types.NAME."
    TomlFile::Entry entry;
  };
  std::string name;
  int line = 0;
  std::vector<Entry> entries;  ///< in the order of their lines
};

/// An error that names its line, as TomlFile makes them.
Error in_line(int line, std::string_view what);

/// The tables of a file, in the order of their lines. What is no such table is refused.
std::vector<DefinitionDraft> drafts_in(const TomlFile& file, Beside beside,
                                       const std::function<void(const Error&)>& refuse);

/// Error: usage, "line 3: …".
Result<std::shared_ptr<const Definition>> define(const DefinitionDraft& draft, std::string_view file);

/// "list, required, in Changes, as files": one field from what a file says of it. Its views are of `label`,
/// `declaration` and, for a key that is made from the label, of `words`. Error: usage, without a line.
Result<Field> define_field(std::string_view label, std::string_view declaration, std::deque<std::string>& words);

/// That the fields of a type can stand in one body and be told apart; conditions are put in terms of keys. Error:
/// usage, without a line.
Result<> check_fields(std::vector<Field>& fields, Dialect dialect);

}  // namespace townpost::protocol
