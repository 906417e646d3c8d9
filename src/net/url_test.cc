#include "net/url.h"

#include <gtest/gtest.h>

namespace townpost {
namespace {

Url parsed(std::string_view text) {
  const auto url = Url::parse(text);
  EXPECT_TRUE(url) << text << ": " << url.error().message;
  return url.value_or(Url{});
}

TEST(Url, IsTakenApart) {
  const auto url = parsed("http://Example.org:4096/a/b?c=d#session");
  EXPECT_EQ(url.host, "example.org");
  EXPECT_EQ(url.port, 4096);
  EXPECT_EQ(url.target, "/a/b?c=d");
  EXPECT_EQ(url.origin(), "http://example.org:4096");
}

TEST(Url, HasThePortAndPathOfHttpIfNoneIsNamed) {
  EXPECT_EQ(parsed("http://localhost").port, 80);
  EXPECT_EQ(parsed("http://localhost").target, "/");
  EXPECT_EQ(parsed("http://localhost?x=1").target, "/?x=1");
}

TEST(Url, TakesNumbersOfTheNewInternetInBrackets) {
  const auto url = parsed("http://[::1]:4096/");
  EXPECT_EQ(url.host, "::1");
  EXPECT_EQ(url.host_and_port(), "[::1]:4096");
  EXPECT_TRUE(url.is_loopback());
}

TEST(Url, IsOfThisMachineByItsNumberOnly) {
  for (const auto* text : {"127.0.0.1", "127.8.9.10", "::1", "::ffff:127.0.0.1", "0:0:0:0:0:0:0:1"})
    EXPECT_TRUE(is_loopback_number(text)) << text;
  for (const auto* text : {"", "127.", "127.evil.example", "127.0.0.1.evil.example", "::ffff:127.evil", "128.0.0.1",
                           "0.0.0.0", "::", "::2", "localhost", "127.0.0.1 "})
    EXPECT_FALSE(is_loopback_number(text)) << text;
  EXPECT_TRUE(parsed("http://localhost").is_loopback());
  EXPECT_FALSE(parsed("http://127.evil.example/").is_loopback());
}

TEST(Url, OfHttpsIsUnderstoodOnlyByThoseWhoSpeakIt) {
  const auto url = Url::parse("HTTPS://example.org/a", Url::Schemes::http_and_https).value();
  EXPECT_EQ(url.port, 443);
  EXPECT_EQ(url.origin(), "https://example.org:443");
  EXPECT_EQ(Url::parse("http://example.org", Url::Schemes::http_and_https)->scheme, Url::Scheme::http);
  EXPECT_FALSE(Url::parse("https://example.org"));
}

TEST(Url, KeepsThePasswordOutOfWhatIsShown) {
  const auto url = parsed("http://max:p%40ss%3a@127.0.0.1:1/");
  EXPECT_EQ(url.user, "max");
  EXPECT_EQ(url.password, "p@ss:");
  EXPECT_EQ(url.origin(), "http://127.0.0.1:1");
  EXPECT_EQ(basic_authorization(url), "Basic bWF4OnBAc3M6");
}

TEST(Url, OfNobodyAuthorizesNothing) { EXPECT_EQ(basic_authorization(parsed("http://h")), ""); }

TEST(Url, RefusesWhatCannotBeAskedAndNamesNoPassword) {
  for (const auto* text : {"", "https://h", "ftp://h", "http://", "http://:80", "http://h:0", "http://h:65536",
                           "http://h:8x", "http://h:", "http://a b", "http://h/\r\nX: y", "http://[::1", "http://[]:1",
                           "http://u:secret@h:x", "http://u:secret@", "http://h\xc3\xa4"}) {
    const auto url = Url::parse(text);
    ASSERT_FALSE(url) << text;
    EXPECT_EQ(url.error().code, Code::usage) << text;
    EXPECT_EQ(url.error().message.find("secret"), std::string::npos) << url.error().message;
  }
}

TEST(Url, EscapesWhatWouldMeanSomethingInAQuery) {
  EXPECT_EQ(percent_escaped("/a b&c=ä"), "%2Fa%20b%26c%3D%C3%A4");
  EXPECT_EQ(percent_unescaped("%2Fa%20b%26c%3D%C3%A4"), "/a b&c=ä");
  EXPECT_EQ(percent_unescaped("100%"), "100%");
  EXPECT_EQ(percent_unescaped("%zz%4"), "%zz%4");
}

}  // namespace
}  // namespace townpost
