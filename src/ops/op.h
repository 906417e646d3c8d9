#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/result.h"
#include "ops/answer.h"
#include "ops/arg_word.h"
#include "ops/args.h"
#include "ops/authority.h"
#include "ops/call.h"
#include "ops/column.h"
#include "ops/list_words.h"
#include "ops/shape.h"

namespace townpost {

struct Op;

/// What an operation does. Only the gate can run it, after it has asked who is calling.
class Handler {
 public:
  template <class Run>
  requires std::is_invocable_r_v<Result<Answer>, Run&, Call&> Handler(Run run)  // NOLINT(google-explicit-constructor)
      : run_(std::move(run)) {}  // NOLINT(google-explicit-constructor): rows are written as lambdas

 private:
  friend Result<Answer> perform(const Op& op, Call& call);
  std::function<Result<Answer>(Call&)> run_;
};

struct Example {
  std::string_view command;
  std::string_view what;
};

/// Where an operation can run.
enum class Where {
  anywhere,       ///< in whichever process has the town open
  this_host,      ///< on the caller's machine: it reads or changes files or programs there. Refused from elsewhere
  this_terminal,  ///< in the caller's own process: it needs its terminal, its input or its children
};
std::string_view name(Where where);

/// What an operation does to the town.
enum class Effect {
  reads,       ///< nothing: what is stored stays as it is, but for what is made from it (the search index)
  changes,     ///< called twice it does something twice
  idempotent,  ///< called twice it is not refused, and changes nothing the second time
  destroys,    ///< takes away what cannot be brought back
};
std::string_view name(Effect effect);

/// One capability of the town, as data: command line, help, schemas and reference are made from this row.
struct Op {
  std::string_view name;  ///< "mail.send": `gt mail send`
  std::string_view summary;
  std::vector<Arg> args;
  std::vector<ArgWord> other_words = {};
  Authority authority;
  Where where = Where::anywhere;
  Effect effect = Effect::changes;
  std::string_view changes_with = {};  ///< the flag with which one that reads changes something
  Shape (*result)();                   ///< what the answer looks like
  /// Of a list: what a table of it shows. One without them is shown as JSON, unless a front end knows its shape by
  /// name.
  std::vector<Column> columns = {};
  ListWords list = {};
  std::vector<Example> examples;
  Handler run;
  /// Tried first: an answer about the caller's own mail that needs no store, or nothing.
  std::function<std::optional<Answer>(Call&)> run_without_store;
  bool works_without_town = false;
  Haste haste = Haste::none;  ///< how long it waits for the store; hooks never wait long
  /// Whether trouble must not be shown: hooks stay silent and answer with success.
  std::function<bool(const Args&)> fails_open;
};

/// A name under which an operation is called. Rows are made on first use, so that a start pays for one and not for all.
struct OpEntry {
  std::string_view name;  ///< "mail.ack", "mail.mark-read"
  const Op& (*op)();
  /// What another name says already: an option ("--unread"), or what is written to the first word ("queue:").
  std::string_view lead = {};
};

/// A name that is tried and does not work: what is meant by it.
struct OpHint {
  std::string_view name;
  const Op& (*op)();
  std::string_view args = {};  ///< "to=@town,body=TEXT"
};

/// The operation of that name; nothing if there is none.
const Op* find_op(std::string_view name);

/// The argument of that name; nothing if the operation has none.
const Arg* find_argument(const Op& op, std::string_view name);

/// Every name of every operation, in the order of the reference; an alias follows the name it stands for.
std::span<const OpEntry> op_table();

/// The entry of a name; nothing if there is none.
const OpEntry* find_entry(std::string_view name);

/// The names that do not work, and what to say instead.
std::span<const OpHint> op_hints();

}  // namespace townpost
