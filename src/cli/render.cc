#include "cli/render.h"

#include <algorithm>

#include "base/text.h"
#include "cli/card.h"
#include "cli/list.h"
#include "cli/prose.h"
#include "cli/render_feed.h"
#include "cli/render_lists.h"
#include "cli/render_mail.h"
#include "cli/render_nudges.h"
#include "cli/render_protocol.h"
#include "cli/render_status.h"
#include "cli/render_text.h"
#include "cli/render_watch.h"
#include "cli/told.h"

namespace townpost {

namespace {

Shown read_one(const CommandLine& line, const JsonObject& mail, const Screen& screen) {
  const std::string id = text_of(mail, "id");
  Shown out = whole_mail(mail, !line.args.contains("full"), Company::alone, screen);
  const auto as = line.as ? cat(" --as ", *line.as) : std::string();  // so that it can be typed as it stands
  const bool asked = flag_of(mail, "ack_required") && text_of(mail, "acked_at").empty();
  const bool unread = !flag_of(mail, "read");
  const bool of_a_list = !text_of(mail, "queue").empty() || !text_of(mail, "channel").empty();
  // Else there is nothing to mark, or it is not the reader's to mark.
  const bool copy = text_of(mail, "copy_of").empty() && (!of_a_list || !text_of(mail, "delivered_at").empty());
  const bool work = text_of(mail, "queue_state") == "available";
  if (!work && !(copy && (unread || asked)) && !screen.terminal) return out;
  out += "\n";
  if (work) out += dim(cat("To work on it: gt mail claim ", text_of(mail, "queue"), "\n"), screen);
  if (copy && (unread || asked))
    out += dim(cat("To ", unread ? "mark it read" : "", unread && asked ? " and " : "", asked ? "acknowledge it" : "",
                   ": gt mail ack ", id, as, "\n"),
               screen);
  // A copy of what the reader sent is nothing to answer.
  const bool own = !text_of(mail, "copy_of").empty() && text_of(mail, "from") == line.as.value_or("overseer");
  if (!own) out += dim(cat("To answer: gt mail reply ", id, as, " -m \"...\"\n"), screen);
  return out;
}

/// What became of it with one recipient: "woken (its waiting hook)", "in the inbox (it is held: gt release coder)".
std::string reached(const JsonObject& recipient, const Screen& screen) {
  const auto reason = said(recipient, "reason", screen);
  if (text_of(recipient, "address").starts_with("channel:") && text_of(recipient, "state") == "queued")
    return cat("posted", reason.empty() ? "" : cat(" (", reason, ")"));
  if (reason == "sent before") return reason;
  if (reason == "in their inbox") return "in the inbox";
  if (text_of(recipient, "state") == "no-session" || reason.starts_with("it is not running"))
    return "in the inbox (not running)";
  // A reason that names the agent's state says it all.
  for (const auto* begin : {"it is ", "the whole town ", "do-not-disturb "})
    if (reason.starts_with(begin)) return cat("in the inbox (", reason, ")");
  return cat(text_of(recipient, "state"), reason.empty() ? "" : cat(" (", reason, ")"));
}

/// So many recipients have a line each.
constexpr std::size_t kFewRecipients = 3;

Shown read_mail(const CommandLine& line, const Answer& answer, const Screen& screen) {
  if (answer.json.is_object()) return read_one(line, answer.json.get_object(), screen);
  Shown out;
  for (const auto& mail : answer.json.get_array())
    out += shown(out.bytes().empty() ? "" : "\n", read_one(line, mail.get_object(), screen));
  return out;
}

Shown receipt(const CommandLine&, const Answer& answer, const Screen& screen) {
  const auto& sent = answer.json.get_object();
  const auto& recipients = sent.at("recipients").get_array();
  const auto id = text_of(sent, "id");
  const bool many = recipients.size() > kFewRecipients;
  Shown out = shown(flag_of(sent, "duplicate") ? "already sent as " : "sent ", bold(id, screen),
                    many ? cat(" to ", recipients.size(), " recipients") : "",
                    dim(cat(" in ", text_of(sent, "thread_id")), screen), "\n");
  if (!many) {
    for (const auto& item : recipients)
      out += prose(
          cat("  ", name_of(text_of(item.get_object(), "address"), screen), ": ", reached(item.get_object(), screen)),
          screen, 4);
    return out;
  }
  // Of many it counts how many are reached how, and who needs a look is asked with explain.
  std::vector<std::pair<std::string, int>> ways;
  for (const auto& item : recipients) {
    const auto way = reached(item.get_object(), screen);
    const auto known = std::find_if(ways.begin(), ways.end(), [&](const auto& one) { return one.first == way; });
    if (known == ways.end())
      ways.emplace_back(way, 1);
    else
      ++known->second;
  }
  std::vector<std::string> words;
  for (const auto& [way, count] : ways) words.push_back(cat(count, " ", way));
  return shown(out, "  ", shorten(join(words, ", "), 400), dim(cat("; gt mail explain ", id), screen), "\n");
}

/// So many messages are named each.
constexpr std::size_t kFewOutcomes = 5;

Shown outcomes(const CommandLine&, const Answer& answer, const Screen& screen) {
  const auto& list = answer.json.get_array();
  if (list.empty()) return "nothing to do\n";
  Shown out;
  std::vector<std::pair<std::string, std::int64_t>> states;
  for (const auto& item : list) {
    const auto& entry = item.get_object();
    const auto state = text_of(entry, "state");
    if (const auto* error = entry.if_contains("error")) {
      const auto message = text_of(error->get_object(), "message");
      const auto id = text_of(entry, "id");
      const bool named = id.empty() || message.find(id) != std::string::npos;
      out += shown(named ? "" : cat(id, " "), red(message, screen), "\n");
    } else if (list.size() <= kFewOutcomes) {
      out += shown(text_of(entry, "id"), " ", state, "\n");
    } else {
      const auto known =
          std::find_if(states.begin(), states.end(), [&](const auto& one) { return one.first == state; });
      if (known == states.end())
        states.emplace_back(state, 1);
      else
        ++known->second;
    }
  }
  for (const auto& [state, many] : states) out += shown(counted(many, "message"), " ", state, "\n");
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
  return shown(packed({{text_of(mail, "id")},
                       {std::to_string(number_of(mail, "priority_level"))},
                       {age_of(mail, screen)},
                       {name_of(text_of(mail, "from"), screen)},
                       {text_of(mail, "subject")},
                       {note_of(mail, screen)}}),
               "  ", text_of(mail, "preview"), "\n",
               dim(cat("To read: gt mail read ", text_of(mail, "id"), "\n"), screen));
}

Shown thread(const CommandLine& line, const Answer& answer, const Screen& screen) {
  if (line.args.contains("summary")) return thread_summary(answer, screen);
  const auto& view = answer.json.get_object();
  // What others wrote stands behind what we say, to the end of its line.
  Shown out = shown(counted(number_of(view, "count"), "message"), ", ", number_of(view, "unread_count"),
                    " unread\nThread: ", text_of(view, "thread_id"),
                    "\nSubject: ", bold(text_of(view, "subject"), screen), "\n");
  for (const auto& item : view.at("messages").get_array())
    out += shown("\n", dim(text_of(item.get_object(), "id"), screen), "\n",
                 whole_mail(item.get_object(), true, Company::others, screen));
  return out;
}

Shown waiting(const CommandLine& line, const Answer& answer, const Screen& screen) {
  const auto& object = answer.json.get_object();
  const auto shape = line.op->result();
  Shown out;
  const auto part = [&](std::string_view key, std::string_view title, const Column& whom) {
    const auto& list = object.at(boost::json::string_view(key.data(), key.size())).get_array();
    out += shown(bold(std::string(title), screen), list.empty() ? ": nothing\n" : "\n");
    const auto& fields = shape.fields();
    const auto field = std::find_if(fields.begin(), fields.end(), [&](const Field& one) { return one.key == key; });
    out += table_of(list, field->shape,
                    {{"overdue", Column::As::mark},
                     {"reply_by", Column::As::value, "BY"},
                     whom,
                     {"subject", Column::As::prose},
                     {"id", Column::As::id}},
                    screen)
               .drawn(screen, Table::Headings::shown, 2);
  };
  part("owed_to_me", "Owed to you", {"owed_by", Column::As::address, "FROM"});
  part("owed_by_me", "Owed by you", {"owed_to", Column::As::address, "TO"});
  return out;
}

Shown explanation(const CommandLine&, const Answer& answer, const Screen& screen) {
  const auto& object = answer.json.get_object();
  Shown out = shown(text_of(object, "id"), " from ", text_of(object, "from"), " (",
                    speaker(text_of(object, "from"), text_of(object, "from_grade")),
                    "): ", bold(text_of(object, "subject"), screen), "\n");
  Table history({{"AT"}, {"WHAT"}, {"WHO"}, {"DETAIL"}});
  for (const auto& item : object.at("history").get_array()) {
    const auto& step = item.get_object();
    history.add({{step_of(step, "at", screen)},
                 {text_of(step, "what")},
                 {text_of(step, "who")},
                 {said(step, "detail", screen), Stress::dim}});
  }
  out += history.drawn(screen, Table::Headings::none, 2);
  for (const auto& item : object.at("recipients").get_array()) {
    const auto& standing = item.get_object();
    out += shown(text_of(standing, "address"), flag_of(standing, "cc") ? " (cc)" : "", ": ", text_of(standing, "state"),
                 text_of(standing, "why").empty() ? "" : cat("; ", said(standing, "why", screen)), "\n");
  }
  return out;
}

Shown reasons(const CommandLine&, const Answer& answer, const Screen& screen) {
  Shown out;
  if (answer.json.is_array()) {
    for (const auto& item : answer.json.get_array())
      out += shown(text_of(item.get_object(), "address"), ": ", text_of(item.get_object(), "state"), "; ",
                   said(item.get_object(), "why", screen), "\n");
    return out;
  }
  const auto& object = answer.json.get_object();
  out = shown(text_of(object, "address"), ": ", number_of(object, "unread"), " unread\n");
  for (const auto& reason : object.at("reasons").get_array()) out += shown("  ", said(reason, screen), "\n");
  return out;
}

Shown quoted_message(const CommandLine&, const Answer& answer, const Screen& screen) {
  const auto& quote = answer.json.get_object();
  return shown(
      card({{"To", list_of(quote, "to")}, {"Cc", list_of(quote, "cc")}, {"Subject", text_of(quote, "subject")}},
           screen),
      "\n", lines_of(quote, "text"), "\n");
}

Shown linted(const CommandLine&, const Answer& answer, const Screen& screen) {
  const auto& lint = answer.json.get_object();
  const auto& problems = lint.at("problems").get_array();
  if (problems.empty())
    return shown(text_of(lint, "file"), ": ", counted(number_of(lint, "messages"), "message"), ", no problems\n");
  Shown out;
  for (const auto& item : problems) {
    const auto& problem = item.get_object();
    out += shown(text_of(lint, "file"), problem.contains("place") ? cat(", message ", number_of(problem, "place")) : "",
                 problem.contains("line") ? cat(", line ", number_of(problem, "line")) : "",
                 text_of(problem, "field").empty() ? "" : cat(", ", text_of(problem, "field")), ": ",
                 red(text_of(problem, "message"), screen), "\n");
  }
  return out;
}

Shown agents_started(const CommandLine&, const Answer& answer, const Screen& screen) {
  const auto& json = answer.json.get_object();
  Shown out;
  for (const auto& item : json.at("agents").get_array()) {
    const auto& agent = item.get_object();
    out += shown(bold(text_of(agent, "address"), screen), " runs in the tmux session ", text_of(agent, "tmux_session"),
                 "\n");
  }
  if (const auto* hooks = json.if_contains("hooks"); hooks && flag_of(hooks->get_object(), "changed"))
    out += shown("its hooks are in ", text_of(hooks->get_object(), "file"), "\n");
  if (flag_of(json.at("dispatcher").get_object(), "started")) out += "the dispatcher runs in the background\n";
  const auto& agents = json.at("agents").get_array();
  if (agents.empty()) return out;
  const auto session = text_of(agents.front().get_object(), "tmux_session");
  return shown(out, dim(cat("Next: tmux attach -t ", session, " · gt status"), screen), "\n");
}

/// What is wrong is told whole, over several lines where it must be.
Shown findings(const CommandLine&, const Answer& answer, const Screen& screen) {
  Table table({{"HEALTH"}, {"ABOUT"}, {"WHAT"}});
  constexpr std::size_t kBefore = 22;  // what stands before it
  const auto room = screen.width > 2 * kBefore ? screen.width - kBefore : 120;
  for (const auto& item : answer.json.get_array()) {
    const auto& finding = item.get_object();
    const auto health = text_of(finding, "health");
    const auto stress = health == "good"      ? Stress::green
                        : health == "absent"  ? Stress::dim
                        : health == "warning" ? Stress::yellow
                                              : Stress::red;
    const auto cure = said(finding, "cure", screen);
    auto text = wrapped(said(finding, "what", screen), room, 0);
    if (!cure.empty()) text += cat("\n", wrapped(cat("→ ", cure), room, 0));
    bool first = true;
    for (const auto row : split(text, '\n')) {
      table.add({{first ? health : "", stress}, {first ? text_of(finding, "about") : ""}, {std::string(row)}});
      first = false;
    }
  }
  return table.drawn(screen, Table::Headings::none);
}

Shown identity(const CommandLine&, const Answer& answer, const Screen& screen) {
  const auto& who = answer.json.get_object();
  const Shown address = shown(text_of(who, "address"), " (", text_of(who, "grade"), ")\n");
  return screen.terminal ? shown(address, dim(cat("known by ", said(who, "how", screen), "\n"), screen)) : address;
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
      {"message", read_mail},
      {"[outcome]", outcomes},
      {"waiting", check},
      {"peeked_message", peek},
      {"thread", thread},
      {"replies_owed", waiting},
      {"explanation", explanation},
      {"[obstacle]", reasons},
      {"[finding]", findings},
      {"queued_message", claimed},
      {"[post]", posts},
      {"queue", queue_card},
      {"channel", channel_card},
      {"todo", todo_list},
      {"[sent_nudge]", nudge_receipts},
      {"nudge", nudge_shown},
      {"nudge_history", nudge_explained},
      {"words", bare_text},
      {"primer", bare_text},
      {"status", town_status},
      {"[carried]", nudges_carried},
      {"[message_type]", type_list},
      {"built_message", built_message},
      {"typed_messages", parsed_messages},
      {"identity", identity},
      {"quote", quoted_message},
      {"lint", linted},
      {"started_agents", agents_started},
      {"town", new_town},
      {"jump", pane_jump},
      {"[feed_entry]", feed_lines},
      {"pane_text", bare_text},
  };
  for (const auto& entry : kRenderers)
    if (entry.what == what) return entry.renderer;
  return nullptr;
}

/// Which of the objects that the row describes field by field the answer is; nothing for somebody else's JSON.
const Shape* shape_of(const Shape& shape, const Json& json) {
  if (shape.kind() == Shape::Kind::one_of) {
    for (const auto& one : shape.alternatives())
      if (const auto* found = shape_of(one, json)) return found;
    return nullptr;
  }
  return shape.kind() == Shape::Kind::object && !misfit(shape, json) ? &shape : nullptr;
}

}  // namespace

ShownAs shown_as(const Op& op) {
  const auto shape = op.result();
  if (has_sentence(op)) return ShownAs::sentence;
  if (renderer_of(view_key(shape))) return ShownAs::drawn;
  if (!op.columns.empty()) return ShownAs::list;
  return shape.kind() == Shape::Kind::object ? ShownAs::card : ShownAs::json;
}

bool is_shown_in_rows(const Op& op) {
  const auto key = view_key(op.result());
  return key == "[message]" || key == "[sent_message]" || key == "[queued_message]" || key == "[nudge]";
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
  if (!entry) return {};
  return shown(feed_line(*entry, screen), screen.terminal && flag_of(*entry, "alarm") ? Shown::bell() : Shown());
}

Shown render(const CommandLine& line, const Answer& answer, const Screen& screen) {
  const auto shape = line.op->result();
  if (auto sentence = told(line, answer, screen)) return *std::move(sentence);
  if (const auto renderer = renderer_of(view_key(shape))) return renderer(line, answer, screen);
  if (answer.json.is_array() && !line.op->columns.empty()) return render_list(line, answer, screen);
  if (const auto* described = shape_of(shape, answer.json))
    return card_of(answer.json.get_object(), *described, screen);
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
      for (const auto* key : {"token", "id", "address", "name", "member", "removed"})
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
