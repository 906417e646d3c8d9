#include "post/mail/mailroom.h"

#include <algorithm>
#include <functional>
#include <thread>

#include "base/advice.h"
#include "base/text.h"
#include "post/lists/mail_place.h"
#include "post/mail/typed_mail.h"
#include "post/nudge/nudges.h"
#include "post/people/membership.h"
#include "post/people/resolve.h"
#include "post/rules/mail_wake.h"
#include "post/rules/posting.h"

namespace townpost {

namespace {

// Between two shares others get their turn: whoever waits for the lock needs a moment to take it.
constexpr Millis kBreath(1);

constexpr int kPage = 1000;
constexpr std::int64_t kMostCounted = 10'000;

/// What a person may do about a message that is in somebody else's mailbox; work and posts are in nobody's.
Result<NextStep> step_of_owner(Ledger& ledger, MessageId id, const Caller& caller) {
  if (!caller.is_person()) return NextStep();
  TRY(copies, ledger.deliveries(id));
  for (const auto& copy : copies) {
    if (copy.deleted_at) continue;
    TRY(owner, ledger.agent(copy.mailbox));
    if (owner) return "act for its owner with " + next("", {{"as", owner->address.str()}});
  }
  return NextStep();
}

/// What a query finds, of those that are wanted.
using Lister = std::function<Result<std::vector<Mail>>(const MailQuery&)>;

/// How many match from the place of the query on; counted up to kMostCounted.
Result<std::int64_t> count_matching(const Lister& list, MailQuery query) {
  query.limit = kPage;
  std::int64_t number = 0;
  while (number < kMostCounted) {
    TRY(page, list(query));
    number += static_cast<std::int64_t>(page.size());
    if (page.size() < static_cast<std::size_t>(kPage)) break;
    query.after_seq = page.back().message.id.seq();
  }
  return number;
}

/// How many match, and how many of them are behind what the inbox has of them.
Result<> count_the_rest(Ledger& ledger, const Lister& list, MailQuery query, const MailFilter& filter,
                        Mailroom::Inbox& inbox) {
  const bool from_the_start = !query.after_seq;
  const bool is_filtered = filter.type || filter.looks_at_each();
  const bool whole_shelf = !query.from && !is_filtered;
  const auto here = static_cast<std::int64_t>(inbox.mails.size());
  if (whole_shelf) {
    TRY(total, ledger.count(query.mailbox, query.shelf));
    inbox.total = total;
  }
  if (whole_shelf && from_the_start) {
    inbox.more = inbox.total - here;
    return {};
  }
  if (here == query.limit) {
    query.after_seq = inbox.mails.back().message.id.seq();
    TRY(more, count_matching(list, query));
    inbox.more = more;
  }
  if (whole_shelf) return {};
  inbox.total = here + inbox.more;
  if (from_the_start) return {};
  query.after_seq.reset();
  TRY(total, count_matching(list, query));
  inbox.total = total;
  return {};
}

}  // namespace

Result<Mailroom::Inbox> Mailroom::inbox(const InboxQuery& query, const Caller& caller) {
  return read_value(town_.store, [&](Ledger& ledger) -> Result<Inbox> {
    TRY(owner, query.whose ? resolve_one(ledger, *query.whose) : own_mailbox(ledger, caller));
    std::optional<AgentId> from;
    if (query.from) {
      TRY(sender, resolve_one(ledger, *query.from));
      from = sender.id;
    }
    Inbox inbox{.owner = owner, .headers_only = owner.address != caller.address && !caller.is_person()};
    TRY(withheld, Withheld::from_reader(ledger, caller));
    const MailQuery wanted{
        .mailbox = owner.id, .shelf = query.shelf, .from = from, .after_seq = query.after_seq, .limit = query.limit};
    const auto list = [&](const MailQuery& part) {
      return list_filtered(ledger, part, query.filter, {town_.settings, withheld, !inbox.headers_only});
    };
    TRY(mails, list(wanted));
    for (auto& mail : mails) {
      TRY_VOID(note_place(ledger, mail, caller, town_.clock.now()));
      withheld.strip(mail);
    }
    inbox.mails = std::move(mails);
    TRY_VOID(count_the_rest(ledger, list, wanted, query.filter, inbox));
    return inbox;
  });
}

Result<Mail> Mailroom::read(MessageId id, Ack ack, const Caller& caller) {
  std::optional<Mail> out;
  bool write_needed = false;
  auto look = [&](Ledger& ledger) -> Result<OpenedMail> {
    TRY(self, own_mailbox(ledger, caller));
    return open_mail(ledger, id, self, caller, town_.clock.now());
  };
  TRY_VOID(town_.store.read([&](Ledger& ledger) -> Result<> {
    TRY(opened, look(ledger));
    TRY_VOID(check_words(opened));
    TRY(copy, shown_copy(ledger, opened));
    out = Mail{opened.message, copy};
    TRY_VOID(note_place(ledger, *out, caller, town_.clock.now()));
    if (!opened.own) {
      TRY(self, own_mailbox(ledger, caller));
      TRY_VOID(note_owner(ledger, *out, self.id));
    }
    const bool marks = ack == Ack::yes || (ack == Ack::is_read && opened.own && !opened.own->read_at);
    write_needed = opened.own && (!opened.own->delivered_at || opened.message.hops > 0 || marks);
    if (ack == Ack::yes && !opened.own)
      return fail(Code::refused, cat(id.str(), " was not sent to you; there is nothing to acknowledge"),
                  "leave out " + next("", {{"ack", "true"}}));
    return {};
  }));
  if (!write_needed) return *out;
  TRY_VOID(write_with_duties(town_, [&](Ledger& ledger, Posting&) -> Result<> {
    const Instant now = town_.clock.now();
    TRY(opened, look(ledger));
    TRY_VOID(check_words(opened));
    TRY(self, own_mailbox(ledger, caller));
    if (!opened.own) return {};
    const auto shown = opened.own->delivered_at ? Showing::again : Showing::first_time;
    Delivery copy = *opened.own;
    if (!copy.delivered_at) {
      copy.delivered_at = now;
      TRY_VOID(ledger.add_event({.at = now,
                                 .kind = EventKind::delivered,
                                 .message = id,
                                 .agent = copy.mailbox,
                                 .detail = "evidence: shown by " + called("mail.read")}));
    }
    if (ack != Ack::no)
      if (const auto change = apply(ack == Ack::yes ? Mark::read : Mark::seen, opened.message, copy, now);
          change.changed)
        TRY_VOID(ledger.add_event({.at = now,
                                   .kind = change.event,
                                   .message = id,
                                   .agent = copy.mailbox,
                                   .detail = ack == Ack::yes ? "with " + called("mail.read", {{"ack", ""}})
                                                             : "a person at a terminal was shown it"}));
    if (copy != *opened.own) TRY_VOID(ledger.update_delivery(copy));
    if (ack != Ack::no) TRY_VOID(settle_mail_nudge(ledger, self.id, now));
    // What an agent is shown counts for the chain that its next message continues (rule L1).
    note_shown(self, opened.message, shown, now);
    TRY_VOID(ledger.update_shown(self));
    out = Mail{opened.message, copy};
    return note_place(ledger, *out, caller, town_.clock.now());
  }));
  return *out;
}

Result<Mail> Mailroom::look(MessageId id, const Caller& caller) {
  return read_value(town_.store, [&](Ledger& ledger) -> Result<Mail> {
    TRY(self, own_mailbox(ledger, caller));
    TRY(opened, open_mail(ledger, id, self, caller, town_.clock.now()));
    TRY_VOID(check_words(opened));
    TRY(copy, shown_copy(ledger, opened));
    Mail mail{opened.message, copy};
    TRY_VOID(note_place(ledger, mail, caller, town_.clock.now()));
    TRY_VOID(note_owner(ledger, mail, self.id));
    return mail;
  });
}

Result<std::vector<MarkOutcome>> Mailroom::mark_share(std::span<const std::string> ids, Mark mark,
                                                      const Caller& caller) {
  std::vector<MarkOutcome> outcomes;
  TRY_VOID(write_with_duties(town_, [&](Ledger& ledger, Posting&) -> Result<> {
    outcomes.clear();
    const Instant now = town_.clock.now();
    TRY(self, own_mailbox(ledger, caller));
    auto one = [&](const std::string& text) -> Result<std::string> {
      TRY(id, MessageId::parse(text));
      TRY(own, ledger.delivery(id, self.id));
      TRY(message, ledger.message(id, Parts::headers));
      if (!own || own->deleted_at || !message) {
        TRY_VOID(open_mail(ledger, id, self, caller, now, Parts::headers));
        TRY(step, step_of_owner(ledger, id, caller));
        return fail(Code::refused, cat(id.str(), " is not in the mailbox of ", self.address.str()), std::move(step));
      }
      Delivery copy = *own;
      const auto change = apply(mark, *message, copy, now);
      if (change.changed) {
        TRY_VOID(ledger.update_delivery(copy));
        TRY_VOID(ledger.add_event({.at = now,
                                   .kind = change.event,
                                   .message = id,
                                   .agent = copy.mailbox,
                                   .detail = "by " + caller.address.str()}));
      }
      return change.state;
    };
    for (const auto& text : ids) {
      auto state = one(text);
      if (!state && state.error().code == Code::unavailable) return Failure(state.error());
      MarkOutcome outcome{
          .id = for_terminal_line(shorten(to_utf8(text), 80)), .state = state ? *state : "", .error = std::nullopt};
      if (!state) outcome.error = state.error();
      outcomes.push_back(std::move(outcome));
    }
    if (mark == Mark::unread || mark == Mark::unarchived) ledger.ring(self.id);
    TRY_VOID(settle_mail_nudge(ledger, self.id, now));
    return {};
  }));
  return outcomes;
}

Result<std::vector<MarkOutcome>> Mailroom::mark(const std::vector<std::string>& ids, Mark mark, const Caller& caller) {
  constexpr std::size_t kShare = 500;
  std::vector<MarkOutcome> outcomes;
  const std::span<const std::string> all(ids);
  std::size_t done = 0;
  do {
    if (done > 0) std::this_thread::sleep_for(kBreath);
    const auto share = all.subspan(done, std::min(kShare, all.size() - done));
    TRY(some, mark_share(share, mark, caller));
    std::move(some.begin(), some.end(), std::back_inserter(outcomes));
    done += share.size();
  } while (done < all.size());
  return outcomes;
}

Result<std::vector<MarkOutcome>> Mailroom::mark_found(
    Mark mark, const Caller& caller, const std::function<Result<std::vector<MessageId>>(Ledger&, const Agent&)>& find) {
  TRY(found, read_value(town_.store, [&](Ledger& ledger) -> Result<std::vector<MessageId>> {
        TRY(self, own_mailbox(ledger, caller));
        return find(ledger, self);
      }));
  std::vector<std::string> ids;
  ids.reserve(found.size());
  for (const auto id : found) ids.push_back(id.str());
  return this->mark(ids, mark, caller);
}

Result<std::vector<MarkOutcome>> Mailroom::mark_all_read(const Caller& caller) {
  return mark_found(Mark::read, caller,
                    [](Ledger& ledger, const Agent& self) { return ledger.ids(self.id, Shelf::unread); });
}

Result<std::vector<MarkOutcome>> Mailroom::archive_stale(Millis older, const Caller& caller) {
  const Instant before = town_.clock.now() - older;
  return mark_found(Mark::archived, caller,
                    [before](Ledger& ledger, const Agent& self) { return ledger.stale(self.id, before); });
}

Result<std::vector<MarkOutcome>> Mailroom::drain(Millis older, Chatter chatter, const Caller& caller) {
  const Instant before = town_.clock.now() - older;
  auto is_chatter = [&](const Mail& mail) {
    const auto& message = mail.message;
    const auto* type = type_of(town_.settings, message);
    if (!type || type->needs_answer || type->name == "HANDOFF" || message.type == MessageType::escalation) return false;
    if (message.created_at >= before || mail.delivery->pinned) return false;
    return mail.delivery->read_at || chatter == Chatter::unread_too;
  };
  return mark_found(Mark::archived, caller, [&](Ledger& ledger, const Agent& self) -> Result<std::vector<MessageId>> {
    std::vector<MessageId> out;
    MailQuery query{.mailbox = self.id, .shelf = Shelf::inbox, .limit = kPage, .parts = Parts::headers};
    while (true) {
      TRY(mails, ledger.list(query));
      for (const auto& mail : mails)
        if (is_chatter(mail)) out.push_back(mail.message.id);
      if (mails.size() < static_cast<std::size_t>(kPage)) return out;
      query.after_seq = mails.back().message.id.seq();
    }
  });
}

Result<Agent> Mailroom::mailbox_of(const Caller& caller) {
  return read_value(town_.store, [&](Ledger& ledger) { return own_mailbox(ledger, caller); });
}

Result<std::optional<Mail>> Mailroom::first_unread(const Caller& caller) {
  return read_value(town_.store, [&](Ledger& ledger) -> Result<std::optional<Mail>> {
    TRY(self, own_mailbox(ledger, caller));
    TRY(mails, ledger.list({.mailbox = self.id, .shelf = Shelf::offered, .limit = 1}));
    if (mails.empty()) return std::optional<Mail>();
    TRY_VOID(note_place(ledger, mails.front(), caller, town_.clock.now()));
    return std::optional<Mail>(std::move(mails.front()));
  });
}

Result<Mailroom::News> Mailroom::news_for(const Agent& self) {
  return read_value(town_.store, [&](Ledger& ledger) -> Result<News> {
    const Instant now = town_.clock.now();
    TRY(mail, ledger.has_wakeful_mail(self.id, now));
    if (mail) return News{.arrived = true};
    TRY(posts, channel_news(ledger, self, now));
    if (std::any_of(posts.channels.begin(), posts.channels.end(), [](const ChannelNews& one) { return one.wake; }))
      return News{.arrived = true};
    TRY(end, ledger.next_hold_end(self.id, now));
    return News{.next_at = end.value_or(kForever)};
  });
}

Result<Mailroom::Waiting> Mailroom::waiting_now(const Agent& self) {
  return read_value(town_.store, [&](Ledger& ledger) -> Result<Waiting> {
    Waiting out;
    TRY(unread, ledger.count(self.id, Shelf::offered));
    out.unread = unread;
    TRY(news, channel_news(ledger, self, town_.clock.now()));
    out.channels = std::move(news.channels);
    return out;
  });
}

Result<std::vector<Mailroom::DirectoryEntry>> Mailroom::directory(const Caller& reader) {
  const auto sessions = town_.machine.all();
  return read_value(town_.store, [&](Ledger& ledger) -> Result<std::vector<DirectoryEntry>> {
    std::vector<DirectoryEntry> out;
    TRY(everyone, deliverable(ledger));
    TRY(withheld, Withheld::from_reader(ledger, reader));
    for (auto& agent : everyone) withheld.strip(agent);
    for (const auto& session : unregistered(sessions, everyone))
      out.push_back({"tmux session", session.name, about(session)});
    out.reserve(everyone.size());
    for (const auto& agent : everyone)
      out.push_back({std::string(name(agent.address.role())), agent.address.str(), agent.description});
    TRY(groups, ledger.groups());
    for (const auto& group : groups) {
      TRY(expansion, expand_group(ledger, group));
      if (!expansion.agents.empty()) out.push_back({"group", "group:" + group.name, join(group.members, ", ")});
    }
    TRY(queues, ledger.queues());
    for (const auto& queue : queues)
      if (queue.state != QueueState::closed)
        out.push_back({"queue", "queue:" + queue.name, cat(name(queue.state), ", claimed by ", queue.claimers)});
    TRY(channels, ledger.channels());
    for (const auto& channel : channels)
      if (!channel.closed) out.push_back({"channel", "channel:" + channel.name, "active"});
    std::stable_sort(out.begin(), out.end(),
                     [](const DirectoryEntry& a, const DirectoryEntry& b) { return a.type < b.type; });
    return out;
  });
}

}  // namespace townpost
