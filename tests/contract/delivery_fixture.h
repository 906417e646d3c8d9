#pragma once
#include <map>
#include <memory>

#include "contract/nudge_fixture.h"
#include "delivery/dispatcher.h"

namespace townpost {

/// An agent's session that is nothing but what a test says of it.
struct FakeAgent {
  SessionLook look{SessionState::idle, ""};
  Injected::Outcome takes = Injected::Outcome::shown;  ///< how an injection ends
  bool can_be_seen = true;                             ///< whether anybody can look what was shown there
  std::vector<Injection> injected;                     ///< all that was taken, in order
  std::string seen;                                    ///< what is to be seen there
  std::vector<std::string> told;                       ///< what people there were told
  std::function<void()> before_injection;
  int looks = 0;  ///< how often it was looked at

  std::vector<std::string> ids() const {
    std::vector<std::string> out;
    for (const auto& one : injected) out.insert(out.end(), one.ids.begin(), one.ids.end());
    return out;
  }
};

class FakeSession final : public AgentSession {
 public:
  explicit FakeSession(FakeAgent& agent) : agent_(agent) {}
  SessionLook look() override {
    ++agent_.looks;
    return agent_.look;
  }
  std::optional<bool> shows(std::string_view id) override {
    if (!agent_.can_be_seen) return std::nullopt;
    return agent_.seen.find(id) != std::string::npos;
  }
  Injected inject(const Injection& injection) override {
    if (agent_.before_injection) agent_.before_injection();
    const bool ready = agent_.look.state == SessionState::idle || agent_.look.state == SessionState::unknown;
    if (injection.at == Injection::At::idle && !ready) return {Injected::Outcome::not_started, "it is not idle"};
    if (agent_.takes == Injected::Outcome::not_started) return {agent_.takes, "nobody took it"};
    if (agent_.takes == Injected::Outcome::failed) return {agent_.takes, "it was taken back"};
    agent_.injected.push_back(injection);
    if (agent_.takes == Injected::Outcome::shown) agent_.seen += injection.text;
    return {agent_.takes, "the fake agent took it"};
  }

  void tell_people(std::string_view text) override { agent_.told.emplace_back(text); }

 private:
  FakeAgent& agent_;
};

/// Doors to fake agents, by session URI. Behind any other URI nobody is there.
class FakeDoors final : public SessionDoors {
 public:
  Result<std::unique_ptr<AgentSession>> open(const std::string& uri, const Agent&, const Presence&) override {
    if (uri.starts_with("codex:")) return fail(Code::usage, cat(uri, " is not a session that can be reached"), "");
    const auto found = agents.find(uri);
    return std::make_unique<FakeSession>(found == agents.end() ? nobody_ : found->second);
  }
  std::string find(const Address& address, const std::string&) override {
    const auto found = by_name.find(address.str());
    return found == by_name.end() ? "" : found->second;
  }
  std::map<std::string, FakeAgent> agents;
  std::map<std::string, std::string> by_name;

 private:
  FakeAgent nobody_{.look = {SessionState::gone, ""}};
};

/// Starts nothing, and remembers what it was asked for.
class FakeStarter final : public Starter {
 public:
  Result<> start(const Agent& agent, const std::string& command, const std::string& session) override {
    started.push_back(cat(agent.address.str(), ": ", command, session.empty() ? "" : cat(" (", session, ")")));
    if (!error.empty()) return fail(Code::not_found, error, "");
    return {};
  }
  bool can_stop(const Agent&) override { return supervises; }
  void stop(const Agent& agent) override { stopped.push_back(agent.id); }
  bool is_alive(const Presence& presence) override { return !ended.contains(presence.pid); }
  std::vector<std::string> started;
  std::vector<AgentId> stopped;
  bool supervises = true;  ///< whether it has the agents' programs
  std::set<int> ended;
  std::string error;
};

/// A town whose agents are fakes behind doors, with somebody who watches over them when the test says so.
class DeliveryTest : public NudgeTest {
 protected:
  /// The session of `who`, which is registered for it.
  FakeAgent& session(const std::string& who) {
    const std::string uri = "http:fake/" + who;
    if (!doors_.agents.contains(uri)) must(registry().add_agent({.address = address_of(who), .session = uri}, {}));
    return doors_.agents[uri];
  }
  FakeDoors& doors() { return doors_; }
  FakeStarter& starter() { return starter_; }
  std::string address_of(const std::string& who) { return agent_of(who).address.str(); }

  Courier::Report deliver(const std::string& who) { return must(Courier(town(), doors_).deliver(id_of(who))); }

  // ---- presence ----
  void set_presence(const std::string& who, const std::function<void(Presence&)>& change) {
    const PresenceFiles files(town().folder);
    Presence presence = files.read(id_of(who)).value_or(Presence{.agent = id_of(who), .started_at = clock().now()});
    change(presence);
    files.write(presence);
  }
  /// What a hook or a supervisor would note of it now.
  void becomes(const std::string& who, AgentState state) {
    set_presence(who, [&](Presence& presence) {
      presence.state = state;
      presence.since = clock().now();
      presence.last_activity = clock().now();
    });
  }
  AgentState state_of(const std::string& who) {
    const auto presence = PresenceFiles(town().folder).read(id_of(who));
    return presence ? presence->state : AgentState::unknown;
  }

  // ---- watching ----
  /// Somebody who watches, and hears what happens from now on.
  class Watcher {
   public:
    Watcher(Town& town, SessionDoors& doors, Starter& starter)
        : dispatcher_(town, doors, starter, "this host"),
          listener_(town.bell.listen_to_all({dispatcher_.presences()})) {}
    /// As `gt up` does it: until nothing is left to do at this moment.
    Result<Instant> round() {
      while (true) {
        dispatcher_.hear(listener_->wait({}, Millis(0)));
        auto next = dispatcher_.round();
        const auto more = listener_->wait({}, Millis(0));
        dispatcher_.hear(more);
        if (!next || more.nothing()) return next;
      }
    }

   private:
    Dispatcher dispatcher_;
    std::unique_ptr<Listener> listener_;
  };
  Watcher& watcher() {
    if (!watcher_) watcher_ = std::make_unique<Watcher>(town(), doors_, starter_);
    return *watcher_;
  }
  /// The watcher is replaced by a new one.
  void restart_dispatcher() { watcher_.reset(); }
  Instant round() { return must(watcher().round()); }
  /// So long, with a round whenever the watcher wants one.
  void watch(Millis length) {
    const Instant end = clock().now() + length;
    while (true) {
      const Instant next = round();
      if (next > end) break;
      clock().set(next);
    }
    clock().set(end);
    round();
  }

 private:
  FakeDoors doors_;
  FakeStarter starter_;
  std::unique_ptr<Watcher> watcher_;
};

inline void PrintTo(AgentState state, std::ostream* out) { *out << name(state); }

}  // namespace townpost
