#include "post/mail/traffic.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "post/lists/mail_place.h"
#include "post/people/resolve.h"
#include "protocol/infrastructure.h"

namespace townpost {

namespace {

constexpr int kPortion = 200;

/// What each message must be, beyond what the store knows.
class Wanted {
 public:
  Wanted(const TrafficQuery& query, const Withheld& withheld)
      : query_(query), words_(fold_case(query.words)), withheld_(withheld) {}

  bool takes(const Message& message) const {
    if (!query_.thread.empty() && message.thread != query_.thread) return false;
    const bool programs = query_.between == TrafficQuery::Between::programs;
    if (query_.between != TrafficQuery::Between::anybody && protocol::is_infrastructure(message.subject) != programs)
      return false;
    if (words_.empty()) return true;
    // A filter tells nothing beyond what its reader is shown.
    if (withheld_.covers(message)) return false;
    for (const auto* text : {&message.subject, &message.body, &message.from})
      if (fold_case(*text).find(words_) != std::string::npos) return true;
    return false;
  }

 private:
  const TrafficQuery& query_;
  const std::string words_;
  const Withheld& withheld_;
};

Result<SentMail> with_recipients(Ledger& ledger, Mail mail, const Caller& caller, Instant now) {
  SentMail out{.mail = std::move(mail), .copies = {}, .lists = {}};
  TRY(copies, ledger.deliveries(out.mail.message.id));
  for (const auto& copy : copies) {
    TRY(agent, ledger.agent(copy.mailbox));
    out.copies.push_back({agent ? agent->address.str() : "?", copy});
  }
  if (!out.mail.delivery && !copies.empty()) out.mail.delivery = copies.front();
  TRY_VOID(note_place(ledger, out.mail, caller, now));
  TRY(lists, list_standings(ledger, out.mail.message, caller, now));
  out.lists = std::move(lists);
  return out;
}

/// Looks for what a query means, the newest first, and at so much of it at most.
class Walk {
 public:
  Walk(Ledger& ledger, const TrafficQuery& query, const Traffic::Bounds& bounds, AgentId reader, const Wanted& wanted)
      : ledger_(ledger), query_(query), bounds_(bounds), reader_(reader), wanted_(wanted) {}

  Result<> go() {
    if (!query_.thread.empty()) return along_the_thread();
    if (!query_.words.empty()) return along_the_index();
    TRY_VOID(along_the_mail(std::nullopt));
    if (!is_cut() || !query_.before_seq || last_.seq() < *query_.before_seq) return {};
    // What this page begins with is farther back than was counted. How many there are stays what the first page said.
    const auto counted = total;
    looked_ = 0;
    TRY_VOID(along_the_mail(MessageId::least(*query_.before_seq)));
    total = counted;
    return {};
  }

  std::vector<Mail> mails;  ///< of this page
  std::int64_t total = 0;   ///< so far as it was looked at
  std::int64_t more = 0;
  /// The number to go on behind, where there may be more.
  std::optional<std::int64_t> next() const {
    const bool is_full = static_cast<int>(mails.size()) == query_.limit;
    if (is_full) return more > 0 || may_go_on_ ? std::optional(mails.back().message.id.seq()) : std::nullopt;
    return may_go_on_ ? std::optional(last_.seq()) : std::nullopt;
  }

 private:
  bool is_cut() const { return looked_ >= bounds_.looked || bytes_ >= bounds_.bytes; }
  void look_at(const Message& message) {
    ++looked_;
    bytes_ += message.body.size();
    last_ = message.id;
  }
  void add(Mail mail) {
    ++total;
    if (query_.before_seq && mail.message.id.seq() >= *query_.before_seq) return;
    if (static_cast<int>(mails.size()) == query_.limit)
      ++more;
    else
      mails.push_back(std::move(mail));
  }

  Result<> along_the_mail(std::optional<MessageId> before) {
    NewestQuery newest{.reader = reader_,
                       .of = query_.whole_town ? NewestQuery::Of::town : NewestQuery::Of::reader,
                       .unread_only = query_.unread_only,
                       .before = before,
                       .limit = kPortion,
                       .parts = Parts::bodiless};
    while (true) {
      newest.limit = static_cast<int>(std::min<std::int64_t>(kPortion, bounds_.looked - looked_));
      TRY(portion, ledger_.newest(newest));
      const bool is_last = portion.size() < static_cast<std::size_t>(newest.limit);
      for (auto& mail : portion) {
        look_at(mail.message);
        newest.before = mail.message.id;
        if (wanted_.takes(mail.message)) add(std::move(mail));
      }
      may_go_on_ = !is_last && is_cut();
      if (is_last || is_cut()) return {};
    }
  }

  Result<> along_the_thread() {
    TRY(messages, ledger_.thread(query_.thread, query_.words.empty() ? Parts::bodiless : Parts::all));
    std::reverse(messages.begin(), messages.end());
    for (auto& message : messages) {
      if (is_cut()) return {};
      look_at(message);
      if (!wanted_.takes(message)) continue;
      TRY(copy, ledger_.delivery(message.id, reader_));
      TRY_VOID(add_if_listed({std::move(message), std::move(copy)}));
    }
    return {};
  }

  /// Words are looked up in the index of the search; what it offers is held against them here.
  Result<> along_the_index() {
    std::vector<Mail> found;
    const auto where = query_.whole_town ? Ledger::SearchIn::town : Ledger::SearchIn::own_mail;
    TRY_VOID(ledger_.search(reader_, where, query_.words, [&](const Mail& mail) {
      if (wanted_.takes(mail.message)) {
        found.push_back(mail);
        found.back().message.body.clear();
      }
      look_at(mail.message);
      return !is_cut();
    }));
    for (auto& mail : found) TRY_VOID(add_if_listed(std::move(mail)));
    return {};
  }

  /// As Ledger::newest() lists it: what the reader has, or sent and somebody has; of the town what anybody has. What
  /// nobody has a copy of stands in a queue or on a channel.
  Result<> add_if_listed(Mail mail) {
    const auto is_open = [](const Delivery& copy) { return !copy.archived_at && !copy.deleted_at; };
    const auto counts = [&](const Delivery& copy) { return is_open(copy) && !(query_.unread_only && copy.read_at); };
    if (!query_.whole_town && mail.delivery && counts(*mail.delivery)) return add(std::move(mail)), Result<>();
    const bool is_sent = !query_.unread_only && mail.message.sender == reader_;
    if (!query_.whole_town && !is_sent) return {};
    TRY(copies, ledger_.deliveries(mail.message.id));
    const bool nobody_has_it = copies.empty() && !query_.unread_only;
    if (nobody_has_it || std::any_of(copies.begin(), copies.end(), counts)) add(std::move(mail));
    return {};
  }

  Ledger& ledger_;
  const TrafficQuery& query_;
  const Traffic::Bounds& bounds_;
  const AgentId reader_;
  const Wanted& wanted_;
  std::int64_t looked_ = 0;
  std::size_t bytes_ = 0;
  MessageId last_;
  bool may_go_on_ = false;
};

}  // namespace

Result<Traffic::Page> Traffic::list(const TrafficQuery& query, const Caller& caller) {
  return read_value(town_.store, [&](Ledger& ledger) -> Result<Page> {
    TRY(reader, query.whose ? resolve_one(ledger, *query.whose) : own_mailbox(ledger, caller));
    TRY(withheld, Withheld::from_reader(ledger, caller));
    const Wanted wanted(query, withheld);
    Walk walk(ledger, query, bounds_, reader.id, wanted);
    TRY_VOID(walk.go());
    Page page{.mails = {}, .total = walk.total, .more = walk.more, .next = walk.next()};
    std::size_t shown = 0;
    for (auto& mail : walk.mails) {
      TRY(whole, ledger.message(mail.message.id));
      if (whole) mail.message = std::move(*whole);
      shown += mail.message.body.size();
      if (!page.mails.empty() && shown > bounds_.shown) {
        page.more += static_cast<std::int64_t>(walk.mails.size() - page.mails.size());
        page.next = page.mails.back().mail.message.id.seq();
        return page;
      }
      withheld.strip(mail);
      TRY(sent, with_recipients(ledger, std::move(mail), caller, town_.clock.now()));
      page.mails.push_back(std::move(sent));
    }
    return page;
  });
}

}  // namespace townpost
