#include "cli/render_watch.h"

#include "base/text.h"
#include "cli/render_text.h"
#include "cli/spell.h"

namespace townpost {

Shown pane_jump(const CommandLine&, const Answer& answer, const Screen&) {
  const auto& jump = answer.json.get_object();
  const auto did = text_of(jump, "did");
  if (did == "switched")
    return shown("your tmux client shows ", text_of(jump, "address"), " (", text_of(jump, "pane"), ")\n");
  if (did == "attached") return shown("you are back from ", text_of(jump, "address"), "\n");
  std::vector<std::string> words;
  for (const auto& word : jump.at("command").get_array()) words.push_back(as_shell_word(text_of(word)));
  return Shown::line(join(words, " "));
}

}  // namespace townpost
