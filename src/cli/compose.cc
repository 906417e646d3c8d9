#include "cli/compose.h"

#include <algorithm>
#include <utility>

#include "base/json_fields.h"
#include "base/text.h"
#include "cli/sheet.h"

namespace townpost {

namespace {

std::vector<std::string> texts_in(const Json& args, std::string_view key) {
  std::vector<std::string> out;
  for (const auto& item : list_in(args, key))
    if (const auto* text = item.if_string()) out.emplace_back(*text);
  return out;
}

JsonArray array_of(const std::vector<std::string>& texts) { return JsonArray(texts.begin(), texts.end()); }

Result<Answer> ask(std::string_view name, const JsonObject& given, const Origin& origin, const CliHost& host) {
  const Op& op = *find_op(name);
  Request request{.origin = origin, .started_at = host.clock.now()};
  TRY(args, Args::check(op.args, given));
  return call_until_answered(host.engine, op, args, request);
}

/// What an answer begins with.
Result<Sheet> answer_to(const CommandLine& line, const Origin& origin, const CliHost& host) {
  JsonObject args{{"id", line.args.at("id")}};
  if (line.op->name == "mail.reply-all" || line.args.contains("reply_all")) args["reply_all"] = true;
  TRY(answer, ask("mail.quote", args, origin, host));
  return Sheet{.to = texts_in(answer.json, "to"),
               .cc = texts_in(answer.json, "cc"),
               .subject = std::string(text_in(answer.json, "subject")),
               .text = std::string(text_in(answer.json, "text"))};
}

bool is_answer(const CommandLine& line) { return find_argument(*line.op, "to") == nullptr; }

Result<Sheet> first_sheet(const CommandLine& line, const Origin& origin, const CliHost& host) {
  const Json args = line.args;
  Sheet sheet{.to = texts_in(args, "to"), .cc = {}, .subject = std::string(text_in(args, "subject")), .text = ""};
  if (is_answer(line)) {
    TRY(answer, answer_to(line, origin, host));
    sheet = answer;
  }
  const auto copies = texts_in(args, "cc");
  sheet.cc.insert(sheet.cc.end(), copies.begin(), copies.end());
  return sheet;
}

/// What the command line says is looked at before anything is written: who would get it, and its options.
Result<> check_said(const CommandLine& line, const Origin& origin, const CliHost& host) {
  JsonObject with_text = line.args;
  with_text["body"] = "text";
  TRY_VOID(Args::check(line.op->args, with_text));
  JsonObject whom;
  for (const auto* key : {"to", "cc"})
    if (const auto* given = line.args.if_contains(key)) whom[key] = *given;
  if (whom.empty() || line.args.contains("create")) return {};
  if (!whom.contains("to")) whom["to"] = std::exchange(whom["cc"], JsonArray());
  auto reached = ask("mail.recipients", whom, origin, host);
  if (reached) return {};
  auto& error = reached.error();
  if (!find_argument(*line.op, error.argument)) error.argument = whom.contains("cc") ? "" : "cc";
  return Failure(std::move(error));
}

/// Those of `now` who were not there `before`; nothing, if somebody was taken out.
std::optional<std::vector<std::string>> added(std::vector<std::string> now, const std::vector<std::string>& before) {
  for (const auto& name : before) {
    const auto at = std::find(now.begin(), now.end(), name);
    if (at == now.end()) return std::nullopt;
    now.erase(at);
  }
  return now;
}

/// Whom an answer goes to, and its subject, are decided by what it answers; more may be copied.
Result<> put_answer(const Sheet& sheet, const Sheet& first, CommandLine& line) {
  const auto copies = added(sheet.cc, first.cc);
  if (sheet.to != first.to || sheet.subject != first.subject || !copies)
    return fail(Code::usage, "nothing was sent: an answer keeps its To and Subject",
                next("mail.send", {{"reply_to", std::string(line.args.at("id").get_string())}},
                     " sends it to others, or about something else"));
  auto cc = texts_in(line.args, "cc");
  cc.insert(cc.end(), copies->begin(), copies->end());
  line.args["cc"] = array_of(cc);
  return {};
}

Failure nothing_written() {
  return fail(Code::usage, "nothing was sent: no text was written", "write one, or give it with -m");
}

void put_letter(const Sheet& sheet, CommandLine& line) {
  line.args["to"] = array_of(sheet.to);
  line.args["cc"] = array_of(sheet.cc);
  line.args.erase("subject");
  if (!sheet.subject.empty()) line.args["subject"] = sheet.subject;
}

}  // namespace

Result<> compose(CommandLine& line, const Origin& origin, const CliHost& host, std::optional<Draft>& draft) {
  // Whoever writes is not told afterwards that there is no town, and no other program begins anew with this command.
  TRY_VOID(ask("whoami", {}, origin, host));
  TRY_VOID(check_said(line, origin, host));
  TRY(first, first_sheet(line, origin, host));
  const auto begun_with = written(first);
  TRY(begun, Draft::begin(begun_with));
  draft.emplace(std::move(begun));
  TRY_VOID(draft->edit(host.environment));
  TRY(text, draft->text());
  if (text == begun_with) return nothing_written();
  TRY(sheet, read_sheet(text));
  const auto words = trim(sheet.text);
  if (words.empty() || words == trim(first.text)) return nothing_written();
  if (is_answer(line))
    TRY_VOID(put_answer(sheet, first, line));
  else
    put_letter(sheet, line);
  line.args["body"] = sheet.text;
  return draft->replace(sheet.text);  // if it cannot be sent: ready for -F
}

void keep_draft(Draft& draft, const CliHost& host) {
  if (const auto file = draft.keep()) host.err(Shown::line(cat("gt: what you wrote is kept in ", file->string())));
}

}  // namespace townpost
