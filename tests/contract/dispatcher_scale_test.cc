// What a ring costs whoever watches: statements and files, in a small town and in a large one.
#include <sys/inotify.h>
#include <unistd.h>

#include <array>

#include "contract/delivery_fixture.h"
#include "store/sql_store.h"
#include "support/database_behind.h"

namespace townpost {
namespace {

/// Which files of some folders were opened, and which of their folders were read.
class Opened {
 public:
  explicit Opened(const std::vector<std::filesystem::path>& folders)
      : notifier_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
    for (const auto& folder : folders) {
      std::filesystem::create_directories(folder);
      EXPECT_GE(::inotify_add_watch(notifier_.get(), folder.c_str(), IN_OPEN), 0) << folder;
    }
  }
  std::set<std::pair<int, std::string>> names() const {
    std::set<std::pair<int, std::string>> out;
    alignas(inotify_event) std::array<char, 64u << 10> events{};
    for (ssize_t got = 0; (got = ::read(notifier_.get(), events.data(), events.size())) > 0;) {
      for (ssize_t at = 0; at < got;) {
        const auto* event = reinterpret_cast<const inotify_event*>(events.data() + at);
        out.emplace(event->wd, event->len > 0 ? event->name : ".");
        at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
      }
    }
    return out;
  }

 private:
  FileDescriptor notifier_;
};

struct Cost {
  int statements = 0;
  std::size_t files = 0;   ///< presences
  std::size_t others = 0;  ///< whatever else is opened below run: notes of sessions, ears
  friend bool operator==(const Cost&, const Cost&) = default;
};
void PrintTo(const Cost& cost, std::ostream* out) {
  *out << cost.statements << " statements, " << cost.files << " presences, " << cost.others << " other files";
}

class DispatcherAtScale : public DeliveryTest {
 protected:
  /// Until the town has so many agents of this kind, each with a session that its hooks told of.
  void grow_to(int number) {
    const PresenceFiles files(town().folder);
    writing(store(), [&](Ledger& ledger) {
      for (int i = static_cast<int>(agents_.size()); i < number; ++i)
        agents_.push_back(must(ledger.add_agent(
            {.address = must(Address::parse(cat("beads/polecats/p", i))), .created_at = clock().now()})));
      ledger.ring(BellKey::registry());
    });
    for (const auto agent : agents_)
      files.write({.agent = agent,
                   .state = AgentState::idle,
                   .incarnation = cat("session ", agent.key),
                   .harness = Harness::of_word("claude"),
                   .host = "this host",
                   .pid = 4711,
                   .started_at = clock().now(),
                   .since = clock().now(),
                   .last_activity = clock().now()});
    until_nothing_is_left();
  }
  /// What the watcher does because of `event`.
  template <class Event>
  Cost cost_of(Event event) {
    until_nothing_is_left();
    event();
    const auto run = town().folder / "run";
    const Opened opened({PresenceFiles(town().folder).folder()});
    const Opened others({run, run / "session", run / "ear"});
    asked_ = {};
    until_nothing_is_left();
    return {asked_.all(), opened.names().size(), others.names().size()};
  }
  AgentId agent(int number) const { return agents_.at(static_cast<std::size_t>(number)); }

 private:
  void until_nothing_is_left() {
    while (must(counted_watcher_.round()) <= clock().now()) {
    }
  }
  std::vector<AgentId> agents_;
  DatabaseCounts asked_;
  SqlStore counted_{std::make_unique<CountingDatabase>(connect(), asked_), &bell()};
  Town counted_town_{town().folder,  town().settings, counted_,     town().bell,
                     town().machine, town().clock,    town().random};
  Watcher counted_watcher_{counted_town_, doors(), starter()};
};
ON_EVERY_STORE(DispatcherAtScale);

TEST_P(DispatcherAtScale, ARingCostsTheSameHoweverManyAgentsThereAre) {
  std::map<std::string, Cost> small;
  for (const int number : {20, 2000}) {
    grow_to(number);
    const int who = number - 1;
    std::map<std::string, Cost> costs;
    costs["a nudge"] = cost_of([&] { nudge("overseer", cat("beads/polecats/p", who)); });
    costs["mail"] = cost_of([&] { send("overseer", cat("beads/polecats/p", who - 1)); });
    costs["a ring without a reason"] = cost_of([&] { bell().ring(agent(who - 2)); });
    costs["a hook's note"] = cost_of([&] {
      auto presence = PresenceFiles(town().folder).read(agent(who - 3)).value();
      presence.state = AgentState::running;
      PresenceFiles(town().folder).write(presence);
    });
    costs["the registry's bell"] = cost_of([&] { bell().ring(BellKey::registry()); });
    costs["a bell that concerns no agent"] = cost_of([&] { bell().ring(BellKey::channels()); });
    for (const auto& [what, cost] : costs) {
      const bool of_one = what != "the registry's bell" && what != "a bell that concerns no agent";
      EXPECT_LE(cost.files, of_one ? 1U : 0U) << what << ", " << number << " agents";
      RecordProperty(cat(what, " at ", number), cost.statements);
      RecordProperty(cat(what, " at ", number, ", other files"), static_cast<int>(cost.others));
    }
    if (small.empty())
      small = costs;
    else
      EXPECT_EQ(costs, small);
  }
}

TEST_P(DispatcherAtScale, AnEndThatNobodyToldOfIsSeenByAGlance) {
  grow_to(500);
  starter().ended = {4711};  // everybody's process
  clock().advance(std::chrono::seconds(31));
  (void)cost_of([] {});
  for (const int who : {0, 250, 499})
    EXPECT_EQ(PresenceFiles(town().folder).read(agent(who))->state, AgentState::exited) << who;
}

}  // namespace
}  // namespace townpost
