#include "fuzz/fuzz.h"
#include "post/town/settings.h"

using namespace townpost;

namespace {

void check_settings(std::string_view toml) {
  const auto settings = Settings::parse(toml);
  if (!settings) return fuzz::check_error(settings.error());
  CHECK(settings->human == "overseer" || settings->human == "user");
  CHECK(!settings->town_name.empty() && is_utf8(settings->town_name));
  CHECK(settings->wisp_age >= Millis(0));
  CHECK(settings->limits.hops_held >= 0 && settings->limits.sender_per_day >= 0);
  CHECK(Address::parse(settings->escalation.str()).has_value());
  for (const auto& warning : settings->warnings) CHECK(is_utf8(warning));
}

/// Whatever a town is called, the settings that `gt init` writes can be read, and say so.
void check_new_town(std::string_view name) {
  if (name.empty() || !is_utf8(name)) return;
  const auto settings = Settings::parse(new_town_toml(name));
  CHECK(settings.has_value());
  CHECK(settings->town_name == name);
  CHECK(settings->warnings.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check_settings(fuzz::as_text(data, size));
  check_new_town(fuzz::as_text(data, size));
  return 0;
}
