#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/seclusion.h"
#include "base/text.h"
#include "contract/must.h"
#include "contract/stores.h"
#include "post/mail/mailroom.h"
#include "post/mail/post_office.h"
#include "post/people/registry.h"
#include "support/fakes.h"

namespace townpost {

/// The terminal sessions and processes that a test says are alive. Asked inside a transaction it ends the test, as the
/// real one would.
class FakeMachine final : public Machine {
 public:
  std::vector<LiveSession> named(const std::set<std::string>& names) override {
    reach_outside("a session is looked for");
    ++asked;
    std::vector<LiveSession> out;
    for (const auto& name : names) {
      if (live.contains(name)) out.push_back({name, "tmux:" + name, "claude", true});
      if (shells.contains(name)) out.push_back({name, "tmux:" + name, "bash", false});
    }
    return out;
  }
  std::vector<LiveSession> all() override {
    std::set<std::string> names(live.begin(), live.end());
    names.insert(shells.begin(), shells.end());
    return named(names);
  }
  std::optional<OwnPane> own_pane() override {
    reach_outside("tmux is asked for the caller's pane");
    return own;
  }
  std::string own_process() override {
    reach_outside("the own process is looked at");
    if (const auto happens = std::exchange(meanwhile, nullptr)) happens();
    return process;
  }
  bool is_running(const std::string& name) override {
    reach_outside("a process is looked at");
    return running.count(name) > 0;
  }
  std::set<std::string> live;    ///< with an agent's program
  std::set<std::string> shells;  ///< with a shell
  int asked = 0;                 ///< how often one was asked for
  std::optional<OwnPane> own;    ///< the pane of the caller
  /// Once, when somebody is about to take something and asks for its own process: what another does at that moment.
  std::function<void()> meanwhile;
  std::string process = "this process";
  std::set<std::string> running = {"this process"};
};

/// The tests of `suite` run on each store.
#define ON_EVERY_STORE(suite)                                           \
  INSTANTIATE_TEST_SUITE_P(, suite, ::testing::ValuesIn(store_kinds()), \
                           [](const auto& kind) { return kind.param.name; })

/// A town on a real store, with a clock that stands still and chance that repeats itself. It has the rigs `beads` and
/// `alpha` and the agents nux and slit (polecats) and max (crew) of `beads`.
class TownTest : public ::testing::TestWithParam<StoreKind> {
 protected:
  TownTest() {
    Registry registry(town_);
    must(registry.add_rig({.name = "beads", .path = "/src/beads"}));
    must(registry.add_rig({.name = "alpha", .path = "/src/alpha"}));
    for (const auto* address : {"beads/polecats/nux", "beads/polecats/slit", "beads/crew/max"}) register_agent(address);
  }

  Town& town() { return town_; }
  ManualClock& clock() { return clock_; }
  CountingBell& bell() { return bell_; }
  FakeMachine& machine() { return machine_; }
  Limits& limits() { return town_.settings.limits; }
  Store& store() { return *store_; }
  /// Another connection to the same data.
  std::unique_ptr<Database> connect() { return site_->connect(); }
  Registry registry() { return Registry(town_); }
  PostOffice office() { return PostOffice(town_); }
  Mailroom room() { return Mailroom(town_); }

  /// Somebody by any name the town knows, else by a whole address.
  Caller caller(std::string_view name) {
    const auto known = registry().agent(name);
    return {known ? known->address : must(Address::parse(name)), Grade::env};
  }
  Agent register_agent(const std::string& address) { return must(registry().add_agent({.address = address}, {})); }
  Agent agent_of(std::string_view address) { return must(registry().agent(address)); }
  AgentId id_of(std::string_view address) { return agent_of(address).id; }

  /// A letter whose body differs from every other, so that rule L5 takes it for no duplicate.
  Letter letter(const std::string& to, const std::string& subject = "news") {
    return {{.subject = subject, .body = cat("body ", ++letters_)}, {to}};
  }
  Receipt send(std::string_view from, const Letter& what) { return must(office().send(what, caller(from))); }
  Receipt send(std::string_view from, const std::string& to, const std::string& subject = "news") {
    return send(from, letter(to, subject));
  }
  Receipt reply(std::string_view from, MessageId to) {
    return must(office().reply(to, cat("body ", ++letters_), PostOffice::ReplyTo::sender, {}, caller(from)));
  }

  std::vector<Mail> inbox(std::string_view whose, Shelf shelf = Shelf::inbox) {
    return must(room().inbox({.shelf = shelf, .limit = 1000}, caller(whose))).mails;
  }
  std::vector<std::string> subjects(std::string_view whose, Shelf shelf = Shelf::inbox) {
    std::vector<std::string> out;
    for (const auto& mail : inbox(whose, shelf)) out.push_back(mail.message.subject);
    return out;
  }
  Delivery copy_of(MessageId message, std::string_view whose) {
    const AgentId mailbox = id_of(whose);
    return reading(*store_, [&](Ledger& ledger) { return must(ledger.delivery(message, mailbox)).value(); });
  }
  std::vector<std::string> events(MessageId message) {
    std::vector<std::string> out;
    for (const auto& event : reading(*store_, [&](Ledger& ledger) { return must(ledger.events_of(message)); }))
      out.emplace_back(name(event.kind));
    return out;
  }
  MarkOutcome mark(MessageId id, Mark what, std::string_view who) {
    return must(room().mark({id.str()}, what, caller(who))).at(0);
  }
  /// Any write carries out a share of what is due; this one changes nothing else.
  void let_duties_run() {
    for (int i = 0; i < 3; ++i) must(room().mark({}, Mark::read, caller("deacon/")));
  }

 private:
  TemporaryFolder folder_ = must(TemporaryFolder::make("town"));
  CountingBell bell_;
  std::unique_ptr<StoreSite> site_ = GetParam().make_site();
  std::unique_ptr<Store> store_ = open_store(*site_, &bell_);
  FakeMachine machine_;
  ManualClock clock_;
  SeededRandom random_{7};
  Town town_{folder_.path(), Settings(), *store_, bell_, machine_, clock_, random_};
  int letters_ = 0;
};

}  // namespace townpost
