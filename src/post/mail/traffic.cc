#include "post/mail/traffic.h"

#include "base/text.h"
#include "post/lists/mail_place.h"
#include "post/people/resolve.h"
#include "protocol/infrastructure.h"

namespace townpost {

namespace {

constexpr int kPortion = 200;
constexpr std::int64_t kMostCounted = 10'000;

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

}  // namespace

Result<Traffic::Page> Traffic::list(const TrafficQuery& query, const Caller& caller) {
  return read_value(town_.store, [&](Ledger& ledger) -> Result<Page> {
    Page page;
    TRY(reader, query.whose ? resolve_one(ledger, *query.whose) : own_mailbox(ledger, caller));
    TRY(withheld, Withheld::from_reader(ledger, caller));
    const Wanted wanted(query, withheld);
    NewestQuery newest{.reader = reader.id,
                       .of = query.whole_town ? NewestQuery::Of::town : NewestQuery::Of::reader,
                       .unread_only = query.unread_only,
                       .limit = kPortion,
                       .parts = query.words.empty() ? Parts::bodiless : Parts::all};
    // Those before the place to go on at are counted, too: `total` is the same on every page.
    while (page.total < kMostCounted) {
      TRY(portion, ledger.newest(newest));
      for (auto& mail : portion) {
        if (!wanted.takes(mail.message)) continue;
        ++page.total;
        if (query.before_seq && mail.message.id.seq() >= *query.before_seq) continue;
        if (static_cast<int>(page.mails.size()) == query.limit) {
          ++page.more;
          continue;
        }
        TRY(whole, ledger.message(mail.message.id));
        if (whole) mail.message = std::move(*whole);
        withheld.strip(mail);
        TRY(sent, with_recipients(ledger, std::move(mail), caller, town_.clock.now()));
        page.mails.push_back(std::move(sent));
      }
      if (portion.size() < static_cast<std::size_t>(kPortion)) break;
      newest.before = portion.back().message.id;
    }
    return page;
  });
}

}  // namespace townpost
