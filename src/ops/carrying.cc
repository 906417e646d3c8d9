#include "ops/carrying.h"

#include "base/child.h"
#include "delivery/courier.h"
#include "ops/shapes.h"
#include "ops/table.h"
#include "ops/views.h"
#include "post/people/resolve.h"
#include "post/town/presences.h"

namespace townpost::ops {

void have_carried(Call& call, const std::vector<std::string>& addresses) {
  const auto folder = call.town_folder();
  if (addresses.empty() || !folder || watcher_of(*folder)) return;
  std::vector<std::string> command = {call.host.own_program(),        "nudge", "carry", "--town",
                                      folder->parent_path().string(), "--"};
  command.insert(command.end(), addresses.begin(), addresses.end());
  (void)Child::start({.command = command, .ends = ChildPlan::Ends::log, .log = "", .detached = true});
}

const Op& nudge_carry() {
  static const Op op{.name = "nudge.carry",
                     .summary = "Deliver waiting nudges now, without `up`",
                     .args = {many("agent", "ADDR", "The agent", ArgKind::address)},
                     .authority = by_anyone(),
                     .where = Where::this_host,
                     .effect = Effect::changes,
                     .result =
                         [] {
                           return shape::list_of(shape::object("carried", {shape::always("address", shape::text()),
                                                                           shape::always("carried", shape::flag()),
                                                                           shape::always("note", shape::text())}));
                         },
                     .examples = {{"gt nudge carry coder", "where no gt up runs"}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(town, call.town());
                       JsonArray out;
                       std::optional<Instant> again;
                       for (const auto& name : call.args.list("agent")) {
                         TRY(agent, read_value(town->store, [&](Ledger& ledger) { return resolve_one(ledger, name); }));
                         const auto report = Courier(*town, call.doors()).deliver(agent.id);
                         JsonObject entry;
                         entry["address"] = views::shown(agent.address.str(), town->settings);
                         entry["carried"] = report && report->carried;
                         entry["note"] = report ? report->note : report.error().message;
                         out.push_back(std::move(entry));
                         if (report && report->soon && (!again || *report->look_again_at < *again))
                           again = report->look_again_at;
                       }
                       Answer answer{.json = std::move(out)};
                       if (again) answer.again = Again{.at = *again};
                       return answer;
                     }};
  return op;
}

}  // namespace townpost::ops
