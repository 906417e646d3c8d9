#include "cli/render_protocol.h"

#include "base/text.h"
#include "cli/render_mail.h"
#include "cli/render_text.h"

namespace townpost {

namespace {

std::string line_of(const JsonObject& mail, const Screen& screen) {
  return cat("  ", dim(text_of(mail, "id"), screen), " ", age_of(mail, screen), " ",
             for_terminal_line(text_of(mail, "from")), " ", for_terminal_line(shorten(text_of(mail, "subject"), 100)),
             flag_of(mail, "late") ? red(" (waits for more than 5 min)", screen) : "", "\n");
}

std::string bead_line(const JsonObject& bead, const Screen& screen) {
  const auto state = text_of(bead, "state");
  std::string out = cat("  ", text_of(bead, "bead_id"), "  ",
                        state == "failed" || state == "silent" || state == "help" ? red(state, screen) : state);
  if (const auto by = text_of(bead, "by"); !by.empty()) out += cat("  ", for_terminal_line(by));
  if (const auto step = text_of(bead, "step"); !step.empty()) out += cat("  ", for_terminal_line(shorten(step, 60)));
  if (bead.contains("context_usage")) out += cat("  context ", number_of(bead, "context_usage"), "%");
  if (flag_of(bead, "help_open")) out += red("  help wanted", screen);
  return out + "\n";
}

}  // namespace

std::string todo_list(const CommandLine&, const Answer& answer, const Screen& screen) {
  const auto& object = answer.json.get_object();
  std::string out;
  auto part = [&](const char* key, std::string_view title) {
    const auto& list = object.at(key).get_array();
    if (list.empty()) return;
    out += cat(bold(std::string(title), screen), "\n");
    for (const auto& item : list) out += line_of(item.get_object(), screen);
  };
  part("help", "Help wanted");
  part("pending", "To acknowledge");
  part("completions", "Completed in the last day");
  if (const auto* beads = object.if_contains("beads")) {
    out += cat(bold("Beads", screen), "\n");
    for (const auto& bead : beads->get_array()) out += bead_line(bead.get_object(), screen);
  }
  const auto& actions = object.at("actions").get_array();
  if (!actions.empty()) out += cat(bold("Do", screen), "\n");
  for (const auto& item : actions) {
    const auto& action = item.get_object();
    out += cat("  ", for_terminal_line(text_of(action, "what")), "  ", dim(text_of(action, "command"), screen), "\n");
  }
  return out.empty() ? "nothing to do\n" : out;
}

std::string type_list(const CommandLine& line, const Answer& answer, const Screen& screen) {
  if (answer.json.is_string()) return std::string(answer.json.get_string());
  std::string out;
  const bool one = line.args.contains("type");
  for (const auto& item : answer.json.get_array()) {
    const auto& type = item.get_object();
    out += cat(bold(text_of(type, "name"), screen), "  ", text_of(type, "from"), " → ", text_of(type, "to"), "  ",
               for_terminal_line(text_of(type, "summary")), "\n");
    if (!one) continue;
    out += cat("  Subject: ", for_terminal_line(text_of(type, "subject")), "\n");
    for (const auto& entry : type.at("fields").get_array()) {
      const auto& field = entry.get_object();
      std::string kind = text_of(field, "kind");
      if (field.contains("values")) kind += cat(": ", list_of(field, "values"));
      const std::string need = flag_of(field, "required")      ? "required"
                               : field.contains("required_if") ? cat("required if ", text_of(field, "required_if"))
                                                               : "optional";
      out += cat("  ", text_of(field, "key"), "  ", for_terminal_line(text_of(field, "label")), " (", kind, "), ", need,
                 "\n");
    }
  }
  return out;
}

std::string parsed_messages(const CommandLine&, const Answer& answer, const Screen& screen) {
  auto one = [&](const JsonObject& message) {
    if (message.contains("error")) return cat(red(for_terminal_line(text_of(message, "error")), screen), "\n");
    std::string out = cat(bold(text_of(message, "type"), screen), "  ",
                          for_terminal_line(shorten(text_of(message, "subject"), 100)), "\n");
    for (const auto& [key, value] : message.at("parsed").get_object())
      out += cat("  ", std::string_view(key), ": ",
                 for_terminal_line(value.is_string() ? std::string(value.get_string()) : to_line(value)), "\n");
    for (const auto& item : message.at("problems").get_array()) {
      const auto& problem = item.get_object();
      out += red(cat("  line ", number_of(problem, "line"), ", ", text_of(problem, "field"), ": ",
                     for_terminal_line(text_of(problem, "message")), "\n"),
                 screen);
    }
    return out;
  };
  if (answer.json.is_object()) return one(answer.json.get_object());
  std::string out;
  for (const auto& item : answer.json.get_array()) out += one(item.get_object());
  return out;
}

std::string built_message(const CommandLine&, const Answer& answer, const Screen& screen) {
  const auto& object = answer.json.get_object();
  std::string out = cat(bold("Subject: ", screen), for_terminal_line(text_of(object, "subject")), "\n\n",
                        for_terminal(text_of(object, "body")));
  if (out.back() != '\n') out += "\n";
  for (const auto& item : object.at("problems").get_array())
    out += red(cat("# ", for_terminal_line(text_of(item.get_object(), "message")), "\n"), screen);
  return out;
}

std::string thread_summary(const Answer& answer, const Screen& screen) {
  const auto& view = answer.json.get_object();
  const auto& summary = view.at("summary").get_object();
  std::string out =
      cat(bold(for_terminal_line(text_of(view, "subject")), screen), " (", number_of(view, "count"), " messages, ",
          number_of(view, "unread_count"), " unread)\nParticipants: ", list_of(view, "participants"), "\nTypes:");
  for (const auto& [type, number] : summary.at("types").get_object())
    out += cat(" ", std::string_view(type), " ", number.get_int64());
  out += "\n";
  if (const auto status = text_of(summary, "last_status"); !status.empty())
    out += cat("Last status: ", for_terminal_line(status), " (", for_terminal_line(text_of(summary, "last_status_by")),
               ")\n");
  if (const auto commit = text_of(summary, "last_commit"); !commit.empty())
    out += cat("Last commit: ", for_terminal_line(commit), "\n");
  for (const auto& item : summary.at("open_help").get_array())
    out += cat(red("Help wanted:", screen), line_of(item.get_object(), screen).substr(1));
  return out;
}

}  // namespace townpost
