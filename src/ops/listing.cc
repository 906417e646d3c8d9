#include "ops/listing.h"

#include "base/files.h"
#include "base/number.h"
#include "base/private_files.h"
#include "base/text.h"

namespace townpost {

namespace {

constexpr Millis kKept = std::chrono::hours(1);
constexpr std::size_t kMostListed = 1u << 20;
// Stands before the id of what was handed out after the list.
constexpr std::string_view kLast = " last=";

/// A name that is a file's, whatever is in it.
std::string file_name(std::string_view place) {
  std::string out;
  for (const char c : place) {
    const bool plain =
        (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '@';
    out += plain ? c : '_';
  }
  return out;
}

std::optional<std::filesystem::path> file_of(Call& call) {
  const auto town = call.town_folder();
  if (!town) return std::nullopt;
  const auto& origin = call.request.origin;
  const auto folder = *town / "run" / "listing";
  if (origin.place.empty()) return folder / origin.identity.key();
  // What an agent lists in a person's terminal is not what the person was shown there.
  return folder / cat(file_name(origin.place), origin.sign_of_agents_session() ? "-" + origin.identity.key() : "");
}

Failure nothing(std::string_view why) {
  return fail(Code::not_found, std::string(why), "run " + next("mail.inbox", {}, ", or use an id"));
}

}  // namespace

void remember_listing(Call& call, std::vector<std::string> ids) {
  const auto file = file_of(call);
  if (!file) return;
  call.after_handover([file = *file, ids = std::move(ids), now = call.clock().now()]() -> Result<> {
    std::string text = std::to_string(now.ms);
    for (const auto& id : ids) text += cat(" ", id);
    if (make_private_folders(file.parent_path())) (void)write_file_lightly(file, text);  // no memory is no loss
    return {};
  });
}

void remember_listing(Call& call, const std::vector<MessageId>& ids) {
  std::vector<std::string> texts;
  for (const auto id : ids) texts.push_back(id.str());
  remember_listing(call, std::move(texts));
}

Extent extent_of(std::int64_t total, std::int64_t more, const std::vector<MessageId>& ids) {
  Extent out{.total = total, .more = more, .cursor = std::nullopt};
  if (more > 0 && !ids.empty()) out.cursor = ids.back().seq();
  return out;
}

void remember_last(Call& call, MessageId id) {
  const auto file = file_of(call);
  if (!file) return;
  call.after_handover([file = *file, id = id.str(), now = call.clock().now()]() -> Result<> {
    const auto before = listed_in(file, now);
    const auto text = before ? read_private_file(file, kMostListed) : Result<std::string>(std::to_string(now.ms));
    if (!text) return {};
    if (make_private_folders(file.parent_path()))
      (void)write_file_lightly(file, cat(text->substr(0, text->find(kLast)), kLast, id));  // no memory is no loss
    return {};
  });
}

Result<Listing> last_listing(Call& call) {
  const auto file = file_of(call);
  if (!file) return nothing("nothing was listed yet");
  return listed_in(*file, call.clock().now());
}

Result<Listing> listed_in(const std::filesystem::path& file, Instant now) {
  const auto text = read_private_file(file, kMostListed);
  if (!text) return nothing("nothing was listed yet");
  const std::string_view all(*text);
  const auto handed = all.find(kLast);
  const auto parts = split(all.substr(0, handed), ' ');
  const auto at = whole_number(parts[0]).value_or(0);
  if (Instant{at} > now || Instant{at} < now - kKept) return nothing("the last listing is older than an hour");
  Listing out{.ids = {parts.begin() + 1, parts.end()}, .last = ""};
  if (handed != std::string_view::npos)
    out.last = std::string(all.substr(handed + kLast.size()));
  else if (!out.ids.empty())
    out.last = out.ids.back();
  return out;
}

}  // namespace townpost
