// Rows tell the truth about where they run: what runs anywhere needs nothing of the caller's host, and what does not is
// refused from elsewhere.
#include <set>

#include "base/text.h"
#include "delivery/session_doors.h"
#include "delivery/starter.h"
#include "engine/furnished_town.h"
#include "ops/gate.h"

namespace townpost {
namespace {

/// What was asked of a host that only the caller's own has.
using Uses = std::set<std::string>;

/// Variables and a working folder that a caller elsewhere does not have.
class NoEnvironment final : public Environment {
 public:
  explicit NoEnvironment(Uses& uses) : uses_(uses) {}
  std::optional<std::string> get(const std::string& name) const override {
    uses_.insert("$" + name);
    return std::nullopt;
  }
  std::filesystem::path working_folder() const override {
    uses_.insert("its working folder");
    return "/nowhere";
  }
  std::vector<std::string> names() const override {
    uses_.insert("its variables");
    return {};
  }

 private:
  Uses& uses_;
};

/// A host that has the town and nothing else.
class BareHost final : public Host {
 public:
  BareHost(Host& real, Uses& uses) : real_(real), uses_(uses) {}
  const Clock& clock() const override { return real_.clock(); }
  Random& random() override { return real_.random(); }
  const ProcessNotes& process_notes() const override { return nobody_; }
  Result<std::shared_ptr<OpenTown>> open(const std::filesystem::path& folder, const Request& request) override {
    return real_.open(folder, request);
  }
  Result<Settings> settings(const std::filesystem::path& folder) override { return real_.settings(folder); }
  std::unique_ptr<Bell> folder_bell(const std::filesystem::path& folder) override { return real_.folder_bell(folder); }
  Result<std::unique_ptr<StoreAdmin>> store_admin(const std::filesystem::path& folder,
                                                  const Request& request) override {
    return real_.store_admin(folder, request);
  }

  std::string own_program() const override { return used("own_program"), "true"; }
  Result<MadeTown> make_town(const NewTown&, const Request&) override {
    return used("make_town"), fail(Code::unavailable, "not here");
  }
  Result<StoreCopy> copy_store(const std::filesystem::path&, const std::string&, const std::string&) override {
    return used("copy_store"), fail(Code::unavailable, "not here");
  }
  std::unique_ptr<Machine> machine(const Origin&) override { return std::make_unique<NoMachine>(*this); }
  std::unique_ptr<SessionDoors> doors(const std::filesystem::path&, const Origin&) override {
    return std::make_unique<NoDoors>(*this);
  }
  std::unique_ptr<Starter> starter(const std::filesystem::path&) override { return used("starter"), nullptr; }
  Services& services() override {
    used("services");
    throw std::logic_error("nothing stays here");
  }

 private:
  void used(const std::string& what) const { uses_.insert(what); }

  struct NoMachine final : public Machine {
    explicit NoMachine(const BareHost& its_host) : host(its_host) {}
    std::vector<LiveSession> named(const std::set<std::string>&) override {
      return host.used("a session"), std::vector<LiveSession>();
    }
    std::vector<LiveSession> all() override { return host.used("its sessions"), std::vector<LiveSession>(); }
    std::optional<OwnPane> own_pane() override { return host.used("its pane"), std::nullopt; }
    std::string own_process() override { return host.used("its process"), ""; }
    bool is_running(const std::string& process) override { return host.used("a process"), !process.empty(); }
    const BareHost& host;
  };
  struct NoDoors final : public SessionDoors {
    explicit NoDoors(const BareHost& its_host) : host(its_host) {}
    Result<std::unique_ptr<AgentSession>> open(const std::string&, const Agent&, const Presence&) override {
      return host.used("a door"), fail(Code::usage, "no doors here");
    }
    std::string find(const Address&, const std::string&) override { return host.used("a door by name"), ""; }
    const BareHost& host;
  };

  Host& real_;
  Uses& uses_;
  ProcessNotes nobody_{{}};
};

class WhereTest : public FurnishedTown {
 protected:
  Request from_elsewhere(const std::string& who) {
    Request request = by(who);
    request.origin.from = From::elsewhere;
    request.origin.environment = &no_environment_;
    request.input = [this] { return uses_.insert("its input"), Result<std::string>(""); };
    return request;
  }

  /// With what it asks for, and with each flag besides.
  std::vector<JsonObject> calls(const Op& op) const {
    std::vector<JsonObject> out = {least_call(op)};
    for (const auto& arg : op.args) {
      if (arg.kind != ArgKind::flag) continue;
      out.push_back(least_call(op));
      put(out.back(), arg, true);
    }
    return out;
  }

  /// Whoever runs operations finds the town by its own surroundings, or by what it is told.
  Uses besides_finding_the_town() const {
    Uses out = uses_;
    for (const auto* found_by : {"$GT_STORE", "$HOME", "$XDG_CONFIG_HOME", "its working folder"}) out.erase(found_by);
    return out;
  }

  Uses uses_;
  NoEnvironment no_environment_{uses_};
  BareHost bare_host_{host_, uses_};
  LocalEngine far_{bare_host_};
};
INSTANTIATE_TEST_SUITE_P(Stores, WhereTest, ::testing::Values(Kept::sqlite),
                         [](const auto&) { return std::string("sqlite"); });

TEST_P(WhereTest, WhatRunsAnywhereUsesNothingOfTheCallersHost) {
  // Agents are seen and reached by the host that runs the operation, whoever calls.
  const Uses of_any_host = {"its sessions", "a process", "its process", "a door", "a door by name"};
  std::set<std::string_view> done;
  for (const bool destroys : {false, true})
    for (const auto& entry : op_table()) {
      const Op& op = entry.op();
      if (op.name != entry.name || op.where != Where::anywhere) continue;
      if ((op.effect == Effect::destroys) != destroys) continue;
      for (const auto* who : {"overseer", "alice"})
        for (const auto& call : calls(op)) {
          uses_.clear();
          Request request = from_elsewhere(who);
          const auto got = far_.call(op, checked(op, call), request);
          if (got) done.insert(op.name);
          for (const auto& used : besides_finding_the_town())
            EXPECT_TRUE(of_any_host.contains(used)) << op.name << " " << to_line(call) << " by " << who << ": " << used;
        }
    }
  EXPECT_GT(done.size(), 60u) << "too few operations for this to mean anything";
}

TEST_P(WhereTest, WhatNeedsTheCallersHostOrTerminalIsRefusedFromElsewhereBeforeAnythingIsLookedAt) {
  int tried = 0;
  for (const auto& entry : op_table()) {
    const Op& op = entry.op();
    if (op.name != entry.name || op.where == Where::anywhere) continue;
    uses_.clear();
    Request request = from_elsewhere("overseer");
    const auto got = far_.call(op, checked(op, least_call(op)), request);
    ++tried;
    ASSERT_FALSE(got.has_value()) << op.name;
    EXPECT_EQ(got.error().code, Code::forbidden) << op.name << ": " << got.error().message;
    EXPECT_NE(got.error().message.find(op.where == Where::this_host ? "own host" : "own terminal"), std::string::npos)
        << got.error().message;
    EXPECT_EQ(besides_finding_the_town(), Uses()) << op.name;
    EXPECT_EQ(admit_from(op, From::this_host).has_value(), op.where == Where::this_host) << op.name;
    EXPECT_TRUE(admit_from(op, From::this_process).has_value()) << op.name;
  }
  EXPECT_GT(tried, 20);
}

TEST_P(WhereTest, ACallThatNobodyVouchesForComesFromElsewhere) { EXPECT_EQ(Origin().from, From::elsewhere); }

}  // namespace
}  // namespace townpost
