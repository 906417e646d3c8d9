#pragma once
#include <filesystem>

#include "post/town/bell.h"

namespace townpost {

/// One small file per bell; a ring sets its time, to the nanosecond, and tells whoever waits for that bell
/// (base/ear.h). Whoever listens to all bells watches their folder (inotify). The bells lie beside the database, so
/// that every town that uses it hears them. It keeps nothing: any thread may use it, each listener is for one.
class FileBell final : public Bell {
 public:
  /// The bells of the town's own file.
  explicit FileBell(const std::filesystem::path& town) : folder_(town / "run" / "bell"), own_(true) {}
  /// Those of another file.
  static std::unique_ptr<FileBell> beside(const std::filesystem::path& database) {
    return std::unique_ptr<FileBell>(new FileBell(database.string() + "-bells", false));
  }
  void ring(const BellKey& key) override;
  void ring_all(const std::vector<BellKey>& keys) override;
  /// Only of the town's own bells: who only looks at its folder does not see the others.
  std::optional<std::int64_t> stamp(const BellKey& key) override;
  std::unique_ptr<Listener> listen(const std::vector<BellKey>& keys,
                                   const std::vector<std::filesystem::path>& folders) override;
  std::unique_ptr<Listener> listen_to_all(const std::vector<std::filesystem::path>& folders) override;

 private:
  FileBell(std::filesystem::path folder, bool own) : folder_(std::move(folder)), own_(own) {}
  std::filesystem::path file(const BellKey& key) const { return folder_ / key.name; }
  /// Where those wait who wait for this bell.
  std::filesystem::path ears() const { return (own_ ? folder_.parent_path() : folder_) / "ear"; }
  std::filesystem::path ears(const BellKey& key) const { return ears() / key.name; }
  std::filesystem::path folder_;
  bool own_;
};

}  // namespace townpost
