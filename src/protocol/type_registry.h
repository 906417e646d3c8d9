#pragma once
#include <memory>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "protocol/protocol_type.h"

namespace townpost::protocol {

struct Definition;

/// What else a file with definitions may hold: settings that others read (town.toml), or nothing (.town/types/*.toml).
enum class Beside { nothing, settings };

/// Every known message type, of all dialects. A value: copies share the definitions, which never change. Types are
/// pointed to, so a registry must outlive what was parsed with it.
class TypeRegistry {
 public:
  /// The types of Gas Town, Agent Mail and the directory.
  static const TypeRegistry& built_in();

  /// Adds the types of the [types.NAME] tables in `toml` (docs/protocol.md, "Types of your own"). Each broken
  /// definition is left out and gives one error with `file`, line and reason; the sound ones of the same file are
  /// added.
  [[nodiscard]] std::vector<Error> add(std::string_view toml, std::string_view file, Beside beside = Beside::nothing);

  /// The type of that name, whatever its case, or nullptr.
  const ProtocolType* find(std::string_view name) const;

  /// Built-in types dialect by dialect, then those that were added, in that order.
  const std::vector<const ProtocolType*>& types() const { return types_; }

 private:
  void insert(const ProtocolType& type);

  std::vector<const ProtocolType*> types_;
  std::vector<const ProtocolType*> by_name_;  ///< by length, then by name without case
  std::vector<std::shared_ptr<const Definition>> own_;
};

}  // namespace townpost::protocol
