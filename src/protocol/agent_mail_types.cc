// The types of the Agent Mail protocol, as data.
#include <array>

#include "protocol/built_in_types.h"

namespace townpost::protocol {

namespace {

constexpr Field at_top(std::string_view label, std::string_view key, Kind kind = Kind::text) {
  return {.label = label, .key = key, .kind = kind};
}
constexpr Field bullet(std::string_view section, std::string_view label, std::string_view key, Kind kind = Kind::text) {
  return {.label = label, .key = key, .kind = kind, .place = Place::bullet, .section = section};
}
constexpr Field section(std::string_view label, std::string_view key, Need need = Need::optional) {
  return {.label = label, .key = key, .kind = Kind::section, .need = need, .place = Place::section};
}

// Whichever of the two labels stands first in the body is the bead, in every type.
constexpr Field kBead = {.label = "Bead", .key = "bead_id", .need = Need::always, .alias = "Accepted bead"};
constexpr Field kBeadIfAny = {.label = "Bead", .key = "bead_id", .alias = "Accepted bead"};
constexpr Field kIssue = {.label = "Issue", .key = "issue_id", .need = Need::always};

constexpr std::array kAccepted = {
    Field{.label = "Accepted bead", .key = "bead_id", .need = Need::always, .alias = "Bead"},
    at_top("Title", "title"),
    at_top("Starting implementation at", "started_at", Kind::instant),
};
constexpr std::array kProgress = {
    kBead,
    at_top("Step", "step"),
    at_top("Status", "status"),
    at_top("Context usage", "context_usage", Kind::percent),
    at_top("Files touched", "files_touched", Kind::list),
};
constexpr std::array kHelpRequest = {
    kBead,
    Field{.label = "Issue Type",
          .key = "issue_type",
          .kind = Kind::enumeration,
          .need = Need::always,
          .values = "STUCK|SPEC_UNCLEAR|BLOCKED|TECHNICAL"},
    section("Problem", "problem", Need::always),
    section("What I Tried", "what_tried"),
    Field{.label = "Files Touched", .key = "files_touched", .kind = Kind::list, .place = Place::section},
    section("Question", "question"),
};
constexpr std::array kHelpResponse = {kBeadIfAny};

constexpr Field checked(std::string_view label, std::string_view key) {
  return {.label = label,
          .key = key,
          .kind = Kind::flag,
          .place = Place::bullet,
          .section = "Self-Validation",
          .values = "PASS|FAIL"};
}
constexpr std::array kOffering = {
    kBead,
    at_top("Status", "status"),
    bullet("Changes", "Commit", "commit_sha"),
    bullet("Changes", "Files", "files", Kind::list),
    checked("Tests", "tests_pass"),
    checked("Lint", "lint_pass"),
    checked("Build", "build_pass"),
    section("Summary", "summary"),
};
constexpr std::array kFailed = {
    kBead,
    Field{.label = "Status", .key = "status", .fixed = "FAILED"},
    Field{.label = "Type",
          .key = "failure_type",
          .kind = Kind::enumeration,
          .need = Need::always,
          .place = Place::inside,
          .section = "Failure",
          .values = "TESTS_FAIL|BUILD_FAIL|SPEC_IMPOSSIBLE|CONTEXT_HIGH|ERROR"},
    Field{.label = "Reason", .key = "reason", .need = Need::always, .place = Place::inside, .section = "Failure"},
    Field{.label = "Internal Attempts",
          .key = "internal_attempts",
          .kind = Kind::integer,
          .place = Place::inside,
          .section = "Failure"},
    bullet("Partial Progress", "Commit", "partial_commit_sha"),
    bullet("Partial Progress", "Files", "files", Kind::list),
    section("Recommendation", "recommendation"),
};
constexpr std::array kCheckpoint = {
    kBead,
    Field{.label = "Reason",
          .key = "checkpoint_reason",
          .kind = Kind::enumeration,
          .need = Need::always,
          .place = Place::head,
          .values = "CONTEXT_HIGH|MANUAL|TIMEOUT"},
    bullet("Progress", "Commit", "partial_commit_sha"),
    bullet("Progress", "Description", "progress"),
    bullet("Progress", "Context usage", "context_usage", Kind::percent),
    section("Next Steps for Successor", "next_steps"),
};
constexpr std::array kSpawnRequest = {
    kIssue,
    kBeadIfAny,
    Field{.label = "Resume", .key = "resume", .kind = Kind::flag, .values = "true|false"},
    Field{.label = "Checkpoint", .key = "checkpoint", .need = Need::when, .when_key = "resume", .when_value = "true"},
    at_top("Orchestrator", "orchestrator"),
};
constexpr std::array kSpawnAck = {
    kIssue,
    kBeadIfAny,
    Field{.label = "Status",
          .key = "status",
          .kind = Kind::enumeration,
          .need = Need::always,
          .values = "spawned|failed"},
    at_top("Session", "session"),
};

constexpr std::array kTypes = {
    ProtocolType{.name = "BEAD_ACCEPTED",
                 .dialect = Dialect::agent_mail,
                 .summary = "A worker has taken a bead",
                 .subject = "[<bead_id>] BEAD_ACCEPTED",
                 .sender = "demigod",
                 .receiver = "orchestrator",
                 .fields = kAccepted,
                 .answers = true},
    ProtocolType{.name = "PROGRESS",
                 .dialect = Dialect::agent_mail,
                 .summary = "How far the work is, every five minutes or after a major step",
                 .subject = "[<bead_id>] PROGRESS",
                 .sender = "demigod",
                 .receiver = "orchestrator",
                 .fields = kProgress,
                 .transient = true},
    ProtocolType{.name = "HELP_REQUEST",
                 .dialect = Dialect::agent_mail,
                 .summary = "A worker is stuck and asks",
                 .subject = "[<bead_id>] HELP_REQUEST",
                 .sender = "demigod",
                 .receiver = "chiron",
                 .fields = kHelpRequest,
                 .ack = true,
                 .needs_answer = true},
    ProtocolType{.name = "HELP_RESPONSE",
                 .dialect = Dialect::agent_mail,
                 .summary = "The answer, in the thread of the request",
                 .subject = "[<bead_id>] HELP_RESPONSE",
                 .sender = "chiron",
                 .receiver = "demigod",
                 .fields = kHelpResponse,
                 .answers = true},
    ProtocolType{.name = "OFFERING_READY",
                 .dialect = Dialect::agent_mail,
                 .summary = "Work is complete and may be reviewed",
                 .subject = "[<bead_id>] OFFERING_READY",
                 .sender = "demigod",
                 .receiver = "orchestrator",
                 .fields = kOffering,
                 .ack = true,
                 .outcome = Outcome::success},
    ProtocolType{.name = "DONE",
                 .dialect = Dialect::agent_mail,
                 .summary = "Work is complete",
                 .subject = "[<bead_id>] DONE",
                 .sender = "demigod",
                 .receiver = "orchestrator",
                 .fields = kOffering,
                 .outcome = Outcome::success},
    ProtocolType{.name = "FAILED",
                 .dialect = Dialect::agent_mail,
                 .summary = "The work could not be done",
                 .subject = "[<bead_id>] FAILED",
                 .sender = "demigod",
                 .receiver = "orchestrator",
                 .fields = kFailed,
                 .outcome = Outcome::failure},
    ProtocolType{.name = "CHECKPOINT",
                 .dialect = Dialect::agent_mail,
                 .summary = "The worker stops; a successor can go on from here",
                 .subject = "[<bead_id>] CHECKPOINT",
                 .sender = "demigod",
                 .receiver = "orchestrator",
                 .fields = kCheckpoint,
                 .outcome = Outcome::failure},
    ProtocolType{.name = "SPAWN_REQUEST",
                 .dialect = Dialect::agent_mail,
                 .summary = "A new worker is wanted",
                 .subject = "SPAWN_REQUEST",
                 .sender = "orchestrator",
                 .receiver = "spawner",
                 .fields = kSpawnRequest,
                 .ack = true},
    ProtocolType{.name = "SPAWN_ACK",
                 .dialect = Dialect::agent_mail,
                 .summary = "The worker was started, or could not be",
                 .subject = "SPAWN_ACK",
                 .sender = "spawner",
                 .receiver = "orchestrator",
                 .fields = kSpawnAck,
                 .answers = true},
};

}  // namespace

std::span<const ProtocolType> agent_mail_types() { return kTypes; }

}  // namespace townpost::protocol
