#include "crash/evidence.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "base/text.h"
#include "post/values/message.h"

namespace townpost {

std::string sealed_body(std::string_view name, std::size_t bytes) {
  std::string body = cat(name, "\n");
  while (body.size() < bytes) body += cat(name, " is line ", body.size(), "\n");
  return cat(body, digest64(body));
}

std::string seal_of(std::string_view body) {
  const auto last_line = body.rfind('\n');
  if (last_line == std::string_view::npos) return "torn";
  const auto text = body.substr(0, last_line + 1);
  if (body.substr(last_line + 1) != std::to_string(digest64(text))) return "torn";
  return std::string(text.substr(0, text.find('\n')));
}

std::string receipt_id(std::string_view out) {
  if (!out.ends_with('\n')) return "";
  const auto json = parse_json(trim(out));
  if (!json || !json->is_object() || !json->get_object().contains("id")) return "";
  return std::string(json->at("id").as_string());
}

StoreEvidence::StoreEvidence(const std::filesystem::path& town_db) {
  auto opened = SqliteDatabase::open(town_db, SqliteDatabase::Mode::existing);
  if (!opened) throw std::runtime_error(opened.error().message);
  database_ = std::move(*opened);
}

std::int64_t StoreEvidence::count(Sql sql) const {
  std::int64_t number = -1;
  const auto done = database_->run(sql, {}, [&](const Row& row) {
    number = row.integer(0);
    return Next::stop;
  });
  EXPECT_TRUE(done.has_value()) << sql.text() << ": " << done.error().message;
  return number;
}

void StoreEvidence::expect_none(const char* what, Sql sql) const { EXPECT_EQ(count(sql), 0) << what; }

void StoreEvidence::expect_sound() const {
  std::string verdict;
  const auto checked = database_->run("PRAGMA integrity_check", {}, [&](const Row& row) {
    verdict += row.string(0);
    return Next::go_on;
  });
  ASSERT_TRUE(checked.has_value()) << checked.error().message;
  EXPECT_EQ(verdict, "ok");
  expect_none("messages without a delivery",
              "SELECT count(*) FROM message m WHERE NOT EXISTS (SELECT 1 FROM delivery d WHERE d.message = m.id)");
  expect_none("deliveries without a message",
              "SELECT count(*) FROM delivery d WHERE NOT EXISTS (SELECT 1 FROM message m WHERE m.id = d.message)");
  expect_none("messages without exactly one 'stored' event",
              "SELECT count(*) FROM message m"
              " WHERE (SELECT count(*) FROM event e WHERE e.message = m.id AND e.kind = 'stored') <> 1");
  expect_none("events without a message",
              "SELECT count(*) FROM event e"
              " WHERE e.message IS NOT NULL AND NOT EXISTS (SELECT 1 FROM message m WHERE m.id = e.message)");
  expect_none("duties without a message",
              "SELECT count(*) FROM outbox o"
              " WHERE o.message IS NOT NULL AND NOT EXISTS (SELECT 1 FROM message m WHERE m.id = o.message)");
  expect_none("messages with a reply-by but without both its duties",
              "SELECT count(*) FROM message m"
              " WHERE reply_by IS NOT NULL AND (SELECT count(*) FROM outbox o WHERE o.message = m.id) <> 2");
  expect_none("copies in mailboxes of nobody",
              "SELECT count(*) FROM delivery d WHERE NOT EXISTS (SELECT 1 FROM agent a WHERE a.id = d.mailbox)");
  expect_none("copies that were read without an event that says so",
              "SELECT count(*) FROM delivery d WHERE (d.read_at IS NOT NULL) <> EXISTS"
              " (SELECT 1 FROM event e WHERE e.message = d.message AND e.agent = d.mailbox AND e.kind = 'read')");
  expect_none("copies that were archived without an event that says so",
              "SELECT count(*) FROM delivery d WHERE (d.archived_at IS NOT NULL) <> EXISTS"
              " (SELECT 1 FROM event e WHERE e.message = d.message AND e.agent = d.mailbox AND e.kind = 'archived')");
  expect_none("copies that were announced without an event that says so",
              "SELECT count(*) FROM delivery d WHERE (d.announced_at IS NOT NULL) <> EXISTS"
              " (SELECT 1 FROM event e WHERE e.message = d.message AND e.agent = d.mailbox AND e.kind = 'offered')");
}

std::map<std::string, StoreEvidence::Stored> StoreEvidence::messages() const {
  std::map<std::string, Stored> out;
  const auto done = database_->run(
      "SELECT id, subject, body, (SELECT count(*) FROM delivery d WHERE d.message = m.id),"
      " (SELECT count(*) FROM event e WHERE e.message = m.id AND e.kind = 'stored'),"
      " (SELECT count(*) FROM outbox o WHERE o.message = m.id) FROM message m",
      {}, [&](const Row& row) {
        out[MessageId{row.integer(0)}.str()] = {row.string(1), row.string(2), row.integer(3), row.integer(4),
                                                row.integer(5)};
        return Next::go_on;
      });
  EXPECT_TRUE(done.has_value()) << done.error().message;
  return out;
}

}  // namespace townpost
