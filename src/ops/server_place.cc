#include "ops/server_place.h"

#include <arpa/inet.h>

#include "base/child.h"
#include "base/files.h"
#include "base/text.h"
#include "post/town/server_note.h"

namespace townpost::ops {

namespace {

bool is_loopback(const std::string& address) {
  in_addr four{};
  if (::inet_pton(AF_INET, address.c_str(), &four) == 1) return ntohl(four.s_addr) >> 24 == 127;
  return address == "::1";
}

}  // namespace

std::string url_of_server(const std::filesystem::path& town) {
  const auto text = read_private_file(ServerNote::place(town));
  const auto note = text ? ServerNote::parse(*text) : std::nullopt;
  return note && process_runs(note->process) ? note->url : std::string();
}

std::string danger_of(std::string_view url) {
  constexpr std::string_view kInTheClear = "http://";
  if (!url.starts_with(kInTheClear)) return {};
  auto address = url.substr(kInTheClear.size());
  address = address.substr(0, address.rfind(':'));
  if (address.starts_with('[') && address.ends_with(']')) address = address.substr(1, address.size() - 2);
  if (is_loopback(std::string(address))) return {};
  return cat(url, " is open to other machines without TLS: tokens and mail can be read on the way");
}

}  // namespace townpost::ops
