#include "post/values/shell_words.h"

#include <array>

#include "base/text.h"

namespace townpost {

namespace {

/// `$` is what it is about.
constexpr std::array<std::string_view, 21> kCommands = {
    "gt mail inbox",
    "gt mail inbox --unread",
    "gt mail check",
    "gt mail read $",
    "gt mail ack $",
    "gt mail reply $ -m \"...\"",
    "gt mail thread $",
    "gt mail send $ -s SUBJECT -m TEXT",
    "gt mail directory",
    "gt channel read $ --unread",
    "gt nudge $ \"...\"",
    "gt nudge show $",
    "gt nudge explain $",
    "gt why $",
    "gt agent release $",
    "gt agent alias $ NAME",
    "gt mail claim $",
    "gt mail complete $",
    "gt todo",
    "gt top",
    "gt hold --all",
};
static_assert(kCommands.size() == static_cast<std::size_t>(last_value(ShellCommand{})) + 1);

}  // namespace

std::string typed(ShellCommand command, std::string_view about) {
  std::string out(kCommands[static_cast<std::size_t>(command)]);
  if (const auto place = out.find('$'); place != std::string::npos) out.replace(place, 1, about);
  return out;
}

std::string typed_bd_list(std::string_view reader) {
  return cat("bd list --type message --assignee ", reader, " --json");
}

std::string typed_bd_show(std::string_view id) { return cat("bd show ", id, " --json"); }

std::string typed_bd_answer(std::string_view id, std::string_view from, std::string_view reader,
                            std::string_view thread) {
  return cat("bd create \"RE: ...\" --type message --assignee ", from, " -d \"...\" --labels from:", reader,
             thread.empty() ? "" : ",thread:", thread, ",reply-to:", id, ",msg-type:reply");
}

}  // namespace townpost
