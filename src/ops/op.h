#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/environment.h"
#include "base/json.h"
#include "base/process_tree.h"
#include "base/result.h"
#include "ops/args.h"
#include "ops/authority.h"
#include "post/people/caller.h"
#include "post/town/process_notes.h"
#include "post/town/store_admin.h"
#include "post/town/town.h"

namespace townpost {

class SessionDoors;
class Starter;

/// How a call that did not fail ended.
enum class Outcome {
  done,
  nothing,  ///< a negative answer: no mail waiting, nothing found
  partial,  ///< some of several failed
};

/// The result of an operation: JSON with stable keys; every front end makes its own view of it.
struct Answer {
  Json json;
  Outcome outcome = Outcome::done;
  std::vector<std::string> warnings;
  bool as_lines = false;                ///< a list whose JSON is one value a line
  std::optional<std::int64_t> total;    ///< of a list that was cut: how many there are
  std::function<Result<>()> confirm;    ///< to be called once the answer was handed over; not if it was not
  std::optional<int> exit_code;         ///< instead of the outcome's: what a supervised program ended with
  bool wake = false;                    ///< a waiting hook's answer: to be printed where errors go
  std::function<void()> wait_for_more;  ///< for whoever watches: returns when it is time to run the operation again
};

/// Whether a call may wait for its turn to write, or gives up soon: nobody waits for a hook.
enum class Haste {
  none,
  hook,     ///< nobody waits for a hook
  service,  ///< somebody who watches has other things to do, too
};

struct NewTown {
  std::filesystem::path folder;
  std::string name;     ///< the folder's if empty
  std::string store;    ///< empty, or the url of the database that it shares with others
  bool nested = false;  ///< also where another town is used already
};

struct MadeTown {
  std::filesystem::path folder;
  std::string name;
  bool existed = false;
  bool joined = false;  ///< the store held a town already: this is another door to it
  std::vector<std::string> warnings;
};

/// What `gt store copy` did.
struct StoreCopy {
  std::string from;
  std::string to;
  std::int64_t rows = 0;
  std::int64_t written = 0;  ///< of them; the rest was there from an interrupted copy
  std::int64_t messages = 0;
};

/// What an operation may ask for while it runs. The town is opened by the first call of town().
class Context {
 public:
  virtual ~Context() = default;
  virtual Result<Town*> town() = 0;
  /// Without a town or a usable store: the human, if nothing points to anybody else.
  virtual Result<Caller> caller() = 0;
  /// Whether the caller's session was given its name by this very call.
  virtual bool is_newly_named() const = 0;
  /// What said who is calling, for people; empty while nobody has asked.
  virtual std::string how_known() const = 0;
  /// If it runs inside an agent's session, whoever's that is: what tells, for people.
  virtual std::optional<std::string> sign_of_agents_session() const = 0;
  virtual bool at_terminal() const = 0;
  /// The processes that the caller runs in, the nearest first, as they were when the call began.
  virtual const std::vector<ProcessLook>& processes_above() const = 0;
  virtual const ProcessNotes& process_notes() const = 0;
  /// What town.toml says, without opening the store.
  virtual Result<Settings> settings() = 0;
  /// The store itself, also if its schema is not this program's.
  virtual Result<StoreAdmin*> store_admin() = 0;
  virtual const Environment& environment() const = 0;
  virtual const Clock& clock() const = 0;

  /// Makes a town; for `gt init` only.
  virtual Result<MadeTown> make_town(const NewTown& wanted) = 0;
  /// Copies a town from one store into another, telling about it as it goes on; for `gt store copy` only.
  virtual Result<StoreCopy> copy_store(const std::string& from, const std::string& to) = 0;
  /// Where "I looked, nothing waits" is kept for this caller; nothing if there is no town. Does not open the store.
  virtual std::optional<std::string> caller_key() = 0;
  virtual Result<std::filesystem::path> town_folder() = 0;
  virtual Bell& bell() = 0;
  virtual SessionDoors& doors() = 0;
  virtual Starter& starter() = 0;
  /// What the caller was given on standard input; read once, then the same again.
  virtual Result<std::string> input() = 0;
  /// A word for people while something goes on.
  virtual void tell(std::string_view line) = 0;
  /// The calling program itself, to be started again or named in settings of others.
  virtual std::string own_program() const = 0;
  /// What a person should know about the town's settings, if it was opened.
  virtual std::vector<std::string> notices() const = 0;
};

struct Call {
  const Args& args;
  Context& context;
};

struct Op;

/// What an operation does. Only the gate can run it, after it has asked who is calling.
class Handler {
 public:
  template <class Run>
  requires std::is_invocable_r_v<Result<Answer>, Run&, Call&> Handler(Run run)  // NOLINT(google-explicit-constructor)
      : run_(std::move(run)) {}  // NOLINT(google-explicit-constructor): rows are written as lambdas

 private:
  friend Result<Answer> perform(const Op& op, Call& call);
  std::function<Result<Answer>(Call&)> run_;
};

struct Example {
  std::string_view command;
  std::string_view what;
};

/// One capability of the town, as data: command line, help, JSON and reference are made from this row.
struct Op {
  std::string_view name;  ///< "mail.send": `gt mail send`
  std::string_view summary;
  std::vector<Arg> args;
  Authority authority;
  std::string_view answer;  ///< shape of the JSON answer, for the reference
  std::vector<Example> examples;
  Handler run;
  /// Tried first: an answer about the caller's own mail that needs no store, or nothing.
  std::function<std::optional<Answer>(Call&)> run_without_store;
  bool works_without_town = false;
  Haste haste = Haste::none;  ///< how long it waits for the store; hooks never wait long
  /// Whether trouble must not be shown: hooks stay silent and answer with success.
  std::function<bool(const Args&)> fails_open;
};

/// A name under which an operation is called. Rows are made on first use, so that a start pays for one and not for all.
struct OpEntry {
  std::string_view name;  ///< "mail.ack", "mail.mark-read"
  const Op& (*op)();
};

/// Every name of every operation, in the order of the reference; an alias follows the name it stands for.
std::span<const OpEntry> op_table();

}  // namespace townpost
