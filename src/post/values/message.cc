#include "post/values/message.h"

#include <array>

#include "base/text.h"
#include "post/values/id_text.h"

namespace townpost {

namespace {

constexpr std::string_view kIdPrefix = "hq-m-";

template <class Enum, std::size_t N>
std::optional<Enum> find_named(const std::array<std::string_view, N>& names, std::string_view text) {
  for (std::size_t i = 0; i < N; ++i)
    if (names[i] == text) return static_cast<Enum>(i);
  return std::nullopt;
}

constexpr std::array<std::string_view, 5> kPriorities = {"urgent", "high", "normal", "low", "lowest"};
constexpr std::array<std::string_view, 5> kTypes = {"notification", "task", "scavenge", "reply", "escalation"};
constexpr std::array<std::string_view, 5> kGrades = {"token", "pane", "env", "flag", "script"};

template <class Enum, std::size_t N>
constexpr bool all_named(const std::array<std::string_view, N>&) {
  return N == static_cast<std::size_t>(last_value(Enum{})) + 1;
}
static_assert(all_named<Priority>(kPriorities) && all_named<MessageType>(kTypes) && all_named<Grade>(kGrades));

}  // namespace

std::string MessageId::str() const { return id_text(kIdPrefix, key); }

MessageId MessageId::make(std::int64_t seq, Random& random) { return {key_with_chance(seq, random)}; }

Result<MessageId> MessageId::parse(std::string_view text) {
  if (const auto key = id_key(kIdPrefix, text)) return MessageId{*key};
  return fail(Code::not_found, cat("no message ", for_terminal_line(shorten(to_utf8(text), 80))),
              "message ids look like hq-m-1a2b3c; " + next("mail.inbox", {}, " lists yours"));
}

std::string_view name(Priority priority) { return kPriorities[static_cast<std::size_t>(priority)]; }

Result<Priority> parse_priority(std::string_view typed) {
  // Words that other tools have for the same.
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kWords = {{{"critical", "urgent"},
                                                                                           {"p0", "urgent"},
                                                                                           {"p1", "high"},
                                                                                           {"important", "high"},
                                                                                           {"p2", "normal"},
                                                                                           {"medium", "normal"},
                                                                                           {"p3", "low"},
                                                                                           {"p4", "lowest"}}};
  auto word = lower_ascii(typed);
  for (const auto& [other, ours] : kWords)
    if (word == other) word = ours;
  const std::string_view text = word;
  if (text.size() == 1 && text[0] >= '0' && text[0] <= '4') return static_cast<Priority>(text[0] - '0');
  if (auto found = find_named<Priority>(kPriorities, text)) return *found;
  return fail(Code::usage, cat("\"", for_terminal_line(shorten(to_utf8(typed), 40)), "\" is not a priority"),
              "use 0 to 4, or urgent, high, normal, low, lowest");
}

std::vector<std::string_view> message_type_names() { return {kTypes.begin(), kTypes.end()}; }
std::string_view name(MessageType type) { return kTypes[static_cast<std::size_t>(type)]; }
std::optional<MessageType> find_message_type(std::string_view text) { return find_named<MessageType>(kTypes, text); }

std::string_view name(Grade grade) { return kGrades[static_cast<std::size_t>(grade)]; }

std::string_view bare_subject(std::string_view subject) {
  subject = trim(subject);
  while (subject.size() >= 3 && lower_ascii(subject.substr(0, 3)) == "re:") subject = trim(subject.substr(3));
  return subject;
}

std::string reply_subject(std::string_view subject) {
  // A subject at the limit still gets its "Re:": the tail gives way, on a character.
  return std::string(first_bytes(cat("Re: ", bare_subject(subject)), kSubjectBytes));
}

std::string_view list_addressed(const Message& message, std::string_view kind) {
  for (const auto* addressed : {&message.to, &message.cc})
    for (const std::string_view address : *addressed)
      if (address.starts_with(kind)) return address.substr(kind.size());
  return {};
}

bool is_made_thread(std::string_view thread) {
  if (!thread.starts_with(kMadeThread)) return false;
  thread.remove_prefix(kMadeThread.size());
  return thread.size() == kMadeThreadDigits && thread.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace townpost
