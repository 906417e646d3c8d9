#include "base/advice.h"

#include "base/text.h"

namespace townpost {

std::string advice(const Error& error) {
  if (!error.next) return error.hint;
  std::string call = error.next->op;
  for (const auto& [name, value] : error.next->args)
    call += cat(call.empty() ? "" : " ", name, value.empty() || value == "true" ? "" : cat("=", value));
  return cat(error.hint, call, error.next->after);
}

}  // namespace townpost
