#include "base/editor.h"

#include <poll.h>

#include "base/child.h"
#include "base/leave_interrupts.h"
#include "base/text.h"

namespace townpost {

namespace {

/// The editor's words: a program, or a program with arguments ("code --wait"). No shell takes them apart.
std::vector<std::string> editor_of(const Environment& environment) {
  for (const auto* name : {"VISUAL", "EDITOR"}) {
    const auto value = environment.get(name);
    if (!value || trim(*value).empty()) continue;
    std::vector<std::string> words;
    for (const auto word : split(*value, ' '))
      if (!word.empty()) words.emplace_back(word);
    return words;
  }
  return {"vi"};
}

constexpr std::string_view kWithoutEditor = "set EDITOR to one you have";

}  // namespace

Result<> open_in_editor(const std::filesystem::path& file, const Environment& environment) {
  ChildPlan plan{.command = editor_of(environment)};
  const auto editor = for_terminal_line(plan.command.front());
  plan.command.push_back(file.string());
  const LeaveInterrupts while_it_runs;
  auto child = Child::start(plan);
  if (!child) return fail(Code::usage, cat("there is no editor ", editor), std::string(kWithoutEditor));
  std::optional<int> code;
  while (!(code = child->exit_code())) {
    pollfd end{child->end(), POLLIN, 0};
    ::poll(&end, 1, -1);
  }
  if (*code == 0) return {};
  return fail(Code::usage, cat("the editor ", editor, " ended with ", *code), std::string(kWithoutEditor));
}

}  // namespace townpost
