#include <locale.h>
#include <wctype.h>

#include "base/text.h"
#include "base/utf8.h"

namespace townpost {

namespace {

// A locale object of our own: what the program or a library does to the global locale must not change which names are
// equal. Null where the system lacks C.UTF-8; never freed, as it is needed until the end.
locale_t unicode_locale() {
  static const locale_t locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", static_cast<locale_t>(nullptr));
  return locale;
}

char fold_ascii(char byte) { return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + ('a' - 'A')) : byte; }

// Up and then down, as some letters have two small forms (σ and ς) or a capital only by way of another (ſ and s).
// Turkish İ and ı stay apart from i, as in Unicode's simple folding: two names must not meet by way of them.
char32_t fold(char32_t point, locale_t locale) {
  if (point == 0x130 || point == 0x131) return point;
  return static_cast<char32_t>(towlower_l(towupper_l(static_cast<wint_t>(point), locale), locale));
}

}  // namespace

std::string fold_case(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (; !text.empty() && static_cast<unsigned char>(text[0]) < 0x80; text.remove_prefix(1))
    out.push_back(fold_ascii(text[0]));
  if (text.empty()) return out;

  const locale_t locale = unicode_locale();
  for_each_character(text, [&out, locale](char32_t point, std::string_view bytes) {
    if (point < 0x80) {
      out.push_back(fold_ascii(bytes[0]));
    } else if (locale == nullptr) {
      out.append(bytes);
    } else {
      append_utf8(out, fold(point, locale));
    }
  });
  return out;
}

}  // namespace townpost
