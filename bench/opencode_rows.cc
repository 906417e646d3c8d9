#include <array>
#include <cstdio>

#include "base/clock.h"
#include "base/text.h"
#include "bench/opencode_stage.h"
#include "bench/workshop.h"

namespace townpost::bench {

namespace {

constexpr std::int64_t kMessages = 10'000;
constexpr int kWarmUp = 4;
constexpr int kPairs = 50;

/// The request that `gt nudge` made, under another message's name: the server takes each only once.
std::string as_new_message(const std::string& body) {
  auto json = parse_json(body);
  if (!json || !json->is_object()) give_up(cat("that is no prompt: ", body));
  std::array<char, 32> digits{};
  const auto time = static_cast<std::uint64_t>(SystemClock().now().ms) << 12 & 0xFFFF'FFFF'FFFFULL;
  std::snprintf(digits.data(), digits.size(), "%012llx%014x", static_cast<unsigned long long>(time), 0xBE9C);
  auto& prompt = json->get_object();
  prompt.at("messageID") = cat("msg_", digits.data());
  prompt.at("parts").as_array().at(0).as_object().at("id") = cat("prt_", digits.data());
  return to_line(*json);
}

/// One program that prompts the session, through the proxy.
class Prompter {
 public:
  Prompter(OpencodeStage& stage, std::function<Command()> command) : stage_(stage), command_(std::move(command)) {}

  /// The milliseconds from its start to the server's word that it took the prompt. The session is idle before and
  /// after.
  double run() {
    auto command = command_();
    whole_.push_back(command.run());
    const auto accepted = stage_.proxy().take();
    body_ = accepted.body;
    stage_.await_turn_end();
    return std::chrono::duration<double, std::milli>(accepted.at - command.started()).count();
  }
  const std::string& body() const { return body_; }  ///< what it said last
  Times whole() const { return Times(whole_); }      ///< its runs to their ends

 private:
  OpencodeStage& stage_;
  std::function<Command()> command_;
  std::string body_;
  std::vector<double> whole_;
};

}  // namespace

/// `gt nudge` to an idle session of the real OpenCode, until the server has taken the prompt, against a bare `curl` of
/// the same request to the same session.
Measured nudge_to_turn_opencode(Workshop& workshop) {
  const auto& town = workshop.town("nudge", kMessages);
  OpencodeStage stage(town.folder);
  workshop
      .gt(town, "", {"agent", "add", "coder", "--session", cat("opencode:", stage.proxy().url(), "#", stage.session())})
      .run();
  int number = 0;
  Prompter nudge(stage, [&] {
    return workshop.gt(town, "", {"nudge", "coder", cat("the build is red since change ", ++number)});
  });
  nudge.run();  // the first turn of a session is a longer one
  Prompter curl(stage, [&] {
    return Command({.words = {"/usr/bin/curl", "--silent", "--fail", "--header", "Content-Type: application/json",
                              "--data-binary", as_new_message(nudge.body()),
                              cat(stage.proxy().url(), "/session/", stage.session(), "/prompt_async")},
                    .folder = town.folder});
  });
  const auto [nudges, curls] = alternate([&] { return nudge.run(); }, [&] { return curl.run(); }, kWarmUp, kPairs);
  return {.value = nudges.median(),
          .unit = "ms",
          .reference = curls.median(),
          .remarks = {cat("gt nudge, until accepted: ", nudges.str()), cat("curl, until accepted:     ", curls.str()),
                      cat("gt nudge to its end:      ", nudge.whole().str()),
                      cat("curl to its end:          ", curl.whole().str())}};
}

}  // namespace townpost::bench
