#pragma once
#include <span>
#include <string>
#include <string_view>

namespace townpost {

struct ExitCode {
  int code;
  std::string_view meaning;
};
std::span<const ExitCode> exit_codes();
std::string exit_codes_in_a_line();
/// Which commands exit otherwise.
std::string_view other_exit_codes();

/// An environment variable that we read.
struct Variable {
  std::string_view name;
  std::string_view meaning;
};
std::span<const Variable> variables();

/// `gt help exit-codes`, `gt help environment`; empty for another word.
std::string help_topic(std::string_view word, std::size_t width = 80);

/// docs/configuration.md: every setting with its default, and every variable.
std::string configuration_markdown();

}  // namespace townpost
