#include "cli/render.h"
#include "fuzz/fuzz.h"

using namespace townpost;

namespace {

/// An answer of an operation, with what an agent may have written wherever there is a "%".
struct Shape {
  const char* op;
  const char* answer;
};

constexpr const char* kMail =
    R"({"id":"%","seq":1,"from":"%","from_grade":"%","to":["%","%"],"cc":["%"],"subject":"%","body":"%",
        "timestamp":"%","read":false,"priority":"%","priority_level":0,"type":"%","thread_id":"%","reply_by":"%",
        "bead":"%","for_previous_holder":true,"preview":"%","lease_until":"%","attempts":2,"late":true,
        "overdue":true,"owed_by":["%"],"ack_required":true,"recipients":[{"address":"%","state":"%"}]})";
constexpr const char* kNudge =
    R"({"id":"%","address":"%","state":"%","priority":"%","target":"%","sender":"%","sender_grade":"%","mode":"%",
        "message":"%","evidence":"%","note":"%","last_error":"%","created_at":"%"})";

constexpr Shape kShapes[] = {
    {"mail.send", R"({"id":"%","thread_id":"%","recipients":[{"address":"%","state":"%","reason":"%"}]})"},
    {"mail.inbox", "[MAIL,MAIL]"},
    {"mail.search", "[MAIL]"},
    {"mail.sent", "[MAIL]"},
    {"mail.read", "MAIL"},
    {"mail.peek", "MAIL"},
    {"mail.claim", "MAIL"},
    {"channel.read", "[MAIL,MAIL]"},
    {"queue.dead", "[MAIL]"},
    {"mail.ack", R"([{"id":"%","state":"%"},{"id":"%","error":{"code":"%","message":"%","hint":"%"}}])"},
    {"mail.check", R"({"unread":3,"channels":[{"channel":"%","unread":2}]})"},
    {"mail.thread", R"({"thread_id":"%","subject":"%","count":1,"unread_count":1,"messages":[MAIL]})"},
    {"mail.waiting", R"({"owed_to_me":[MAIL],"owed_by_me":[MAIL]})"},
    {"mail.explain", R"({"id":"%","from":"%","from_grade":"%","subject":"%",
        "history":[{"at":"%","what":"%","who":"%","detail":"%"}],
        "recipients":[{"address":"%","cc":true,"state":"%","why":"%"}]})"},
    {"why", R"([{"address":"%","state":"%","why":"%"}])"},
    {"why", R"({"address":"%","unread":2,"reasons":["%","%"]})"},
    {"queue.list", R"([{"name":"%","status":"%","available":1}])"},
    {"queue.show", R"({"name":"%","status":"%","claimers":["%"]})"},
    {"todo", R"({"help":[MAIL],
        "claims":[{"id":"%","subject":"%","claimed_by":"%","lease_until":"%"}],"pending":[MAIL],"completions":[MAIL],"overdue":[MAIL],
        "actions":[{"what":"%","command":"%"}],
        "beads":[{"bead_id":"%","state":"%","by":"%","step":"%","context_usage":3,"help_open":true}]})"},
    {"nudge", "[NUDGE]"},
    {"nudge.list", "[NUDGE]"},
    {"nudge.show", "NUDGE"},
    {"nudge.explain", R"({"nudge":NUDGE,"events":[{"at":"%","kind":"%","detail":"%"}],"in_the_way":["%"]})"},
    {"nudge.carry", R"([{"address":"%","carried":true,"note":"%"}])"},
    {"status", R"({"held":true,"watching":false,"warnings":["%"],"hook_errors":2,
        "agents":[{"address":"%","state":"%","since":"%","detail":"%","draft_since":"%","pending":2}]})"},
    {"feed", R"([{"seq":1,"at":"%","type":"%","kind":"stored","from":"%","to":["%","%"],"text":"%","reply_by":"%"},
        {"seq":2,"at":"%","type":"state","kind":"state","agent":"%","state":"%","detail":"%"},
        {"seq":3,"at":"%","type":"%","kind":"%","queue":"%","detail":"%"}])"},
    {"attach", R"({"address":"%","pane":"%","session":"%","did":"printed","command":["%","%"]})"},
    {"top",
     R"([{"address":"%","state":"%","sent":1,"wakes":2,"hops":3,"pending":4,"held":"%","held_sent":0,"unread":6}])"},
    {"protocol.types", R"([{"name":"%","from":"%","to":"%","summary":"%"}])"},
    {"protocol.parse", R"({"type":"%","subject":"%","parsed":{"key":"%","more":["%"]},
        "problems":[{"line":1,"field":"%","message":"%"}]})"},
    {"protocol.build", R"({"subject":"%","body":"%","problems":[{"message":"%"}]})"},
    {"rig.list", R"([{"name":"%","prefix":"%","path":"%"}])"},
    {"agent.list", R"([{"address":"%","session":"%","description":"%"}])"},
    {"agent.show", R"({"address":"%","description":"%","aliases":["%"],"%":"%"})"},
    {"mail.directory", R"([{"address":"%","type":"%","description":"%"}])"},
    {"group.list", R"([{"name":"%","members":["%"]}])"},
    {"channel.pruned", R"([{"id":"%","pruned_at":"%","from":"%","subject":"%","reason":"%"}])"},
    {"mail.budget", R"([{"address":"%","sent":1,"budget":2,"over":true}])"},
    {"whoami", R"({"address":"%","grade":"%","how":"%"})"},
    {"init", R"({"joined":true,"name":"%","town":"%"})"},
};

std::string with_pieces(std::string_view shape) {
  std::string out;
  while (!shape.empty()) {
    if (shape.starts_with("MAIL")) {
      out += kMail;
      shape.remove_prefix(4);
    } else if (shape.starts_with("NUDGE")) {
      out += kNudge;
      shape.remove_prefix(5);
    } else {
      out += shape.front();
      shape.remove_prefix(1);
    }
  }
  return out;
}

Json filled(const Json& shape, const std::string& text) {
  if (const auto* string = shape.if_string()) return *string == "%" ? Json(text) : shape;
  if (const auto* array = shape.if_array()) {
    JsonArray out;
    for (const auto& item : *array) out.push_back(filled(item, text));
    return out;
  }
  if (const auto* object = shape.if_object()) {
    JsonObject out;
    for (const auto& [key, value] : *object) out[key == "%" ? text : std::string(key)] = filled(value, text);
    return out;
  }
  return shape;
}

std::string without_colours(std::string text) {
  for (const std::string_view ours :
       {"\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[0m", "\u2068", "\u2069"})
    for (auto at = text.find(ours); at != std::string::npos; at = text.find(ours, at)) text.erase(at, ours.size());
  return text;
}

std::size_t rows_of(const Shown& shown) {
  return static_cast<std::size_t>(std::count(shown.bytes().begin(), shown.bytes().end(), '\n'));
}

const Op* op_named(std::string_view name) {
  for (const auto& entry : op_table())
    if (entry.name == name) return &entry.op();
  CHECK(false);
  return nullptr;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(fuzz::as_text(data, size));
  for (const auto& shape : kShapes) {
    CommandLine line;
    line.op = op_named(shape.op);
    const auto answer = filled(parse_json(with_pieces(shape.answer)).value(), text);
    for (const bool terminal : {false, true}) {
      const Screen screen{.terminal = terminal, .colour = terminal, .now = {1'700'000'060'000}};
      const auto shown = render(line, Answer{.json = answer}, screen);
      CHECK(fuzz::is_harmless(without_colours(shown.bytes()), fuzz::Lines::several));
      // Only a body has lines of its own: nothing else makes a row that looks like ours.
      // A terminal has headings and a count as well.
      if (text.find_first_not_of("\n") != std::string::npos && shape.answer == std::string_view("[MAIL,MAIL]") &&
          line.op->name == "mail.inbox")
        CHECK(rows_of(shown) == (terminal ? 4 : 2));
    }
    CHECK(fuzz::is_harmless(render_ids(Answer{.json = answer}).bytes(), fuzz::Lines::several));
  }
  return 0;
}
