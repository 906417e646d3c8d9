#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/result.h"
#include "ops/authority.h"
#include "post/values/message.h"
#include "post/values/nudge.h"

namespace townpost {

/// What kind of value an argument takes. Front ends hand over text (or JSON of the fitting type); the kind says what it
/// must look like.
enum class ArgKind {
  text,
  body,  ///< a long text; the command line also takes it from a file or from standard input
  path,  ///< any bytes, not necessarily UTF-8
  flag,
  integer,   ///< from `least` to `most`
  duration,  ///< "30m"
  deadline,  ///< so far ahead, "30m", or a moment: "16:00", "2026-12-01", RFC 3339
  instant,   ///< so long ago, "7d", or a moment
  priority,  ///< 0 to 4, or a word
  address,   ///< whatever mail can be sent to: an agent, a list, a pattern
  message_id,
  nudge_id,
  list_name,  ///< of a group, queue or channel
  choice,     ///< one of `choices`, in any case
  map,        ///< texts by name; the command line takes "K=V" several times
};

/// One argument of an operation.
struct Arg {
  std::string_view name;  ///< snake_case; each front end spells it in its own way
  std::string_view help;
  ArgKind kind = ArgKind::text;
  bool positional = false;
  bool required = false;
  bool many = false;
  char letter = '\0';                     ///< `-s`
  std::string_view value;                 ///< what the help calls the value: "ADDR"
  std::string_view standard;              ///< the default, told in the help and filled in
  std::optional<Who> only;                ///< who may give it, if not all who may call; the gate refuses others
  std::vector<std::string_view> choices;  ///< of a choice
  std::int64_t least = INT64_MIN;         ///< of an integer
  std::int64_t most = INT64_MAX;
  std::string_view bare;     ///< the value meant by the option alone (`--wait`); a duration behind it is another one
  std::string_view unless;   ///< of a required one: the argument that stands in for it
  std::string_view missing;  ///< what is said if a required one is missing: "the subject is missing" if empty
  bool any_bytes = false;    ///< of a body: what is not UTF-8 is replaced, not refused
  bool also_words = false;   ///< of a body: the command line also takes it as words, behind everything else
  bool also_an_id = false;   ///< of a text: it may be the id of a message or a nudge, or stand for one
  bool composed = false;     ///< of a body: people write it at length, in an editor if they give none
};

// The words that operations are declared with.
Arg one(std::string_view name, std::string_view value, std::string_view help,
        ArgKind kind = ArgKind::text);  ///< required, positional
Arg maybe_one(std::string_view name, std::string_view value, std::string_view help,
              ArgKind kind = ArgKind::text);  ///< optional, positional
Arg many(std::string_view name, std::string_view value, std::string_view help,
         ArgKind kind = ArgKind::text);  ///< one or more, positional
Arg maybe_many(std::string_view name, std::string_view value, std::string_view help, ArgKind kind = ArgKind::text);
Arg flag(std::string_view name, std::string_view help);
Arg option(std::string_view name, std::string_view value, std::string_view help, ArgKind kind = ArgKind::text);
Arg as_path(Arg arg);
Arg one_of(std::vector<std::string_view> choices, Arg arg);
Arg between(std::int64_t least, std::int64_t most, Arg arg);  ///< a whole number
Arg limit();                                                  ///< of a list: 1 to 10,000, and 50 if it is not given
Arg with_letter(char letter, Arg arg);
Arg with_default(std::string_view standard, Arg arg);
Arg may_stand_alone(std::string_view bare, Arg arg);
Arg repeated(Arg arg);
Arg required(Arg arg);
Arg required_unless(std::string_view other, Arg arg);
Arg if_missing(std::string_view says, Arg arg);
Arg of_any_bytes(Arg arg);
Arg also_as_words(Arg arg);
Arg or_an_id(Arg arg);
Arg composed(Arg arg);
Arg for_coordinators(Arg arg);
Arg for_people(Arg arg);

/// What is said if it is missing: "the subject is missing".
std::string missing_text(const Arg& arg);

/// Error: not_found, naming the argument, for what is no whole id of its kind.
Result<> check_whole_id(const Arg& arg, std::string_view text);

/// The values of one call, checked against the operation's arguments.
class Args {
 public:
  /// Error: usage, naming the argument that is missing, unknown or malformed.
  static Result<Args> check(const std::vector<Arg>& declared, const JsonObject& given);

  bool has(std::string_view name) const { return values_.contains(boost::json::string_view(name.data(), name.size())); }
  bool flag(std::string_view name) const;
  std::string text(std::string_view name) const;  ///< empty if it was not given
  std::optional<std::string> maybe_text(std::string_view name) const;
  std::vector<std::string> list(std::string_view name) const;
  std::optional<std::int64_t> integer(std::string_view name) const;
  std::optional<Millis> duration(std::string_view name) const;
  /// Counted from `now` if it was given as a duration; a time of day is the next one, a date its end.
  std::optional<Instant> deadline(std::string_view name, Instant now) const;
  /// Counted back from `now` if it was given as an age; a time of day is the last one, a date its beginning.
  std::optional<Instant> instant(std::string_view name, Instant now) const;
  // Of what the gate has let in: there ids are whole.
  std::optional<MessageId> message_id(std::string_view name) const;
  std::optional<NudgeId> nudge_id(std::string_view name) const;
  /// The whole ids of what the caller named otherwise (see ops/whole_ids.h).
  void put_ids(const Arg& arg, const std::vector<std::string>& ids);
  int limit() const { return static_cast<int>(integer("limit").value_or(50)); }
  std::vector<std::pair<std::string, std::string>> map(std::string_view name) const;
  const JsonObject& values() const { return values_; }

 private:
  const Json* find(std::string_view name) const;
  JsonObject values_;
};

}  // namespace townpost
