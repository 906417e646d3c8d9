#include "post/mail/thread_summary.h"

#include <algorithm>

#include "protocol/parse.h"

namespace townpost {

ThreadSummary summarise(const Settings& settings, const ThreadView& thread) {
  ThreadSummary out;
  for (const auto& mail : thread.mails) {
    const auto& message = mail.message;
    if (out.first_at.ms == 0) out.first_at = message.created_at;
    out.last_at = message.created_at;
    std::erase_if(out.open_help, [&](const Message& request) { return request.sender != message.sender; });
    const auto parsed = protocol::parse(settings.types, {.subject = message.subject, .body = message.body});
    if (!parsed.type() || message.type == MessageType::reply) {
      ++out.types["mail"];
      continue;
    }
    ++out.types[std::string(parsed.type_name())];
    if (parsed.type()->needs_answer) out.open_help.push_back(message);
    for (const auto* key : {"status", "exit"})
      if (const auto status = parsed.value(key); !status.empty()) {
        out.last_status = std::string(status);
        out.last_status_by = message.from;
      }
    for (const auto* key : {"partial_commit_sha", "commit_sha", "merge_commit"})
      if (const auto commit = parsed.value(key); !commit.empty()) out.last_commit = std::string(commit);
  }
  return out;
}

}  // namespace townpost
