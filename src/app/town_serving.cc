#include "app/town_serving.h"

#include <fcntl.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include "app/certificate_watch.h"
#include "app/local_host.h"
#include "app/origin_of.h"
#include "base/child.h"
#include "base/environment.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/number.h"
#include "base/private_files.h"
#include "base/text.h"
#include "http/calls.h"
#include "http/extras.h"
#include "http/token_door.h"
#include "net/frame_client.h"
#include "net/frame_server.h"
#include "net/http_server.h"
#include "ops/gate.h"
#include "ops/server_place.h"
#include "ops/table.h"
#include "post/town/server_note.h"
#include "socket/place.h"
#include "socket/speech.h"

namespace townpost {

namespace {

/// So long what is asked already may take when the server ends.
constexpr Millis kGrace = std::chrono::seconds(5);
/// Where somebody comes after us, clients that are busy are answered once more, and then go there.
constexpr Millis kIdleAtTheEnd(300);
/// Where the usual port is taken, one of the next is easier to remember than any.
constexpr int kNextPorts = 20;
constexpr std::uint16_t kLastPort = 65'535;
constexpr Millis kToGive = std::chrono::seconds(2);
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

/// The allocator keeps memory for each of many threads, which are idle nearly always.
void keep_little_memory() { ::mallopt(M_ARENA_MAX, 2); }

/// "127.0.0.1:8420", "[::1]:8420", ":8420". Error: usage.
Result<HttpServer::Listen> listen_place(std::string_view text) {
  const auto colon = text.rfind(':');
  const auto port = whole_number<std::uint16_t>(colon == std::string_view::npos ? text : text.substr(colon + 1));
  auto address = colon == std::string_view::npos ? std::string_view() : text.substr(0, colon);
  if (address.starts_with('[') && address.ends_with(']')) address = address.substr(1, address.size() - 2);
  if (!port)
    return fail_argument("listen", cat("invalid listen: \"", for_terminal_line(text), "\" names no port"),
                         "say 127.0.0.1:8420");
  return HttpServer::Listen{.address = address.empty() || address == "localhost" ? "127.0.0.1" : std::string(address),
                            .port = *port};
}

/// What is around whoever calls over the network: nothing but where the list of towns is that our user trusts.
FixedEnvironment of_callers(const Environment& own) {
  std::map<std::string, std::string> variables;
  for (const auto* name : {"HOME", "XDG_CONFIG_HOME"})
    if (auto value = own.get(name)) variables[name] = std::move(*value);
  return FixedEnvironment(std::move(variables));
}

class TownServed final : public Served {
 public:
  TownServed(StandardInput& input, PostgresDoor& postgres, RemoteDoor& remote, const Serving::Plan& plan,
             FileDescriptor taken_over)
      : town_(plan.town),
        taken_over_(std::move(taken_over)),
        program_{.input = input, .postgres = postgres, .remote = &remote},
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
                .give_socket = [this](const PeerOrigin& peer) { return give_socket(peer); },
                .workers = workers_,
                .waiters = waiters_}),
        door_({.host = host_,
               .town = plan.town.string(),
               .address = plan.listen.substr(0, plan.listen.rfind(':')),
               .around = around_callers_}),
        events_(std::make_unique<http::EventHub>(
            http::EventHub::Parts{.host = host_, .town = plan.town.string(), .own = own_origin()})),
        api_({.engine = engine_,
              .clock = host_.clock(),
              .town = plan.town.string(),
              .settings = [this] { return settings(); },
              .doorkeeper = door_,
              .workers = workers_}) {
    remote_calls_.add_to(api_);
    http::add_extras(
        api_,
        {.host = host_, .town = plan.town.string(), .events = *events_, .around = around_callers_, .metrics = [this] {
           return metrics();
         }});
  }

  ~TownServed() override {
    if (http_) remove_private_file(ServerNote::place(town_));
    certificate_.reset();
    calls_.leave();
    bool somebody_follows = false;
    {
      const MutexLock lock(mutex_);
      ends_ = true;
      somebody_follows = is_given_;
    }
    if (http_) http_->stop(kGrace, somebody_follows ? kIdleAtTheEnd : Millis(0));
    workers_.finish();  // what was taken on is answered before its connection is closed
    if (socket_) socket_->stop(kGrace);
    waiters_.finish();
    events_.reset();
    socket_.reset();
    http_.reset();
    loop_.stop();
  }

  Result<> begin(const Serving::Plan& plan) {
    allow_many_files();
    keep_little_memory();
    loop_.start();
    const auto commands = listen_to_commands(plan);
    if (plan.listen.empty()) return commands;
    // What stands in the way of the one stands in nobody else's.
    if (!commands) warn(plan, cat(commands.error().message, "; commands do their work themselves"));
    auto answers = listen(plan);
    if (answers || !commands || plan.must_answer_http) return answers;
    warn(plan, cat("HTTP is not answered: ", answers.error().message));
    return {};
  }

 private:
  void warn(const Serving::Plan& plan, std::string_view why) const {
    plan.tell(cat("warning: ", why));
    log_.line(cat("warning: ", why));
  }

  Result<> listen_to_commands(const Serving::Plan& plan) {
    TRY(place, make_place_of_socket(plan.town));
    TRY(socket, FrameServer::listen(loop_, place, {}, calls_));
    socket_ = std::move(socket);
    return {};
  }

  Result<> listen(const Serving::Plan& plan) {
    TRY(place, listen_place(plan.listen));
    TRY(settings, host_.settings(plan.town));
    if (!settings.http.certificate.empty()) place.tls = TlsFiles{settings.http.certificate, settings.http.key};
    const HttpServer::Limits limits{.connections = static_cast<std::size_t>(std::max(settings.http.connections, 1))};
    const auto listen = [&] {
      return taken_over_ && HttpServer::is_at(taken_over_.get(), place)
                 ? HttpServer::go_on(loop_, std::move(taken_over_), place, limits, api_)
                 : HttpServer::listen(loop_, place, limits, api_);
    };
    auto http = listen();
    const auto is_taken = [&] { return !http && http.error().code == Code::refused && plan.any_port; };
    for (int next = 1; next <= kNextPorts && is_taken() && place.port < kLastPort; ++next) {
      ++place.port;
      http = listen();
    }
    if (is_taken()) {
      place.port = 0;
      http = listen();
    }
    taken_over_ = FileDescriptor();
    if (!http) return Failure(http.error());
    {
      const MutexLock lock(mutex_);
      http_ = std::move(*http);
    }
    if (place.tls)
      certificate_.emplace(
          *place.tls, [this] { return http_->reload_tls(); }, [this](std::string_view what) { log_.line(what); });
    const bool v6 = place.address.find(':') != std::string::npos;
    const auto url =
        cat(place.tls ? "https://" : "http://", v6 ? "[" : "", place.address, v6 ? "]" : "", ":", http_->port());
    TRY_VOID(write_file_lightly(ServerNote::place(plan.town), ServerNote{url, process_name(::getpid())}.text()));
    plan.tell(cat("HTTP at ", url));
    if (const auto danger = ops::danger_of(url); !danger.empty()) warn(plan, danger);
    return {};
  }

  /// To whom may be the next server. Any thread.
  Result<FileDescriptor> give_socket(const PeerOrigin& peer) {
    Request request;
    request.origin = peer.origin;
    request.origin.town = town_.string();
    request.started_at = host_.clock().now();
    Call call(Args(), host_, request);
    TRY_VOID(admit(ops::up(), call));
    const MutexLock lock(mutex_);
    if (!http_ || ends_) return fail(Code::not_found, "HTTP is not answered here");
    is_given_ = true;
    return FileDescriptor(::fcntl(http_->socket(), F_DUPFD_CLOEXEC, 0));
  }

  /// A person, for what the server itself looks at.
  Origin own_origin() const {
    Origin out;
    out.environment = &environment_;
    TokenHolder holder = TokenHolder::trusted_loopback();
    out.identity.token = std::move(holder);
    return out;
  }

  std::string metrics() const;
  std::shared_ptr<const Settings> settings() {
    Request asking;
    asking.origin.town = town_.string();
    asking.origin.environment = &environment_;
    asking.started_at = host_.clock().now();
    const auto town = host_.open(town_, asking);
    return town ? (*town)->settings() : std::make_shared<const Settings>();
  }

  const std::filesystem::path town_;
  FileDescriptor taken_over_;
  Mutex mutex_;
  bool is_given_ GUARDED_BY(mutex_) = false;
  bool ends_ GUARDED_BY(mutex_) = false;
  const SystemEnvironment environment_;
  const FixedEnvironment around_callers_ = of_callers(environment_);
  const Program program_;
  LocalHost host_;
  LocalEngine engine_{host_};
  const Log log_;
  Workers workers_{kWorkers};
  Workers waiters_{kWaiters};
  ServerLoop loop_;
  SocketCalls calls_;
  std::unique_ptr<FrameServer> socket_;
  http::TokenDoor door_;
  std::unique_ptr<http::EventHub> events_;
  http::Calls remote_calls_{{.engine = engine_, .clock = host_.clock(), .town = town_.string(), .waiters = waiters_}};
  http::Api api_;
  std::unique_ptr<HttpServer> http_;
  std::optional<CertificateWatch> certificate_;
};

std::string TownServed::metrics() const {
  std::string out;
  const auto add = [&](std::string_view name, std::string_view type, std::string_view help, std::uint64_t value) {
    out += cat("# HELP townpost_", name, " ", help, "\n# TYPE townpost_", name, " ", type, "\ntownpost_", name, " ",
               value, "\n");
  };
  const auto http = http_->counters();
  const auto socket = socket_ ? socket_->counters() : FrameServer::Counters{};
  add("http_connections", "gauge", "Open HTTP connections.", http.connections);
  add("http_requests_total", "counter", "HTTP requests received.", http.requests);
  add("http_refused_total", "counter", "HTTP requests and connections that the server itself refused.", http.refused);
  add("http_received_bytes_total", "counter", "Bytes received over HTTP.", http.bytes_in);
  add("http_sent_bytes_total", "counter", "Bytes sent over HTTP.", http.bytes_out);
  add("event_streams", "gauge", "Open streams of events.", events_->streams());
  add("socket_connections", "gauge", "Commands that are connected to the town's socket.", socket.connections);
  add("socket_frames_received_total", "counter", "Frames received from commands.", socket.frames_in);
  add("socket_frames_sent_total", "counter", "Frames sent to commands.", socket.frames_out);
  add("socket_turned_away_total", "counter", "Commands that were turned away.", socket.turned_away);
  return out;
}

}  // namespace

void TownServing::succeed(const std::filesystem::path& town) {
  const auto place = socket_of_town(town);
  if (place.empty()) return;
  auto client = FrameClient::connect(place, Deadline::in(kToGive));
  if (!client || !*client || !(*client)->send(speech::frame(speech::Kind::succeed), Deadline::in(kToGive))) return;
  if (auto socket = (*client)->receive_descriptor(Deadline::in(kToGive))) taken_over_ = std::move(*socket);
}

Result<std::unique_ptr<Served>> TownServing::begin(const Plan& plan) {
  auto served = std::make_unique<TownServed>(input_, postgres_, remote_, plan, std::move(taken_over_));
  TRY_VOID(served->begin(plan));
  return std::unique_ptr<Served>(std::move(served));
}

}  // namespace townpost
