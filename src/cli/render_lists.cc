#include "cli/render_lists.h"

#include <algorithm>

#include "base/text.h"
#include "cli/card.h"
#include "cli/list.h"
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

namespace {

/// A line, and the text below it further right, so that it cannot look like the next one.
Shown post(const JsonObject& mail, const Screen& screen) {
  return shown(dim(text_of(mail, "id"), screen), " ", age_of(mail, screen), " ", name_of(text_of(mail, "from"), screen),
               " (", text_of(mail, "from_grade"), "): ", bold(text_of(mail, "subject"), screen), "\n",
               body_of(mail, true, Beside::others, screen));
}

}  // namespace

Shown posts(const CommandLine& line, const Answer& answer, const Screen& screen) {
  Shown out;
  const auto& list = answer.json.get_array();
  for (const auto& item : list) out += post(item.get_object(), screen);
  if (const auto more = how_it_goes_on(line, answer, list.size()); !more.empty()) out += shown("\n+", more, "\n");
  return out.empty() && screen.terminal ? "no posts\n" : out;
}

std::string retention_of(const JsonObject& channel) {
  const auto most = number_of(channel, "retention_count");
  const auto hours = number_of(channel, "retention_hours");
  if (most == 0 && hours == 0) return "every post";
  const auto newest = most > 0 ? cat("the newest ", counted(most, "post")) : std::string("posts");
  return cat(newest, hours > 0 ? cat(most > 0 ? ", for " : " for ", counted(hours, "hour")) : "");
}

Shown queue_card(const CommandLine& line, const Answer& answer, const Screen& screen) {
  const auto& queue = answer.json.get_object();
  const auto most = number_of(queue, "max_concurrency");
  const auto withheld = number_of(queue, "withheld");
  const auto claimers = text_of(queue, "claimers");
  auto out =
      card({{"Queue", cat(text_of(queue, "name"), " (", text_of(queue, "id"), ")")},
            {"Status", text_of(queue, "status")},
            {"Work", cat(number_of(queue, "available"), " available, ", number_of(queue, "processing"), " processing, ",
                         number_of(queue, "completed"), " completed, ", number_of(queue, "failed"), " failed",
                         withheld > 0 ? cat("; ", withheld, " withheld, for their senders are in quarantine") : "")},
            {"Claimers", claimers == "*" ? "anyone" : claimers},
            {"Order", text_of(queue, "processing_order") == "fifo" ? "oldest first" : "most urgent first"},
            {"Claims", cat(text_of(queue, "lease"), " each, ", counted(number_of(queue, "max_attempts"), "attempt"),
                           most > 0 ? cat(", ", most, " at a time") : "")},
            {"Rig", text_of(queue, "rig")},
            {"Created", moment_of(queue, "created_at", screen)}},
           screen);
  const auto next =
      screen.terminal ? dim(cat("Next: gt queue messages ", text_of(queue, "name"), "\n"), screen) : Shown();
  const auto* claims = queue.if_contains("claims");
  if (!claims || claims->get_array().empty()) return shown(out, next);
  const auto shape = line.op->result();
  const auto field =
      std::find_if(shape.fields().begin(), shape.fields().end(), [](const Field& one) { return one.key == "claims"; });
  const auto table = table_of(claims->get_array(), field->shape,
                              {{"id", Column::As::id},
                               {"subject", Column::As::prose},
                               {"claimed_by", Column::As::address, "BY"},
                               {"lease_until", Column::As::value, "UNTIL"},
                               {"attempts", Column::As::value, "TRIES"}},
                              screen);
  return shown(out, bold("Processing", screen), "\n", table.drawn(screen, Table::Headings::shown, 2), next);
}

Shown channel_card(const CommandLine&, const Answer& answer, const Screen& screen) {
  const auto& channel = answer.json.get_object();
  const auto pruned = number_of(channel, "pruned");
  return card({{"Channel", cat(text_of(channel, "name"), " (", text_of(channel, "id"), ")")},
               {"Status", text_of(channel, "status")},
               {"Posts", cat(number_of(channel, "posts"), pruned > 0 ? cat(", ", pruned, " pruned") : "")},
               {"Keeps", retention_of(channel)},
               {"Subscribers", std::to_string(number_of(channel, "subscribers"))},
               {"Created", moment_of(channel, "created_at", screen)}},
              screen);
}

}  // namespace townpost
