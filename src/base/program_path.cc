#include "base/program_path.h"

#include "base/text.h"

namespace townpost {

namespace {

bool is_program(const std::filesystem::path& file) {
  using std::filesystem::perms;
  std::error_code none;
  const auto status = std::filesystem::status(file, none);
  return std::filesystem::is_regular_file(status) && (status.permissions() & perms::owner_exec) != perms::none;
}

}  // namespace

std::optional<std::filesystem::path> program_path(const Environment& environment, const std::string& program) {
  if (program.empty()) return std::nullopt;
  if (program.find('/') != std::string::npos) {
    auto file = environment.working_folder() / program;
    return is_program(file) ? std::optional(std::move(file)) : std::nullopt;
  }
  const std::string path = environment.get("PATH").value_or("");
  for (const auto folder : split(path, ':'))
    if (auto file = std::filesystem::path(folder) / program; is_program(file)) return file;
  return std::nullopt;
}

}  // namespace townpost
