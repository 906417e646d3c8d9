#include "cli/option_words.h"

#include <array>

namespace townpost {

namespace {

// What means the same wherever it is typed.
constexpr OptionWord everywhere(std::string_view typed, std::string_view argument) { return {"", typed, argument}; }
constexpr OptionWord flag_everywhere(std::string_view typed, std::string_view flag) {
  return {"", typed, flag, "true"};
}

constexpr std::array kWords = {
    everywhere("title", "subject"),
    everywhere("subj", "subject"),
    everywhere("text", "body"),
    everywhere("msg", "body"),
    everywhere("content", "body"),
    everywhere("body-file", "file"),
    everywhere("message-file", "file"),
    everywhere("recipient", "to"),
    everywhere("recipients", "to"),
    everywhere("prio", "priority"),
    everywhere("importance", "priority"),
    everywhere("p", "priority"),
    everywhere("in-reply-to", "reply_to"),
    everywhere("due", "reply_by"),
    everywhere("deadline", "reply_by"),
    flag_everywhere("require-ack", "ack"),
    flag_everywhere("ack-required", "ack"),
    flag_everywhere("needs-ack", "ack"),
    flag_everywhere("no-wake", "no_notify"),
    flag_everywhere("silent", "no_notify"),
    everywhere("n", "limit"),
    everywhere("count", "limit"),
    everywhere("max", "limit"),
    everywhere("thread-id", "thread"),
    everywhere("desc", "description"),
    everywhere("retention-count", "retain_count"),
    everywhere("retention-hours", "retain_hours"),
    everywhere("retries", "max_attempts"),
    everywhere("max-retries", "max_attempts"),
    everywhere("concurrency", "max_concurrency"),
    everywhere("identity", "as"),
    everywhere("actor", "as"),
    OptionWord{"", "o", "", "", "did you mean --json?"},
    OptionWord{"", "output", "", "", "did you mean --json?"},
    OptionWord{"", "format", "", "", "did you mean --json?"},
    OptionWord{"mail.send", "n", ""},  // waking the recipient is what it does anyway
    OptionWord{"mail.send", "notify", ""},
    OptionWord{"mail.send", "human", "to", "overseer"},
    OptionWord{"mail.send", "high", "priority", "high"},
    OptionWord{"mail.send", "low", "priority", "low"},
    OptionWord{"mail.send", "from", "", "", "say who sends it: `mail.send as=ADDR`"},
    OptionWord{"mail.send", "bcc", "", "", "there are no hidden copies; send it to each: `mail.send to=ADDR`"},
    OptionWord{"mail.send", "attach", "", "", "write the file's path into the text, or send its text with -F FILE"},
    OptionWord{"mail.send", "dry-run", "", "", "`mail.directory` shows who would get it"},
    OptionWord{"mail.reply", "subject", "", "", "an answer keeps its subject; `mail.send reply_to=ID subject=SUBJECT`"},
    OptionWord{"mail.reply", "s", "", "", "an answer keeps its subject; `mail.send reply_to=ID subject=SUBJECT`"},
    OptionWord{"mail.reply", "all", "reply_all", "true"},
    OptionWord{"mail.reply", "a", "reply_all", "true"},
    OptionWord{"mail.inbox", "u", "unread"},
    OptionWord{"mail.inbox", "new", "unread"},
    OptionWord{"mail.inbox", "a", "all"},
    OptionWord{"mail.inbox", "archive", "archived"},
    OptionWord{"mail.inbox", "identity", "address"},
    OptionWord{"mail.inbox", "for", "address"},
    OptionWord{"mail.inbox", "agent", "address"},
    OptionWord{"mail.inbox", "user", "address"},
    OptionWord{"mail.inbox", "since", "", "", "`mail.search query=WORDS since=1h` finds mail by its age"},
    OptionWord{"mail.inbox", "count", "", "", "`mail.check` counts what is unread"},
    OptionWord{"mail.check", "address", "as"},
    OptionWord{"mail.search", "archive", "archived"},
    OptionWord{"mail.archive", "dry-run", "", "", "it can be undone: `mail.unarchive id=ID`"},
    OptionWord{"mail.archive", "all", "", "", "`mail.archive stale` takes everything read and older than a day"},
    OptionWord{"nudge", "to", "target"},
    OptionWord{"nudge", "agent", "target"},
    OptionWord{"nudge", "urgent", "priority", "urgent"},
};

}  // namespace

std::span<const OptionWord> option_words() { return kWords; }

}  // namespace townpost
