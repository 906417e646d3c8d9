// What the program asks of the system while it holds the town's lock: traced from outside, on both stores.
#include <gtest/gtest.h>

#include <cstdlib>
#include <regex>

#include "base/text.h"
#include "cli/expect.h"
#include "support/shared_postgres.h"

namespace townpost {
namespace {

/// What a program did between the beginning and the end of its transactions.
struct Trace {
  int transactions = 0;
  std::vector<std::string> outside;  ///< lines of the trace that are none of the store's business
};

/// SQLite's own: the files of the store, their folder, where its temporary files and its chance come from.
bool is_of_sqlite(const std::string& line, const std::string& town) {
  for (const auto& own : {cat(town, "/town.db"), cat(town, "/write.lock"), cat("\"", town, "\""),
                          std::string("\"/dev/urandom\""), std::string("\"\", ")})
    if (line.find(own) != std::string::npos) return true;
  return false;
}

/// Writers hold a lock on `write.lock` from before BEGIN until after COMMIT.
Trace read_sqlite(const std::string& text, const std::string& town) {
  Trace trace;
  bool inside = false;
  std::string lock_file = "none";
  static const std::regex kOpened(R"(/write\.lock".*\) = (\d+))");
  static const std::regex kLock(R"(fcntl\((\d+), F_OFD_SETLKW?, \{l_type=F_(WRLCK|UNLCK).*\) = 0)");
  for (const auto part : split(text, '\n')) {
    const std::string line(part);
    std::smatch found;
    if (std::regex_search(line, found, kOpened)) {
      lock_file = found[1];
    } else if (std::regex_search(line, found, kLock) && found[1] == lock_file) {
      inside = found[2] == "WRLCK";
      if (inside) ++trace.transactions;
    } else if (inside && line.find("fcntl(") == std::string::npos && !is_of_sqlite(line, town)) {
      trace.outside.push_back(line);
    }
  }
  return trace;
}

/// Everything goes to PostgreSQL as text: readers and writers alike.
Trace read_postgres(const std::string& text) {
  Trace trace;
  bool inside = false;
  for (const auto part : split(text, '\n')) {
    const std::string line(part);
    const bool said = line.find("sendto(") != std::string::npos;
    if (said && line.find("BEGIN ISOLATION") != std::string::npos) {
      inside = true;
      ++trace.transactions;
    } else if (said && (line.find("COMMIT") != std::string::npos || line.find("ROLLBACK") != std::string::npos)) {
      inside = false;
    } else if (inside && !said && line.find("fcntl(") == std::string::npos) {
      trace.outside.push_back(line);
    }
  }
  return trace;
}

class TracedTown {
 public:
  explicit TracedTown(std::string store) : store_(std::move(store)), town_(TestTown::Start::empty_folder) {
    Words init = {"init", "--name", "testtown"};
    if (!store_.empty()) init = with(init, {"--store", store_});
    if (const auto made = town_.gt(init); made.exit_code != 0) throw std::runtime_error(made.err);
  }

  /// Runs `gt WORDS…` under strace; what it printed as JSON.
  Json traced(const Words& words, int exit_code = 0) {
    const auto traces = town_.folder() / "traces";
    std::filesystem::remove_all(traces);
    std::filesystem::create_directory(traces);
    ProcessCall call{.command = {"strace", "-ff", "-s", "100000", "-e", "trace=%file,%process,fcntl,sendto", "-e",
                                 "signal=none", "-o", (traces / "of").string(), program_for({})},
                     .environment = clean_environment(town_.folder()),
                     .folder = town_.folder().string(),
                     .timeout = std::chrono::seconds(120)};
    const auto all = with(words, {"--json"});
    call.command.insert(call.command.end(), all.begin(), all.end());
    const auto output = SystemProcesses().run(call).value();
    EXPECT_EQ(output.exit_code, exit_code) << join(words, " ") << "\n" << output.err;
    const auto town = (std::filesystem::canonical(town_.folder()) / ".town").string();
    int transactions = 0;
    for (const auto& file : std::filesystem::directory_iterator(traces)) {  // one for each process that took part
      const auto text = read_file(file.path()).value();
      const auto trace = store_.empty() ? read_sqlite(text, town) : read_postgres(text);
      for (const auto& line : trace.outside) ADD_FAILURE() << "gt " << join(words, " ") << "\n  " << line;
      transactions += trace.transactions;
    }
    if (transactions > 0) ++commands_;
    return parse_json(trim(output.out)).value_or(Json());
  }
  int commands() const { return commands_; }

 private:
  std::string store_;
  TestTown town_;
  int commands_ = 0;
};

void write_much(TracedTown& town) {
  town.traced({"rig", "add", "mill", "."});
  town.traced({"agent", "add", "coder", "--session", "tmux:coder"});
  town.traced({"agent", "add", "mill/polecats/nux"});
  town.traced({"group", "create", "all", "coder", "mill/polecats/nux"});
  town.traced({"queue", "create", "work"});
  town.traced({"channel", "create", "news"});
  const auto id = text_at(town.traced({"mail", "send", "coder", "-s", "one", "-m", "body"}), "id");
  town.traced({"mail", "send", "coder", "-s", "keyed", "-m", "body", "--key", "k1"});
  town.traced({"mail", "send", "coder", "-s", "keyed", "-m", "body", "--key", "k1"});
  town.traced({"mail", "send", "cuder", "-s", "mistyped", "-m", "body"}, 4);
  town.traced({"mail", "send", "group:all", "-s", "two", "-m", "body"});
  town.traced({"mail", "send", "channel:news", "-s", "three", "-m", "body"});
  town.traced({"mail", "send", "queue:work", "-s", "four", "-m", "body"});
  const auto claimed = text_at(town.traced({"mail", "claim", "work"}), "id");
  town.traced({"mail", "release", claimed});
  town.traced({"mail", "reply", id, "-m", "answer"});
  town.traced({"mail", "read", id, "--as", "coder"});
  town.traced({"mail", "ack", id, "--as", "coder"});
  town.traced({"nudge", "coder", "look"});
  town.traced({"nudge", "mill/polecats/nux", "look", "--if-fresh", "1h"});
  town.traced({"mail", "explain", id});
  town.traced({"why", "coder"});
  town.traced({"status"});
  town.traced({"hold", "coder", "--as", "overseer"});
  town.traced({"release", "coder", "--as", "overseer"});
  town.traced({"dnd", "on", "coder"});
  town.traced({"dnd", "off", "coder"});
  town.traced({"agent", "remove", "coder"});
}

TEST(TransactionTrace, OfSqliteShowsNothingButTheStoresFiles) {
  TracedTown town("");
  write_much(town);
  EXPECT_GE(town.commands(), 20) << "a trace without transactions proves nothing";
}

TEST(TransactionTrace, OfPostgresShowsNothingButTheTalkWithTheServer) {
  const auto url = SharedPostgres::make_schema();
  {
    TracedTown town(url);
    write_much(town);
    EXPECT_GE(town.commands(), 25) << "a trace without transactions proves nothing";
  }
  SharedPostgres::drop_schema(url);
}

/// The proof above is worth something only if it would see what it looks for.
TEST(TransactionTrace, IsReadAsItShould) {
  const std::string opened = "openat2(AT_FDCWD, \"/t/.town/write.lock\", {flags=O_RDWR}, 24) = 4\n";
  const std::string lock = "fcntl(4, F_OFD_SETLKW, {l_type=F_WRLCK, l_whence=SEEK_SET, l_start=0, l_len=0}) = 0\n";
  const std::string unlock = "fcntl(4, F_OFD_SETLK, {l_type=F_UNLCK, l_whence=SEEK_SET, l_start=0, l_len=0}) = 0\n";
  const std::string look = "openat(AT_FDCWD, \"/proc/7/stat\", O_RDONLY) = 5\n";
  const std::string fork = "vfork() = 7\n";
  const std::string own = "openat(AT_FDCWD, \"/t/.town/town.db-wal\", O_RDWR) = 5\n";
  EXPECT_EQ(read_sqlite(opened + lock + look + own + fork + unlock, "/t/.town").outside.size(), 2u);
  EXPECT_EQ(read_sqlite(opened + look + lock + own + unlock + fork, "/t/.town").outside.size(), 0u);
  const std::string begin =
      "sendto(3, \"Q\\0\\0\\0:BEGIN ISOLATION LEVEL READ COMMITTED; \\0\", 59, 0, NULL, 0) = 59\n";
  const std::string commit = "sendto(3, \"Q\\0\\0\\0\\vCOMMIT\\0\", 12, 0, NULL, 0) = 12\n";
  EXPECT_EQ(read_postgres(begin + look + fork + commit).outside.size(), 2u);
  EXPECT_EQ(read_postgres(look + begin + commit + fork).outside.size(), 0u);
}

}  // namespace
}  // namespace townpost
