#include "net/url.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>

#include "base/number.h"
#include "base/text.h"

namespace townpost {

namespace {

constexpr std::string_view kHttp = "http://";
constexpr std::string_view kHttps = "https://";

bool is_visible(char c) { return c > ' ' && c < '\x7f'; }

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_host(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '.' ||
           c == '_' || c == ':';
  });
}

/// Takes the host, with or without brackets, off the front. False if it is none.
bool take_host(std::string_view& rest, std::string& host) {
  std::string_view found;
  if (rest.substr(0, 1) == "[") {
    const auto end = rest.find(']');
    if (end == std::string_view::npos) return false;
    found = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
  } else {
    found = rest.substr(0, rest.find(':'));
    rest.remove_prefix(found.size());
  }
  host = lower_ascii(found);
  return is_host(found);
}

bool read_port(std::string_view text, std::uint16_t& port) {
  port = whole_number<std::uint16_t>(text).value_or(0);
  return port > 0;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const auto piece = bytes.substr(at, 3);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i)
      bits = bits << 8 | (i < piece.size() ? static_cast<unsigned char>(piece[i]) : 0U);
    for (std::size_t i = 0; i < 4; ++i) out.push_back(i <= piece.size() ? kDigits[bits >> (18 - 6 * i) & 0x3F] : '=');
  }
  return out;
}

}  // namespace

Result<Url> Url::parse(std::string_view text, Schemes known) {
  const auto refuse = [](std::string_view why) {
    return fail(Code::usage, cat("not an address of a server: ", why), "write it as http://HOST:PORT");
  };
  if (!std::all_of(text.begin(), text.end(), is_visible)) return refuse("it holds a space or a strange character");
  Url url;
  if (known == Schemes::http_and_https && lower_ascii(text.substr(0, kHttps.size())) == kHttps) {
    url.scheme = Scheme::https;
    url.port = 443;
  } else if (lower_ascii(text.substr(0, kHttp.size())) != kHttp) {
    return refuse("it does not begin with http://");
  }
  text.remove_prefix(url.scheme == Scheme::https ? kHttps.size() : kHttp.size());
  text = text.substr(0, text.find('#'));

  const auto path = std::min(text.find_first_of("/?"), text.size());
  if (path < text.size()) url.target = cat(text[path] == '?' ? "/" : "", text.substr(path));
  auto authority = text.substr(0, path);
  if (const auto at = authority.rfind('@'); at != std::string_view::npos) {
    const auto who = authority.substr(0, at);
    const auto colon = std::min(who.find(':'), who.size());
    url.user = percent_unescaped(who.substr(0, colon));
    url.password = percent_unescaped(who.substr(std::min(colon + 1, who.size())));
    authority.remove_prefix(at + 1);
  }
  if (!take_host(authority, url.host)) return refuse("it names no host");
  if (!authority.empty() && (authority[0] != ':' || !read_port(authority.substr(1), url.port)))
    return refuse("its port is not a number from 1 to 65535");
  return url;
}

std::string Url::host_and_port() const {
  const bool brackets = host.find(':') != std::string::npos;
  return cat(brackets ? "[" : "", host, brackets ? "]:" : ":", port);
}

std::string Url::origin() const { return cat(scheme == Scheme::https ? kHttps : kHttp, host_and_port()); }

bool is_loopback_number(std::string_view text) {
  const std::string number(text);
  in_addr four{};
  in6_addr six{};
  constexpr std::uint8_t kLoopback = 127;
  if (inet_pton(AF_INET, number.c_str(), &four) == 1) return ntohl(four.s_addr) >> 24 == kLoopback;
  if (inet_pton(AF_INET6, number.c_str(), &six) != 1) return false;
  return IN6_IS_ADDR_LOOPBACK(&six) || (IN6_IS_ADDR_V4MAPPED(&six) && six.s6_addr[12] == kLoopback);
}

bool Url::is_loopback() const { return host == "localhost" || is_loopback_number(host); }

std::string basic_authorization(const Url& url) {
  if (url.user.empty() && url.password.empty()) return {};
  return cat("Basic ", base64(cat(url.user, ":", url.password)));
}

std::string percent_escaped(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  constexpr std::string_view kPlain = "-._~";
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       kPlain.find(c) != std::string_view::npos;
    const auto byte = static_cast<unsigned char>(c);
    out += plain ? std::string(1, c) : cat('%', kHex[byte >> 4], kHex[byte & 0xF]);
  }
  return out;
}

std::string percent_unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = i + 2 < text.size() ? hex_value(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? hex_value(text[i + 2]) : -1;
    if (text[i] == '%' && high >= 0 && low >= 0) {
      out.push_back(static_cast<char>(high * 16 + low));
      i += 2;
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
}

}  // namespace townpost
