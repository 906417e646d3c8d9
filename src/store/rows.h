#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "post/values/agent.h"
#include "post/values/message.h"
#include "store/db/database.h"

namespace townpost::rows {

// The columns in the order that the functions below read them, from column `at` on.
#define MESSAGE_COLUMNS                                                                                     \
  "m.id, m.created_at, m.sender, m.grade, m.priority, m.type, m.ack_required, m.wisp, m.hops, m.reply_to, " \
  "m.reply_by, m.digest, m.thread, m.sent_from, m.sent_to, m.sent_cc, m.subject, m.body"
// The same without the body, and without what may be long besides: the recipients.
#define BODILESS_COLUMNS                                                                                    \
  "m.id, m.created_at, m.sender, m.grade, m.priority, m.type, m.ack_required, m.wisp, m.hops, m.reply_to, " \
  "m.reply_by, m.digest, m.thread, m.sent_from, m.sent_to, m.sent_cc, m.subject, ''"
#define HEADER_COLUMNS                                                                                      \
  "m.id, m.created_at, m.sender, m.grade, m.priority, m.type, m.ack_required, m.wisp, m.hops, m.reply_to, " \
  "m.reply_by, m.digest, m.thread, m.sent_from, '', '', m.subject, ''"
#define DELIVERY_COLUMNS                                                                                      \
  "d.message, d.mailbox, d.place, d.is_copy, d.priority, d.pinned, d.held_by, d.held_until, d.delivered_at, " \
  "d.read_at, d.acked_at, d.archived_at, d.deleted_at, d.announced_at, d.bead"
#define AGENT_COLUMNS                                                                                        \
  "a.id, a.address, a.session, a.description, a.start_command, a.resume_command, a.start_on, a.created_at, " \
  "a.removed_at, a.held_since, a.shown_hops, a.shown_at, a.harness, a.pane_process"
constexpr int kMessageColumns = 18;
constexpr int kDeliveryColumns = 15;

Message message(const Row& row, int at = 0);
Delivery delivery(const Row& row, int at = 0);
Agent agent(const Row& row);

/// A list of addresses in one column; addresses hold no space.
std::string pack(const std::vector<std::string>& addresses);
std::vector<std::string> unpack(std::string_view text);

}  // namespace townpost::rows
