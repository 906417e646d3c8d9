// An address of a server, and what the system prints of a host: input is either.
#include <string>

#include "fuzz/fuzz.h"
#include "net/host_lookup.h"
#include "net/http_client.h"
#include "net/url.h"

using namespace townpost;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::as_text(data, size);
  const auto url = Url::parse(text, Url::Schemes::http_and_https);
  const auto plain = Url::parse(text);
  if (url) {
    CHECK(plain.has_value() == (url->scheme == Url::Scheme::http));
    CHECK(url->port > 0 && !url->host.empty());
    const auto shown = Url::parse(url->origin(), Url::Schemes::http_and_https);
    CHECK(shown && shown->host == url->host && shown->port == url->port && shown->scheme == url->scheme);
    CHECK(shown->user.empty() && shown->password.empty());
    const auto request = http_request({.url = std::string(text)}, *url);
    CHECK(request && request->find("\r\n\r\n") == request->size() - 4);
  } else {
    fuzz::check_error(url.error());
    CHECK(!plain);
  }
  CHECK(percent_unescaped(percent_escaped(text)) == text);

  const auto numbers = numbers_in(text);
  for (const auto& number : numbers) {
    CHECK(number.find_first_of(" \t\r\n") == std::string::npos);
    CHECK(numbers_in(number) == std::vector{number});
  }
  return 0;
}
