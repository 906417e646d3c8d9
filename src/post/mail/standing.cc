#include "post/mail/standing.h"

#include <algorithm>
#include <array>

#include "base/advice.h"
#include "base/text.h"
#include "post/lists/queues.h"
#include "post/rules/withheld.h"

namespace townpost {

namespace {

constexpr std::array<std::string_view, 13> kStates = {"waiting",  "offered", "delivered", "read",       "acked",
                                                      "archived", "deleted", "available", "processing", "completed",
                                                      "dead",     "posted",  "recalled"};

static_assert(kStates.size() == static_cast<std::size_t>(last_value(StandingState{})) + 1);

Result<Standing> in_queue(Ledger& ledger, const QueueItem& item, const Caller& reader, Instant now) {
  const MessageId id = item.message;
  TRY(mail, queued_mail(ledger, id, now));
  TRY(reason, reason_for(ledger, mail, reader));
  Standing standing{.address = "queue:" + mail.queue.name};
  if (mail.queue.deleted_at && mail.item.state != ItemState::completed) {
    standing.state = StandingState::deleted;
    standing.why = cat("its queue was deleted at ", rfc3339(*mail.queue.deleted_at), "; nobody gets it");
    return standing;
  }
  switch (mail.item.state) {
    case ItemState::available: {
      standing.state = StandingState::available;
      TRY(withheld, is_quarantined(ledger, mail.message.sender));
      TRY(doubt, doubt_about(ledger, mail.queue));
      standing.why = withheld ? cat(mail.message.from, " is quarantined: nobody gets it until that ends")
                     : mail.queue.state == QueueState::paused ? "the queue is paused"
                     : doubt.empty()                          ? "it waits for a claimant"
                                                              : doubt;
      break;
    }
    case ItemState::leased:
      standing.state = StandingState::processing;
      standing.why = cat(mail.holder, " has it until ", rfc3339(item.lease_until));
      break;
    case ItemState::completed:
      standing.state = StandingState::completed;
      break;
    case ItemState::dead:
      standing.state = StandingState::dead;
      standing.why = cat("given up after ", item.attempts,
                         " attempts: ", reason.empty() ? "the lease ran out" : in_quotes(reason, 200), "; ",
                         called("queue.retry", {{"id", id.str()}}));
      break;
  }
  return standing;
}

Result<Standing> on_channel(Ledger& ledger, const Post& post, const Message& message) {
  TRY(channel, ledger.channel(post.channel));
  Standing standing{.address = "channel:" + (channel ? channel->name : "?"), .state = StandingState::posted, .why = ""};
  standing.delivery.held_by = post.held_by;
  if (channel && channel->deleted_at) {
    standing.state = StandingState::deleted;
    standing.why = cat("its channel was deleted at ", rfc3339(*channel->deleted_at));
    return standing;
  }
  if (post.recalled_at) {
    standing.state = StandingState::recalled;
    standing.why = "those who had not read it no longer find it";
    return standing;
  }
  TRY(withheld, is_quarantined(ledger, post.sender));
  if (withheld)
    standing.why = cat(message.from, " is quarantined: it is news to nobody until that ends");
  else if (!post.held_by.empty())
    standing.why = cat("held by rule ", post.held_by, ": nobody is woken for it");
  return standing;
}

}  // namespace

std::vector<std::string_view> standing_state_names() { return {kStates.begin(), kStates.end()}; }
std::string_view name(StandingState state) { return kStates[static_cast<std::size_t>(state)]; }

StandingState state_of(const Delivery& d) {
  if (d.deleted_at) return StandingState::deleted;
  if (d.archived_at) return StandingState::archived;
  if (d.acked_at) return StandingState::acked;
  if (d.read_at) return StandingState::read;
  if (d.delivered_at) return StandingState::delivered;
  if (d.announced_at) return StandingState::offered;
  return StandingState::waiting;
}

Result<std::vector<Standing>> list_standings(Ledger& ledger, const Message& message, const Caller& reader,
                                             Instant now) {
  std::vector<Standing> out;
  if (const auto queue = list_addressed(message, "queue:"); !queue.empty()) {
    TRY(item, ledger.item(message.id));
    if (item) {
      TRY(standing, in_queue(ledger, *item, reader, now));
      out.push_back(std::move(standing));
    } else {
      out.push_back(
          {.address = cat("queue:", queue), .state = StandingState::recalled, .why = "nobody had claimed it"});
    }
  }
  if (!list_addressed(message, "channel:").empty()) {
    TRY(post, ledger.post(message.id));
    if (post) {
      TRY(standing, on_channel(ledger, *post, message));
      out.push_back(std::move(standing));
    }
  }
  for (auto& standing : out)
    standing.copy = std::find(message.cc.begin(), message.cc.end(), standing.address) != message.cc.end();
  return out;
}

}  // namespace townpost
