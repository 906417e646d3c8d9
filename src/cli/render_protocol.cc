#include "cli/render_protocol.h"

#include "base/text.h"
#include "cli/list.h"
#include "cli/render_mail.h"
#include "cli/render_text.h"
#include "cli/spell.h"

namespace townpost {

namespace {

Shown line_of(const JsonObject& mail, const Screen& screen) {
  return shown(dim(text_of(mail, "id"), screen), " ", age_of(mail, screen),
               flag_of(mail, "late") ? red(" (waits for more than 5 min)", screen) : Shown(), " ",
               text_of(mail, "from"), " ", shorten(text_of(mail, "subject"), 100), "\n");
}

Shown bead_line(const JsonObject& bead, const Screen& screen) {
  const auto state = text_of(bead, "state");
  Shown out = shown("  ", text_of(bead, "bead_id"), "  ",
                    state == "failed" || state == "silent" || state == "help" ? red(state, screen) : Shown(state));
  if (const auto by = text_of(bead, "by"); !by.empty()) out += shown("  ", by);
  if (bead.contains("context_usage")) out += shown("  context ", number_of(bead, "context_usage"), "%");
  if (flag_of(bead, "help_open")) out += red("  help wanted", screen);
  if (const auto step = text_of(bead, "step"); !step.empty()) out += shown("  ", shorten(step, 60));
  return shown(out, "\n");
}

/// What an answer says to call, as it is typed.
std::string command_of(const JsonObject& call) {
  NextCall out{text_of(call, "operation"), {}, ""};
  for (const auto& [name, value] : call.at("arguments").as_object()) {
    const Json& one = value.is_array() && !value.get_array().empty() ? value.get_array().front() : value;
    out.args.emplace_back(name, one.is_bool() ? "true" : text_of(one));
  }
  return spelled(out, nullptr);
}

}  // namespace

Shown todo_list(const CommandLine&, const Answer& answer, const Screen& screen) {
  const auto& object = answer.json.get_object();
  Shown out;
  auto part = [&](const char* key, std::string_view title) {
    const auto& list = object.at(key).get_array();
    if (list.empty()) return;
    out += shown(bold(std::string(title), screen), "\n");
    for (const auto& item : list) out += shown("  ", line_of(item.get_object(), screen));
  };
  if (const auto unread = number_of(object, "unread"); unread > 0)
    out += shown(bold(cat(unread, " unread"), screen), "\n");
  const auto& claims = object.at("claims").get_array();
  if (!claims.empty()) out += shown(bold("Claimed", screen), "\n");
  for (const auto& item : claims) {
    const auto& claim = item.get_object();
    out += shown("  ", text_of(claim, "id"), " ", text_of(claim, "subject"), "  ",
                 dim(cat("yours until ", moment_of(claim, "lease_until", screen)), screen), "\n");
  }
  if (!claims.empty())
    out += dim("  else: gt mail fail ID --reason \"...\" · gt mail release ID · gt mail extend ID\n", screen);
  part("help", "Help wanted");
  part("pending", "To acknowledge");
  part("completions", "Completed in the last day");
  if (const auto* beads = object.if_contains("beads")) {
    out += shown(bold("Beads", screen), "\n");
    for (const auto& bead : beads->get_array()) out += bead_line(bead.get_object(), screen);
  }
  const auto& actions = object.at("actions").get_array();
  if (!actions.empty()) out += shown(bold("Do", screen), "\n");
  for (const auto& item : actions) {
    const auto& action = item.get_object();
    const auto* next = action.if_contains("next");
    const auto command = next && next->is_object() ? command_of(next->get_object()) : std::string();
    out += shown("  ", text_of(action, "what"), "  ", dim(command, screen), "\n");
  }
  return out.empty() ? "nothing to do\n" : out;
}

Shown type_list(const CommandLine& line, const Answer& answer, const Screen& screen) {
  if (answer.json.is_string()) return std::string(answer.json.get_string());
  Shown out;
  const bool one = line.args.contains("type");
  if (!one)
    return table_of(answer.json.get_array(), line.op->result().alternatives().front(),
                    {{"name", Column::As::id}, {"from"}, {"to"}, {"summary", Column::As::prose}}, screen)
        .drawn(screen);
  for (const auto& item : answer.json.get_array()) {
    const auto& type = item.get_object();
    out += shown(bold(text_of(type, "name"), screen), "  ", text_of(type, "from"), " → ", text_of(type, "to"), "  ",
                 text_of(type, "summary"), "\n");
    if (!one) continue;
    out += shown("  Subject: ", text_of(type, "subject"), "\n");
    Table fields({{"FIELD"}, {"LABEL"}, {.heading = "KIND", .room = TableColumn::Room::first}, {"NEEDED"}});
    for (const auto& entry : type.at("fields").get_array()) {
      const auto& field = entry.get_object();
      std::string kind = text_of(field, "kind");
      if (field.contains("values")) kind += cat(": ", list_of(field, "values"));
      const std::string need = flag_of(field, "required")      ? "required"
                               : field.contains("required_if") ? cat("required if ", text_of(field, "required_if"))
                                                               : "optional";
      fields.add({{text_of(field, "key")}, {text_of(field, "label")}, {kind}, {need}});
    }
    out += fields.drawn(screen, Table::Headings::shown, 2);
    const std::string handler = type.contains("command") ? to_line(type.at("command")) : text_of(type, "handler");
    if (!handler.empty()) out += shown("  Handled by ", handler, ": a patrol's work; this version has no patrols\n");
  }
  return out;
}

Shown parsed_messages(const CommandLine&, const Answer& answer, const Screen& screen) {
  auto one = [&](const JsonObject& message) {
    if (message.contains("error")) return shown(red(text_of(message, "error"), screen), "\n");
    Shown out = shown(bold(text_of(message, "type"), screen), "  ", shorten(text_of(message, "subject"), 100), "\n");
    for (const auto& [key, value] : message.at("parsed").get_object())
      out += shown("  ", std::string_view(key), ": ", text_of(value), "\n");
    for (const auto& item : message.at("problems").get_array()) {
      const auto& problem = item.get_object();
      out += red(cat("  line ", number_of(problem, "line"), ", ", text_of(problem, "field"), ": ",
                     text_of(problem, "message"), "\n"),
                 screen);
    }
    return out;
  };
  if (answer.json.is_object()) return one(answer.json.get_object());
  Shown out;
  for (const auto& item : answer.json.get_array()) out += one(item.get_object());
  return out;
}

Shown built_message(const CommandLine&, const Answer& answer, const Screen& screen) {
  const auto& object = answer.json.get_object();
  Shown out = shown(bold("Subject: ", screen), text_of(object, "subject"), "\n\n", lines_of(object, "body"));
  if (!out.ends_line()) out += "\n";
  for (const auto& item : object.at("problems").get_array())
    out += red(cat("# ", text_of(item.get_object(), "message"), "\n"), screen);
  return out;
}

Shown thread_summary(const Answer& answer, const Screen& screen) {
  const auto& view = answer.json.get_object();
  const auto& summary = view.at("summary").get_object();
  Shown out = shown(counted(number_of(view, "count"), "message"), ", ", number_of(view, "unread_count"),
                    " unread\nSubject: ", bold(text_of(view, "subject"), screen),
                    "\nParticipants: ", list_of(view, "participants"), "\nTypes:");
  for (const auto& [type, number] : summary.at("types").get_object())
    out += shown(" ", std::string_view(type), " ", number.get_int64());
  out += "\n";
  if (const auto status = text_of(summary, "last_status"); !status.empty())
    out += shown("Last status of ", text_of(summary, "last_status_by"), ": ", status, "\n");
  if (const auto commit = text_of(summary, "last_commit"); !commit.empty()) out += shown("Last commit: ", commit, "\n");
  for (const auto& item : summary.at("open_help").get_array())
    out += shown(red("Help wanted:", screen), " ", line_of(item.get_object(), screen));
  return out;
}

}  // namespace townpost
