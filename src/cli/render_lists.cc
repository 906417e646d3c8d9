#include "cli/render_lists.h"

#include "base/text.h"
#include "cli/render_mail.h"
#include "cli/render_text.h"

namespace townpost {

std::string claimed(const CommandLine& line, const Answer& answer, const Screen& screen) {
  if (!answer.json.is_object()) return "nothing to claim\n";
  const auto& mail = answer.json.get_object();
  const std::string id = text_of(mail, "id");
  return whole_mail(mail, !line.args.contains("full"), screen) +
         dim(cat("\nYours until ", text_of(mail, "lease_until"), ", attempt ", number_of(mail, "attempts"), " (", id,
                 ")\nWhen it is done: gt mail complete ", id, "\nElse: gt mail fail ", id,
                 " --reason \"...\", gt mail release ", id, " or gt mail extend ", id, "\n"),
             screen);
}

std::string posts(const CommandLine&, const Answer& answer, const Screen& screen) {
  std::string out;
  for (const auto& item : answer.json.get_array())
    out += cat(out.empty() ? "" : "\n", dim(text_of(item.get_object(), "id"), screen), "\n",
               whole_mail(item.get_object(), true, screen));
  return out.empty() && screen.terminal ? "no posts\n" : out;
}

std::string queue_list(const CommandLine&, const Answer& answer, const Screen&) {
  std::string out;
  for (const auto& item : answer.json.get_array()) {
    const auto& queue = item.get_object();
    out += cat(text_of(queue, "name"), "  ", text_of(queue, "state"));
    for (const auto* count : {"available", "processing", "completed", "failed"})
      out += cat(count == std::string_view("available") ? "  " : ", ", number_of(queue, count), " ", count);
    out += "\n";
  }
  return out;
}

}  // namespace townpost
