#include "delivery/opencode/opencode_address.h"

#include <gtest/gtest.h>

namespace townpost {
namespace {

OpencodeAddress parsed(std::string_view uri) {
  const auto address = OpencodeAddress::parse(uri);
  EXPECT_TRUE(address) << uri << ": " << address.error().message;
  return address.value_or(OpencodeAddress{});
}

TEST(OpencodeAddress, NamesAServerAndASession) {
  const auto address = parsed("opencode:http://127.0.0.1:4096#ses_1");
  EXPECT_EQ(address.server, "http://127.0.0.1:4096");
  EXPECT_EQ(address.session, "ses_1");
  EXPECT_EQ(address.url("/message"), "http://127.0.0.1:4096/session/ses_1/message");
  EXPECT_EQ(address.events_url(), "http://127.0.0.1:4096/global/event");
}

TEST(OpencodeAddress, MayHaveAPathButNeedsNoSlash) {
  EXPECT_EQ(parsed("opencode:http://h/#s"), parsed("opencode:http://h:80#s"));
  EXPECT_EQ(parsed("opencode:http://h:1/oc/#s").url(""), "http://h:1/oc/session/s");
}

TEST(OpencodeAddress, GivesABarePasswordTheUserOfOpencode) {
  const auto address = parsed("opencode:http://:se%40cret@127.0.0.1:4096#ses_1");
  EXPECT_EQ(address.server, "http://opencode:se%40cret@127.0.0.1:4096");
  EXPECT_EQ(address.shown_server(), "http://127.0.0.1:4096");
}

TEST(OpencodeAddress, RefusesWhatNamesNoSession) {
  for (const auto* uri :
       {"", "opencode:", "tmux:x", "http://h#s", "opencode:http://h", "opencode:http://h#", "opencode:http://h#a/b",
        "opencode:http://h#../x", "opencode:http://h?directory=/x#s", "opencode:https://h#s", "opencode:h:1#s"}) {
    const auto address = OpencodeAddress::parse(uri);
    ASSERT_FALSE(address) << uri;
    EXPECT_EQ(address.error().code, Code::usage) << uri;
    EXPECT_FALSE(address.error().hint.empty()) << uri;
  }
}

}  // namespace
}  // namespace townpost
