#include "post/town/server_note.h"

#include <gtest/gtest.h>

namespace townpost {
namespace {

TEST(ServerNote, IsReadAsItWasWritten) {
  for (const auto* url : {"http://127.0.0.1:8420", "https://town.example", "http://[::1]:80"}) {
    const ServerNote note{url, "4711.99@host"};
    EXPECT_EQ(ServerNote::parse(note.text()), note);
  }
}

TEST(ServerNote, OfAnotherKindIsNone) {
  for (const auto* text : {"", "\n", "\n\n", "http://a\n", "http://a\np", "http://a\n\n", "http://\np\n",
                           "ftp://a\np\n", "http://a/b\np\n", "http://a b\np\n", "http://a\x1b[1m\np\n",
                           "http://user@a\np\n", "http://a\np\nq\n", "javascript:x\np\n"})
    EXPECT_FALSE(ServerNote::parse(text).has_value()) << text;
  EXPECT_FALSE(ServerNote::parse("http://" + std::string(400, 'a') + "\np\n").has_value());
}

}  // namespace
}  // namespace townpost
