#include "app/origin_of.h"

#include <unistd.h>

#include "app/session_around.h"
#include "base/child.h"

namespace townpost {

Origin origin_of(int pid, const Named& named, const Environment& environment, const ProcessNotes& notes) {
  auto session = session_around(pid, environment, notes);
  Origin origin{.from = pid == ::getpid() ? From::this_process : From::this_host,
                .town = named.town,
                .environment = &environment,
                .identity = IdentityInputs::collect(named.as, environment),
                .above = std::move(session.above)};
  auto& identity = origin.identity;
  identity.around = std::move(session.around);
  identity.beyond = std::move(session.beyond);
  identity.terminal = is_at_terminal(pid) ? Terminal::attended : Terminal::none;
  if (named.haste == Haste::hook && identity.around && identity.around->is_proven) identity.named = {};
  // Inside a session its own process says which pane that is; who runs in it might have forgotten.
  if (session.environment) identity.pane = session.environment->get("TMUX_PANE");
  origin.place = identity.around ? identity.around->process : terminal_around(pid, origin.above);
  origin.session_environment = std::move(session.environment);
  return origin;
}

Origin origin_here(const Named& named, const Environment& environment, const ProcessNotes& notes) {
  return origin_of(::getpid(), named, environment, notes);
}

Result<PeerOrigin> origin_of_peer(int pid, const Named& named, const ProcessNotes& notes) {
  const auto gone = [] { return fail(Code::unavailable, "the caller cannot be seen from here"); };
  const auto name = process_name(pid);
  auto folder = working_folder_of(pid);
  if (pid <= 0 || name.empty() || !folder) return gone();
  const auto environment = std::make_shared<FixedEnvironment>(variables_of_process(pid), std::move(*folder));
  PeerOrigin out{.environment = environment, .origin = origin_of(pid, named, *environment, notes)};
  out.origin.process = name;
  // What was looked at was one process from the first look to the last, and not two of one number.
  return process_name(pid) == name ? Result<PeerOrigin>(std::move(out)) : gone();
}

}  // namespace townpost
