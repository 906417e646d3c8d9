#include "delivery/session_doors.h"

#include "base/child.h"
#include "base/process_tree.h"
#include "base/text.h"
#include "delivery/http/http_session.h"
#include "delivery/opencode/opencode_session.h"
#include "delivery/tmux/admission.h"
#include "delivery/tmux/session_name.h"
#include "delivery/tmux/tmux_session.h"
#include "delivery/tmux/tmux_socket.h"
#include "net/url.h"
#include "post/town/machine.h"
#include "post/town/presences.h"
#include "post/values/session_uri.h"

namespace townpost {

namespace {

/// A terminal that nobody can be reached through now, and why.
class ClosedSession final : public AgentSession {
 public:
  explicit ClosedSession(const Error& why)
      : look_{why.code == Code::not_found   ? SessionState::gone
              : why.code == Code::forbidden ? SessionState::shut
                                            : SessionState::silent,
              why.message} {}
  SessionLook look() override { return look_; }
  std::optional<bool> shows(std::string_view) override { return std::nullopt; }
  Injected inject(const Injection&) override { return {Injected::Outcome::not_started, look_.detail}; }

 private:
  SessionLook look_;
};

std::string socket_of(const TmuxTarget& target) { return target.socket.empty() ? usual_tmux_socket() : target.socket; }

Tmux tmux_of(const TmuxTarget& target, Processes& processes, Random& random) {
  return Tmux(processes, random, {.socket_path = socket_of(target), .socket_name = ""});
}

/// A pane's number means the pane that it was given for, and no later one: whoever was registered for it is known by
/// the pane's process, and a session that only runs there by its own.
Result<> check_number(const TmuxTarget& target, const TmuxPane& pane, const Agent& agent, const std::string& uri,
                      const Presence& presence) {
  if (target.pane.empty()) return {};
  if (agent.session != uri) {
    const bool known = presence.pid > 0 && !is_gone(presence) && runs_within(presence.pid, static_cast<int>(pane.pid));
    if (known) return {};
    return fail(Code::forbidden, cat("it is not known whose tmux pane ", pane.id, " is now"),
                next("agent.add", {{"address", agent.address.str()}, {"session", uri}}));
  }
  if (agent.pane_process == process_name(static_cast<int>(pane.pid))) return {};
  return fail(Code::forbidden,
              agent.pane_process.empty()
                  ? cat("tmux pane ", pane.id, " was not there when it was registered")
                  : cat("tmux pane ", pane.id, " is not the one that was registered: another process has it now"),
              next("agent.add", {{"address", agent.address.str()}, {"session", uri}}));
}

/// The panes that an agent may be in: the one that was named, or those of the session of that name.
Result<std::vector<TmuxPane>> panes_of(Tmux tmux, const TmuxTarget& target) {
  TRY(first, tmux.pane(target));
  std::vector<TmuxPane> out = {first};
  if (!target.pane.empty() || first.alone) return out;
  TRY(all, tmux.panes());
  out.clear();
  for (auto& pane : all)
    if (pane.session == target.session) out.push_back(std::move(pane));
  return out;
}

Error not_in(int pid, const std::string& uri) {
  return {Code::not_found, cat("process ", pid, " does not run in ", uri), ""};
}

}  // namespace

Result<PanePlace> SessionDoors::pane_of(const std::string& uri, const Agent&, const Presence&) {
  return fail(Code::usage, cat(for_terminal_line(shown_session(uri)), " is not a tmux session"));
}

Result<std::string> SessionDoors::screen_of(const PanePlace& place) {
  return fail(Code::not_found, cat("there is no pane ", place.pane));
}

Result<std::unique_ptr<AgentSession>> SystemDoors::open_tmux(const std::string& uri, const Agent& agent,
                                                             const Presence& presence) {
  TRY(target, TmuxTarget::parse(uri));
  const bool live = presence.session == uri && !is_over(presence.state);
  const Expected expected{.registered = agent.session == uri ? agent.harness : std::string(),
                          .noted = presence.harness,
                          .pid = live ? presence.pid : 0};
  const auto closed = [](const Error& why) -> std::unique_ptr<AgentSession> {
    return std::make_unique<ClosedSession>(why);
  };
  const auto panes = panes_of(tmux_of(target, processes_, random_), target);
  if (!panes) return closed(panes.error());
  const auto admitted = [target = target, agent, expected, uri,
                         presence](const TmuxPane& pane) -> Result<HarnessProfile> {
    if (pane.dead) return fail(Code::not_found, cat("the program in tmux pane ", pane.id, " has ended"));
    TRY_VOID(check_number(target, pane, agent, uri, presence));
    return admit(foreground_of(pane), expected);
  };
  std::optional<Error> why;
  for (const auto& pane : *panes) {
    if (expected.pid > 0 && !runs_within(expected.pid, static_cast<int>(pane.pid))) continue;
    auto profile = admitted(pane);
    if (!profile) {
      if (!why) why = profile.error();
      continue;
    }
    TmuxSessionPlace place{.target = target, .locks = locks_, .own_triggers = {std::string(kTrigger)}};
    place.server.socket_path = socket_of(target);
    if (expected.pid > 0) place.pid = expected.pid;
    place.profile = *profile;
    // Asked again at every look: the agent may end between this one and the first key.
    place.admits = [admitted, name = std::string(profile->name)](const TmuxPane& now) -> Result<> {
      TRY(again, admitted(now));
      if (again.name == name) return {};
      return fail(Code::forbidden, "another program came to the front just now");
    };
    // Of several panes the one with the agent; for a line reader nobody guesses.
    if (profile->input != HarnessProfile::Input::unknown && panes->size() > 1)
      place.target = {.pane = pane.id, .session = "", .socket = target.socket};
    return std::unique_ptr<AgentSession>(std::make_unique<TmuxSession>(processes_, random_, std::move(place)));
  }
  if (why) return closed(*why);
  return closed(not_in(expected.pid, uri));
}

Result<std::unique_ptr<AgentSession>> SystemDoors::open(const std::string& uri, const Agent& agent,
                                                        const Presence& presence) {
  if (uri.starts_with("opencode:")) {
    TRY(address, OpencodeAddress::parse(uri));
    return std::unique_ptr<AgentSession>(std::make_unique<OpencodeSession>(address, clock_));
  }
  if (uri.starts_with("tmux:")) return open_tmux(uri, agent, presence);
  if (is_http_session(uri)) return open_http(uri, agent, presence);
  return fail(Code::usage, cat("\"", for_terminal_line(shown_session(uri)), "\" is not a session that can be reached"),
              "sessions look like tmux:NAME, tmux:%5, opencode:http://127.0.0.1:4096#ses_1 or http:https://HOST");
}

Result<std::unique_ptr<AgentSession>> SystemDoors::open_http(const std::string& uri, const Agent& agent,
                                                             const Presence& presence) {
  TRY(runner, HttpRunner::parse(uri));
  if (!http_.dialer || !http_.allowed) return fail(Code::unavailable, "no service is asked from here");
  const bool named = runner.is_named_in(http_.allowed());
  TRY(dialer, http_.dialer(runner.url.scheme, named ? AllowsNumber() : AllowsNumber(is_public_number)));
  return std::unique_ptr<AgentSession>(
      std::make_unique<HttpSession>(runner, agent.address, presence, std::move(dialer)));
}

int SystemDoors::process_of(const std::string& uri) {
  if (!uri.starts_with("tmux:")) return 0;
  const auto target = TmuxTarget::parse(uri);
  if (!target) return 0;
  const auto pane = tmux_of(*target, processes_, random_).pane(*target);
  return pane ? static_cast<int>(pane->pid) : 0;
}

bool SystemDoors::is_agents(const std::string& uri) {
  const auto target = TmuxTarget::parse(uri);
  if (!target) return false;
  const auto pane = tmux_of(*target, processes_, random_).pane(*target);
  return pane && foreground_of(*pane).harness().has_value();
}

std::string SystemDoors::stored_uri(const std::string& uri) {
  if (!is_http_session(uri)) return stored_tmux_uri(uri, environment_);
  const auto runner = HttpRunner::parse(uri);
  return runner ? runner->uri() : uri;
}

Result<std::string> SystemDoors::harness_word(const std::string& word, const std::string& uri) {
  if (word.empty()) return word;
  TRY(target, TmuxTarget::parse(uri));
  const auto pane = tmux_of(target, processes_, random_).pane(target);
  if (!pane) return registered_harness(word, nullptr);
  const auto foreground = foreground_of(*pane);
  return registered_harness(word, &foreground);
}

Result<PanePlace> SystemDoors::pane_of(const std::string& uri, const Agent& agent, const Presence& presence) {
  TRY(target, TmuxTarget::parse(uri));
  TRY(panes, panes_of(tmux_of(target, processes_, random_), target));
  const bool live = presence.session == uri && !is_over(presence.state);
  const int pid = live ? presence.pid : 0;
  std::optional<Error> why;
  for (const auto& pane : panes) {
    if (pid > 0 && !runs_within(pid, static_cast<int>(pane.pid))) continue;
    const auto known = check_number(target, pane, agent, uri, presence);
    if (known) return PanePlace{socket_of(target), pane.id, pane.session};
    if (!why) why = known.error();
  }
  if (why) return fail(*why);
  return fail(not_in(pid, uri));
}

std::optional<PanePlace> SystemDoors::pane_around(int pid) {
  const TmuxTarget here{.pane = "", .session = "", .socket = tmux_socket_here(environment_)};
  std::vector<TmuxTarget> servers = {here};
  if (!here.socket.empty()) servers.push_back({});
  for (const auto& server : servers) {
    const auto panes = tmux_of(server, processes_, random_).panes();
    if (!panes) continue;
    for (const auto& pane : *panes)
      if (pane.pid > 0 && runs_within(pid, static_cast<int>(pane.pid)))
        return PanePlace{socket_of(server), pane.id, pane.session};
  }
  return std::nullopt;
}

Result<std::string> SystemDoors::screen_of(const PanePlace& place) {
  Tmux tmux(processes_, random_, {.socket_path = place.socket, .socket_name = ""});
  return tmux.plain_capture(place.pane);
}

bool is_of_this_host(const std::string& uri) {
  if (uri.starts_with("tmux:")) return true;
  const auto address = OpencodeAddress::parse(uri);
  const auto server = address ? Url::parse(address->server) : Result<Url>(fail(Code::usage, ""));
  return server && server->is_loopback();
}

std::string SystemDoors::find(const Address& address, const std::string& rig_prefix) {
  constexpr Millis kFresh = std::chrono::seconds(1);  // one look for everybody who is asked about in one go
  const Instant now = clock_.now();
  if (now < live_at_ || now - live_at_ >= kFresh) {
    const auto here = tmux_socket_here(environment_);
    live_ = tmux_of({.pane = "", .session = "", .socket = here}, processes_, random_)
                .sessions()
                .value_or(std::vector<std::string>{});
    live_at_ = now;
  }
  const auto name = live_session(address, rig_prefix, live_);
  return name ? tmux_uri(tmux_socket_here(environment_), *name) : std::string();
}

}  // namespace townpost
