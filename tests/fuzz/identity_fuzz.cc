#include "fuzz/fuzz.h"
#include "fuzz/tiny_town.h"
#include "post/people/identity.h"
#include "post/people/registry.h"

using namespace townpost;

namespace {

fuzz::TinyTown& tiny_town() {
  static fuzz::TinyTown tiny;
  static const bool peopled = [] {
    Registry registry(tiny.town());
    for (const char* rig : {"beads", "gastown"}) CHECK(registry.add_rig({.name = rig, .path = "."}).has_value());
    for (const char* address :
         {"beads/crew/max", "beads/polecats/max", "gastown/crew/joe", "coder", "deacon/dogs/fido"})
      CHECK(registry.add_agent({.address = address}, {}).has_value());
    return true;
  }();
  CHECK(peopled);
  return tiny;
}

void check_caller(const IdentityInputs& inputs) {
  CHECK(inputs.key().size() == 16 && inputs.key() == inputs.key());
  const auto found = identify(inputs, tiny_town().town(), ProcessNotes({}));
  if (!found) return fuzz::check_error(found.error());
  CHECK(Address::parse(found->caller.address.str()) == found->caller.address);
}

std::optional<std::string> given(std::string_view text) {
  if (text.empty()) return std::nullopt;
  return std::string(text);
}

}  // namespace

/// The text of a .gt-agent file; the same as --as and as each variable; and its lines as all the variables at once.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::as_text(data, size);
  check_caller({.agent_file = std::string(text)});
  check_caller({.flag = std::string(text)});
  if (!text.empty()) {
    check_caller({.named = {.role = std::string(text)}});
    check_caller({.named = {.mail_identity = std::string(text)}});
    check_caller({.pane = std::string(text)});
  }
  auto rest = text;
  IdentityInputs inputs;
  auto& named = inputs.named;
  for (auto* variable : {&named.role, &named.rig, &named.polecat, &named.crew, &named.dog, &named.mail_identity,
                         &named.actor, &inputs.pane})
    *variable = given(fuzz::take(rest, '\n'));
  check_caller(inputs);
  return 0;
}
