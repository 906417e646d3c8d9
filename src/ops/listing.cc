#include "ops/listing.h"

#include "base/files.h"
#include "base/number.h"
#include "base/private_files.h"
#include "base/text.h"

namespace townpost {

namespace {

constexpr Millis kKept = std::chrono::minutes(10);

std::optional<std::filesystem::path> file_of(Call& call) {
  const auto town = call.town_folder();
  const auto key = call.caller_key();
  if (!town || !key) return std::nullopt;
  return *town / "run" / "listing" / *key;
}

Failure missing(std::int64_t number, std::string_view why) {
  return fail(Code::not_found, cat("no message number ", number, ": ", why),
              "run " + next("mail.inbox", {}, ", or use the message's id"));
}

constexpr std::string_view kNothingListed = "nothing was listed yet";

}  // namespace

void remember_listing(Call& call, const std::vector<MessageId>& ids) {
  const auto file = file_of(call);
  if (!file) return;
  std::string text = std::to_string(call.clock().now().ms);
  for (const auto id : ids) text += cat(" ", id.str());
  if (make_private_folders(file->parent_path())) (void)write_file_lightly(*file, text);  // no memory is no loss
}

Extent extent_of(std::int64_t total, std::int64_t more, const std::vector<MessageId>& ids) {
  Extent out{.total = total, .more = more, .cursor = std::nullopt};
  if (more > 0 && !ids.empty()) out.cursor = ids.back().seq();
  return out;
}

Result<MessageId> listed(Call& call, std::int64_t number) {
  const auto file = file_of(call);
  if (!file) return missing(number, kNothingListed);
  return listed(*file, number, call.clock().now());
}

Result<MessageId> listed(const std::filesystem::path& file, std::int64_t number, Instant now) {
  const auto text = read_private_file(file, 1u << 20);
  if (!text) return missing(number, kNothingListed);
  const auto parts = split(*text, ' ');
  const auto at = whole_number(parts[0]).value_or(0);
  if (Instant{at} > now || Instant{at} < now - kKept)
    return missing(number, "the last listing is older than ten minutes");
  if (number < 1 || static_cast<std::size_t>(number) >= parts.size())
    return missing(number, cat("the last listing had ", parts.size() - 1));
  return MessageId::parse(parts[static_cast<std::size_t>(number)]);
}

}  // namespace townpost
