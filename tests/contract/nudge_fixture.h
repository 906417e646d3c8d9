#pragma once
#include <algorithm>
#include <map>

#include "contract/lists_fixture.h"
#include "post/nudge/nudges.h"

namespace townpost {

/// A town whose agents nudge each other. Nobody watches but the test: time is awake time only while it ticks.
class NudgeTest : public ListsTest {
 protected:
  NudgeTest() { must(nudges().tend()); }

  Nudges nudges() { return Nudges(town()); }

  // ---- sending ----
  /// A draft whose text differs from every other, so that rule L5 takes it for no duplicate.
  NudgeDraft draft(const std::string& to, const std::string& text = "") {
    NudgeDraft out;
    out.to = {to};
    out.text = text.empty() ? cat("nudge ", ++drafts_) : text;
    return out;
  }
  using DraftChange = std::function<void(NudgeDraft&)>;
  Nudge nudge(std::string_view from, const std::string& to, const std::string& text, const DraftChange& change = {}) {
    NudgeDraft wanted = draft(to, text);
    if (change) change(wanted);
    return must(nudges().send(wanted, caller(from))).at(0).nudge;
  }
  Nudge nudge(std::string_view from, const std::string& to) { return nudge(from, to, ""); }
  static DraftChange with_mode(NudgeMode mode) {
    return [mode](NudgeDraft& draft) { draft.mode = mode; };
  }
  static DraftChange with_life(Millis life) {
    return [life](NudgeDraft& draft) { draft.ttl = life; };
  }
  static void urgently(NudgeDraft& draft) { draft.urgent = true; }
  Error nudge_refusal(std::string_view from, const NudgeDraft& wanted) {
    return error_of(nudges().send(wanted, caller(from)));
  }

  // ---- sessions ----
  /// From now on `who` has this session; what was handed to an older one is settled as its start hook would.
  void starts(const std::string& who, const std::string& session = "session 1") {
    incarnations_[who] = session;
    const AgentId agent = id_of(who);
    must(store().write([&](Ledger& ledger) -> Result<> {
      return ledger.set_presence({.agent = agent,
                                  .state = AgentState::idle,
                                  .incarnation = session,
                                  .harness = Harness::of_word("claude"),
                                  .started_at = clock().now(),
                                  .since = clock().now(),
                                  .last_activity = clock().now()});
    }));
    must(nudges().settle(agent, session, Nudges::Since::new_session, {}, "SessionStart"));
  }
  std::string session_of(const std::string& who) {
    const auto found = incarnations_.find(who);
    return found == incarnations_.end() ? "session 1" : found->second;
  }
  Parcel take(const std::string& who, Boundary boundary) {
    return must(nudges().take(id_of(who), session_of(who), boundary));
  }
  static Strings texts(const Parcel& parcel) {
    Strings out;
    for (const auto& one : parcel.nudges)
      if (one.kind != NudgeKind::mail) out.push_back(one.text);
    return out;
  }
  void settle(const std::string& who, const Nudges::Shows& shows = {}) {
    must(nudges().settle(id_of(who), session_of(who), Nudges::Since::next_event, shows, "Stop"));
  }
  /// As a hook does it: takes, prints, and the session's next event proves it.
  Parcel show(const std::string& who, Boundary boundary) {
    Parcel parcel = take(who, boundary);
    if (parcel.empty()) return parcel;
    must(nudges().handed(parcel, "a hook"));
    settle(who);
    return parcel;
  }
  Strings shown(const std::string& who, Boundary boundary) { return texts(show(who, boundary)); }

  // ---- looking ----
  Nudge now(const Nudge& nudge) { return must(nudges().show(nudge.id)); }
  NudgeState state(const Nudge& nudge) { return now(nudge).state; }
  std::vector<Nudge> line(std::string_view who) {
    const AgentId agent = id_of(who);
    return reading(store(), [&](Ledger& ledger) { return must(ledger.pending_nudges(agent)); });
  }
  Strings line_texts(std::string_view who) {
    Strings out;
    for (const auto& one : line(who)) out.push_back(one.text);
    return out;
  }
  Strings history(const Nudge& nudge) {
    Strings out;
    for (const auto& event : must(nudges().explain(nudge.id)).events) out.emplace_back(name(event.kind));
    return out;
  }
  /// What the town itself wrote to somebody.
  Strings notices(std::string_view who) {
    Strings out;
    for (const auto& mail : inbox(who))
      if (mail.message.from == Address::system().str()) out.push_back(mail.message.subject);
    return out;
  }

  // ---- time ----
  /// Somebody watches, every `step`.
  void tick(Millis length, Millis step = std::chrono::seconds(1)) {
    for (Millis passed{0}; passed < length; passed += step) {
      clock().advance(std::min(step, length - passed));
      must(nudges().tend());
    }
  }
  /// Nobody watches.
  void sleep(Millis length) { clock().advance(length); }

  void set_care(std::string_view who, const std::function<void(Care&)>& change) {
    const AgentId agent = id_of(who);
    writing(store(), [&](Ledger& ledger) {
      Care care = must(ledger.care(agent));
      change(care);
      must(ledger.set_care(care));
    });
  }
  void set_watch(const std::function<void(Watch&)>& change) {
    writing(store(), [&](Ledger& ledger) {
      Watch watch = must(ledger.watch());
      change(watch);
      must(ledger.set_watch(watch));
    });
  }
  AwakeTime awake() {
    return reading(store(), [&](Ledger& ledger) { return must(ledger.watch()).at(clock().now()); });
  }

 private:
  std::map<std::string, std::string> incarnations_;
  int drafts_ = 0;
};

inline void PrintTo(NudgeState state, std::ostream* out) { *out << name(state); }
inline void PrintTo(const AwakeTime& at, std::ostream* out) { *out << at.ms << " ms awake"; }
inline void PrintTo(const Instant& at, std::ostream* out) { *out << rfc3339(at); }

}  // namespace townpost
