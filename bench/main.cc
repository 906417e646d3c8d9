// townpost_bench BUILD JSON [ROW…]: measures, prints a table, writes JSON. Exit 0: every target was met, 1: one was
// missed, 2: it could not be measured.
#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "bench/workshop.h"

namespace {

using namespace townpost;
using namespace townpost::bench;

/// Where the target lies: times should be short, rates high.
enum class Good { at_most, at_least };

/// To add a row: a function that measures, a line here, a paragraph in docs/performance.md.
struct RowSpec {
  const char* name;
  Good good;
  double target;  ///< of the ratio of value and reference
  Measured (*measure)(Workshop&);
};

constexpr std::array kRows = {
    RowSpec{"cli_send_direct", Good::at_most, 1.25, cli_send_direct},
    RowSpec{"cli_check_1m", Good::at_most, 1.6, cli_check_1m},
    RowSpec{"inbox_1m_vs_10k", Good::at_most, 1.2, inbox_1m_vs_10k},
    RowSpec{"direct_fairness_16", Good::at_most, 0.5, direct_fairness_16},
    RowSpec{"queue_claim_64", Good::at_least, 2.5, queue_claim_64},
    RowSpec{"queue_claim_64_postgres", Good::at_least, 0.5, queue_claim_64_postgres},
    RowSpec{"channel_post_1000_subscribers", Good::at_most, 1.5, channel_post_1000_subscribers},
    RowSpec{"group_send_1000", Good::at_most, 3.0, group_send_1000},
    RowSpec{"parse_protocol", Good::at_least, 1.0, parse_protocol},
    RowSpec{"signal_idle_1m", Good::at_most, 1.8, signal_idle_1m},
    RowSpec{"nudge_to_turn_opencode", Good::at_most, 1.5, nudge_to_turn_opencode},
    RowSpec{"tmux_inject", Good::at_most, 1.3, tmux_inject},
    RowSpec{"http_small", Good::at_least, 0.5, http_small},
    RowSpec{"server_send_64", Good::at_least, 0.8, server_send_64},
    RowSpec{"server_send_64_nats", Good::at_least, 3.0, server_send_64_nats},
    RowSpec{"pg_send_64", Good::at_least, 1.5, pg_send_64},
    RowSpec{"push_latency", Good::at_most, 1.3, push_latency},
    RowSpec{"cli_send_server", Good::at_most, 2.0, cli_send_server},
    RowSpec{"cli_contention_64", Good::at_most, 3.0, cli_contention_64},
};

struct Row {
  const RowSpec* spec;
  Measured measured;
  double ratio() const { return measured.value / measured.reference; }
  bool ok() const { return spec->good == Good::at_most ? ratio() <= spec->target : ratio() >= spec->target; }
};

template <class... Values>
std::string formatted(const char* format, Values... values) {
  std::array<char, 256> line{};
  std::snprintf(line.data(), line.size(), format, values...);
  return line.data();
}

void print_table(const std::vector<Row>& rows) {
  std::printf("\n%-30s %10s %-15s %10s %7s  %8s\n", "row", "value", "unit", "reference", "ratio", "target");
  for (const auto& row : rows)
    std::printf("%-30s %10.3f %-15s %10.3f %7.2f %s %5.2f  %s\n", row.spec->name, row.measured.value,
                row.measured.unit.c_str(), row.measured.reference, row.ratio(),
                row.spec->good == Good::at_most ? "<=" : ">=", row.spec->target, row.ok() ? "ok" : "MISSED");
}

std::string to_json(const std::vector<Row>& rows) {
  std::string out = "[";
  for (const auto& row : rows)
    out += formatted(R"(%s{"name": "%s", "value": %.4f, "unit": "%s", "reference": %.4f, "ratio": %.4f})",
                     out.size() == 1 ? "\n  " : ",\n  ", row.spec->name, row.measured.value, row.measured.unit.c_str(),
                     row.measured.reference, row.ratio());
  return out + "\n]\n";
}

std::vector<const RowSpec*> chosen(const std::vector<std::string_view>& names) {
  std::vector<const RowSpec*> out;
  for (const auto& spec : kRows)
    if (names.empty() || std::find(names.begin(), names.end(), spec.name) != names.end()) out.push_back(&spec);
  for (const auto name : names)
    if (std::none_of(kRows.begin(), kRows.end(), [&](const RowSpec& spec) { return spec.name == name; }))
      give_up(cat("there is no row ", name));
  return out;
}

int measure(const std::filesystem::path& build, const std::filesystem::path& json,
            const std::vector<std::string_view>& names) {
  const auto specs = chosen(names);
  Workshop workshop(build, json.parent_path() / "bench-work");
  std::vector<Row> rows;
  for (const auto* spec : specs) {
    std::printf("%s\n", spec->name);
    std::fflush(stdout);
    rows.push_back({spec, spec->measure(workshop)});
    for (const auto& remark : rows.back().measured.remarks) std::printf("    %s\n", remark.c_str());
  }
  print_table(rows);
  if (const auto written = write_file_durably(json, to_json(rows)); !written) give_up(written.error().message);
  return std::all_of(rows.begin(), rows.end(), [](const Row& row) { return row.ok(); }) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: townpost_bench BUILD JSON [ROW...]\n");
    return 2;
  }
  try {
    return measure(std::filesystem::absolute(argv[1]), std::filesystem::absolute(argv[2]), {argv + 3, argv + argc});
  } catch (const std::exception& trouble) {
    std::fprintf(stderr, "bench: %s\n", trouble.what());
    return 2;
  }
}
