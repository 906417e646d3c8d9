#pragma once
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/clock.h"
#include "base/result.h"
#include "base/text.h"
#include "post/town/turn.h"

namespace townpost {

/// A statement. Databases prepare each once and know it by its address, so it is a constant of the program: a literal,
/// or text that was put together when the program was compiled (store/columns.h). Nothing else can become one, but by
/// kept().
class Sql {
 public:
  // NOLINTBEGIN(google-explicit-constructor): a literal is what a statement is written as.
  template <std::size_t N>
  consteval Sql(const char (&literal)[N]) : text_(literal, N - 1) {}
  template <class Text>
  requires requires(const Text& text) { text.letters; }
  consteval Sql(const Text& text) : text_(text.letters.data(), text.letters.size()) {}
  // NOLINTEND(google-explicit-constructor)
  /// A statement that is made while the program runs, and kept as long as that.
  static Sql kept(const std::string& text);
  std::string_view text() const { return text_; }
  const char* address() const { return text_.data(); }

 private:
  explicit Sql(std::string_view text) : text_(text) {}
  std::string_view text_;
};

/// A value bound to `$n`. Text is not copied: it must live until the call returns.
class Param {
 public:
  // NOLINTBEGIN(google-explicit-constructor): a list of values is what a statement is called with.
  Param(std::nullopt_t) {}
  Param(std::int64_t value) : value_(value) {}
  Param(int value) : value_(std::int64_t{value}) {}
  Param(bool value) : value_(std::int64_t{value}) {}
  Param(Instant value) : value_(value.ms) {}
  Param(std::string_view value) : value_(value) {}
  Param(const std::string& value) : value_(std::string_view(value)) {}
  Param(const char* value) : value_(std::string_view(value)) {}
  template <class T>
  Param(const std::optional<T>& value) {
    if (value) *this = Param(*value);
  }
  // NOLINTEND(google-explicit-constructor)
  const std::variant<std::nullptr_t, std::int64_t, std::string_view>& value() const { return value_; }

 private:
  std::variant<std::nullptr_t, std::int64_t, std::string_view> value_ = nullptr;
};

/// One row of an answer; valid only inside the callback it is handed to. A value that this program never writes is
/// damage: it is noted, something harmless stands in its place, and the statement fails once the callback returns.
class Row {
 public:
  static constexpr std::int64_t kFarthest = 253'402'300'799'999;  ///< ms: the end of the year 9999
  virtual ~Row() = default;
  virtual bool is_null(int column) const = 0;
  /// Whether there is a whole number: SQLite takes anything into any column.
  virtual bool is_integer(int column) const = 0;
  virtual std::int64_t integer(int column) const = 0;
  virtual std::string_view text(int column) const = 0;

  bool flag(int column) const { return integer(column) != 0; }
  /// Text that somebody wrote: UTF-8 without NUL.
  std::string string(int column) const;
  /// What a program said (reasons, names of sessions): shown as well as it can be.
  std::string words(int column) const { return to_utf8(text(column)); }
  Instant instant(int column) const { return {within(column, -kFarthest, kFarthest)}; }
  Millis length(int column) const { return Millis(within(column, -kFarthest, kFarthest)); }
  /// A number that is counted with, not a key.
  int count(int column) const { return static_cast<int>(within(column, INT32_MIN, INT32_MAX)); }
  template <class Enum>
  Enum choice(int column) const {
    return static_cast<Enum>(within(column, 0, static_cast<std::int64_t>(last_value(Enum{}))));
  }
  std::optional<Instant> maybe_instant(int column) const {
    if (is_null(column)) return std::nullopt;
    return instant(column);
  }

  void note_damage(std::string what) const {
    if (!damage_) damage_ = std::move(what);
  }
  /// Nothing, or the error for what was found.
  Result<> sound() const;

 private:
  std::int64_t within(int column, std::int64_t least, std::int64_t most) const;
  mutable std::optional<std::string> damage_;
};

/// Whether more rows are wanted.
enum class Next { go_on, stop };
using RowSink = std::function<Next(const Row&)>;

/// What a store is asked, and who is told the answer.
struct Question {
  Sql sql;
  std::vector<Param> params = {};
  RowSink answer = {};
};

enum class Dialect { sqlite, postgres };

/// A connection to a store that speaks the common subset of SQL. For one thread at a time.
class Database {
 public:
  virtual ~Database() = default;
  virtual Dialect dialect() const = 0;
  /// What tells this store from every other, whatever it is called; empty if that cannot be told.
  virtual std::string identity() { return {}; }
  /// This connection lives long and writes much: it may keep so many MiB in memory, and tidies up less often.
  virtual void settle_in(int memory) { (void)memory; }
  /// How long the transactions from now on wait for their turn; without limits, as long as the database was opened to.
  virtual void set_patience(const Patience& patience) = 0;
  virtual Result<> begin(Access access) = 0;
  /// In a transaction with Access::look_first: waits until no other writer is before it. What was read until then may
  /// have changed. `first` is what it does in its turn first of all; a database that is far away is told it together
  /// with the wish for a turn.
  virtual Result<> take_turn(const std::vector<Question>& first) = 0;
  /// In a transaction with Access::look_first, before its turn: this is asked soon. A database that is far away answers
  /// it together with what is asked next; where nobody asks, the answer is forgotten.
  virtual void foresee(Sql, std::span<const Param>) {}
  /// Told to everybody who listens at the database, at the commit; nothing where nobody can listen.
  virtual void notify(std::string_view text) = 0;
  virtual Result<> commit() = 0;
  virtual void rollback() = 0;
  /// Whether the transaction that just failed left nothing behind for a reason that passes (connection lost before the
  /// commit, deadlock): running it again is right.
  virtual bool may_repeat() const = 0;
  /// Runs one statement; the number of rows it changed.
  virtual Result<std::int64_t> execute(Sql sql, std::span<const Param> params, const RowSink& sink) = 0;
  /// The same, with the values as a list.
  Result<std::int64_t> run(Sql sql, std::initializer_list<Param> params = {}, const RowSink& sink = {}) {
    return execute(sql, {params.begin(), params.size()}, sink);
  }
  /// The same for a change of which nothing is asked: the database may send it along with what follows, and trouble
  /// with it comes out there, or at the commit.
  virtual Result<> execute_later(Sql sql, std::span<const Param> params) {
    TRY_VOID(execute(sql, params, {}));
    return {};
  }
  /// How many rows this connection has ever changed: whoever fails while it stays the same has left nothing to undo.
  /// Nothing where the database does not count.
  virtual std::optional<std::int64_t> rows_changed() const { return std::nullopt; }
  /// Runs several statements without parameters: schema changes.
  virtual Result<> run_script(const std::string& sql) = 0;
  /// What was erased takes no place any longer, where the database does not see to that by itself. Outside of
  /// transactions; other writers wait.
  virtual Result<> give_back_space() { return {}; }
  virtual Result<std::int64_t> schema_version() = 0;
  virtual Result<> set_schema_version(std::int64_t version) = 0;
};

/// Whether the statement changes nothing: all that may be run before one's turn.
bool only_reads(Sql sql);

}  // namespace townpost
