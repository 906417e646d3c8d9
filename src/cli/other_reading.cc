#include "cli/other_reading.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "cli/spell.h"

namespace townpost {

namespace {

std::string text_in(const CommandLine& line, std::string_view name) {
  const auto* value = line.args.if_contains(boost::json::string_view(name.data(), name.size()));
  return value && value->is_string() ? std::string(value->get_string()) : std::string();
}

std::vector<std::string> words_in(const CommandLine& line, std::string_view name) {
  const auto* value = line.args.if_contains(boost::json::string_view(name.data(), name.size()));
  std::vector<std::string> out;
  if (value && value->is_string()) out.emplace_back(value->get_string());
  if (value && value->is_array())
    for (const auto& one : value->get_array())
      if (one.is_string()) out.emplace_back(one.get_string());
  return out;
}

Error advised(Error error, std::string hint) {
  error.hint = std::move(hint);
  error.next.reset();
  return error;
}

bool names(const Error& error, const std::string& word) {
  return error.message.find(cat("\"", for_terminal_line(shorten(to_utf8(word), 80)), "\"")) != std::string::npos;
}

/// The word of the command line that the error is about, of those that are addresses.
std::optional<std::string> unknown_address(const Error& error, const CommandLine& line) {
  for (const auto& arg : line.op->args) {
    if (arg.kind != ArgKind::address) continue;
    for (const auto& word : words_in(line, arg.name))
      if (names(error, word)) return word;
  }
  return std::nullopt;
}

/// "max hi text": the second recipient is the subject.
std::optional<Error> with_subject(const Error& error, const CommandLine& line) {
  const auto to = words_in(line, "to");
  const auto body = text_in(line, "body");
  if (error.code != Code::not_found || to.size() != 2 || body.empty() || body.size() >= 200 ||
      line.args.contains("subject") || !names(error, to[1]))
    return std::nullopt;
  const NextCall call{std::string(line.op->name), {{"to", to[0]}, {"subject", to[1]}, {"body", body}}, ""};
  return advised(error, cat(spelled(error, line.op).hint, "; if it is the subject: ", spelled(call, nullptr)));
}

/// "-s Hello there": what was typed behind the subject or the text, and no quotes keep together.
std::optional<Error> with_quotes(const Error& error, const CommandLine& line) {
  const auto to = words_in(line, "to");
  const auto* text = line.args.contains("subject") ? "subject" : "body";
  if (error.code != Code::not_found || to.size() < 2 || text_in(line, text).empty()) return std::nullopt;
  const auto odd = std::find_if(to.begin() + 1, to.end(), [&](const std::string& word) { return names(error, word); });
  if (odd == to.end() || text_in(line, text).find(' ') != std::string::npos) return std::nullopt;
  NextCall call{std::string(line.op->name), {}, ""};
  for (auto word = to.begin(); word != odd; ++word) call.args.emplace_back("to", *word);
  const auto whole = cat(text_in(line, text), " ", join({odd, to.end()}, " "));
  if (whole.size() >= 200) return std::nullopt;
  call.args.emplace_back(text, whole);
  if (const auto body = text_in(line, "body"); text != std::string_view("body") && !body.empty() && body.size() < 200)
    call.args.emplace_back("body", body);
  return advised(error, cat("did you forget quotes around the ", text == std::string_view("body") ? "text" : text, "? ",
                            spelled(call, nullptr)));
}

class Known {
 public:
  explicit Known(const KnownAddresses& ask) : ask_(ask) {}
  bool has(std::string_view name) {
    if (name.empty()) return false;
    if (name.front() == '@') return has_pattern(name);
    const auto& all = everything();
    const auto slash = name.find('/');  // a worker may be named without its role
    const bool is_short = slash != std::string_view::npos && name.find('/', slash + 1) == std::string_view::npos;
    return std::any_of(all.begin(), all.end(), [&](const std::string& one) {
      const std::string_view text(one);
      if (is_short && text.starts_with(name.substr(0, slash + 1)) && text.ends_with(name.substr(slash))) return true;
      return text == name || text.substr(text.find(':') + 1) == name || text == cat(name, "/") ||
             text.substr(text.rfind('/') + 1) == name;
    });
  }
  const std::vector<std::string>& everything() {
    if (!all_) all_ = ask_();
    return *all_;
  }

 private:
  /// Patterns of the registry are always there.
  bool has_pattern(std::string_view name) {
    const auto& all = everything();
    return name == "@town" || name.starts_with("@rig/") || name.starts_with("@crew") || name.starts_with("@polecats") ||
           name == "@witnesses" || name == "@refineries" || name == "@dogs" || name == "@overseer" ||
           std::find(all.begin(), all.end(), cat("group:", name.substr(1))) != all.end();
  }
  const KnownAddresses& ask_;
  std::optional<std::vector<std::string>> all_;
};

std::string elsewhere(Known& known, const std::string& word) {
  const auto near = nearest(word, known.everything(), 1);
  if (!near.empty()) return cat("did you mean ", near.front(), "?");
  return cat(spelled(NextCall{"mail.directory", {}, ""}, nullptr), " lists every address");
}

/// What the grammar alone has suggested, and nobody is there.
bool suggests_nobody(const Error& error, Known& known) {
  constexpr std::string_view kMean = "did you mean ";
  if (error.code != Code::usage || !error.hint.starts_with(kMean) || !error.hint.ends_with('?')) return false;
  const auto meant = std::string_view(error.hint).substr(kMean.size(), error.hint.size() - kMean.size() - 1);
  return !known.has(meant);
}

std::vector<std::string> parts_of(const std::string& word) {
  std::vector<std::string> out;
  for (const auto part : split(word, ' '))
    if (!part.empty()) out.emplace_back(part);
  return out;
}

}  // namespace

Error with_other_reading(Error error, const CommandLine& line, const KnownAddresses& ask) {
  if (auto meant = with_subject(error, line)) return *std::move(meant);
  if (auto meant = with_quotes(error, line)) return *std::move(meant);
  if (line.op->name == "queue.retry" && error.code == Code::not_found && error.argument == "id")
    return advised(error, cat(spelled(NextCall{"queue.dead", {}, ""}, nullptr), " lists what can be retried"));
  const bool of_an_address = error.code == Code::usage || error.code == Code::not_found;
  const auto word = of_an_address ? unknown_address(error, line) : std::nullopt;
  // Whoever is registered need not be there yet.
  if (!word || line.op->name == "agent.add") return error;
  Known known(ask);
  const auto body = text_in(line, "body");
  if (line.op->name == "nudge" && known.has(body))
    return advised(error, cat("the target comes first: ",
                              spelled(NextCall{"nudge", {{"target", body}, {"body", *word}}, ""}, nullptr)));
  const auto parts = parts_of(*word);
  if (parts.size() > 1 &&
      std::all_of(parts.begin(), parts.end(), [&](const std::string& part) { return known.has(part); }))
    return advised(error, cat("write them as ", parts.size(), " words: ", join(parts, " ")));
  return suggests_nobody(error, known) ? advised(error, elsewhere(known, *word)) : error;
}

Result<> check_text_is_no_target(const CommandLine& line, const KnownAddresses& ask) {
  if (line.first_of_words.empty() || line.op->args.empty()) return {};
  const auto& target = line.op->args.front();
  if (!target.positional || target.many || target.kind != ArgKind::address) return {};
  const auto& word = line.first_of_words;
  const auto all = ask();
  if (std::find(all.begin(), all.end(), word) == all.end()) return {};  // a list may be called like any word
  const auto shown = for_terminal_line(shorten(to_utf8(word), 80));
  const NextCall call{std::string(line.op->name),
                      {{std::string(target.name), text_in(line, target.name)}, {"body", text_in(line, "body")}},
                      ""};
  return fail(Code::usage, cat("the text begins with the address ", shown, ", which would get nothing"),
              cat("call it once for each; if it is the text: ", spelled(call, nullptr)));
}

}  // namespace townpost
