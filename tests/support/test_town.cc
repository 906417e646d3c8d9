#include "support/test_town.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "base/json_fields.h"
#include "base/text.h"
#include "support/witness.h"

namespace townpost {

namespace {

TemporaryFolder new_folder() {
  auto folder = TemporaryFolder::make("townpost-test");
  if (!folder) throw std::runtime_error(folder.error().message);
  return std::move(*folder);
}

ProcessOutput run(const ProcessCall& call) {
  auto output = SystemProcesses().run(call);
  if (!output) throw std::runtime_error(output.error().message);
  return *output;
}

constexpr Millis kLongEnough = std::chrono::seconds(120);

Witness& the_witness() {
  static Witness witness = nullptr;
  return witness;
}

ProcessOutput witnessed(const TestTown::Words& words, ProcessOutput output) {
  if (the_witness()) the_witness()(words, output);
  return output;
}

}  // namespace

void call_witness(Witness witness) { the_witness() = witness; }

std::string program_for(const TestTown::Variables& variables) {
  return variables.contains("LD_PRELOAD") ? townpostd_program() : gt_program();
}

std::vector<std::string> clean_environment(const std::filesystem::path& home, const TestTown::Variables& variables) {
  const char* path = std::getenv("PATH");
  TestTown::Variables all = {{"PATH", path ? path : "/usr/bin:/bin"}, {"HOME", home.string()}, {"LANG", "C.UTF-8"}};
  // Sanitizers read their settings from here; nothing else leaks in.
  for (const char* name : {"ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"})
    if (const char* value = std::getenv(name)) all[name] = value;
  for (const auto& [name, value] : variables) all[name] = value;
  std::vector<std::string> out;
  for (const auto& [name, value] : all) out.push_back(cat(name, "=", value));
  return out;
}

TestTown::TestTown(Start start) : folder_(new_folder()) {
  if (start == Start::empty_folder) return;
  const auto made = gt({"init", "--name", "testtown"});
  if (made.exit_code != 0) throw std::runtime_error(made.err);
}

ProcessOutput TestTown::gt(const Words& words, const Variables& variables, const std::string& input) const {
  ProcessCall call{.command = {program_for(variables)},
                   .input = input,
                   .environment = clean_environment(folder(), variables),
                   .folder = folder().string(),
                   .timeout = kLongEnough};
  call.command.insert(call.command.end(), words.begin(), words.end());
  return witnessed(words, run(call));
}

ProcessOutput TestTown::gt_in(const std::filesystem::path& where, const Words& words,
                              const Variables& variables) const {
  const auto place = folder() / where;
  std::filesystem::create_directories(place);
  ProcessCall call{.command = {program_for(variables)},
                   .input = "",
                   .environment = clean_environment(folder(), variables),
                   .folder = place.string(),
                   .timeout = kLongEnough};
  call.command.insert(call.command.end(), words.begin(), words.end());
  return witnessed(words, run(call));
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

ProcessOutput TestTown::shell(const std::string& script, const Variables& variables) const {
  auto environment = clean_environment(folder(), variables);
  environment.push_back(cat("GT=", gt_program()));
  return run({.command = {"sh", "-c", script},
              .input = "",
              .environment = std::move(environment),
              .folder = folder().string(),
              .timeout = kLongEnough});
}

std::string TestTown::send(const std::string& from, const std::string& to, const std::string& subject,
                           const Words& more) const {
  Words words = {"mail", "send", to, "-s", subject, "--as", from};
  words.insert(words.end(), more.begin(), more.end());
  const auto gives_text = [](const std::string& word) { return word == "-m" || word == "-F" || word == "--protocol"; };
  if (std::none_of(more.begin(), more.end(), gives_text)) words.insert(words.end(), {"-m", ""});
  const auto receipt = json(words);
  return receipt.is_object() ? text_at(receipt, "id") : "";
}

void TestTown::agents(const Words& addresses) const {
  for (const auto& address : addresses) {
    const auto added = gt({"agent", "add", address});
    EXPECT_EQ(added.exit_code, 0) << added.err;
  }
}

void TestTown::rigs(const Words& names) const {
  for (const auto& name : names) {
    const auto added = gt({"rig", "add", name, "."});
    EXPECT_EQ(added.exit_code, 0) << added.err;
  }
}

void TestTown::settings(const std::string& toml) const {
  std::ofstream(folder() / ".town" / "town.toml") << toml << "\n";
}

std::string TestTown::sql(const std::string& statements) const {
  const auto output = run({.command = {"sqlite3", "-bail", "-cmd", ".timeout 10000", store().string()},
                           .input = statements,
                           .environment = {},
                           .folder = folder().string(),
                           .timeout = kLongEnough});
  EXPECT_EQ(output.exit_code, 0) << statements << "\n" << output.err;
  return std::string(trim(output.out));
}

std::string TestTown::dump() const { return sql(".dump"); }

std::string text_at(const Json& object, std::string_view key) {
  const auto value = value_at(object, key);
  return value.is_string() ? std::string(value.get_string()) : "";
}

std::int64_t number_at(const Json& object, std::string_view key) {
  const auto value = value_at(object, key);
  return value.is_int64() ? value.get_int64() : -1;
}

bool flag_at(const Json& object, std::string_view key) {
  const auto value = value_at(object, key);
  return value.is_bool() && value.get_bool();
}

std::vector<std::string> texts_in(const Json& array) {
  std::vector<std::string> out;
  if (const auto* list = array.if_array())
    for (const auto& item : *list) out.push_back(item.is_string() ? std::string(item.get_string()) : "");
  return out;
}

std::vector<std::string> texts_in(const Json& array, std::string_view key) {
  std::vector<std::string> out;
  if (const auto* list = array.if_array())
    for (const auto& item : *list) out.push_back(text_at(item, key));
  return out;
}

Json value_at(const Json& object, std::string_view key) {
  const auto* members = object.if_object();
  const auto* value = members ? members->if_contains(key_of(key)) : nullptr;
  return value ? *value : Json(nullptr);
}

std::vector<Json> items_of(const Json& array) {
  const auto* list = array.if_array();
  return list ? std::vector<Json>(list->begin(), list->end()) : std::vector<Json>();
}

std::vector<std::string> keys_of(const Json& object) {
  std::vector<std::string> out;
  if (const auto* members = object.if_object())
    for (const auto& [key, value] : *members) out.emplace_back(key);
  return out;
}

}  // namespace townpost
