// A worker that is killed sooner or later: queue_worker QUEUE EVIDENCE claims from a queue of the town it stands in and
// completes what it got, again and again, and adds a line to EVIDENCE for everything that the store answered.
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "app/libpq_door.h"
#include "app/local_host.h"
#include "base/environment.h"
#include "base/files.h"
#include "base/text.h"
#include "ops/call.h"
#include "post/lists/claims.h"

namespace townpost {
namespace {

constexpr Millis kPatience(2'000);  // for the next message; then the evidence would show a pause, and it asks again

int work(const std::string& queue, const std::filesystem::path& evidence) {
  const SystemEnvironment environment;
  StandardInput input;
  LibpqDoor postgres;
  const Program program{own_file(), input, postgres};
  LocalHost host(program, Serves::one_call);
  Request request{.origin = origin_here(std::nullopt, std::nullopt, Haste::none, environment, host.process_notes())};
  Call call(Args(), host, request);
  const auto caller = call.caller();
  const auto town = call.town();
  const std::string self = caller ? caller->address.str() : "?";
  auto note = [&](std::string_view what, const auto&... more) {
    if (!append_line(evidence, cat(what, " ", self, ((cat(" ", more)) + ... + "")))) std::_Exit(2);
  };
  auto stop = [&](const Error& error) {
    note("error", error.message);
    return 1;
  };
  if (!town) return stop(town.error());
  if (!caller) return stop(caller.error());
  Claims claims(**town);
  std::unique_ptr<Listener> listener;
  while (true) {
    const auto look = claims.look(queue, *caller, Claims::Paused::wait);
    if (!look) return stop(look.error());
    if (!look->mail) {
      if (!listener) {
        listener = (*town)->bell.listen({look->bell}, {});  // and look once more: what rang before was not heard
        continue;
      }
      listener->wait({}, std::min(kPatience, look->again_at - (*town)->clock.now()));
      continue;
    }
    const MessageId id = look->mail->message.id;
    note("claimed", id.str(), look->mail->item.attempts);
    const auto completed = claims.complete(id, *caller);
    if (completed)
      note("completed", id.str());
    else if (completed.error().code == Code::refused)
      note("refused", id.str());  // the lease ran out and another has it
    else
      return stop(completed.error());
  }
}

}  // namespace
}  // namespace townpost

int main(int argc, char** argv) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // never outlives the test
  if (argc != 3) return 2;
  return townpost::work(argv[1], argv[2]);
}
