#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/environment.h"
#include "base/result.h"

namespace townpost {

/// The towns that this user made or said to trust: a line `ID FOLDER` each in `~/.config/townpost/towns` (or below
/// XDG_CONFIG_HOME). The id is chance and stands in the town's folder as well, so that another folder that comes to the
/// same place is not taken for it, and a town that was moved is known again. Without HOME there is no list. The list is
/// read anew each time, and replaced whole: any thread may ask, and the last of two who add at once may win.
class TrustedTowns {
 public:
  explicit TrustedTowns(const Environment& environment);

  enum class Standing {
    trusted,
    unknown,
    moved,     ///< trusted, but at another place
    replaced,  ///< another town was trusted at this place
  };
  struct Verdict {
    Standing standing = Standing::unknown;
    std::filesystem::path before;  ///< where it was, if it was moved
  };
  /// What is known of the town in this `.town` folder (canonical).
  Verdict judge(const std::filesystem::path& town) const;
  /// The `.town` folders in the list that are still there, in the order they were added.
  std::vector<std::filesystem::path> known() const;

  /// A new id for a town: what its file `id` holds.
  static std::string new_id();
  /// Notes that the town with this id is, or is about to be, in this folder. Those that were there before stay in the
  /// list: one may come back from a backup.
  Result<> add(const std::filesystem::path& town, const std::string& id) const;
  /// It did not come to be.
  Result<> forget(const std::string& id) const;
  /// Gives the town a new id and notes it.
  Result<> trust(const std::filesystem::path& town) const;
  /// Whether it was in the list.
  Result<bool> remove(const std::filesystem::path& town) const;

 private:
  struct Entry {
    std::string id;
    std::filesystem::path town;
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  /// What is in the list; empty if it is not this user's own.
  std::string text() const;
  static std::vector<Entry> entries_in(std::string_view text);
  std::vector<Entry> entries() const { return entries_in(text()); }
  /// Writes the list anew with what `change` makes of it, one process at a time.
  template <class Change>
  Result<> rewrite(const Change& change) const;

  std::optional<std::filesystem::path> file_;
};

}  // namespace townpost
