#pragma once
#include <memory>
#include <optional>
#include <string>

#include "base/environment.h"
#include "ops/request.h"
#include "post/town/process_notes.h"
#include "socket/socket_calls.h"

namespace townpost {

/// What a command says of itself.
struct Named {
  std::optional<std::string> town;  ///< --town
  std::optional<std::string> as;    ///< --as
  Haste haste = Haste::none;        ///< a hook speaks for its session, whatever its variables say
};

/// Where a call of the process with that number comes from.
Origin origin_of(int pid, const Named& named, const Environment& environment, const ProcessNotes& notes);

/// The same of our own.
Origin origin_here(const Named& named, const Environment& environment, const ProcessNotes& notes);

/// Of the process at the other end of a socket: all that counts is what the kernel says of it. Error: unavailable, if
/// it has gone, or cannot be seen from here.
Result<PeerOrigin> origin_of_peer(int pid, const Named& named, const ProcessNotes& notes);

}  // namespace townpost
