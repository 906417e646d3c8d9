// The types of the Gas Town mail protocol, as data.
#include <array>

#include "protocol/built_in_types.h"

namespace townpost::protocol {

namespace {

constexpr Field needed(std::string_view label, std::string_view key, Kind kind = Kind::text,
                       std::string_view values = {}) {
  return {.label = label, .key = key, .kind = kind, .need = Need::always, .values = values};
}
constexpr Field optional(std::string_view label, std::string_view key, Kind kind = Kind::text) {
  return {.label = label, .key = key, .kind = kind};
}
constexpr Field section(std::string_view label, std::string_view key) {
  return {.label = label, .key = key, .kind = Kind::section, .place = Place::section};
}

constexpr Field kBranch = needed("Branch", "branch");
constexpr Field kIssue = needed("Issue", "issue");
constexpr Field kPolecat = needed("Polecat", "polecat");
constexpr Field kRig = needed("Rig", "rig");
constexpr Field kTarget = needed("Target", "target");

constexpr std::array kPolecatDone = {
    needed("Exit", "exit", Kind::enumeration, "MERGED|ESCALATED|DEFERRED|COMPLETED|PHASE_COMPLETE"),
    kIssue,
    Field{.label = "MR", .key = "mr", .need = Need::when, .when_key = "exit", .when_value = "MERGED"},
    kBranch,
};
constexpr std::array kMergeReady = {kBranch, kIssue, kPolecat, optional("Verified", "verified"),
                                    optional("Rig", "rig")};
constexpr std::array kMerged = {
    kBranch,
    kIssue,
    kPolecat,
    kRig,
    kTarget,
    needed("Merged-At", "merged_at", Kind::instant),
    needed("Merge-Commit", "merge_commit"),
};
constexpr std::array kMergeFailed = {
    kBranch,
    kIssue,
    kPolecat,
    kRig,
    kTarget,
    needed("Failed-At", "failed_at", Kind::instant),
    needed("Failure-Type", "failure_type", Kind::enumeration, "tests|build|push|other"),
    needed("Error", "error"),
};
constexpr std::array kReworkRequest = {
    kBranch,
    kIssue,
    kPolecat,
    kRig,
    kTarget,
    needed("Requested-At", "requested_at", Kind::instant),
    needed("Conflict-Files", "conflict_files", Kind::list),
};
constexpr std::string_view kRebase = R"(Please rebase your changes onto <target>:

git fetch origin
git rebase origin/<target>
# Resolve any conflicts
git push -f

The Refinery will retry the merge after rebase is complete.)";
constexpr std::array kRecoveredBead = {
    needed("Bead", "bead"),
    kPolecat,
    needed("Previous Status", "previous_status", Kind::enumeration, "hooked|in_progress"),
};
constexpr std::string_view kRedispatch = R"(The bead has been reset to open with no assignee.
Please re-dispatch to an available polecat.)";
constexpr std::array kRecoveryNeeded = {
    kPolecat,
    needed("Cleanup Status", "cleanup_status", Kind::enumeration, "has_uncommitted|has_stash|has_unpushed"),
    optional("Branch", "branch"),
    optional("Issue", "issue"),
    needed("Detected", "detected", Kind::instant),
};
constexpr std::array kHelp = {needed("Agent", "agent"), optional("Issue", "issue"), needed("Problem", "problem"),
                              optional("Tried", "tried")};
constexpr std::array kHandoff = {
    optional("attached_molecule", "attached_molecule"),
    optional("attached_at", "attached_at", Kind::instant),
    section("Context", "context"),
    section("Status", "status"),
    section("Next", "next"),
};

/// A type whose body is free.
constexpr ProtocolType free_type(std::string_view name, std::string_view subject, std::string_view sender,
                                 std::string_view receiver, std::string_view summary) {
  return {.name = name,
          .dialect = Dialect::gas_town,
          .summary = summary,
          .subject = subject,
          .sender = sender,
          .receiver = receiver};
}
constexpr ProtocolType as_nudge(ProtocolType type) {
  type.nudge = true;
  return type;
}

constexpr std::array kTypes = {
    ProtocolType{.name = "POLECAT_DONE",
                 .dialect = Dialect::gas_town,
                 .summary = "Work ended; clean up after the polecat",
                 .subject = "POLECAT_DONE <name>",
                 .sender = "polecat",
                 .receiver = "witness",
                 .fields = kPolecatDone,
                 .handler = "witness.cleanup"},
    ProtocolType{.name = "MERGE_READY",
                 .dialect = Dialect::gas_town,
                 .summary = "A branch may enter the merge queue",
                 .subject = "MERGE_READY <name>",
                 .sender = "witness",
                 .receiver = "refinery",
                 .fields = kMergeReady,
                 .handler = "refinery.enqueue",
                 .topic_from = "polecat"},
    ProtocolType{.name = "MERGED",
                 .dialect = Dialect::gas_town,
                 .summary = "The branch was merged; the worktree may go",
                 .subject = "MERGED <name>",
                 .sender = "refinery",
                 .receiver = "witness",
                 .fields = kMerged,
                 .handler = "witness.finish",
                 .topic_from = "polecat"},
    ProtocolType{.name = "MERGE_FAILED",
                 .dialect = Dialect::gas_town,
                 .summary = "The merge failed for another reason than a conflict",
                 .subject = "MERGE_FAILED <name>",
                 .sender = "refinery",
                 .receiver = "witness",
                 .fields = kMergeFailed,
                 .handler = "witness.return_work",
                 .topic_from = "polecat"},
    ProtocolType{.name = "REWORK_REQUEST",
                 .dialect = Dialect::gas_town,
                 .summary = "The branch conflicts with its target and must be rebased",
                 .subject = "REWORK_REQUEST <name>",
                 .sender = "refinery",
                 .receiver = "witness",
                 .fields = kReworkRequest,
                 .handler = "witness.rework",
                 .topic_from = "polecat",
                 .text = kRebase},
    ProtocolType{.name = "RECOVERED_BEAD",
                 .dialect = Dialect::gas_town,
                 .summary = "A dead polecat's work is open again and needs somebody",
                 .subject = "RECOVERED_BEAD <bead>",
                 .sender = "witness",
                 .receiver = "deacon",
                 .fields = kRecoveredBead,
                 .handler = "deacon.redispatch",
                 .topic_from = "bead",
                 .lead = "Recovered abandoned bead from dead polecat.",
                 .text = kRedispatch},
    ProtocolType{.name = "RECOVERY_NEEDED",
                 .dialect = Dialect::gas_town,
                 .summary = "A dead polecat left work that is not safe yet",
                 .subject = "RECOVERY_NEEDED <rig>/<name>",
                 .sender = "witness",
                 .receiver = "deacon",
                 .fields = kRecoveryNeeded,
                 .handler = "deacon.rescue",
                 .topic_from = "polecat"},
    ProtocolType{.name = "HELP",
                 .dialect = Dialect::gas_town,
                 .summary = "Somebody is stuck",
                 .subject = "HELP: <text>",
                 .sender = "any",
                 .receiver = "escalation",
                 .fields = kHelp,
                 .needs_answer = true,
                 .handler = "mayor.help"},
    ProtocolType{.name = "HANDOFF",
                 .dialect = Dialect::gas_town,
                 .summary = "Notes for the sender's own next session",
                 .subject = "🤝 HANDOFF: <text>",
                 .sender = "any",
                 .receiver = "self",
                 .fields = kHandoff,
                 .handler = "self.resume"},
    free_type("ALERT", "ALERT: <text>", "any", "escalation", "Something must be looked at"),
    free_type("POLECAT_STARTED", "POLECAT_STARTED <name>", "polecat", "witness", "A polecat began to work"),
    free_type("CRASHED_POLECAT", "CRASHED_POLECAT <name>", "any", "witness", "A polecat's session is gone"),
    free_type("LIFECYCLE", "LIFECYCLE: <text>", "any", "deacon", "A session wants to be started, cycled or stopped"),
    free_type("SWARM_START", "SWARM_START <name>", "mayor", "witness", "Several polecats begin together"),
    free_type("CONVOY_NEEDS_FEEDING", "CONVOY_NEEDS_FEEDING <name>", "any", "deacon",
              "A convoy has room for more work"),
    free_type("WITNESS_PING", "WITNESS_PING <rig>", "witness", "deacon",
              "The witness looks whether the deacon is there"),
    as_nudge(free_type("DOG_DONE", "DOG_DONE: <text>", "dog", "deacon", "A dog ended its errand")),
    as_nudge(free_type("HEALTH_CHECK", "HEALTH_CHECK <name>", "deacon", "any", "Are you there?")),
    as_nudge(free_type("TIMER", "TIMER: <text>", "deacon", "any", "The time somebody asked for has come")),
};

constexpr ProtocolType directory_type(std::string_view name, std::string_view sender, std::string_view receiver,
                                      std::string_view summary) {
  return {.name = name,
          .dialect = Dialect::directory,
          .summary = summary,
          .subject = "<text>",
          .sender = sender,
          .receiver = receiver};
}

constexpr std::array kDirectoryTypes = {
    directory_type("work_assignment", "mayor", "polecat", "New bead assigned by way of the hook"),
    directory_type("completion_report", "polecat", "mayor", "Work on a bead ended"),
    directory_type("merge_notification", "refinery", "mayor", "How a merge went"),
    directory_type("health_escalation", "witness", "mayor", "An agent seems to have stalled"),
    directory_type("coordination", "any", "any", "Anything else"),
};

}  // namespace

std::span<const ProtocolType> gas_town_types() { return kTypes; }
std::span<const ProtocolType> directory_types() { return kDirectoryTypes; }

}  // namespace townpost::protocol
