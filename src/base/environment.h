#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace townpost {

/// What the calling process was given: variables, working folder, user. Handed in, never reached for. Any thread may
/// ask.
class Environment {
 public:
  virtual ~Environment() = default;
  /// The variable's value; nothing if unset or empty.
  virtual std::optional<std::string> get(const std::string& name) const = 0;
  virtual std::filesystem::path working_folder() const = 0;
  /// The names of all variables that are not empty.
  virtual std::vector<std::string> names() const = 0;
};

class SystemEnvironment final : public Environment {
 public:
  std::optional<std::string> get(const std::string& name) const override;
  std::filesystem::path working_folder() const override;
  std::vector<std::string> names() const override;
};

class FixedEnvironment final : public Environment {
 public:
  explicit FixedEnvironment(std::map<std::string, std::string> variables = {}, std::filesystem::path folder = "/")
      : variables_(std::move(variables)), folder_(std::move(folder)) {}
  std::optional<std::string> get(const std::string& name) const override {
    auto it = variables_.find(name);
    if (it == variables_.end() || it->second.empty()) return std::nullopt;
    return it->second;
  }
  std::filesystem::path working_folder() const override { return folder_; }
  std::vector<std::string> names() const override {
    std::vector<std::string> out;
    for (const auto& [name, value] : variables_)
      if (!value.empty()) out.push_back(name);
    return out;
  }

 private:
  std::map<std::string, std::string> variables_;
  std::filesystem::path folder_;
};

}  // namespace townpost
