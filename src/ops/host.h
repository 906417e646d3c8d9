#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "base/result.h"
#include "ops/request.h"
#include "post/town/process_notes.h"
#include "post/town/store_admin.h"
#include "post/town/town.h"

namespace townpost {

class Services;
class SessionDoors;
class Starter;

/// A town that is open: what all calls on it share. Its parts are safe for many threads if its host serves many.
class OpenTown {
 public:
  virtual ~OpenTown() = default;
  /// As town.toml was when the town was opened or asked for last. What was valid last, with a warning, if it is broken.
  virtual std::shared_ptr<const Settings> settings() const = 0;
  virtual Store& store() = 0;
  virtual Bell& bell() = 0;
  virtual const Clock& clock() const = 0;
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

/// What the process that runs operations has, whoever calls. Safe for many threads.
class Host {
 public:
  virtual ~Host() = default;
  virtual const Clock& clock() const = 0;
  virtual Random& random() = 0;
  virtual const ProcessNotes& process_notes() const = 0;
  /// The program itself, to be started again or named in settings of others.
  virtual std::string own_program() const = 0;

  /// The town of this `.town` folder, with its settings as they are now; the same one for all who ask while it is
  /// open and keeps its mail in the same place.
  virtual Result<std::shared_ptr<OpenTown>> open(const std::filesystem::path& folder, const Request& request) = 0;
  /// What town.toml says, without opening the store.
  virtual Result<Settings> settings(const std::filesystem::path& folder) = 0;
  /// The bells in the town's folder, for whoever asks before the store is opened.
  virtual std::unique_ptr<Bell> folder_bell(const std::filesystem::path& folder) = 0;
  /// The store itself, also if its schema is not this program's.
  virtual Result<std::unique_ptr<StoreAdmin>> store_admin(const std::filesystem::path& folder,
                                                          const Request& request) = 0;
  /// Makes a town; for `gt init` only.
  virtual Result<MadeTown> make_town(const NewTown& wanted, const Request& request) = 0;
  /// Copies a town from one store into another, telling about it as it goes on; for `gt store copy` only.
  virtual Result<StoreCopy> copy_store(const std::filesystem::path& folder, const std::string& from,
                                       const std::string& to) = 0;

  /// This host's sessions and processes as the caller sees them. Each is for one call.
  virtual std::unique_ptr<Machine> machine(const Origin& origin) = 0;
  virtual std::unique_ptr<SessionDoors> doors(const std::filesystem::path& folder, const Origin& origin) = 0;
  virtual std::unique_ptr<Starter> starter(const std::filesystem::path& folder) = 0;
  /// What the process can stay for; for the one call that does.
  virtual Services& services() = 0;
};

}  // namespace townpost
