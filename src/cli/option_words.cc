#include "cli/option_words.h"

#include <array>

namespace townpost {

namespace {

constexpr std::array kWords = {
    ArgWord{"title", "subject"},
    ArgWord{"subj", "subject"},
    ArgWord{"text", "body"},
    ArgWord{"msg", "body"},
    ArgWord{"content", "body"},
    ArgWord{"body-file", "file"},
    ArgWord{"message-file", "file"},
    ArgWord{"recipient", "to"},
    ArgWord{"recipients", "to"},
    ArgWord{"prio", "priority"},
    ArgWord{"importance", "priority"},
    ArgWord{"p", "priority"},
    ArgWord{"in-reply-to", "reply_to"},
    ArgWord{"due", "reply_by"},
    ArgWord{"deadline", "reply_by"},
    ArgWord{"require-ack", "ack", "true"},
    ArgWord{"ack-required", "ack", "true"},
    ArgWord{"needs-ack", "ack", "true"},
    ArgWord{"no-wake", "no_notify", "true"},
    ArgWord{"silent", "no_notify", "true"},
    ArgWord{"n", "limit"},
    ArgWord{"count", "limit"},
    ArgWord{"max", "limit"},
    ArgWord{"thread-id", "thread"},
    ArgWord{"desc", "description"},
    ArgWord{"retention-count", "retain_count"},
    ArgWord{"retention-hours", "retain_hours"},
    ArgWord{"retries", "max_attempts"},
    ArgWord{"max-retries", "max_attempts"},
    ArgWord{"concurrency", "max_concurrency"},
    ArgWord{"identity", "as"},
    ArgWord{"actor", "as"},
    ArgWord{.typed = "o", .instead = "did you mean --json?"},
    ArgWord{.typed = "output", .instead = "did you mean --json?"},
    ArgWord{.typed = "format", .instead = "did you mean --json?"},
    ArgWord{"attach", "file", "", "write the file's path into the text, or send its text with -F FILE"},
};

}  // namespace

std::span<const ArgWord> words_of_every_command() { return kWords; }

}  // namespace townpost
