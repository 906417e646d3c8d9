#pragma once
#include <filesystem>
#include <optional>

#include "base/folder_watch.h"
#include "post/bell.h"

namespace townpost {

/// One small file per bell under `run/bell`; a ring sets its time, to the nanosecond. Readers wait with inotify.
class FileBell final : public Bell {
 public:
  explicit FileBell(const std::filesystem::path& town) : folder_(town / "run" / "bell") {}
  void ring(const BellKey& key) override;
  std::int64_t stamp(const BellKey& key) override;
  void wait(const BellKey& key, std::int64_t seen, Millis longest) override;
  void wait_for_any(const std::vector<int>& also, Millis longest) override;
  bool stamps_last() const override { return true; }

 private:
  std::filesystem::path file(const BellKey& key) const { return folder_ / key.name; }
  std::filesystem::path folder_;
  std::optional<FolderWatch> all_;  ///< once somebody waits for any
};

}  // namespace townpost
