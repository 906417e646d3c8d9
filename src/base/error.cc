#include "base/error.h"

namespace townpost {

std::string_view name(Code code) {
  switch (code) {
    case Code::usage:
      return "usage";
    case Code::no_town:
      return "no_town";
    case Code::not_found:
      return "not_found";
    case Code::refused:
      return "refused";
    case Code::forbidden:
      return "forbidden";
    case Code::key_conflict:
      return "key_conflict";
    case Code::unavailable:
      return "unavailable";
    case Code::limited:
      return "limited";
    case Code::timeout:
      return "timeout";
    case Code::partial:
      return "partial";
  }
  return "usage";
}

}  // namespace townpost
