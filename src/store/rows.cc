#include "store/rows.h"

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
  m.grade = row.choice<Grade>(at + 3);
  m.priority = row.choice<Priority>(at + 4);
  m.type = row.choice<MessageType>(at + 5);
  m.ack_required = row.flag(at + 6);
  m.wisp = row.flag(at + 7);
  m.hops = row.count(at + 8);
  if (!row.is_null(at + 9)) m.reply_to = MessageId{row.integer(at + 9)};
  m.reply_by = row.maybe_instant(at + 10);
  if (!row.is_null(at + 11)) m.digest = row.integer(at + 11);
  m.thread = row.string(at + 12);
  m.from = row.string(at + 13);
  m.to = unpack(row.string(at + 14));
  m.cc = unpack(row.string(at + 15));
  m.subject = row.string(at + 16);
  m.body = row.string(at + 17);
  return m;
}

Delivery delivery(const Row& row, int at) {
  Delivery d;
  d.message = {row.integer(at)};
  d.mailbox = {row.integer(at + 1)};
  d.place = row.count(at + 2);
  d.copy = row.flag(at + 3);
  d.priority = row.choice<Priority>(at + 4);
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
  const auto address = Address::parse(row.text(1));
  if (!address) row.note_damage("the address of an agent is none");
  Agent a{.id = {row.integer(0)},
          .address = address.value_or(Address::human()),
          .session = row.words(2),
          .harness = row.words(12),
          .pane_process = row.words(13),
          .description = row.string(3),
          .start_command = row.string(4),
          .resume_command = row.string(5),
          .start_on = row.choice<StartOn>(6),
          .created_at = row.instant(7),
          .removed_at = row.maybe_instant(8),
          .held_since = row.maybe_instant(9),
          .shown_hops = row.count(10),
          .shown_at = row.maybe_instant(11)};
  return a;
}

}  // namespace townpost::rows
