#include "protocol/infrastructure.h"

#include <gtest/gtest.h>

namespace townpost::protocol {
namespace {

TEST(Infrastructure, IsWhatProgramsTellEachOther) {  // J007
  for (const auto* subject : {"WITNESS_PING: check", "witness_ping: x", "MERGED: PR #123", "POLECAT_DONE nux",
                              "Session ended", "Handoff complete: nux"})
    EXPECT_TRUE(is_infrastructure(subject)) << subject;
}

TEST(Infrastructure, IsNotWhatPeopleRead) {  // J007
  for (const auto* subject :
       {"", "Fix bug", "Review PR", "HELP: stuck", "🤝 HANDOFF: notes", "about the session ended"})
    EXPECT_FALSE(is_infrastructure(subject)) << subject;
}

}  // namespace
}  // namespace townpost::protocol
