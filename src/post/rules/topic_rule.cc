#include "post/rules/topic_rule.h"

#include "base/text.h"
#include "protocol/subject.h"

namespace townpost {

namespace {

/// Of transient types only the last one stays, by a rule of their own; an answer is news by itself.
std::optional<std::int64_t> digest_of(const Settings& settings, const Message& draft) {
  const bool applies = settings.limits.enabled && settings.limits.duplicate_minutes > 0 && draft.digest;
  if (!applies || draft.type == MessageType::reply || draft.reply_to) return std::nullopt;
  const auto subject = protocol::read_subject(settings.types, draft.subject);
  if (!subject.type || subject.type->transient || subject.topic.empty()) return std::nullopt;
  return static_cast<std::int64_t>(digest64(subject.topic, digest64(subject.type->name, digest64("topic"))));
}

}  // namespace

TopicRule::TopicRule(Ledger& ledger, const Settings& settings, const Message& draft)
    : ledger_(ledger), settings_(settings), draft_(draft), digest_(digest_of(settings, draft)) {}

/// A digest finds candidates only. In the thread of another bead it is another matter.
bool TopicRule::is_about_the_same(const Message& earlier) const {
  const auto before = protocol::read_subject(settings_.types, earlier.subject);
  const auto now = protocol::read_subject(settings_.types, draft_.subject);
  return before.type == now.type && before.topic == now.topic &&
         (draft_.thread.empty() || draft_.thread == earlier.thread);
}

Result<std::optional<Ruling>> TopicRule::hold(AgentId recipient) {
  std::optional<Ruling> none;
  std::optional<Message> earlier;
  if (digest_) {
    TRY(found, ledger_.unread_on_topic(draft_.sender, *digest_, recipient));
    if (found && is_about_the_same(*found)) earlier = std::move(*found);
  }
  if (!earlier) {
    same_thread_ = false;
    return none;
  }
  if (!thread_) thread_ = earlier->thread;
  same_thread_ = same_thread_ && thread_ == earlier->thread;
  return std::optional(
      Ruling{"L5", cat("L5: ", earlier->id.str(), " about the same topic is still unread; nobody is woken again"), {}});
}

Result<> TopicRule::note(MessageId stored) { return digest_ ? ledger_.add_topic(stored, *digest_) : Result<>(); }

}  // namespace townpost
