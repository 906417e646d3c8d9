#include "app/local_host.h"
#include "app/session_around.h"

namespace townpost {

Origin origin_here(const std::optional<std::string>& town_flag, const std::optional<std::string>& as_flag, Haste haste,
                   const Environment& environment, const ProcessNotes& notes) {
  auto session = session_around(environment, notes);
  Origin origin{.from = From::this_process,
                .town = town_flag,
                .environment = &environment,
                .identity = IdentityInputs::collect(as_flag, environment),
                .above = std::move(session.above)};
  auto& identity = origin.identity;
  identity.around = std::move(session.around);
  identity.beyond = std::move(session.beyond);
  identity.terminal = terminal_here();
  if (haste == Haste::hook && identity.around && identity.around->is_proven) identity.named = {};
  // Inside a session its own process says which pane that is; who runs in it might have forgotten.
  if (session.environment) identity.pane = session.environment->get("TMUX_PANE");
  origin.place = identity.around ? identity.around->process : terminal_around(origin.above);
  origin.session_environment = std::move(session.environment);
  return origin;
}

}  // namespace townpost
