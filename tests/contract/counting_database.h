#pragma once
#include <memory>
#include <utility>

#include "store/db/database.h"

namespace townpost {

/// A connection that counts what it is asked for.
class CountingDatabase final : public Database {
 public:
  CountingDatabase(std::unique_ptr<Database> inner, int& asked) : inner_(std::move(inner)), asked_(asked) {}
  Dialect dialect() const override { return inner_->dialect(); }
  Result<> begin(Access access) override {
    ++asked_;
    return inner_->begin(access);
  }
  Result<> take_turn() override {
    ++asked_;
    return inner_->take_turn();
  }
  void notify(std::string_view text) override { inner_->notify(text); }
  Result<> commit() override {
    ++asked_;
    return inner_->commit();
  }
  void rollback() override { inner_->rollback(); }
  bool may_repeat() const override { return inner_->may_repeat(); }
  Result<std::int64_t> execute(Sql sql, std::span<const Param> params, const RowSink& sink) override {
    ++asked_;
    return inner_->execute(sql, params, sink);
  }
  Result<> run_script(const std::string& sql) override { return inner_->run_script(sql); }
  Result<std::int64_t> schema_version() override { return inner_->schema_version(); }
  Result<> set_schema_version(std::int64_t version) override { return inner_->set_schema_version(version); }

 private:
  std::unique_ptr<Database> inner_;
  int& asked_;
};

}  // namespace townpost
