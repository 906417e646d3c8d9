#pragma once
#include <filesystem>

#include "post/bell.h"

namespace townpost {

/// One small file per mailbox under `run/bell`; a ring sets its time, to the nanosecond. Readers wait with inotify.
class FileBell final : public Bell {
 public:
  explicit FileBell(const std::filesystem::path& town) : folder_(town / "run" / "bell") {}
  void ring(AgentId mailbox) override;
  std::int64_t stamp(AgentId mailbox) override;
  void wait(AgentId mailbox, std::int64_t seen, Millis longest) override;

 private:
  std::filesystem::path file(AgentId mailbox) const { return folder_ / std::to_string(mailbox.key); }
  std::filesystem::path folder_;
};

}  // namespace townpost
