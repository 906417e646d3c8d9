#pragma once
#include <memory>
#include <utility>

#include "store/db/database.h"

namespace townpost {

/// Another database, as it is: for tests that change or count one thing about it.
class DatabaseBehind : public Database {
 public:
  explicit DatabaseBehind(std::unique_ptr<Database> real) : real_(std::move(real)) {}
  Dialect dialect() const override { return real_->dialect(); }
  std::string identity() override { return real_->identity(); }
  void settle_in(int memory) override { real_->settle_in(memory); }
  void set_patience(const Patience& patience) override { real_->set_patience(patience); }
  Result<> begin(Access access) override { return real_->begin(access); }
  Result<> take_turn(const std::vector<Question>& first) override { return real_->take_turn(first); }
  void notify(std::string_view text) override { real_->notify(text); }
  Result<> commit() override { return real_->commit(); }
  void rollback() override { real_->rollback(); }
  bool may_repeat() const override { return real_->may_repeat(); }
  Result<std::int64_t> execute(Sql sql, std::span<const Param> params, const RowSink& sink) override {
    return real_->execute(sql, params, sink);
  }
  Result<> execute_later(Sql sql, std::span<const Param> params) override { return real_->execute_later(sql, params); }
  std::optional<std::int64_t> rows_changed() const override { return real_->rows_changed(); }
  Result<> run_script(const std::string& sql) override { return real_->run_script(sql); }
  Result<> give_back_space() override { return real_->give_back_space(); }
  Result<std::int64_t> schema_version() override { return real_->schema_version(); }
  Result<> set_schema_version(std::int64_t version) override { return real_->set_schema_version(version); }

 private:
  std::unique_ptr<Database> real_;
};

/// What a database was asked for.
struct DatabaseCounts {
  int statements = 0;
  int steps = 0;  ///< of transactions: begun, in their turn, committed
  int all() const { return statements + steps; }
};

/// Counts what it is asked for.
class CountingDatabase final : public DatabaseBehind {
 public:
  CountingDatabase(std::unique_ptr<Database> real, DatabaseCounts& asked)
      : DatabaseBehind(std::move(real)), asked_(asked) {}
  Result<> begin(Access access) override {
    ++asked_.steps;
    return DatabaseBehind::begin(access);
  }
  Result<> take_turn(const std::vector<Question>& first) override {
    ++asked_.steps;
    return DatabaseBehind::take_turn(first);
  }
  Result<> commit() override {
    ++asked_.steps;
    return DatabaseBehind::commit();
  }
  Result<std::int64_t> execute(Sql sql, std::span<const Param> params, const RowSink& sink) override {
    ++asked_.statements;
    return DatabaseBehind::execute(sql, params, sink);
  }
  Result<> execute_later(Sql sql, std::span<const Param> params) override {
    ++asked_.statements;
    return DatabaseBehind::execute_later(sql, params);
  }

 private:
  DatabaseCounts& asked_;
};

}  // namespace townpost
