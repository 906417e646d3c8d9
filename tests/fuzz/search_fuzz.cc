#include "fuzz/fuzz.h"
#include "fuzz/tiny_town.h"

using namespace townpost;

namespace {

constexpr AgentId kHuman{1};

bool contains(const Message& message, const std::string& wanted) {
  return fold_case(message.subject).find(wanted) != std::string::npos ||
         fold_case(message.body).find(wanted) != std::string::npos;
}

/// How many of the candidates for `query` hold it.
int matches(Ledger& ledger, std::string_view query) {
  int found = 0;
  const auto wanted = fold_case(query);
  const auto done = ledger.search(kHuman, Ledger::SearchIn::own_mail, query, [&](const Mail& mail) {
    if (contains(mail.message, wanted)) ++found;
    return true;
  });
  CHECK(done.has_value());
  return found;
}

}  // namespace

/// A query and, behind the first newline, the body of a message: the index finds it exactly when reading it would.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::TinyTown tiny;
  auto body = fuzz::as_text(data, size);
  const auto query = fuzz::take(body, '\n');
  if (query.empty() || !is_utf8(query) || !is_utf8(body) || body.find('\0') != std::string_view::npos) return 0;
  tiny.try_out([&](Ledger& ledger) -> Result<> {
    Message message;
    message.id = {std::int64_t{1} << kChanceBits};
    message.sender = kHuman;
    message.from = "overseer";
    message.to = {"mayor/"};
    message.subject = "s";
    message.body = std::string(body);
    TRY_VOID(ledger.add_message(message));
    const int expected = contains(message, fold_case(query)) ? 1 : 0;
    CHECK(matches(ledger, query) == expected);
    TRY_VOID(ledger.index_for_search(10));
    CHECK(matches(ledger, query) == expected);
    return {};
  });
  return 0;
}
