#pragma once
#include "base/text.h"
#include "contract/store_contract.h"

namespace townpost {

/// A store with two agents that nudge each other.
class NudgeContract : public StoreContract {
 protected:
  using NudgeChange = std::function<void(Nudge&)>;

  AgentId nux() const { return nux_; }
  AgentId slit() const { return slit_; }

  /// A nudge from nux to slit that is not stored yet, with the id it would get.
  Nudge nudge_draft(Ledger& ledger, const NudgeChange& change = {}) {
    Nudge nudge;
    nudge.id = NudgeId::make(must(ledger.next_nudge_seq()), chance_);
    nudge.target = slit_;
    nudge.sender = nux_;
    nudge.from = "nux";
    nudge.text = "look here";
    nudge.place = nudge.id.key;
    nudge.created_at = clock().now();
    nudge.deliver_after = clock().now();
    if (change) change(nudge);
    return nudge;
  }
  Nudge add(const NudgeChange& change = {}) {
    Nudge nudge;
    write([&](Ledger& ledger) {
      nudge = nudge_draft(ledger, change);
      must(ledger.add_nudge(nudge));
    });
    return nudge;
  }
  /// One that has ended.
  Nudge add_ended(Instant at, NudgeState state = NudgeState::delivered) {
    return add([&](Nudge& nudge) {
      nudge.state = state;
      nudge.ended_at = at;
    });
  }
  void update(const Nudge& nudge) {
    write([&](Ledger& ledger) { must(ledger.update_nudge(nudge)); });
  }
  std::optional<Nudge> stored(NudgeId id) {
    return read([&](Ledger& ledger) { return must(ledger.nudge(id)); });
  }
  std::vector<NudgeId> pending(AgentId target) {
    return keys(read([&](Ledger& ledger) { return must(ledger.pending_nudges(target)); }));
  }
  std::vector<NudgeId> found(const NudgeQuery& query) {
    return keys(read([&](Ledger& ledger) { return must(ledger.nudges(query)); }));
  }
  static std::vector<NudgeId> keys(const std::vector<Nudge>& nudges) {
    std::vector<NudgeId> out;
    for (const auto& nudge : nudges) out.push_back(nudge.id);
    return out;
  }

 private:
  SeededRandom chance_{11};
  AgentId nux_ = add_agent("nux");
  AgentId slit_ = add_agent("slit");
};

inline void PrintTo(const NudgeId& id, std::ostream* out) { *out << id.str() << " (" << id.key << ")"; }
inline void PrintTo(const AwakeTime& at, std::ostream* out) { *out << at.ms << " ms awake"; }
inline void PrintTo(const Nudge& n, std::ostream* out) {
  auto number = [](const auto& at) { return at ? at->ms : -1; };
  *out << cat(n.id.str(), " to ", n.target.key, " by ", n.sender.key, " from ", n.from, " grade ", name(n.grade), " ",
              name(n.source), " kind ", static_cast<int>(n.kind), " ", name(n.mode), n.urgent ? " urgent" : "",
              n.ephemeral ? " ephemeral" : "", n.forced ? " forced" : "", " \"", n.text, "\" key \"", n.coalesce_key,
              "\" thread ", n.thread, " refs ", join(n.refs, ","), " bead ", n.bead, " hops ", n.hops, " held by ",
              n.held_by, " place ", n.place, " created ", n.created_at.ms, " after ", n.deliver_after.ms, " expires ",
              number(n.expires_at), " escalates ", number(n.escalate_at), " ", name(n.state), " attempts ", n.attempts,
              " lease ", number(n.lease_until), " retry ", number(n.retry_at), " for ", n.leased_for, " by ",
              n.leased_by, " handed ", number(n.handed_at), " delivered ", number(n.delivered_at), " ended ",
              number(n.ended_at), " evidence ", n.evidence, " error ", n.last_error);
}

}  // namespace townpost
