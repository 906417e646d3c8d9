// A worker that is killed sooner or later: queue_worker QUEUE EVIDENCE [whims] claims from a queue of the town it
// stands in and completes what it got, again and again, and adds a line to EVIDENCE for everything that the store
// answered. With whims it also fails, releases, extends, and sleeps past its lease.
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <thread>

#include "app/libpq_door.h"
#include "app/local_host.h"
#include "app/origin_of.h"
#include "base/environment.h"
#include "base/files.h"
#include "base/random.h"
#include "base/text.h"
#include "ops/call.h"
#include "post/lists/claims.h"

namespace townpost {
namespace {

constexpr Millis kPatience(2'000);  // for the next message; then the evidence would show a pause, and it asks again

class Worker {
 public:
  Worker(Town& town, const Caller& self, std::string queue, std::filesystem::path evidence, bool has_whims)
      : town_(town),
        self_(self),
        queue_(std::move(queue)),
        evidence_(std::move(evidence)),
        has_whims_(has_whims),
        claims_(town) {}

  /// Until something goes wrong that may not.
  int work() {
    std::unique_ptr<Listener> listener;
    while (true) {
      const auto look = claims_.look(queue_, self_, Claims::Paused::wait);
      if (!look) return stop(look.error().message);
      if (!look->mail) {
        if (!listener) {
          listener = town_.bell.listen({look->bell}, {});  // and look once more: what rang before was not heard
          continue;
        }
        listener->wait({}, std::min(kPatience, look->again_at - town_.clock.now()));
        continue;
      }
      const auto& item = look->mail->item;
      note("claimed", item.message.str(), item.attempts);
      if (item.state != ItemState::leased || item.lease_until - *item.claimed_at != look->mail->queue.lease)
        return stop(cat("a claim of ", item.message.str(), " without its lease"));
      if (const auto done = finish(item.message, look->mail->queue.lease); !done) return stop(done.error().message);
    }
  }

 private:
  void note(std::string_view what, const auto&... more) {
    if (!append_line(evidence_, cat(what, " ", self_.address.str(), ((cat(" ", more)) + ... + "")))) std::_Exit(2);
  }

  int stop(const std::string& why) {
    note("error", why);
    return 1;
  }

  /// What was answered; a refusal is one answer, because the lease may have run out and another may have it.
  Result<> told(std::string_view what, MessageId id, const Result<QueuedItem>& answer) {
    if (answer)
      note(what, id.str());
    else if (answer.error().code == Code::refused)
      note("refused", id.str());
    else
      return Failure(answer.error());
    return {};
  }

  Result<> finish(MessageId id, Millis lease) {
    const auto whim = has_whims_ ? random_.bits() % 60 : 59;
    if (whim < 20) return told("failed", id, claims_.fail_attempt(id, "a whim", self_));
    if (whim < 23) return told("released", id, claims_.release(id, self_));
    if (whim < 26) TRY_VOID(told("extended", id, claims_.extend(id, std::nullopt, self_)));
    if (whim == 26) std::this_thread::sleep_for(lease * 11 / 10);
    return told("completed", id, claims_.complete(id, self_));
  }

  Town& town_;
  Caller self_;
  std::string queue_;
  std::filesystem::path evidence_;
  bool has_whims_;
  Claims claims_;
  SystemRandom random_;
};

int work(const std::string& queue, const std::filesystem::path& evidence, bool has_whims) {
  const SystemEnvironment environment;
  StandardInput input;
  LibpqDoor postgres;
  const Program program{input, postgres};
  LocalHost host(program, Serves::one_call);
  Request request{.origin = origin_here({}, environment, host.process_notes())};
  Call call(Args(), host, request);
  const auto caller = call.caller();
  const auto town = call.town();
  if (!town || !caller) {
    (void)append_line(evidence, cat("error ? ", (town ? caller.error() : town.error()).message));
    return 1;
  }
  return Worker(**town, *caller, queue, evidence, has_whims).work();
}

}  // namespace
}  // namespace townpost

int main(int argc, char** argv) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // never outlives the test
  if (argc < 3) return 2;
  return townpost::work(argv[1], argv[2], argc > 3);
}
