#include "cli/render.h"

#include <algorithm>

#include "base/text.h"
#include "cli/render_feed.h"
#include "cli/render_lists.h"
#include "cli/render_mail.h"
#include "cli/render_nudges.h"
#include "cli/render_protocol.h"
#include "cli/render_text.h"
#include "cli/render_watch.h"

namespace townpost {

namespace {

/// ID P AGE FROM SUBJECT
Shown mail_line(const JsonObject& mail, const Screen& screen) {
  const std::string priority = std::to_string(number_of(mail, "priority_level"));
  const std::string subject = screen.terminal ? shorten(text_of(mail, "subject"), 100) : text_of(mail, "subject");
  const bool unread = !flag_of(mail, "read");
  const std::string note = holder_note(mail);
  return shown(dim(text_of(mail, "id"), screen), " ",
               number_of(mail, "priority_level") == 0 ? red(priority, screen) : Shown(priority), " ",
               age_of(mail, screen), " ", text_of(mail, "from"), " ", unread ? bold(subject, screen) : Shown(subject),
               note.empty() ? Shown() : dim(cat(" [", note, "]"), screen), "\n");
}

/// A row for each of the list, into a pipe only the first of them; then how many more there are and how to get them.
template <class RowOf>
Shown rows_of(const CommandLine& line, const Answer& answer, const Screen& screen, RowOf row_of) {
  const auto& list = answer.json.get_array();
  std::size_t rows = list.size();
  if (!screen.terminal && !line.args.contains("limit")) rows = std::min(rows, kPipeRows);
  Shown out;
  for (std::size_t i = 0; i < rows; ++i) out += row_of(list[i].get_object());
  if (const auto more = how_it_goes_on(line, answer, rows); !more.empty()) out += shown("+", more, "\n");
  return out;
}

Shown mail_list(const CommandLine& line, const Answer& answer, const Screen& screen) {
  if (answer.json.get_array().empty()) return screen.terminal ? "no mail\n" : "";
  return rows_of(line, answer, screen, [&](const JsonObject& mail) { return mail_line(mail, screen); });
}

Shown read_mail(const CommandLine& line, const Answer& answer, const Screen& screen) {
  const auto& mail = answer.json.get_object();
  const std::string id = text_of(mail, "id");
  Shown out = whole_mail(mail, !line.args.contains("full"), Beside::nothing, screen);
  const bool asked = flag_of(mail, "ack_required") && text_of(mail, "acked_at").empty();
  const bool unread = !flag_of(mail, "read");
  const bool of_a_list = !text_of(mail, "queue").empty() || !text_of(mail, "channel").empty();
  const bool copy = !of_a_list || !text_of(mail, "delivered_at").empty();  // else there is nothing to mark
  const bool work = text_of(mail, "queue_state") == "available";
  if (!work && !(copy && (unread || asked)) && !screen.terminal) return out;
  out += "\n";
  if (work) out += dim(cat("To work on it: gt mail claim ", text_of(mail, "queue"), "\n"), screen);
  if (copy && (unread || asked))
    out += dim(cat("To ", unread ? "mark it read" : "", unread && asked ? " and " : "", asked ? "acknowledge it" : "",
                   ": gt mail ack ", id, "\n"),
               screen);
  out += dim(cat("To answer: gt mail reply ", id, " -m \"...\"\n"), screen);
  return out;
}

Shown receipt(const CommandLine&, const Answer& answer, const Screen& screen) {
  const auto& sent = answer.json.get_object();
  Shown out = shown(flag_of(sent, "duplicate") ? "already sent as " : "sent ", bold(text_of(sent, "id"), screen),
                    dim(cat(" in ", text_of(sent, "thread_id")), screen), "\n");
  for (const auto& item : sent.at("recipients").get_array()) {
    const auto& recipient = item.get_object();
    out += shown("  ", text_of(recipient, "address"), ": ", text_of(recipient, "state"),
                 dim(cat(" (", said(recipient, "reason"), ")"), screen), "\n");
  }
  return out;
}

Shown outcomes(const CommandLine&, const Answer& answer, const Screen& screen) {
  const auto& list = answer.json.get_array();
  if (list.empty()) return "nothing to do\n";
  Shown out;
  for (const auto& item : list) {
    const auto& entry = item.get_object();
    if (const auto* error = entry.if_contains("error"))
      out += shown(text_of(entry, "id"), " ", red(text_of(error->get_object(), "message"), screen), "\n");
    else
      out += shown(text_of(entry, "id"), " ", text_of(entry, "state"), "\n");
  }
  return out;
}

Shown check(const CommandLine& line, const Answer& answer, const Screen&) {
  const auto& object = answer.json.get_object();
  if (line.args.contains("inject")) return lines_of(object, "text");
  const auto unread = number_of(object, "unread");
  Shown out = unread > 0 ? cat(unread, " unread: gt mail inbox --unread\n") : "";
  for (const auto& item : object.at("channels").get_array()) {
    const auto& channel = item.get_object();
    out += shown("channel ", text_of(channel, "channel"), ": ", number_of(channel, "unread"), " new: gt channel read ",
                 text_of(channel, "channel"), " --unread\n");
  }
  return out.empty() ? "no mail waiting\n" : out;
}

Shown peek(const CommandLine&, const Answer& answer, const Screen& screen) {
  if (!answer.json.is_object()) return "no mail waiting\n";
  const auto& mail = answer.json.get_object();
  return shown(mail_line(mail, screen), "  ", text_of(mail, "preview"), "\n",
               dim(cat("To read: gt mail read ", text_of(mail, "id"), "\n"), screen));
}

Shown thread(const CommandLine& line, const Answer& answer, const Screen& screen) {
  if (line.args.contains("summary")) return thread_summary(answer, screen);
  const auto& view = answer.json.get_object();
  // What others wrote stands behind what we say, to the end of its line.
  Shown out = shown(number_of(view, "count"), " messages, ", number_of(view, "unread_count"),
                    " unread\nThread: ", text_of(view, "thread_id"),
                    "\nSubject: ", bold(text_of(view, "subject"), screen), "\n");
  for (const auto& item : view.at("messages").get_array())
    out += shown("\n", dim(text_of(item.get_object(), "id"), screen), "\n",
                 whole_mail(item.get_object(), true, Beside::others, screen));
  return out;
}

Shown sent_list(const CommandLine& line, const Answer& answer, const Screen& screen) {
  if (answer.json.get_array().empty()) return screen.terminal ? "nothing sent\n" : "";
  return rows_of(line, answer, screen, [&](const JsonObject& mail) {
    std::vector<std::string> states;
    for (const auto& recipient : mail.at("recipients").get_array())
      states.push_back(cat(text_of(recipient.get_object(), "address"), " ", text_of(recipient.get_object(), "state")));
    return shown(dim(text_of(mail, "id"), screen), " ", number_of(mail, "priority_level"), " ", age_of(mail, screen),
                 " ", text_of(mail, "subject"), " → ", join(states, ", "), "\n");
  });
}

Shown nudge_rows(const CommandLine& line, const Answer& answer, const Screen& screen) {
  if (answer.json.get_array().empty()) return screen.terminal ? "no nudges\n" : "";
  return rows_of(line, answer, screen, [&](const JsonObject& nudge) { return nudge_line(nudge, screen); });
}

Shown waiting(const CommandLine&, const Answer& answer, const Screen& screen) {
  const auto& object = answer.json.get_object();
  Shown out;
  const auto part = [&](const char* key, std::string_view title, auto who) {
    const auto& list = object.at(key).get_array();
    out += shown(bold(std::string(title), screen), ": ", list.empty() ? "nothing" : "", "\n");
    for (const auto& item : list) {
      const auto& mail = item.get_object();
      out += shown("  ", text_of(mail, "id"), " by ", text_of(mail, "reply_by"),
                   flag_of(mail, "overdue") ? red(" OVERDUE", screen) : Shown(), " ", who(mail), " ",
                   text_of(mail, "subject"), "\n");
    }
  };
  part("owed_to_me", "Owed to you", [](const JsonObject& mail) { return cat("from ", list_of(mail, "owed_by")); });
  part("owed_by_me", "Owed by you", [](const JsonObject& mail) { return cat("to ", text_of(mail, "owed_to")); });
  return out;
}

Shown explanation(const CommandLine&, const Answer& answer, const Screen& screen) {
  const auto& object = answer.json.get_object();
  Shown out = shown(text_of(object, "id"), " from ", text_of(object, "from"), " (", text_of(object, "from_grade"),
                    "): ", bold(text_of(object, "subject"), screen), "\n");
  for (const auto& item : object.at("history").get_array()) {
    const auto& step = item.get_object();
    out += shown("  ", text_of(step, "at"), "  ", text_of(step, "what"), "  ", text_of(step, "who"), "  ",
                 dim(said(step, "detail"), screen), "\n");
  }
  for (const auto& item : object.at("recipients").get_array()) {
    const auto& standing = item.get_object();
    out += shown(text_of(standing, "address"), flag_of(standing, "cc") ? " (cc)" : "", ": ", text_of(standing, "state"),
                 text_of(standing, "why").empty() ? "" : cat("; ", said(standing, "why")), "\n");
  }
  return out;
}

Shown reasons(const CommandLine&, const Answer& answer, const Screen&) {
  Shown out;
  if (answer.json.is_array()) {
    for (const auto& item : answer.json.get_array())
      out += shown(text_of(item.get_object(), "address"), ": ", text_of(item.get_object(), "state"), "; ",
                   said(item.get_object(), "why"), "\n");
    return out;
  }
  const auto& object = answer.json.get_object();
  out = shown(text_of(object, "address"), ": ", number_of(object, "unread"), " unread\n");
  for (const auto& reason : object.at("reasons").get_array()) out += shown("  ", said(reason), "\n");
  return out;
}

/// A list of objects, one line each: the values of these keys.
Shown table(const JsonArray& list, const std::vector<std::string_view>& columns) {
  Shown out;
  for (const auto& item : list) {
    const auto& object = item.get_object();
    std::string row;
    for (const auto column : columns) {
      const auto* value = object.if_contains(boost::json::string_view(column.data(), column.size()));
      if (!value) continue;
      const std::string cell = text_of(*value);
      if (!cell.empty()) row += cat(row.empty() ? "" : "  ", cell);
    }
    out += cat(row, "\n");
  }
  return out;
}

/// One object, a line per key.
Shown card(const JsonObject& object) {
  Shown out;
  for (const auto& [key, value] : object) {
    if (value.is_array() && value.get_array().empty()) continue;
    if (const auto text = text_of(value); !text.empty()) out += shown(std::string_view(key), ": ", text, "\n");
  }
  return out;
}

Shown agent_card(const CommandLine&, const Answer& answer, const Screen& screen) {
  auto agent = answer.json.get_object();
  const auto sessions = session_lines(agent, screen);
  agent.erase("sessions");
  return shown(card(agent), sessions);
}

Shown identity(const CommandLine&, const Answer& answer, const Screen& screen) {
  const auto& who = answer.json.get_object();
  const Shown address = shown(text_of(who, "address"), " (", text_of(who, "grade"), ")\n");
  return screen.terminal ? shown(address, dim(cat("known by ", said(who, "how"), "\n"), screen)) : address;
}

Shown new_town(const CommandLine&, const Answer& answer, const Screen&) {
  const auto& made = answer.json.get_object();
  const auto* did = flag_of(made, "existed")  ? "there already: the town "
                    : flag_of(made, "joined") ? "joined the town "
                                              : "made the town ";
  return shown(did, text_of(made, "name"), " in ", text_of(made, "town"),
               "\nNext: gt agent add coder; gt mail send coder -s Hello -m \"first mail\"\n");
}

using Renderer = Shown (*)(const CommandLine&, const Answer&, const Screen&);

/// Answers that deserve more than a table or a card, by what they are.
Renderer renderer_of(std::string_view what) {
  struct Entry {
    std::string_view what;
    Renderer renderer;
  };
  static constexpr Entry kRenderers[] = {
      {"receipt", receipt},
      {"[message]", mail_list},
      {"[queued_message]", mail_list},
      {"message", read_mail},
      {"[outcome]", outcomes},
      {"waiting", check},
      {"peeked_message", peek},
      {"thread", thread},
      {"[sent_message]", sent_list},
      {"replies_owed", waiting},
      {"explanation", explanation},
      {"[obstacle]", reasons},
      {"queued_message", claimed},
      {"[post]", posts},
      {"[queue]", queue_list},
      {"todo", todo_list},
      {"[sent_nudge]", nudge_receipts},
      {"[nudge]", nudge_rows},
      {"nudge", nudge_shown},
      {"nudge_history", nudge_explained},
      {"words", bare_text},
      {"primer", bare_text},
      {"status", town_status},
      {"[busy_agent]", busiest_agents},
      {"[carried]", nudges_carried},
      {"[message_type]", type_list},
      {"built_message", built_message},
      {"typed_messages", parsed_messages},
      {"identity", identity},
      {"agent_with_aliases", agent_card},
      {"town", new_town},
      {"jump", pane_jump},
      {"[feed_entry]", feed_lines},
      {"pane_text", bare_text},
  };
  for (const auto& entry : kRenderers)
    if (entry.what == what) return entry.renderer;
  return nullptr;
}

/// Whether the answer is one of the objects that the row describes field by field, and not somebody else's JSON.
bool is_described(const Shape& shape, const Json& json) {
  if (shape.kind() == Shape::Kind::one_of)
    return std::any_of(shape.alternatives().begin(), shape.alternatives().end(),
                       [&](const Shape& one) { return is_described(one, json); });
  return shape.kind() == Shape::Kind::object && !misfit(shape, json);
}

}  // namespace

bool is_shown_in_rows(const Op& op) {
  const auto key = view_key(op.result());
  return key == "[message]" || key == "[sent_message]" || key == "[nudge]";
}

std::string how_it_goes_on(const CommandLine& line, const Answer& answer, std::size_t rows) {
  const auto* list = answer.json.if_array();
  if (!list || rows == 0) return "";
  const auto extent = answer.extent.value_or(Extent());
  const auto left_out = static_cast<std::int64_t>(list->size() - rows);
  if (extent.more + left_out <= 0) return "";
  const auto more = cat(extent.more + left_out, " more: ");
  if (left_out == 0 && extent.cursor) return cat(more, "--cursor ", *extent.cursor);
  if (left_out > 0 && find_argument(*line.op, "cursor"))
    return cat(more, "--cursor ", number_of(list->at(rows - 1).get_object(), "seq"));
  return cat(more, "--limit ", extent.more + static_cast<std::int64_t>(list->size()));
}

Shown render_item(const Json& item, const Screen& screen) {
  const auto* entry = item.if_object();
  return entry ? feed_line(*entry, screen) : Shown();
}

Shown render(const CommandLine& line, const Answer& answer, const Screen& screen) {
  const auto shape = line.op->result();
  if (const auto renderer = renderer_of(view_key(shape))) return renderer(line, answer, screen);
  if (answer.json.is_array() && !line.op->columns.empty()) return table(answer.json.get_array(), line.op->columns);
  if (is_described(shape, answer.json)) return card(answer.json.get_object());
  return Shown::json(to_pretty(answer.json));
}

namespace {

const JsonArray* list_in(const Json& json, std::string_view key) {
  const auto* object = json.if_object();
  const auto* value = object ? object->if_contains(boost::json::string_view(key.data(), key.size())) : nullptr;
  return value ? value->if_array() : nullptr;
}

}  // namespace

Shown render_ids(const Answer& answer) {
  Shown out;
  auto id_of = [&](const Json& item) {
    if (const auto* object = item.if_object())
      for (const auto* key : {"id", "address", "name", "member", "removed"})
        if (const auto text = text_of(*object, key); !text.empty()) {
          out += Shown::line(text);
          return;
        }
  };
  if (const auto* list = answer.json.if_array()) {
    for (const auto& item : *list) id_of(item);
  } else if (const auto* messages = list_in(answer.json, "messages")) {
    for (const auto& item : *messages) id_of(item);
  } else {
    id_of(answer.json);
  }
  return out;
}

}  // namespace townpost
