#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/shown.h"
#include "cli/screen.h"
#include "ops/engine.h"

namespace townpost {

/// What became of a text that was written.
enum class Printed {
  whole,
  unwanted,  ///< nobody reads there any more: `| head`
  lost,      ///< a full disk, for example
};

/// What the command line runs in; handed in by the program.
struct CliHost {
  Engine& engine;
  /// Where a call comes from that names this town and speaks for this agent, if any.
  std::function<Origin(const std::optional<std::string>& town, const std::optional<std::string>& as, Haste haste)>
      origin;
  const Clock& clock;
  std::function<Printed(const Shown&)> out;
  std::function<void(const Shown&)> err;
  /// Everything on standard input, at most `most` bytes. `slow`, if there is one, is called when nothing comes at
  /// first.
  std::function<Result<std::string>(std::size_t most, const std::function<void()>& slow)> read_stdin;
  /// Whether standard input brings something within a moment, be it only its end.
  std::function<bool()> stdin_speaks;
  bool in_is_terminal = false;
  bool out_is_terminal = false;
  /// Shows a long text there, page by page; false if nobody wants that.
  std::function<bool(const Shown&)> page;
  /// How large that terminal is now.
  std::function<WindowSize()> window;
  const Environment& environment;
};

/// `gt WORDS…`: understands, runs, prints; the exit code.
int run_cli(const std::vector<std::string>& words, const CliHost& host);

}  // namespace townpost
