#include "cli/text_given.h"

#include <algorithm>

#include "base/json_fields.h"
#include "base/text.h"
#include "cli/compose.h"
#include "cli/spell.h"

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

bool is_given(const CommandLine& line, std::string_view argument) {
  return line.args.contains(boost::json::string_view(argument.data(), argument.size()));
}

/// The argument for a text of which nothing was said, if the command takes one.
const Arg* open_text(const CommandLine& line) {
  const Arg* body = body_of(*line.op);
  return body && body->required && line.text_from == TextFrom::nowhere ? body : nullptr;
}

/// Whether its text is one of its fields, and stands there.
bool has_text_field(const CommandLine& line) {
  const Json args = line.args;
  const auto& fields = list_in(args, "field");
  return std::any_of(fields.begin(), fields.end(), [](const Json& field) {
    return field.is_string() && std::string_view(field.get_string()).starts_with("text=");
  });
}

/// A text that is not needed and may be there nevertheless: what is piped is not lost, and nobody is waited for who
/// never writes.
Result<> take_what_is_piped(CommandLine& line, const CliHost& host) {
  if (!host.stdin_speaks()) {
    host.err("gt: nothing came on standard input, so no text was taken from it; --stdin waits for one\n");
    return {};
  }
  auto text = host.read_stdin(kMostInput, nullptr);
  if (!text && text.error().code == Code::unavailable) return {};  // it cannot be read: a folder, or nothing at all
  TRY(piped, std::move(text));
  put_text(line, std::move(piped), Newlines::drop_at_the_end);
  return {};
}

/// Language models write a line break as two characters, which a shell leaves as they are.
void warn_of_line_breaks(const CommandLine& line, const CliHost& host) {
  const Json args = line.args;
  const auto text = text_in(args, "body");
  if (line.text_from != TextFrom::words || text.find('\n') != std::string_view::npos) return;
  for (auto at = text.find("\\n"); at != std::string_view::npos; at = text.find("\\n", at + 2))
    if (at == 0 || text[at - 1] != '\\') {
      host.err("gt: the text has \\n in it and no line break; give it on standard input if lines were meant\n");
      return;
    }
}

/// Without a text the last of several recipients are rather meant as one: "max hi", "max Hi 'how are you?'".
Result<> look_among_recipients(const CommandLine& line) {
  const auto* to = line.args.if_contains("to");
  if (!open_text(line) || line.args.contains("body") || !to || !to->is_array() || to->get_array().size() < 2) return {};
  std::vector<std::string> words;
  for (const auto& word : to->get_array()) words.emplace_back(word.get_string());
  NextCall call{std::string(line.op->name), {{"to", words.front()}}, ""};
  const bool has_subject = words.size() > 2 && !line.args.contains("subject");
  if (has_subject) call.args.emplace_back("subject", words[1]);
  call.args.emplace_back("body", join({words.begin() + (has_subject ? 2 : 1), words.end()}, " "));
  return fail(Code::usage, "the body is missing", cat("if the text is among the recipients: ", spelled(call, nullptr)));
}

/// A person at a terminal writes it there; an agent that was given a terminal would never come back from an editor.
Result<> write_it_there(CommandLine& line, const Origin& origin, const CliHost& host, std::optional<Draft>& draft) {
  if (!host.out_is_terminal || origin.sign_of_agents_session()) return {};
  return compose(line, origin, host, draft);
}

}  // namespace

Result<> fetch_text(CommandLine& line, const std::function<Origin()>& origin_of, const CliHost& host,
                    std::optional<Draft>& draft) {
  warn_of_line_breaks(line, host);
  if (const Arg* answered = find_argument(*line.op, "id"); answered && answered->required && !line.args.contains("id"))
    return {};  // nobody writes an answer to nothing; that it is missing is said in a moment
  if (const Arg* body = open_text(line)) {
    if (is_given(line, body->unless)) {
      if (host.in_is_terminal || has_text_field(line)) return {};
      return take_what_is_piped(line, host);
    }
    if (!host.in_is_terminal) {
      const auto slow = [&] { host.err("gt: waiting for the text on standard input; -m TEXT gives it here\n"); };
      TRY(text, readable(host.read_stdin(kMostInput, slow)));
      put_text(line, std::move(text), Newlines::drop_at_the_end);
      TRY_VOID(look_among_recipients(line));
    } else if (body->composed) {
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
