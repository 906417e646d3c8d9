#include "base/advice.h"

#include "base/text.h"

namespace townpost {

namespace {

std::string plainly(std::string_view op, const std::vector<std::pair<std::string, std::string>>& args) {
  std::string call(op);
  for (const auto& [name, value] : args)
    call += cat(call.empty() ? "" : " ", name, value.empty() || value == "true" ? "" : cat("=", value));
  return call;
}

}  // namespace

std::string advice(const Error& error) {
  if (!error.next) return error.hint;
  return cat(error.hint, plainly(error.next->op, error.next->args), error.next->after);
}

std::string called(std::string_view op, const std::vector<std::pair<std::string, std::string>>& args) {
  return cat("`", plainly(op, args), "`");
}

}  // namespace townpost
