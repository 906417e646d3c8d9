#include "app/standard_input.h"

#include <poll.h>
#include <unistd.h>

#include "base/deadline.h"
#include "base/files.h"

namespace townpost {

namespace {
constexpr Millis kAMoment = std::chrono::seconds(1);
}

Result<std::string> StandardInput::read(std::size_t most, const std::function<void()>& slow) {
  if (!text_) {
    if (slow && !wait_for(STDIN_FILENO, POLLIN, Deadline::in(kAMoment))) slow();
    TRY(text, read_all(STDIN_FILENO, most));
    text_ = std::move(text);
  }
  return *text_;
}

bool StandardInput::speaks() const {
  return text_.has_value() || wait_for(STDIN_FILENO, POLLIN, Deadline::in(kAMoment));
}

}  // namespace townpost
