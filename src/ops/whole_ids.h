#pragma once
#include <string>
#include <vector>

#include "ops/op.h"

namespace townpost {

/// The arguments of the call with whole ids where messages or nudges were named by their places in the caller's last
/// listing, or by a part of their ids. `taken`: what was meant, for people, by whatever changes something.
/// Error: usage, naming the candidates, if several are meant; not_found.
struct WholeIds {
  Args args;
  std::vector<std::string> taken;
};
Result<WholeIds> whole_ids(const Op& op, Call& call);

}  // namespace townpost
