#include "cli/render_mail.h"

#include "base/text.h"
#include "cli/render_text.h"

namespace townpost {

namespace {
constexpr std::size_t kPipeBody = 16u << 10;
}

std::string age_of(const JsonObject& mail, const Screen& screen) {
  const auto at = parse_instant(text_of(mail, "timestamp"));
  return at ? age(screen.now - *at) : "?";
}

std::string holder_note(const JsonObject& mail) {
  if (!flag_of(mail, "for_previous_holder")) return "";
  return cat("for the previous holder (bead ", for_terminal_line(text_of(mail, "bead")), ")");
}

std::string whole_mail(const JsonObject& mail, bool cut, const Screen& screen) {
  const std::string id = text_of(mail, "id");
  std::string out = cat(bold(for_terminal_line(text_of(mail, "subject")), screen), "\n",
                        "From: ", for_terminal_line(text_of(mail, "from")), " (", text_of(mail, "from_grade"),
                        ")\nTo: ", list_of(mail, "to"), "\n");
  if (const auto cc = list_of(mail, "cc"); !cc.empty()) out += cat("Cc: ", cc, "\n");
  out += cat("Date: ", text_of(mail, "timestamp"), " (", age_of(mail, screen), ")\n");
  if (text_of(mail, "priority") != "normal") out += cat("Priority: ", text_of(mail, "priority"), "\n");
  if (text_of(mail, "type") != "notification") out += cat("Type: ", text_of(mail, "type"), "\n");
  out += cat("Thread: ", for_terminal_line(text_of(mail, "thread_id")), "\n");
  if (const auto by = text_of(mail, "reply_by"); !by.empty()) out += cat("Reply wanted by: ", by, "\n");
  if (const auto note = holder_note(mail); !note.empty())
    out += cat("Note: ", note, "\n");
  else if (const auto bead = text_of(mail, "bead"); !bead.empty())
    out += cat("Bead: ", for_terminal_line(bead), "\n");
  const std::string body = text_of(mail, "body");
  const bool too_long = cut && !screen.terminal && body.size() > kPipeBody;
  out += cat("\n", for_terminal(too_long ? std::string(first_bytes(body, kPipeBody)) : body));
  if (out.back() != '\n') out += "\n";
  if (too_long) out += cat("… ", body.size() - kPipeBody, " more bytes: gt mail read ", id, " --full\n");
  return out;
}

}  // namespace townpost
