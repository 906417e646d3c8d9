#include "cli/render_mail.h"

#include "base/local_time.h"
#include "base/text.h"
#include "cli/render_text.h"

namespace townpost {

namespace {

constexpr std::size_t kPipeBody = 16u << 10;

/// Beside other messages a body stands further right than what we say ourselves, so that it cannot look like the next
/// one.
std::string indented(std::string_view body) {
  std::string out;
  for (const auto line : split(body, '\n')) out += line.empty() ? "\n" : cat("  ", line, "\n");
  return out;
}

}  // namespace

std::string_view speaker(std::string_view from, std::string_view grade) {
  if (from == "townpost") return "the town itself";
  if (from != "overseer" && from != "user") return "an agent";
  return grade == "script" ? "a script of your user" : grade == "flag" ? "your user, by --as" : "your user";
}

std::string age_of(const JsonObject& mail, const Screen& screen) {
  const auto at = parse_instant(text_of(mail, "timestamp"));
  return at ? age(screen.now - *at) : "?";
}

std::string holder_note(const JsonObject& mail) {
  if (!flag_of(mail, "for_previous_holder")) return "";
  return cat("for the previous holder (bead ", text_of(mail, "bead"), ")");
}

Shown whole_mail(const JsonObject& mail, bool cut, Company company, const Screen& screen) {
  // Who speaks comes before anything they say.
  Shown out = shown("From: ", text_of(mail, "from"), " (", text_of(mail, "from_grade"), "), ",
                    speaker(text_of(mail, "from"), text_of(mail, "from_grade")), "\nTo: ", list_of(mail, "to"), "\n");
  if (const auto cc = list_of(mail, "cc"); !cc.empty()) out += shown("Cc: ", cc, "\n");
  out += shown("Date: ", moment_of(mail, "timestamp", screen), " (", age_of(mail, screen), ")\n");
  if (text_of(mail, "priority") != "normal") out += shown("Priority: ", text_of(mail, "priority"), "\n");
  if (text_of(mail, "type") != "notification") out += shown("Type: ", text_of(mail, "type"), "\n");
  // Of several it is said above them all.
  if (company == Company::alone) out += shown("Thread: ", text_of(mail, "thread_id"), "\n");
  if (const auto by = text_of(mail, "reply_by"); !by.empty())
    out += shown("Reply wanted by: ", moment_of(mail, "reply_by", screen), "\n");
  if (const auto note = holder_note(mail); !note.empty())
    out += shown("Note: ", note, "\n");
  else if (const auto bead = text_of(mail, "bead"); !bead.empty())
    out += shown("Bead: ", bead, "\n");
  out += shown("Subject: ", bold(text_of(mail, "subject"), screen), "\n");
  return shown(out, "\n", body_of(mail, cut, company, screen));
}

Shown body_of(const JsonObject& mail, bool cut, Company company, const Screen& screen) {
  std::string body = lines_of(mail, "body");
  if (text_of(mail, "from") == "townpost") body = with_local_moments(body, screen.now);
  const bool too_long = cut && !screen.terminal && body.size() > kPipeBody;
  const std::string part = too_long ? std::string(first_bytes(body, kPipeBody)) : body;
  Shown out = company == Company::others ? indented(part) : part;
  if (!out.empty() && !out.ends_line()) out += "\n";
  if (too_long)
    out += shown("… ", body.size() - kPipeBody, " more bytes: gt mail read ", text_of(mail, "id"), " --full\n");
  return out;
}

}  // namespace townpost
