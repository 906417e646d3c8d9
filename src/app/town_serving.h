#pragma once
#include "app/program.h"
#include "base/files.h"
#include "daemon/serving.h"

namespace townpost {

/// Serves a town to the commands of this host, over its socket, and over HTTP. A program that uses this links what the
/// network needs; `gt` does not.
class TownServing final : public Serving {
 public:
  TownServing(StandardInput& input, PostgresDoor& postgres, RemoteDoor& remote)
      : input_(input), postgres_(postgres), remote_(remote) {}
  void hand_over() override {}
  void succeed(const std::filesystem::path& town) override;
  Result<std::unique_ptr<Served>> begin(const Plan& plan) override;

 private:
  StandardInput& input_;
  PostgresDoor& postgres_;
  FileDescriptor taken_over_;  ///< where the one before us answered HTTP
  RemoteDoor& remote_;
};

}  // namespace townpost
