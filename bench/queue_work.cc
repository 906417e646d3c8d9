#include "bench/queue_work.h"

#include <algorithm>
#include <atomic>

#include "base/text.h"
#include "bench/many_threads.h"
#include "post/lists/claims.h"
#include "post/mail/post_office.h"
#include "post/people/registry.h"
#include "post/rules/posting.h"

namespace townpost::bench {

namespace {

std::string name_of(int worker) { return cat("worker", worker); }

}  // namespace

std::string Worked::str() const {
  return cat(completed, " claimed and completed in ", static_cast<int>(seconds * 1000), " ms");
}

const Worked& median(std::vector<Worked>& rounds) {
  const auto middle = rounds.begin() + static_cast<std::ptrdiff_t>(rounds.size() / 2);
  std::nth_element(rounds.begin(), middle, rounds.end(),
                   [](const Worked& a, const Worked& b) { return a.rate() < b.rate(); });
  return *middle;
}

void fill_queue(Town& town, int messages) {
  must(Queues(town).create({.name = "work"}));
  must(town.store.write([&](Ledger& ledger) -> Result<> {
    TRY(queue, ledger.find_queue("work"));
    TRY(sender, ensure_agent(ledger, Address::human(), town.clock.now()));
    Posting posting(town, ledger);
    for (int i = 0; i < messages; ++i) {
      Message draft;
      draft.created_at = town.clock.now();
      draft.sender = sender.id;
      draft.from = sender.address.str();
      draft.to = {"queue:work"};
      draft.subject = cat("job ", i);
      draft.body = "do it";
      TRY_VOID(posting.store(std::move(draft), {}, false, {.queue = *queue, .channel = std::nullopt}));
    }
    return {};
  }));
  for (int i = 0; i < kWorkers; ++i) must(Registry(town).add_agent({.address = name_of(i)}, {}));
}

Worked work_off(const std::vector<Town*>& towns, int messages, std::chrono::seconds longest) {
  std::vector<Caller> workers;
  for (int i = 0; i < kWorkers; ++i) workers.push_back({must(Address::parse(name_of(i))), Grade::env});
  std::atomic<int> completed = 0;
  const auto end = std::chrono::steady_clock::now() + longest;
  const double seconds = run_in_threads(kWorkers, [&](int number) {
    Claims claims(*towns[static_cast<std::size_t>(number)]);
    const Caller& self = workers[static_cast<std::size_t>(number)];
    while (std::chrono::steady_clock::now() < end) {
      const auto mail = must(claims.claim("work", self));
      if (!mail) return;
      must(claims.complete(mail->message.id, self));
      ++completed;
    }
  });
  const auto counts = must(Queues(*towns.front()).show("work")).counts;
  if (counts.completed != completed || counts.available + counts.completed != messages) give_up("the queue lost count");
  return {completed, seconds};
}

}  // namespace townpost::bench
