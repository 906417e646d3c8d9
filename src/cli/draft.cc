#include "cli/draft.h"

#include "base/editor.h"
#include "base/text.h"

namespace townpost {

namespace {

constexpr std::size_t kMostText = 4u << 20;

constexpr std::string_view kWithoutEditor = "set EDITOR to one you have, or give the text with -m";

}  // namespace

Result<Draft> Draft::begin(const std::string& text) {
  TRY(folder, TemporaryFolder::make("townpost-draft"));
  Draft draft(std::move(folder), text);
  TRY_VOID(draft.replace(text));
  return draft;
}

Result<> Draft::edit(const Environment& environment) const {
  auto done = open_in_editor(file_, environment);
  if (done) return {};
  Error error = done.error();
  error.message = cat("nothing was sent: ", error.message);
  error.hint = kWithoutEditor;
  return fail(std::move(error));
}

Result<std::string> Draft::text() const { return read_file(file_, kMostText); }

Result<> Draft::replace(std::string_view text) const { return write_file_durably(file_, text, 0600); }

std::optional<std::filesystem::path> Draft::keep() {
  const auto now = text();
  if (!now || *now == begun_with_) return std::nullopt;
  folder_.keep();
  return file_;
}

}  // namespace townpost
