#include "support/test_town.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/text.h"

namespace townpost {

namespace {

TemporaryFolder new_folder() {
  auto folder = TemporaryFolder::make("townpost-test");
  if (!folder) throw std::runtime_error(folder.error().message);
  return std::move(*folder);
}

}  // namespace

std::vector<std::string> clean_environment(const std::filesystem::path& home, const TestTown::Variables& variables) {
  const char* path = std::getenv("PATH");
  std::vector<std::string> out = {cat("PATH=", path ? path : "/usr/bin:/bin"), cat("HOME=", home.string()), "LANG=C.UTF-8"};
  // Sanitizers read their settings from here; nothing else leaks in.
  for (const char* name : {"ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"})
    if (const char* value = std::getenv(name)) out.push_back(cat(name, "=", value));
  for (const auto& [name, value] : variables) out.push_back(cat(name, "=", value));
  return out;
}

TestTown::TestTown(Start start) : folder_(new_folder()) {
  if (start == Start::empty_folder) return;
  const auto made = gt({"init", "--name", "testtown"});
  if (made.exit_code != 0) throw std::runtime_error(made.err);
}

ProcessOutput TestTown::gt(const Words& words, const Variables& variables, const std::string& input) const {
  ProcessCall call{.command = {GT_PROGRAM}, .input = input, .environment = clean_environment(folder(), variables), .folder = folder().string(), .timeout = std::chrono::seconds(120)};
  call.command.insert(call.command.end(), words.begin(), words.end());
  auto output = SystemProcesses().run(call);
  if (!output) throw std::runtime_error(output.error().message);
  return *output;
}

Json TestTown::json(const Words& words, const Variables& variables) const {
  Words with_json = words;
  with_json.emplace_back("--json");
  const auto output = gt(with_json, variables);
  EXPECT_EQ(output.exit_code, 0) << join(words, " ") << "\n" << output.err;
  auto value = parse_json(trim(output.out));
  EXPECT_TRUE(value.has_value()) << join(words, " ") << " printed: " << output.out;
  return value ? *value : Json(nullptr);
}

std::string TestTown::send(const std::string& from, const std::string& to, const std::string& subject, const Words& more) const {
  Words words = {"mail", "send", to, "-s", subject, "--as", from};
  words.insert(words.end(), more.begin(), more.end());
  const auto receipt = json(words);
  return receipt.is_object() ? std::string(receipt.at("id").as_string()) : "";
}

void TestTown::agents(const Words& addresses) const {
  for (const auto& address : addresses) {
    const auto added = gt({"agent", "add", address});
    EXPECT_EQ(added.exit_code, 0) << added.err;
  }
}

}  // namespace townpost
