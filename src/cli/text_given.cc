#include "cli/text_given.h"

#include "base/text.h"
#include "cli/compose.h"

namespace townpost {

namespace {

enum class Newlines { drop_at_the_end, keep };

void put_text(CommandLine& line, std::string text, Newlines newlines) {
  if (newlines == Newlines::drop_at_the_end)
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  if (!text.empty()) line.args["body"] = text;
}

/// What cannot be read is no text: that is for the caller to put right, not for the store.
Result<std::string> readable(Result<std::string> text) {
  if (text || text.error().code != Code::unavailable) return text;
  return fail(Code::usage, text.error().message, "give the text with -m, or from a file with -F");
}

/// Whether the command needs a text of which nothing was said.
bool misses_text(const CommandLine& line) {
  const Arg* body = body_of(*line.op);
  return body && body->required && line.text_from == TextFrom::nowhere &&
         !line.args.contains(boost::json::string_view(body->unless.data(), body->unless.size()));
}

/// A person at a terminal writes it there; an agent that was given a terminal would never come back from an editor.
Result<> write_it_there(CommandLine& line, const Origin& origin, const CliHost& host, std::optional<Draft>& draft) {
  if (!host.out_is_terminal || origin.sign_of_agents_session()) return {};
  return compose(line, origin, host, draft);
}

}  // namespace

Result<> fetch_text(CommandLine& line, const std::function<Origin()>& origin_of, const CliHost& host,
                    std::optional<Draft>& draft) {
  if (misses_text(line)) {
    if (!host.in_is_terminal) {
      const auto slow = [&] { host.err("gt: waiting for the text on standard input; -m TEXT gives it here\n"); };
      TRY(text, readable(host.read_stdin(kMostInput, slow)));
      put_text(line, std::move(text), Newlines::drop_at_the_end);
    } else if (body_of(*line.op)->composed) {
      TRY_VOID(write_it_there(line, origin_of(), host, draft));
    }
    return {};
  }
  if (line.text_from == TextFrom::input || line.text_from == TextFrom::input_as_it_is) {
    TRY(text, readable(host.read_stdin(kMostInput, nullptr)));
    put_text(line, std::move(text), line.text_from == TextFrom::input ? Newlines::drop_at_the_end : Newlines::keep);
  } else if (line.text_from == TextFrom::file) {
    TRY(text, readable(read_file_or_pipe(host.environment.working_folder() / line.text_file, kMostInput)));
    put_text(line, std::move(text), Newlines::keep);
  }
  return {};
}

}  // namespace townpost
