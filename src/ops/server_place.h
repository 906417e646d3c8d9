#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace townpost::ops {

/// Where the town's server answers HTTP now: "http://127.0.0.1:8420". Empty, if none does on this host.
std::string url_of_server(const std::filesystem::path& town);

/// What people should know of a server at this url, if other machines reach it and it has no TLS; else empty.
std::string danger_of(std::string_view url);

}  // namespace townpost::ops
