#pragma once
#include <string>
#include <string_view>

namespace townpost {

/// To be found again in what is shown.
constexpr std::string_view kVisible = "zQx";

// What an agent may write to be obeyed, to be hidden, or to pass for somebody else.
std::string hostile_word();  ///< without a blank
std::string hostile_line();  ///< fit for a subject
std::string hostile_lines();

/// What is wrong with these bytes for whoever is shown them; empty: nothing.
std::string wrong_with(std::string_view shown);

/// What a terminal was given, without our own colours and the \r of its line ends.
std::string without_ours(std::string text);

}  // namespace townpost
