#include "crash/queue_story.h"

#include <map>

#include "base/text.h"

namespace townpost {

namespace {

constexpr std::int64_t kCompleted = 2;

/// Goes through a history, step by step, and holds each against what went before.
class Reading {
 public:
  Reading(const QueueStory& story, const QueueRules& rules) : story_(story), rules_(rules) {}

  std::string fault() && {
    for (const auto& step : story_.history) {
      const bool is_first = &step == &story_.history.front();
      expect((step.kind == "stored") == is_first, cat("was ", step.kind, is_first ? " first" : " twice"));
      expect(step.at >= before_, cat("was ", step.kind, " before what comes before it"));
      before_ = step.at;
      expect(!completed_, cat("was ", step.kind, " after it was completed"));
      take(step);
    }
    hold_against_the_store();
    hold_against_the_workers();
    return std::move(fault_);
  }

 private:
  void expect(bool holds, const std::string& otherwise) {
    if (!holds && fault_.empty()) fault_ = cat(story_.id, " ", otherwise);
  }

  void take(const QueueStory::Step& step) {
    if (step.kind == "stored") return;
    if (step.kind == "claimed") return claim(step);
    if (step.kind == "lease-ended") return end_lease(step);
    if (step.kind == "dead") return die(step);
    if (step.kind == "retried") return retry();
    take_from_holder(step);
  }

  void claim(const QueueStory::Step& step) {
    expect(!leased_, cat("was claimed by ", step.who, " while ", holder_, " had it"));
    expect(!dead_, cat("was claimed by ", step.who, " although it was dead"));
    expect(!step.in_quarantine, cat("was handed to ", step.who, " although its sender was in quarantine"));
    ++attempt_;
    expect(attempt_ <= rules_.max_attempts, cat("was claimed in attempt ", attempt_));
    note({.kind = "claimed", .who = step.who, .attempt = attempt_});
    holder_ = step.who;
    leased_ = true;
    since_ = step.at;
  }

  void end_lease(const QueueStory::Step& step) {
    expect(leased_, "lost a lease that nobody had");
    expect(step.at - since_ >= rules_.lease.count(), cat("was taken from ", holder_, " before its time"));
    const bool was_the_last = attempt_ >= rules_.max_attempts;
    expect((step.kind == "dead") == was_the_last, cat("was ", step.kind, " in attempt ", attempt_));
    leased_ = false;  // it stays with its holder until somebody else claims it
  }

  /// Instead of the end of a lease, or of a failure.
  void die(const QueueStory::Step& step) {
    if (step.detail.starts_with("the lease ran out")) {
      end_lease(step);
    } else {
      expect(leased_, "was given up while nobody had it");
      expect(step.who == holder_, cat("was given up by ", step.who, ", but ", holder_, " had it"));
      expect(attempt_ == rules_.max_attempts, cat("was given up in attempt ", attempt_));
      note({.kind = "failed", .who = step.who});
      give_back();
    }
    dead_ = true;
  }

  void retry() {
    expect(dead_, "was retried although it was not dead");
    dead_ = false;
    attempt_ = 0;
    give_back();
  }

  /// What only the last claimant may do, also after its lease ended, until somebody else claims.
  void take_from_holder(const QueueStory::Step& step) {
    expect(!holder_.empty() && step.who == holder_,
           cat("was ", step.kind, " by ", step.who, ", but ", holder_.empty() ? "nobody" : holder_, " had it"));
    note({.kind = step.kind, .who = step.who});
    if (step.kind == "completed") {
      completed_ = true;
      return;
    }
    expect(!dead_, cat("was ", step.kind, " although it was dead"));
    if (step.kind == "extended") {
      leased_ = true;
      since_ = step.at;
    } else if (step.kind == "released") {
      --attempt_;
      give_back();
    } else {
      expect(step.kind == "failed", cat("was ", step.kind));
      expect(attempt_ < rules_.max_attempts, "failed in its last attempt and did not die");
      give_back();
    }
  }

  void give_back() {
    leased_ = false;
    holder_.clear();
  }

  void note(const QueueStory::Told& done) { ++done_[done]; }

  void hold_against_the_store() {
    expect(completed_, "was never completed");
    expect(story_.state == kCompleted, cat("is in state ", story_.state));
    expect(story_.attempts == attempt_, cat("counts ", story_.attempts, " attempts, its history ", attempt_));
    expect(story_.holder == holder_, cat("was completed by ", holder_, ", but belongs to ", story_.holder));
  }

  /// What workers were told is what the store did; it may have done more, for those who were killed before they noted
  /// it.
  void hold_against_the_workers() {
    for (const auto& told : story_.told) {
      const std::string attempt = told.attempt > 0 ? cat(" in attempt ", told.attempt) : "";
      expect(done_[told]-- > 0,
             cat("was ", told.kind, " by ", told.who, attempt, ", who was told so; the log has not"));
    }
  }

  const QueueStory& story_;
  const QueueRules& rules_;
  std::string fault_;        ///< the first; what follows from it tells nothing new
  std::int64_t before_ = 0;  ///< the instant of the step before
  std::string holder_;       ///< the last claimant, if it has not given the message back
  bool leased_ = false, dead_ = false, completed_ = false;
  std::int64_t attempt_ = 0;
  std::int64_t since_ = 0;  ///< when the lease began
  std::map<QueueStory::Told, int> done_;
};

}  // namespace

std::string fault(const QueueStory& story, const QueueRules& rules) { return Reading(story, rules).fault(); }

}  // namespace townpost
