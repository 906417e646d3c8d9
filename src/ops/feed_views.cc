#include "ops/feed_views.h"

#include "ops/shapes.h"
#include "ops/view_keys.h"
#include "ops/views.h"

namespace townpost {

using namespace shape;  // NOLINT(google-build-using-namespace): the words that the list below is written in

namespace {

struct SeenEntry {
  const FeedEntry& entry;
  const Settings& settings;
};

Value address_of(const std::string& address, const Settings& settings) {
  return address.empty() ? Value() : Value(views::shown(address, settings));
}

const Keys<SeenEntry>& entry_keys() {
  static const Keys<SeenEntry> keys({
      {always("seq", integer(), "its number in the log"),
       [](const SeenEntry& s) -> Value { return Json(s.entry.seq); }},
      {always("at", instant()), [](const SeenEntry& s) -> Value { return rfc3339(s.entry.at); }},
      {always("type", choice(feed_topic_names())), [](const SeenEntry& s) -> Value { return name(s.entry.topic); }},
      {always("kind", text(), "what happened"), [](const SeenEntry& s) -> Value { return name(s.entry.kind); }},
      {maybe("agent", text(), "who it is about"),
       [](const SeenEntry& s) { return address_of(s.entry.agent, s.settings); }},
      {maybe("from", text(), "who wrote it"), [](const SeenEntry& s) { return address_of(s.entry.from, s.settings); }},
      {maybe("to", list_of(text()), "the recipients"),
       [](const SeenEntry& s) {
         JsonArray to;
         for (const auto& one : s.entry.to) to.emplace_back(views::shown(one, s.settings));
         return to.empty() ? Value() : Value(Json(std::move(to)));
       }},
      {maybe("message_id", text()),
       [](const SeenEntry& s) { return s.entry.message ? Value(s.entry.message->str()) : Value(); }},
      {maybe("nudge_id", text()),
       [](const SeenEntry& s) { return s.entry.nudge ? Value(s.entry.nudge->str()) : Value(); }},
      {maybe("queue", text()), [](const SeenEntry& s) { return unless_empty(s.entry.queue); }},
      {maybe("channel", text()), [](const SeenEntry& s) { return unless_empty(s.entry.channel); }},
      {maybe("text", text(), "the subject, or what a nudge says"),
       [](const SeenEntry& s) { return unless_empty(s.entry.words); }},
      {maybe("state", shapes::agent_state()),
       [](const SeenEntry& s) { return s.entry.state ? Value(name(*s.entry.state)) : Value(); }},
      {maybe("detail", text(), "evidence, a reason, or what a blocked agent asks"),
       [](const SeenEntry& s) { return unless_empty(s.entry.detail); }},
      {maybe("priority", text()),
       [](const SeenEntry& s) { return s.entry.priority ? Value(name(*s.entry.priority)) : Value(); }},
      {maybe("alarm", flag(), "it rings the terminal's bell of those who watch"), added_elsewhere<SeenEntry>},
      {maybe("ack_required", flag()), [](const SeenEntry& s) { return when(s.entry.ack_required, Json(true)); }},
      {maybe("reply_by", instant()), [](const SeenEntry& s) { return instant_of(s.entry.reply_by); }},
  });
  return keys;
}

}  // namespace

const Shape& shapes::feed_entry() {
  static const Shape it = entry_keys().shape("feed_entry");
  return it;
}

JsonObject views::feed_entry(const FeedEntry& entry, const Settings& settings) {
  return entry_keys().json({entry, settings});
}

}  // namespace townpost
