#include "ops/listing.h"

#include "base/files.h"
#include "base/number.h"
#include "base/private_files.h"
#include "base/text.h"

namespace townpost {

namespace {

constexpr Millis kKept = std::chrono::minutes(10);

std::optional<std::filesystem::path> file_of(Context& context) {
  const auto town = context.town_folder();
  const auto key = context.caller_key();
  if (!town || !key) return std::nullopt;
  return *town / "run" / "listing" / *key;
}

}  // namespace

void remember_listing(Context& context, const std::vector<MessageId>& ids) {
  const auto file = file_of(context);
  if (!file) return;
  std::string text = std::to_string(context.clock().now().ms);
  for (const auto id : ids) text += cat(" ", id.str());
  if (make_private_folders(file->parent_path())) (void)write_file_lightly(*file, text);  // no memory is no loss
}

Result<MessageId> listed(Context& context, std::int64_t number) {
  auto missing = [&](std::string_view why) {
    return fail(Code::not_found, cat("no message number ", number, ": ", why),
                "run gt mail inbox, or use the message's id");
  };
  const auto file = file_of(context);
  const auto text = file ? read_private_file(*file, 1u << 20) : Result<std::string>(fail(Code::not_found, ""));
  if (!text) return missing("nothing was listed yet");
  const auto parts = split(*text, ' ');
  const auto at = whole_number(parts[0]).value_or(0);
  const Instant now = context.clock().now();
  if (Instant{at} > now || Instant{at} < now - kKept) return missing("the last listing is older than ten minutes");
  if (number < 1 || static_cast<std::size_t>(number) >= parts.size())
    return missing(cat("the last listing had ", parts.size() - 1));
  return MessageId::parse(parts[static_cast<std::size_t>(number)]);
}

}  // namespace townpost
