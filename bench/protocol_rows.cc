#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <functional>

#include "base/text.h"
#include "bench/workshop.h"
#include "protocol/build.h"
#include "protocol/parse.h"

namespace townpost::bench {

namespace {

using protocol::TypeRegistry;

constexpr int kRounds = 101;

/// The same message twice: as it is mailed, and its type and fields as a JSON object.
struct Sample {
  std::string subject, body, json;
};

std::string words(std::size_t count, std::size_t seed) {
  constexpr std::array<std::string_view, 12> kWords = {"the",  "parser", "takes", "a",     "branch", "of",
                                                       "main", "again",  "and",   "tests", "hang",   "there"};
  std::string out;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) out += i % 15 == 0 ? '\n' : ' ';
    out += kWords[(i * 7 + seed) % kWords.size()];
  }
  return out;
}

Sample sample(std::string_view type, const JsonObject& fields) {
  const auto built = protocol::build(TypeRegistry::built_in(), type, fields);
  if (!built) give_up(built.error().message);
  const auto parsed = protocol::parse(TypeRegistry::built_in(), {built->subject, built->body});
  JsonObject json = parsed.json();
  json["type"] = type;
  return {built->subject, built->body, to_line(json)};
}

/// What a busy town mails: mostly progress and merges, a few long ones.
std::vector<Sample> samples() {
  std::vector<Sample> out;
  for (std::size_t i = 0; i < 200; ++i) {
    const std::string bead = cat("ol-", 500 + i, ".", i % 9), branch = cat("polecat/nux/", bead),
                      sha = cat("4fae31b", i, "c9d0");
    const JsonArray files = {cat("src/protocol/part_", i, ".cc"), "src/protocol/parse.h",
                             "tests/protocol/parse_test.cc"};
    const JsonObject merge = {
        {"branch", branch}, {"issue", bead}, {"polecat", "nux"}, {"rig", "greenplace"}, {"target", "main"}};
    for (std::size_t n = 0; n < 3; ++n)
      out.push_back(sample("PROGRESS", {{"bead_id", bead},
                                        {"step", cat("Step ", n, " - ", words(6, i))},
                                        {"status", "implementing, the tests are next"},
                                        {"context_usage", static_cast<std::int64_t>(i % 100)},
                                        {"files_touched", files}}));
    JsonObject merged = merge;
    merged["merged_at"] = "2026-01-31T10:30:00Z";
    merged["merge_commit"] = sha;
    out.push_back(sample("MERGED", merged));
    JsonObject failed = merge;
    failed["failed_at"] = "2026-01-31T10:30:00Z";
    failed["failure_type"] = "tests";
    failed["error"] = "2 of 118 tests failed";
    failed["text"] = words(150, i);
    out.push_back(sample("MERGE_FAILED", failed));
    out.push_back(sample("OFFERING_READY", {{"bead_id", bead},
                                            {"status", "DONE"},
                                            {"commit_sha", sha},
                                            {"files", files},
                                            {"tests_pass", true},
                                            {"lint_pass", true},
                                            {"build_pass", true},
                                            {"summary", words(60, i)}}));
    out.push_back(sample("HELP_REQUEST", {{"bead_id", bead},
                                          {"issue_type", "STUCK"},
                                          {"problem", words(80, i)},
                                          {"what_tried", words(40, i + 1)},
                                          {"files_touched", files},
                                          {"question", words(20, i + 2)}}));
  }
  return out;
}

/// Seconds for one pass over all samples; `read` gives a number that must be `wanted`, so that nothing is left out.
double pass(const std::vector<Sample>& all, std::size_t wanted, const std::function<std::size_t(const Sample&)>& read) {
  const auto start = std::chrono::steady_clock::now();
  std::size_t found = 0;
  for (const Sample& each : all) found += read(each);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  if (found != wanted) give_up(cat("a pass found ", found, " and not ", wanted));
  return took.count();
}

/// Computing is disturbed by others, never helped: the fastest pass is what it costs.
double fastest(const std::vector<double>& times) { return *std::min_element(times.begin(), times.end()); }

std::string remark(const char* who, double seconds, std::size_t bytes, std::size_t messages) {
  std::array<char, 128> line{};
  std::snprintf(line.data(), line.size(), "%s: %.0f MB/s, %.2f million messages/s", who,
                static_cast<double>(bytes) / seconds / 1e6, static_cast<double>(messages) / seconds / 1e6);
  return line.data();
}

}  // namespace

/// How fast typed messages are read, against Boost.JSON reading the same type and fields from a JSON object. The value
/// counts each side's own bytes, which is to our disadvantage: the same message is longer in JSON.
Measured parse_protocol(Workshop&) {
  const auto all = samples();
  std::size_t text_bytes = 0, json_bytes = 0;
  for (const Sample& each : all) {
    text_bytes += each.subject.size() + each.body.size();
    json_bytes += each.json.size();
  }
  const TypeRegistry& registry = TypeRegistry::built_in();
  const auto ours = [&registry](const Sample& each) -> std::size_t {
    return protocol::parse(registry, {each.subject, each.body}).type() != nullptr ? 1 : 0;
  };
  const auto with_json = [&registry](const Sample& each) -> std::size_t {
    return protocol::parse(registry, {each.subject, each.body}).json().empty() ? 0 : 1;
  };
  const auto boost = [](const Sample& each) -> std::size_t {
    return boost::json::parse(each.json).as_object().contains("type") ? 1 : 0;
  };
  std::vector<double> our_times, json_times, boost_times;
  for (int round = 0; round < kRounds; ++round) {
    our_times.push_back(pass(all, all.size(), ours));
    boost_times.push_back(pass(all, all.size(), boost));
    json_times.push_back(pass(all, all.size(), with_json));
  }
  const double our_time = fastest(our_times), boost_time = fastest(boost_times);
  return {.value = static_cast<double>(text_bytes) / our_time / 1e6,
          .unit = "MB/s",
          .reference = static_cast<double>(json_bytes) / boost_time / 1e6,
          .remarks = {remark("typed messages", our_time, text_bytes, all.size()),
                      remark("  and as JSON objects", fastest(json_times), text_bytes, all.size()),
                      remark("Boost.JSON", boost_time, json_bytes, all.size())}};
}

}  // namespace townpost::bench
