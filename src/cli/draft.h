#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "base/environment.h"
#include "base/files.h"
#include "base/result.h"

namespace townpost {

/// A text that a person writes in an editor: in a file, in a folder of its own, which is removed unless it is kept.
class Draft {
 public:
  /// Begins with `text`.
  static Result<Draft> begin(const std::string& text);
  /// Opens it in the editor of $VISUAL or $EDITOR, and waits until that ends. Error: usage, if it fails.
  Result<> edit(const Environment& environment) const;
  Result<std::string> text() const;
  /// From now on it holds nothing but this.
  Result<> replace(std::string_view text) const;
  /// Leaves it where it is, if somebody wrote in it; where that is.
  std::optional<std::filesystem::path> keep();

 private:
  Draft(TemporaryFolder folder, std::string begun_with)
      : folder_(std::move(folder)), begun_with_(std::move(begun_with)), file_(folder_.path() / "message.md") {}
  TemporaryFolder folder_;
  std::string begun_with_;
  std::filesystem::path file_;
};

}  // namespace townpost
