#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "bench/command.h"
#include "bench/town_maker.h"

namespace townpost::bench {

/// Where a measurement takes place: the programs that were built, and a folder for the towns, removed at the end.
class Workshop {
 public:
  /// `built`: the folder of the programs.
  Workshop(const std::filesystem::path& built, std::filesystem::path work);
  ~Workshop();
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;

  std::string program(const std::string& name) const { return (programs_ / name).string(); }
  /// The town of that name, made by `gt init` and filled when it is first asked for.
  const FilledTown& town(const std::string& name, std::int64_t messages);
  /// A new folder there.
  std::filesystem::path folder(const std::string& name) const;
  /// `gt WORDS…` in that town, as the agent of that address, or as the human if it is empty.
  Command gt(const FilledTown& town, const std::string& as, std::vector<std::string> words, int exit_code = 0) const;

 private:
  std::filesystem::path programs_;
  std::filesystem::path work_;
  std::map<std::string, FilledTown> towns_;
};

/// What a row found: our value and the reference, measured in the same run.
struct Measured {
  double value = 0;
  std::string unit;
  double reference = 0;
  std::vector<std::string> remarks;  ///< printed below the row
};

// The rows; main.cc holds their names and targets.
Measured cli_send_direct(Workshop& workshop);
Measured cli_check_1m(Workshop& workshop);
Measured inbox_1m_vs_10k(Workshop& workshop);
Measured direct_fairness_16(Workshop& workshop);
Measured queue_claim_64(Workshop& workshop);
Measured queue_claim_64_postgres(Workshop& workshop);
Measured channel_post_1000_subscribers(Workshop& workshop);
Measured group_send_1000(Workshop& workshop);
Measured parse_protocol(Workshop& workshop);
Measured signal_idle_1m(Workshop& workshop);
Measured nudge_to_turn_opencode(Workshop& workshop);
Measured tmux_inject(Workshop& workshop);
Measured http_small(Workshop& workshop);
Measured server_send_64(Workshop& workshop);
Measured server_send_64_nats(Workshop& workshop);
Measured pg_send_64(Workshop& workshop);
Measured push_latency(Workshop& workshop);
Measured cli_send_server(Workshop& workshop);
Measured cli_contention_64(Workshop& workshop);

}  // namespace townpost::bench
