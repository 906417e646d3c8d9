#include "app/town_serving.h"

#include <sys/resource.h>

#include "app/local_host.h"
#include "app/origin_of.h"
#include "base/environment.h"
#include "base/log.h"
#include "base/text.h"
#include "net/frame_server.h"
#include "socket/place.h"

namespace townpost {

namespace {

/// So long what is asked already may take when the server ends.
constexpr Millis kGrace = std::chrono::seconds(5);
/// Whoever writes waits for its commit, and a commit is shared by as many as wait.
constexpr Workers::Bounds kWorkers = {.threads = 96, .waiting = 1024};
/// Each wait of a command sleeps in a thread of its own; beyond these they sleep in their own process.
constexpr Workers::Bounds kWaiters = {.threads = 512, .waiting = 0};

/// A server has many connections, and a wait has some files.
void allow_many_files() {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
}

class TownServed final : public Served {
 public:
  TownServed(StandardInput& input, PostgresDoor& postgres, const Serving::Plan& plan)
      : program_{input, postgres},
        host_(program_, Serves::many),
        log_(plan.town / "log" / "up.log", host_.clock()),
        loop_([this](std::string_view what) { log_.line(cat("bug: ", what)); }),
        calls_({.engine = engine_,
                .clock = host_.clock(),
                .town = plan.town.string(),
                .zone = environment_.get("TZ").value_or(""),
                .origin_of =
                    [this](const Peer& peer, const std::optional<std::string>& as, Haste haste) {
                      return origin_of_peer(peer.pid, {.town = std::nullopt, .as = as, .haste = haste},
                                            host_.process_notes());
                    },
                .workers = workers_,
                .waiters = waiters_}) {}

  ~TownServed() override {
    calls_.leave();
    if (socket_) socket_->stop(kGrace);
    workers_.finish();
    waiters_.finish();
    socket_.reset();
    loop_.stop();
  }

  Result<> begin(const Serving::Plan& plan) {
    allow_many_files();
    const auto place = socket_of_town(plan.town);
    if (place.empty()) return fail(Code::unavailable, "there is no folder for the town's socket");
    loop_.start();
    TRY(socket, FrameServer::listen(loop_, place, {}, calls_));
    socket_ = std::move(socket);
    return {};
  }

 private:
  const SystemEnvironment environment_;
  const Program program_;
  LocalHost host_;
  LocalEngine engine_{host_};
  const Log log_;
  Workers workers_{kWorkers};
  Workers waiters_{kWaiters};
  ServerLoop loop_;
  SocketCalls calls_;
  std::unique_ptr<FrameServer> socket_;
};

}  // namespace

Result<std::unique_ptr<Served>> TownServing::begin(const Plan& plan) {
  auto served = std::make_unique<TownServed>(input_, postgres_, plan);
  TRY_VOID(served->begin(plan));
  return std::unique_ptr<Served>(std::move(served));
}

}  // namespace townpost
