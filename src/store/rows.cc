#include "store/rows.h"

#include "base/check.h"
#include "base/text.h"

namespace townpost::rows {

std::string pack(const std::vector<std::string>& addresses) { return join(addresses, " "); }

std::vector<std::string> unpack(std::string_view text) {
  std::vector<std::string> out;
  if (text.empty()) return out;
  for (auto part : split(text, ' ')) out.emplace_back(part);
  return out;
}

Message message(const Row& row, int at) {
  Message m;
  m.id = {row.integer(at)};
  m.created_at = row.instant(at + 1);
  m.sender = {row.integer(at + 2)};
  m.grade = static_cast<Grade>(row.integer(at + 3));
  m.priority = static_cast<Priority>(row.integer(at + 4));
  m.type = static_cast<MessageType>(row.integer(at + 5));
  m.ack_required = row.flag(at + 6);
  m.wisp = row.flag(at + 7);
  m.hops = static_cast<int>(row.integer(at + 8));
  if (!row.is_null(at + 9)) m.reply_to = MessageId{row.integer(at + 9)};
  m.reply_by = row.maybe_instant(at + 10);
  if (!row.is_null(at + 11)) m.digest = row.integer(at + 11);
  m.thread = row.string(at + 12);
  m.from = row.string(at + 13);
  m.to = unpack(row.text(at + 14));
  m.cc = unpack(row.text(at + 15));
  m.subject = row.string(at + 16);
  m.body = row.string(at + 17);
  return m;
}

Delivery delivery(const Row& row, int at) {
  Delivery d;
  d.message = {row.integer(at)};
  d.mailbox = {row.integer(at + 1)};
  d.place = static_cast<int>(row.integer(at + 2));
  d.copy = row.flag(at + 3);
  d.priority = static_cast<Priority>(row.integer(at + 4));
  d.pinned = row.flag(at + 5);
  d.held_by = row.string(at + 6);
  d.held_until = row.maybe_instant(at + 7);
  d.delivered_at = row.maybe_instant(at + 8);
  d.read_at = row.maybe_instant(at + 9);
  d.acked_at = row.maybe_instant(at + 10);
  d.archived_at = row.maybe_instant(at + 11);
  d.deleted_at = row.maybe_instant(at + 12);
  d.announced_at = row.maybe_instant(at + 13);
  d.bead = row.string(at + 14);
  return d;
}

Agent agent(const Row& row) {
  auto address = Address::parse(row.text(1));
  CHECK(address.has_value());  // only Addresses are ever stored
  Agent a{.id = {row.integer(0)},
          .address = *address,
          .session = row.string(2),
          .description = row.string(3),
          .start_command = row.string(4),
          .resume_command = row.string(5),
          .start_on = static_cast<StartOn>(row.integer(6)),
          .created_at = row.instant(7),
          .removed_at = row.maybe_instant(8),
          .held_since = row.maybe_instant(9),
          .shown_hops = static_cast<int>(row.integer(10)),
          .shown_at = row.maybe_instant(11)};
  return a;
}

}  // namespace townpost::rows
