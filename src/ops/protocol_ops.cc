#include <algorithm>

#include "base/files.h"
#include "base/text.h"
#include "ops/shapes.h"
#include "ops/table.h"
#include "ops/typed_args.h"
#include "ops/views.h"
#include "post/mail/mailroom.h"
#include "protocol/build.h"
#include "protocol/markdown.h"
#include "protocol/typed_message.h"

namespace townpost::ops {

namespace {

using protocol::Beside;

constexpr std::size_t kMostInput = 64u << 20;

JsonObject view_of(const protocol::ProtocolType& type) {
  JsonObject out;
  out["name"] = std::string(type.name);
  out["dialect"] = std::string(name(type.dialect));
  out["summary"] = std::string(type.summary);
  out["subject"] = std::string(type.subject);
  out["from"] = std::string(type.sender);
  out["to"] = std::string(type.receiver);
  JsonArray fields;
  for (const auto& field : type.fields) {
    JsonObject entry;
    entry["key"] = std::string(field.key);
    entry["label"] = std::string(field.label);
    entry["kind"] = std::string(name(field.kind));
    entry["required"] = field.need == protocol::Need::always;
    if (field.need == protocol::Need::when) entry["required_if"] = cat(field.when_key, " = ", field.when_value);
    if (!field.values.empty()) {
      JsonArray values;
      for (const auto word : protocol::words_of(field.values)) values.emplace_back(std::string(word));
      entry["values"] = std::move(values);
    }
    if (!field.section.empty()) entry["section"] = std::string(field.section);
    fields.push_back(std::move(entry));
  }
  out["fields"] = std::move(fields);
  out["ack_required"] = type.ack;
  out["transient"] = type.transient;
  out["nudge"] = type.nudge;
  out["answers"] = type.answers;
  out["handler"] = std::string(type.handler);
  if (!type.command.empty()) out["command"] = JsonArray(type.command.begin(), type.command.end());
  return out;
}

protocol::ParseOptions options_of(const Args& args) {
  protocol::ParseOptions options;
  if (args.flag("strict")) options.strictness = protocol::Strictness::strict;
  if (args.has("compat")) options.compat = protocol::Compat::agentops;
  return options;
}

/// Exit 9 if some of several were no messages, 1 if strict mode found something. Error: usage, if none was one.
Result<Answer> answer_of(const protocol::Batch& batch) {
  if (batch.errors() > 0 && batch.messages() == 0) {
    const auto& first = batch.entries.front().error;
    const auto count = batch.entries.size();
    return fail(Code::usage, count == 1 ? first : cat("none of ", count, " is a message; the first: ", first),
                "a message is a JSON object");
  }
  std::size_t problems = 0;
  for (const auto& entry : batch.entries)
    if (entry.message) problems += entry.message->parsed.problems().size();
  const auto outcome = batch.errors() > 0 ? Outcome::partial : problems > 0 ? Outcome::nothing : Outcome::done;
  return Answer{.json = batch.json(), .outcome = outcome, .as_lines = batch.shape == protocol::Batch::Shape::lines};
}

/// The types of the town if there is one, else those that every town has.
Result<protocol::TypeRegistry> types_here(Call& call, std::vector<std::string>& warnings) {
  if (!call.town_folder()) return protocol::TypeRegistry::built_in();
  TRY(settings, call.settings());
  warnings = settings.warnings;
  return settings.types;
}

}  // namespace

const Op& protocol_types() {
  static const Op op{.name = "protocol.types",
                     .summary = "List the message types that programs act on, including the town's own",
                     .args = {maybe_one("type", "TYPE", "Only this one"), flag("markdown", "As tables in Markdown")},
                     .authority = by_anyone(),
                     .where = Where::anywhere,
                     .effect = Effect::reads,
                     .result =
                         [] {
                           return shape::one_of({shape::list_of(shapes::message_type()), shape::text()});
                         },
                     .examples = {{"gt protocol types", ""}, {"gt protocol types MERGE_FAILED", "its fields"}},
                     .run = [](Call& call) -> Result<Answer> {
                       Answer answer;
                       TRY(types, types_here(call, answer.warnings));
                       if (call.args.flag("markdown")) {
                         answer.json = Json(protocol::registry_markdown(types));
                         return answer;
                       }
                       JsonArray out;
                       if (const auto wanted = call.args.maybe_text("type")) {
                         TRY(type, type_named(types, *wanted));
                         out.push_back(view_of(*type));
                       } else {
                         for (const auto* type : types.types()) out.push_back(view_of(*type));
                       }
                       answer.json = std::move(out);
                       return answer;
                     }};
  return op;
}

const Op& protocol_parse() {
  static const Op op{
      .name = "protocol.parse",
      .summary = "Parse a message: its type, ids and fields",
      .args = {maybe_one("id", "ID", "A message of this town", ArgKind::message_id),
               if_missing("give the id of a message, or raw messages",
                          required_unless("id", with_letter('m', of_any_bytes(option(
                                                                     "body", "JSON",
                                                                     "A raw message, an array of them, or JSON lines",
                                                                     ArgKind::body))))),
               flag("strict", "Report every problem (exit 1 if there is one)"),
               one_of({"agentops"}, option("compat", "WHOSE", "agentops: find types as its parser did"))},
      .authority = by_participants(),
      .where = Where::anywhere,
      .effect = Effect::reads,
      .result = [] { return shapes::typed_messages(); },
      .examples = {{"gt protocol parse hq-m-1a2b3c --json", ""},
                   {"echo '{\"subject\":\"[ol-1] DONE\",\"body_md\":\"\"}' | gt protocol parse --stdin --strict", ""}},
      .run = [](Call& call) -> Result<Answer> {
        const auto options = options_of(call.args);
        std::vector<std::string> warnings;
        TRY(types, types_here(call, warnings));
        const auto id = call.args.message_id("id");
        if (id && call.args.has("body"))
          return fail_argument("id", "give the id of a message, or raw messages as the body");
        if (!id) {
          TRY(batch, protocol::read_batch(types, call.args.text("body"), options));
          return answer_of(batch);
        }
        TRY(town, call.town());
        TRY(caller, call.caller());
        TRY(mail, Mailroom(*town).look(*id, caller));
        const auto parsed =
            protocol::parse(types, {.subject = mail.message.subject, .body = mail.message.body}, options);
        JsonObject out = views::mail(mail, town->settings);
        out["type"] = std::string(parsed.type_name());
        out["dialect"] = parsed.type() ? Json(std::string(name(parsed.type()->dialect))) : Json(nullptr);
        out["parsed"] = parsed.json();
        out["problems"] = protocol::to_json(parsed.problems());
        return Answer{.json = std::move(out),
                      .outcome = parsed.problems().empty() ? Outcome::done : Outcome::nothing,
                      .warnings = warnings};
      }};
  return op;
}

const Op& protocol_build() {
  static const Op op{
      .name = "protocol.build",
      .summary = "Print a typed message: subject and body, as every parser of that type expects them",
      .args = {one("type", "TYPE", "Its type"),
               repeated(option("field", "K=V", "A field; may be given several times", ArgKind::map))},
      .authority = by_anyone(),
      .where = Where::anywhere,
      .effect = Effect::reads,
      .result =
          [] {
            return shape::object(
                "built_message",
                {shape::always("type", shape::text()), shape::always("subject", shape::text()),
                 shape::always("body", shape::text()), shape::always("problems", shape::list_of(shape::anything()))});
          },
      .examples = {{"gt protocol build DONE --field bead_id=ol-1 --field status=DONE", ""}},
      .run = [](Call& call) -> Result<Answer> {
        std::vector<std::string> warnings;
        TRY(types, types_here(call, warnings));
        TRY(fields, fields_of(call.args));
        const auto wanted = call.args.text("type");
        TRY_VOID(type_named(types, wanted));
        TRY(built, protocol::build(types, wanted, fields));
        JsonObject out;
        out["type"] = built.type;
        out["subject"] = built.subject;
        out["body"] = built.body;
        out["problems"] = protocol::to_json(built.problems);
        return Answer{.json = std::move(out), .warnings = std::move(warnings)};
      }};
  return op;
}

const Op& protocol_lint() {
  static const Op op{
      .name = "protocol.lint",
      .summary = "Check a file: raw messages (JSON), or definitions of types (.toml); exit 1 if something is wrong",
      .args = {as_path(one("file", "FILE", "The file"))},
      .authority = by_anyone(),
      .where = Where::this_host,
      .effect = Effect::reads,
      .result =
          [] {
            return shape::object(
                "lint", {shape::always("file", shape::text()), shape::always("sound", shape::flag()),
                         shape::always("messages", shape::integer()),
                         shape::always("problems", shape::list_of(shape::object(
                                                       "lint_problem", {shape::maybe("place", shape::integer()),
                                                                        shape::maybe("field", shape::text()),
                                                                        shape::always("message", shape::text()),
                                                                        shape::maybe("line", shape::integer())})))});
          },
      .examples = {{"gt protocol lint messages.jsonl", ""}, {"gt protocol lint .town/types/deploy.toml", ""}},
      .run = [](Call& call) -> Result<Answer> {
        const auto file = call.args.text("file");
        const auto text = read_file_or_pipe(call.environment().working_folder() / file, kMostInput);
        // What cannot be read is the caller's to put right, not the store's.
        if (!text)
          return text.error().code == Code::unavailable ? fail_argument("file", text.error().message, "give a file")
                                                        : Failure(text.error());
        std::vector<std::string> warnings;
        TRY(types, types_here(call, warnings));
        JsonArray problems;
        std::size_t messages = 0;
        if (file.ends_with(".toml")) {
          protocol::TypeRegistry fresh = protocol::TypeRegistry::built_in();
          // Beside the types, only the town's settings have anything else.
          const bool settings = std::filesystem::path(file).filename() == "town.toml";
          for (const auto& error : fresh.add(*text, to_utf8(file), settings ? Beside::settings : Beside::nothing)) {
            JsonObject entry;
            entry["message"] = error.message;
            problems.push_back(std::move(entry));
          }
        } else {
          TRY(batch, protocol::read_batch(types, *text, {.strictness = protocol::Strictness::strict}));
          messages = batch.messages();
          for (const auto& one : batch.entries) {
            if (!one.message) {
              JsonObject entry;
              entry["place"] = one.place;
              entry["message"] = one.error;
              problems.push_back(std::move(entry));
              continue;
            }
            for (const auto& problem : protocol::to_json(one.message->parsed.problems())) {
              JsonObject entry = problem.get_object();
              entry["place"] = one.place;
              problems.push_back(std::move(entry));
            }
          }
        }
        JsonObject out;
        const bool sound = problems.empty();
        out["file"] = to_utf8(file);
        out["sound"] = sound;
        out["messages"] = messages;
        out["problems"] = std::move(problems);
        return Answer{.json = std::move(out), .outcome = sound ? Outcome::done : Outcome::nothing};
      }};
  return op;
}

}  // namespace townpost::ops
