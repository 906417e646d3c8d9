#include "cli/render_lists.h"

#include "base/text.h"
#include "cli/render_mail.h"
#include "cli/render_text.h"

namespace townpost {

Shown claimed(const CommandLine& line, const Answer& answer, const Screen& screen) {
  if (!answer.json.is_object()) return "nothing to claim\n";
  const auto& mail = answer.json.get_object();
  const std::string id = text_of(mail, "id");
  return shown(
      whole_mail(mail, !line.args.contains("full"), Beside::nothing, screen),
      dim(cat("\nYours until ", moment_of(mail, "lease_until", screen), ", attempt ", number_of(mail, "attempts"), " (",
              id, ")\nWhen it is done: gt mail complete ", id, "\nElse: gt mail fail ", id,
              " --reason \"...\", gt mail release ", id, " or gt mail extend ", id, "\n"),
          screen));
}

Shown posts(const CommandLine& line, const Answer& answer, const Screen& screen) {
  Shown out;
  const auto& list = answer.json.get_array();
  for (const auto& item : list)
    out += shown(out.empty() ? "" : "\n", dim(text_of(item.get_object(), "id"), screen), "\n",
                 whole_mail(item.get_object(), true, Beside::others, screen));
  if (const auto more = how_it_goes_on(line, answer, list.size()); !more.empty()) out += shown("\n+", more, "\n");
  return out.empty() && screen.terminal ? "no posts\n" : out;
}

}  // namespace townpost
