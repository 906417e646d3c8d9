#include "cli/completion.h"

#include <algorithm>

#include "base/text.h"
#include "cli/complete.h"
#include "cli/exit_code.h"

namespace townpost {

namespace {

/// Empty for a shell that we do not know.
std::string_view script_for(std::string_view shell) {
  if (shell == "bash")
    return R"sh(# gt completion bash: source this, or put it into your completions' folder.
_gt() {
  local -a words
  local line=${COMP_LINE:0:COMP_POINT} word
  read -r -a words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  COMPREPLY=()
  while IFS=$'\t' read -r word _; do COMPREPLY+=("$word"); done \
    < <(gt completion of -- "${words[@]:1}" 2>/dev/null)
  # bash ends a word at a colon: what comes before it is on the line already.
  local begun=${words[${#words[@]}-1]}
  if [[ $begun == *:* && $COMP_WORDBREAKS == *:* ]]; then COMPREPLY=("${COMPREPLY[@]#"${begun%"${begun##*:}"}"}"); fi
}
complete -o default -F _gt gt townpost
)sh";
  if (shell == "zsh")
    return R"sh(#compdef gt townpost
# gt completion zsh: source this behind compinit, or save it as _gt in a folder of your fpath.
_gt() {
  local -a names shown
  local line
  while IFS= read -r line; do
    names+=("${line%%$'\t'*}")
    shown+=("${line/$'\t'/  -- }")
  done < <(gt completion of -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)
  if (( ${#names} )); then compadd -l -d shown -a names; else _files; fi
}
if [ "$funcstack[1]" = _gt ]; then _gt "$@"; else compdef _gt gt townpost; fi
)sh";
  if (shell == "fish")
    return R"sh(# gt completion fish: source this, or save it as gt.fish in your completions' folder.
function __gt_complete
    set -l words (commandline -opc) (commandline -ct)
    gt completion of -- $words[2..-1] 2>/dev/null
end
complete -c gt -f -a '(__gt_complete)'
complete -c gt -n 'test -z "$(__gt_complete)"' -F
)sh";
  return "";
}

/// What follows the option among the words that are typed already.
std::optional<std::string> typed_for(std::string_view option, const std::vector<std::string>& words) {
  const auto at = std::find(words.begin(), words.end(), option);
  return words.end() - at > 2 ? std::optional(*(at + 1)) : std::nullopt;  // the last word is not finished
}

/// Whatever goes wrong, a shell only finds nothing to suggest.
JsonArray ask_town(const std::vector<std::string>& words, const CliHost& host, const Op& op) {
  auto args = Args::check(op.args, {});
  if (!args) return {};
  Request request{.origin = host.origin(typed_for("--town", words), typed_for("--as", words), Haste::hook),
                  .haste = Haste::hook,
                  .started_at = host.clock.now(),
                  .input = [] { return Result<std::string>(std::string()); },
                  .tell = [](std::string_view) {}};
  const auto answer = host.engine.call(op, *args, request);
  return answer && answer->json.is_array() ? answer->json.get_array() : JsonArray();
}

int answer(const std::vector<std::string>& words, const CliHost& host) {
  const auto candidates = complete(words, [&](const Op& op) { return ask_town(words, host, op); });
  Shown out;
  for (const auto& [word, what] : candidates)
    out += Shown(cat(for_terminal_line(word), what.empty() ? "" : "\t", for_terminal_line(shorten(what, 60)), "\n"));
  host.out(out);
  return candidates.empty() ? kExitNothing : kExitDone;
}

}  // namespace

std::optional<int> run_completion(const std::vector<std::string>& words, const CliHost& host) {
  if (words.empty() || words[0] != "completion") return std::nullopt;
  if (words.size() > 2 && words[1] == "of" && words[2] == "--") return answer({words.begin() + 3, words.end()}, host);
  const auto script = words.size() == 2 ? script_for(words[1]) : std::string_view();
  if (!script.empty()) {
    host.out(Shown(std::string(script)));
    return kExitDone;
  }
  host.err(Shown::line("gt: which shell? gt completion bash, zsh or fish"));
  return exit_code(Code::usage);
}

}  // namespace townpost
