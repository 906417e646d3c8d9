#include "fuzz/fuzz.h"
#include "fuzz/tiny_town.h"
#include "post/lists/groups.h"
#include "post/lists/queues.h"
#include "post/people/membership.h"
#include "post/people/registry.h"

using namespace townpost;

namespace {

const std::vector<std::string> kAddresses = {"coder",          "mayor/",          "beads/witness", "beads/polecats/nux",
                                             "beads/crew/max", "gastown/crew/joe"};

fuzz::TinyTown& tiny_town() {
  static fuzz::TinyTown tiny;
  static const bool peopled = [] {
    Registry registry(tiny.town());
    for (const char* rig : {"beads", "gastown"}) CHECK(registry.add_rig({.name = rig, .path = "."}).has_value());
    for (const char* address : {"beads/crew/max", "beads/polecats/nux", "gastown/crew/joe", "coder"})
      CHECK(registry.add_agent({.address = address}, {}).has_value());
    Groups groups(tiny.town());
    CHECK(groups.create("ops", {"coder", "@crew", "group:inner"}, {}).has_value());
    CHECK(groups.create("inner", {"@ops", "beads/*"}, {}).has_value());
    CHECK(Queues(tiny.town()).create({.name = "dispatch"}).has_value());
    return true;
  }();
  CHECK(peopled);
  return tiny;
}

/// What is kept can be read again and means the same.
void check_member(Ledger& ledger, std::string_view text) {
  const auto spelling = member_spelling(ledger, text);
  if (!spelling) return fuzz::check_error(spelling.error());
  CHECK(fuzz::is_harmless(*spelling, fuzz::Lines::one));
  CHECK(Destination::parse(*spelling).has_value());
  CHECK(member_spelling(ledger, *spelling).value_or("") == *spelling);
  const auto agents = expand_member(ledger, *spelling);
  CHECK(agents.has_value());
  for (const auto& agent : *agents) {
    const auto covered = covers(ledger, *spelling, agent);
    CHECK(covered.has_value() && *covered);
  }
}

void check_claimers(Ledger& ledger, std::string_view text) {
  const auto spelling = claimers_spelling(ledger, text);
  if (!spelling) return fuzz::check_error(spelling.error());
  CHECK(fuzz::is_harmless(*spelling, fuzz::Lines::one));
  CHECK(claimers_spelling(ledger, *spelling).value_or("") == *spelling);
  for (const auto& address : kAddresses) {
    const auto agent = ledger.find_agent(address);
    CHECK(agent.has_value());
    if (*agent) CHECK(may_claim(ledger, *spelling, **agent).has_value());
  }
}

}  // namespace

/// The text as a member, as claimers, and its two lines as a pattern and who is looked for in it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::as_text(data, size);
  tiny_town().try_out([&](Ledger& ledger) -> Result<> {
    check_member(ledger, text);
    check_claimers(ledger, text);
    return {};
  });
  auto rest = text;
  const auto pattern = fuzz::take(rest, '\n');
  CHECK(matches_claimers("*", rest));
  const bool matches = matches_claimers(pattern, rest);
  // A pattern without stars is the address itself, with or without the slash behind it.
  if (pattern.find('*') == std::string_view::npos && matches)
    CHECK(cat(pattern, pattern.ends_with('/') ? "" : "/") == cat(rest, rest.ends_with('/') ? "" : "/"));
  for (const auto& address : kAddresses)
    if (matches_claimers(pattern, address) && pattern != "*")
      CHECK(std::count(pattern.begin(), pattern.end(), '/') - (pattern.ends_with('/') ? 1 : 0) ==
            std::count(address.begin(), address.end(), '/') - (address.ends_with('/') ? 1 : 0));
  return 0;
}
