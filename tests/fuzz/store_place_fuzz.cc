#include "app/store_place.h"
#include "base/password.h"
#include "fuzz/fuzz.h"

using namespace townpost;

namespace {

constexpr std::string_view kSecret = "ZXCVsecret";

/// As it may stand in a url: what would end the part is written with %.
std::string escaped(std::string_view text, std::string_view ends) {
  static constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c != '%' && byte > 0x20 && byte < 0x7F && ends.find(c) == std::string_view::npos)
      out += c;
    else
      out += cat("%", kHex[byte >> 4], kHex[byte & 15]);
  }
  return out;
}

bool tells_the_secret(std::string_view text) { return text.find(kSecret) != std::string_view::npos; }

/// That a url which holds the secret as its password is never shown with it.
void check_hidden(const std::string& url) {
  CHECK(tells_the_secret(url));
  CHECK(!tells_the_secret(without_password(url)));
  const auto place = StorePlace::parse(url, "town");
  CHECK(place.has_value());
  CHECK(place->url == url && !tells_the_secret(place->shown()));
}

void check_place(const std::string& text) {
  const auto place = StorePlace::parse(text, "town");
  if (!place) {
    fuzz::check_error(place.error());
    CHECK(fuzz::is_harmless(place.error().message, fuzz::Lines::one));
    return;
  }
  CHECK(place->url ? *place->url == text : !place->file.empty());
}

}  // namespace

/// The text as a place; and its lines as what stands before and behind the password, the user, the host, the database
/// and an option of a url.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::as_text(data, size);
  check_place(std::string(text));
  check_place(cat("sqlite:", text));
  check_place(cat("postgres://", text));

  auto rest = text;
  const auto before = fuzz::take(rest, '\n');
  const auto behind = fuzz::take(rest, '\n');
  const auto user = escaped(fuzz::take(rest, '\n'), ":@/?#");
  const auto host = escaped(fuzz::take(rest, '\n'), ":@/?#");
  const auto database = escaped(fuzz::take(rest, '\n'), "/?&=#");
  const auto option = escaped(fuzz::take(rest, '\n'), "&=#");
  const auto password = cat(before, kSecret, behind);
  // libpq takes a password up to the first @ or /, and an option up to the next &.
  const auto in_front = escaped(password, "@/");
  const auto as_option = escaped(password, "&=#");
  for (const auto* scheme : {"postgres://", "postgresql://"}) {
    check_hidden(cat(scheme, user, ":", in_front, "@", host, "/", database, "?sslmode=", option));
    check_hidden(cat(scheme, user, ":", in_front, "@", host));
    check_hidden(cat(scheme, user, "@", host, "/", database, "?password=", as_option, "&sslmode=", option));
    check_hidden(cat(scheme, user, "@", host, "/", database, "?sslmode=", option, "&password=", as_option));
    check_hidden(cat(scheme, "/", database, "?host=", host, "&password=", as_option, "&password=", as_option));
    check_hidden(cat(scheme, user, ":", in_front, "@", host, "?password=", as_option));
  }
  return 0;
}
