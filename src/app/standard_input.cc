#include "app/standard_input.h"

#include <unistd.h>

#include "base/files.h"

namespace townpost {

Result<std::string> StandardInput::read(std::size_t most) {
  if (!text_) {
    TRY(text, read_all(STDIN_FILENO, most));
    text_ = std::move(text);
  }
  return *text_;
}

}  // namespace townpost
