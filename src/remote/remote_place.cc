#include "remote/remote_place.h"

#include <sys/stat.h>
#include <unistd.h>

#include <optional>

#include "base/advice.h"
#include "base/files.h"
#include "base/text.h"
#include "net/url.h"

namespace townpost {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = 64u << 10;
constexpr const char* kUsualFile = "/townpost/tokens";

Result<std::string> address(const std::string& text) {
  auto url = Url::parse(text, Url::Schemes::http_and_https);
  if (!url) return fail(Code::usage, cat("GT_SERVER: ", url.error().message), "say https://HOST:PORT");
  if (!url->user.empty() || !url->password.empty())
    return fail(Code::usage, "GT_SERVER holds a name or a password, which is not where they belong",
                "say https://HOST:PORT, and put the token into GT_TOKEN or a file");
  if (url->scheme == Url::Scheme::http && !url->is_loopback())
    return fail(Code::usage, cat("GT_SERVER: ", url->origin(), " would get the token and all mail unencrypted"),
                "say https://HOST:PORT; http is for this machine only");
  if (url->target != "/") return fail(Code::usage, "GT_SERVER has a path", cat("say ", url->origin()));
  return url->origin();
}

/// The file that tokens are in, as far as the variables say.
fs::path token_file(const Environment& environment) {
  if (const auto named = environment.get("GT_TOKEN_FILE")) return *named;
  for (const auto& [variable, below] : {std::pair{"XDG_CONFIG_HOME", ""}, std::pair{"HOME", "/.config"}})
    if (const auto place = environment.get(variable); place && place->starts_with("/"))
      return cat(*place, below, kUsualFile);
  return {};
}

/// A line is "URL TOKEN"; in a file that was made for one server alone it may be the token.
std::optional<std::string> token_in(std::string_view text, std::string_view server, bool may_stand_alone) {
  for (const auto line : split(text, '\n')) {
    const auto words = trim(line);
    if (words.empty() || words.starts_with('#')) continue;
    const auto space = words.find_first_of(" \t");
    if (space == std::string_view::npos) {
      if (may_stand_alone) return std::string(words);
      continue;
    }
    const auto url = Url::parse(words.substr(0, space), Url::Schemes::http_and_https);
    if (url && url->origin() == server) return std::string(trim(words.substr(space)));
  }
  return std::nullopt;
}

Result<std::string> token_from_file(const Environment& environment, const std::string& server) {
  const auto path = token_file(environment);
  const auto missing = [&] {
    return fail(Code::usage, cat("there is no token for ", server),
                cat("put it into GT_TOKEN, or as a line \"", server, " TOKEN\" into ",
                    path.empty() ? "a file that GT_TOKEN_FILE names" : for_terminal_line(path.string()), "; ",
                    called("token.create"), " makes one there"));
  };
  const auto file = path.empty() ? FileDescriptor() : open_to_read(path);
  struct stat found {};
  if (!file || ::fstat(file.get(), &found) != 0) return missing();
  const bool own = found.st_uid == ::geteuid() || found.st_uid == 0;
  if (!own || (found.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    return fail(Code::forbidden, cat("the tokens in ", for_terminal_line(path.string()), " are open to others"),
                cat("chmod 600 ", for_terminal_line(path.string())));
  TRY(text, read_all(file.get(), kMostBytes));
  auto token = token_in(text, server, environment.get("GT_TOKEN_FILE").has_value());
  return token ? Result<std::string>(std::move(*token)) : missing();
}

/// A token goes into a header as it stands.
bool can_be_sent(std::string_view token) {
  return !token.empty() && token.size() <= 512 &&
         std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

}  // namespace

bool names_a_server(const Environment& environment) {
  const auto server = environment.get("GT_SERVER");
  return server && *server != "off";
}

Result<RemotePlace> remote_place(const Origin& origin) {
  const auto& environment = origin.outer_environment();
  const auto said = origin.environment->get("GT_SERVER").value_or("");
  if (environment.get("GT_SERVER").value_or("") != said)
    return fail(Code::forbidden, "GT_SERVER was set inside this session, which began without it",
                "unset it, or start the session with it");
  RemotePlace out;
  TRY(url, address(said));
  out.url = url;
  out.authorities = environment.get("GT_CA_FILE").value_or("");
  if (const auto token = environment.get("GT_TOKEN")) {
    out.token = trim(*token);
  } else {
    TRY(from_file, token_from_file(environment, out.url));
    out.token = from_file;
  }
  if (!can_be_sent(out.token))
    return fail(Code::usage, cat("the token for ", out.url, " cannot be one"), "copy it again");
  return out;
}

}  // namespace townpost
