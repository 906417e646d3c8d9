#include "ops/contract.h"

#include "base/check.h"
#include "base/text.h"
#include "ops/shapes.h"
#include "ops/views.h"

namespace townpost {

namespace {

#ifdef TOWNPOST_CHECK_ANSWERS
constexpr bool kHeld = true;
#else
constexpr bool kHeld = false;
#endif

/// What every call may say, whatever its row: who, and in which town.
bool is_of_every_call(std::string_view argument) { return argument == "as" || argument == "town"; }

bool takes(const Op* op, std::string_view argument) {
  return is_of_every_call(argument) || (op && find_argument(*op, argument));
}

std::optional<std::string> breach(const Op* same, const NextCall& next) {
  const Op* op = next.op.empty() ? same : find_op(next.op);
  if (!next.op.empty() && !op) return cat("next: there is no operation ", next.op);
  for (const auto& [name, value] : next.args)
    if (!takes(op, name)) return cat("next: ", op ? op->name : "nothing", " does not take ", name);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> breach(const Op* op, const Error& error) {
  if (auto wrong = misfit(shapes::error(), views::error(error))) return wrong;
  if (error.message.empty()) return "error.message: is empty";
  if (op && !error.argument.empty() && !takes(op, error.argument))
    return cat("error.argument: ", op->name, " does not take ", error.argument);
  return error.next ? breach(op, *error.next) : std::nullopt;
}

void hold_to_contract(const Op& op, const Answer& answer) {
  if (!kHeld) return;
  if (const auto wrong = misfit(op.result(), answer.json))
    check_failed(cat("the answer of ", op.name, " fits its shape: ", *wrong).c_str(), __FILE__, __LINE__);
}

void hold_to_contract(const Op* op, const Error& error) {
  if (!kHeld) return;
  if (const auto wrong = breach(op, error))
    check_failed(
        cat("an error of ", op ? op->name : "no operation", " fits its shape: ", *wrong, " (", error.message, ")")
            .c_str(),
        __FILE__, __LINE__);
}

}  // namespace townpost
