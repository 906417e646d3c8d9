#include "bench/town_maker.h"

#include <array>

#include "base/text.h"
#include "store/db/sqlite.h"
#include "store/sql_store.h"

namespace townpost::bench {

namespace {

constexpr std::int64_t kWorkers = 500;
constexpr std::int64_t kThousand = 1000;
constexpr std::int64_t kIdle = 100;
constexpr std::int64_t kBatch = 25'000;
constexpr Millis kPace = std::chrono::seconds(20);

/// Words as agents write them; bodies are pieces of one long text made of them.
class Prose {
 public:
  explicit Prose(Random& random) : random_(random) {
    constexpr std::array kWords = {
        "the",    "build",      "is",      "red",     "again",   "after",  "merging",   "branch",    "please",
        "look",   "at",         "test",    "failure", "in",      "parser", "module",    "and",       "report",
        "back",   "when",       "done",    "commit",  "rebased", "onto",   "main",      "conflicts", "resolved",
        "queue",  "worker",     "waiting", "for",     "review",  "of",     "migration", "schema",    "timeout",
        "raised", "to",         "thirty",  "seconds", "because", "slow",   "disk",      "checked",   "twice",
        "no",     "regression", "found",   "handing", "over"};
    while (text_.size() < kSize + kLongest) {
      text_ += kWords[random_.bits() % kWords.size()];
      text_ += random_.bits() % 12 == 0 ? '\n' : ' ';
    }
  }
  /// 200 to 2,000 bytes, short ones more often.
  std::string_view body() {
    const double share = static_cast<double>(random_.bits() % 1000) / 1000;
    return piece(200 + static_cast<std::size_t>(share * share * (kLongest - 200)));
  }
  std::string subject() {
    std::string out(trim(piece(20 + random_.bits() % 40)));
    for (auto& c : out)
      if (c == '\n') c = ' ';
    return out;
  }

 private:
  static constexpr std::size_t kSize = 1u << 20;
  static constexpr std::size_t kLongest = 2000;
  std::string_view piece(std::size_t size) { return std::string_view(text_).substr(random_.bits() % kSize, size); }
  Random& random_;
  std::string text_;
};

class Filler {
 public:
  Filler(FilledTown& town, std::int64_t messages)
      : town_(town), messages_(messages), start_(SystemClock().now() - kPace * messages) {}

  Result<> add_agents(Ledger& ledger) {
    TRY_VOID(ledger.add_rig({.name = "mill", .prefix = "mi", .path = town_.folder.string(), .created_at = start_}));
    for (std::int64_t i = 0; i < kWorkers; ++i) {
      TRY(worker, add_agent(ledger, cat("mill/polecats/w", i)));
      workers_.push_back(worker);
    }
    TRY(thousand, add_agent(ledger, "mill/crew/thousand"));
    TRY(idle, add_agent(ledger, "mill/crew/idle"));
    town_.worker = workers_[kWorkers / 2];
    town_.thousand = thousand;
    town_.idle = idle;
    return {};
  }

  /// Messages number `from` to `to`, counted from 0.
  Result<> add_messages(Ledger& ledger, std::int64_t from, std::int64_t to) {
    for (auto i = from; i < to; ++i) TRY_VOID(add_message(ledger, i));
    return {};
  }

 private:
  Result<Mailbox> add_agent(Ledger& ledger, const std::string& text) {
    TRY(address, Address::parse(text));
    TRY(id, ledger.add_agent({.address = address, .created_at = start_}));
    return Mailbox{id, text};
  }

  const Mailbox& recipient(std::int64_t i) {
    if (i % (messages_ / kThousand) == 0) return town_.thousand;
    if (i % (messages_ / kIdle) == 1) return town_.idle;
    return workers_[random_.bits() % workers_.size()];
  }

  Result<> add_message(Ledger& ledger, std::int64_t i) {
    const Mailbox& to = recipient(i);
    const Mailbox& from = workers_[random_.bits() % workers_.size()];
    Message message;
    message.id = MessageId::make(i + 1, random_);
    message.created_at = start_ + kPace * i;
    message.sender = from.id;
    message.from = from.address;
    message.to = {to.address};
    message.subject = prose_.subject();
    message.body = prose_.body();
    message.priority = random_.bits() % 20 == 0 ? Priority::high : Priority::normal;
    message.thread = "thread-" + random_hex(random_, 12);
    message.digest = static_cast<std::int64_t>(random_.bits());
    TRY_VOID(ledger.add_message(message));
    Delivery delivery{.message = message.id, .mailbox = to.id, .priority = message.priority};
    if (to.id == town_.idle.id || random_.bits() % 100 < 95)
      delivery.delivered_at = delivery.read_at = message.created_at + kPace;
    TRY_VOID(ledger.add_delivery(delivery));
    return ledger.add_event(
        {.at = message.created_at, .kind = EventKind::stored, .message = message.id, .detail = "for " + to.address});
  }

  FilledTown& town_;
  std::int64_t messages_;
  Instant start_;
  SeededRandom random_{20};
  Prose prose_{random_};
  std::vector<Mailbox> workers_;
};

}  // namespace

Result<FilledTown> fill_town(const std::filesystem::path& folder, std::int64_t messages) {
  FilledTown town{.folder = folder};
  {
    // Without a journal: whoever is interrupted here starts anew anyway.
    TRY(database, SqliteDatabase::open(town.store(), SqliteDatabase::Mode::existing));
    TRY_VOID(database->run_script("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -400000"));
    SqlStore store(std::move(database), nullptr);
    Filler filler(town, messages);
    TRY_VOID(store.write([&](Ledger& ledger) { return filler.add_agents(ledger); }));
    for (std::int64_t at = 0; at < messages; at += kBatch)
      TRY_VOID(store.write(
          [&](Ledger& ledger) { return filler.add_messages(ledger, at, std::min(at + kBatch, messages)); }));
  }
  TRY(database, SqliteDatabase::open(town.store(), SqliteDatabase::Mode::existing));
  TRY_VOID(database->run_script("PRAGMA journal_mode = WAL"));
  return town;
}

Result<std::int64_t> stored_messages(const FilledTown& town) {
  TRY(database, SqliteDatabase::open(town.store(), SqliteDatabase::Mode::existing));
  std::int64_t count = 0;
  TRY_VOID(database->run("SELECT count(*) FROM message", {}, [&](const Row& row) {
    count = row.integer(0);
    return Next::stop;
  }));
  return count;
}

}  // namespace townpost::bench
