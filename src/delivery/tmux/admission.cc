#include "delivery/tmux/admission.h"

#include "base/text.h"

namespace townpost {

namespace {

/// A line reader that a person named, and nothing that stands before it.
Result<HarnessProfile> admit_raw(const Foreground& foreground, std::string_view program) {
  if (!foreground.has(program))
    return fail(Code::forbidden,
                cat(for_terminal_line(foreground.program()), " runs there, and it was registered for ", program));
  if (foreground.fills_the_screen)
    return fail(Code::forbidden, cat(program, " fills the screen: it reads keys there, not lines"));
  for (const auto& one : foreground.programs)
    if (one.kind == ProgramKind::remote)
      return fail(Code::forbidden,
                  cat(for_terminal_line(foreground.program()), " leads elsewhere: what is behind it cannot be seen"));
  return raw_profile();
}

}  // namespace

Result<HarnessProfile> admit(const Foreground& foreground, const Expected& expected) {
  const bool was_looked_at = expected.noted.is(Harness::Kind::typed);
  const auto hooks_say = harness_profile(was_looked_at ? "" : expected.noted.word());
  if (auto why = forbids_typing(foreground); !why.empty()) {
    // A look that found no agent program tells of none that has ended since.
    const bool was_there = hooks_say || (was_looked_at && !expected.noted.program().empty());
    const bool only_shells = !foreground.programs.empty() && foreground.programs.back().kind == ProgramKind::shell;
    if (was_there && only_shells && !foreground.hides_what_is_typed)
      return fail(Code::not_found, "the agent has ended, and a shell has its pane");
    return fail(Code::forbidden, std::move(why));
  }
  if (auto known = foreground.harness()) return *known;
  if (hooks_say && expected.pid > 0 && foreground.has(expected.pid)) return *hooks_say;
  const std::string_view registered = expected.registered;
  if (registered.starts_with(kRawPrefix)) return admit_raw(foreground, registered.substr(kRawPrefix.size()));
  if (!registered.empty()) return harness_profile(registered);
  return fail(Code::forbidden, cat(for_terminal_line(foreground.program()), " runs there, ", kNotKnown),
              "a person may say what it is: " +
                  next("agent.add", {{"address", "ADDR"}, {"session", "URI"}, {"harness", "NAME"}}));
}

Result<std::string> registered_harness(const std::string& word, const Foreground* foreground) {
  if (word.empty()) return word;
  const std::string_view program = std::string_view(word).starts_with(kRawPrefix)
                                       ? std::string_view(word).substr(kRawPrefix.size())
                                       : std::string_view();
  if (word != "raw" && program.empty()) {
    TRY(profile, harness_profile(word));
    return std::string(profile.name);
  }
  if (!program.empty()) {
    if (!deed_of_program(program).empty())
      return fail(Code::refused, cat(for_terminal_line(program), " is ", deed_of_program(program)),
                  "nothing is ever typed there");
    return word;
  }
  if (!foreground)
    return fail_argument("harness", "raw needs a program: nothing runs in that terminal to take its name from",
                         "start it first, or write " + next("", {{"harness", "raw:PROGRAM"}}));
  if (auto why = forbids_typing(*foreground); !why.empty())
    return fail(Code::refused, std::move(why), "start the agent's program there first");
  return cat(kRawPrefix, foreground->program());
}

}  // namespace townpost
