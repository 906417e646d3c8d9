#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "protocol/protocol_type.h"

namespace townpost::protocol {

/// What build() was given, put into the form in which parse() gives it back.
struct BuildInput {
  JsonObject fields;  ///< by JSON key, each of its kind
  std::string topic, text;
  std::vector<std::string> faults;  ///< "key: what is wrong"
};

/// Takes every value that can be taken and notes a fault for every other.
BuildInput input_of(const ProtocolType& type, const JsonObject& given);

/// The default topic, text and ids where none is given.
void complete(const ProtocolType& type, BuildInput& input);

}  // namespace townpost::protocol
