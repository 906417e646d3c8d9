#include "ops/call.h"

#include <utility>

#include "post/people/identity.h"
#include "post/town/town_folder.h"

namespace townpost {

/// The town's store, for as long as somebody waits for this call.
class Call::TimedStore final : public Store {
 public:
  TimedStore(Store& store, const Request& request, const Clock& clock)
      : store_(store), request_(request), clock_(clock) {}
  Result<> run(Access access, const Transaction& work, const Patience&) override {
    TRY_VOID(request_.check(clock_.now()));
    auto done = store_.run(access, timed(work), request_.patience(clock_));
    // Whoever waited in vain may just as well have run out of time: the one is to be tried again, the other is not.
    if (!done && done.error().code == Code::unavailable) TRY_VOID(request_.check(clock_.now()));
    return done;
  }

 private:
  /// It may have waited for its turn: nothing is begun for somebody who has gone meanwhile.
  Transaction timed(const Transaction& work) const {
    return [this, &work](Ledger& ledger) -> Result<> {
      TRY_VOID(request_.check(clock_.now()));
      return work(ledger);
    };
  }
  Store& store_;
  const Request& request_;
  const Clock& clock_;
};

Call::Call(Args given, Host& host_, Request& request_) : args(std::move(given)), host(host_), request(request_) {}

Call::~Call() = default;

Result<std::filesystem::path> Call::town_folder() {
  if (!folder_) {
    const auto& around = request.origin.identity.around;
    folder_ = find_town(request.origin.town, environment(), around ? Asks::agent : Asks::person,
                        around ? ties_of(*around) : SessionTies{});
  }
  return *folder_;
}

/// A session goes where its work is; its town stays the one that it began in.
SessionTies Call::ties_of(const SessionAround& around) const {
  SessionTies out{.towns = host.process_notes().towns_of(around.process), .folders = {}};
  if (const auto project = environment().get("CLAUDE_PROJECT_DIR")) out.folders.emplace_back(*project);
  if (!around.started_in.empty()) out.folders.emplace_back(around.started_in);
  return out;
}

Result<Town*> Call::town() {
  if (town_) return &*town_;
  TRY(folder, town_folder());
  TRY(open, host.open(folder, request));
  open_ = std::move(open);
  settings_ = open_->settings();
  machine_ = host.machine(request.origin);
  store_ = std::make_unique<TimedStore>(open_->store(), request, open_->clock());
  town_.emplace(Town{folder, *settings_, *store_, open_->bell(), *machine_, open_->clock(), host.random()});
  return &*town_;
}

void Call::renew_settings() {
  if (!town_ || !host.open(town_->folder, request)) return;
  if (const auto now = open_->settings(); now != std::exchange(settings_, now)) town_->settings = *now;
}

Result<Settings> Call::settings() {
  TRY(folder, town_folder());
  return host.settings(folder);
}

Result<Caller> Call::caller() {
  if (caller_) return *caller_;
  auto& identity = request.origin.identity;
  const auto opened = town();
  if (!opened) {  // nobody to ask, whatever the reason
    const auto human = identity.human_by_default();
    return human ? Result<Caller>(*human) : Result<Caller>(fail(opened.error()));
  }
  if (identity.above.empty())
    for (const auto& process : request.origin.above) identity.above.push_back(process_name(process));
  TRY(found, identify(identity, **opened, host.process_notes()));
  caller_ = found.caller;
  how_known_ = found.how;
  is_newly_named_ = found.is_newly_named;
  return found.caller;
}

std::optional<std::string> Call::caller_key() {
  // What one look found is kept for the file in the folder only: a shared database is changed by other machines, too.
  const auto elsewhere = environment().get("GT_STORE");
  if (!town_folder() || (elsewhere && *elsewhere != "sqlite")) return std::nullopt;
  return request.origin.identity.key();
}

Result<StoreAdmin*> Call::store_admin() {
  if (admin_) return admin_.get();
  TRY(folder, town_folder());
  TRY(admin, host.store_admin(folder, request));
  admin_ = std::move(admin);
  return admin_.get();
}

Bell& Call::bell() {
  if (open_) return open_->bell();
  if (!folder_bell_) folder_bell_ = host.folder_bell(town_folder().value_or(std::filesystem::path()));
  return *folder_bell_;
}

SessionDoors& Call::doors() {
  if (!doors_) doors_ = host.doors(town_folder().value_or(std::filesystem::path()), request.origin);
  return *doors_;
}

const Clock& Call::clock() const { return open_ ? open_->clock() : host.clock(); }

std::vector<std::string> Call::notices() const { return settings_ ? settings_->warnings : std::vector<std::string>(); }

}  // namespace townpost
