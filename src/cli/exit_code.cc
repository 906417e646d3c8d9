#include "cli/exit_code.h"

namespace townpost {

int exit_code(Code code) {
  switch (code) {
    case Code::usage:
      return 2;
    case Code::no_town:
      return 3;
    case Code::not_found:
      return 4;
    case Code::refused:
    case Code::forbidden:
    case Code::key_conflict:
      return 5;
    case Code::unavailable:
      return 6;
    case Code::limited:
      return 7;
    case Code::timeout:
      return 8;
    case Code::partial:
      return kExitPartial;
  }
  return 2;
}

int exit_code(const Answer& answer) {
  switch (answer.outcome) {
    case Outcome::done:
      return kExitDone;
    case Outcome::nothing:
      return kExitNothing;
    case Outcome::partial:
      return kExitPartial;
    case Outcome::pending:
      return exit_code(Code::timeout);
    case Outcome::wake:
      return kExitWake;
    case Outcome::exited:
      return static_cast<int>(answer.json.at("exit_code").to_number<std::int64_t>());
  }
  return kExitDone;
}

}  // namespace townpost
