#pragma once
#include "ops/op.h"

namespace townpost {

// The contract of a row, held in builds for tests (TOWNPOST_CHECK_ANSWERS), where whoever breaks it is ended at once.
// Elsewhere these do nothing.

/// An answer fits its row's shape.
void hold_to_contract(const Op& op, const Answer& answer);

/// An error fits the shape of errors, its argument is one of the row's, and what it says to call next is in the table.
/// `op` is null where no operation was found.
void hold_to_contract(const Op* op, const Error& error);

/// How the error breaks the contract; nothing if it does not.
std::optional<std::string> breach(const Op* op, const Error& error);

}  // namespace townpost
