#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "support/test_town.h"

namespace townpost {

using Words = TestTown::Words;
using Variables = TestTown::Variables;

/// How a call is to fail.
struct Refusal {
  int exit_code;
  std::string code;  ///< in JSON: "usage", "not_found", …
  std::string says;  ///< part of the message
};

/// Fails unless the call is refused like that, in text (one line with a hint on stderr, nothing on stdout) and with
/// --json (the error on stdout).
void expect_refusal(const TestTown& town, const Words& words, const Refusal& refusal, const Variables& variables = {},
                    const std::string& input = "");

/// expect_refusal, and the store is afterwards what it was before.
void expect_refused_untouched(const TestTown& town, const Words& words, const Refusal& refusal,
                              const Variables& variables = {}, const std::string& input = "");

/// The keys of spec/mail.md that every message has, in order.
const std::vector<std::string>& message_keys();

/// Whether it is a time as JSON has it: 2026-03-05T10:30:00.123Z
bool is_instant(std::string_view text);

/// `words` with more words behind them.
Words with(Words words, const Words& more);

/// The message as `viewer` reads it.
Json read_as(const TestTown& town, const std::string& viewer, const std::string& id);

/// Ids of the messages in a mailbox, in the order of the list.
std::vector<std::string> inbox_ids(const TestTown& town, const std::string& owner, const Words& more = {});

std::vector<std::string> lines_of(std::string_view text);

}  // namespace townpost
