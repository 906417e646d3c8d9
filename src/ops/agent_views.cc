#include "ops/shapes.h"
#include "ops/view_keys.h"
#include "ops/views.h"
#include "post/values/session_uri.h"

namespace townpost {

using namespace shape;  // NOLINT(google-build-using-namespace): the words that the lists below are written in

namespace {

struct SeenAgent {
  const Agent& agent;
  const Settings& settings;
};

const Keys<SeenAgent>& agent_keys() {
  static const Keys<SeenAgent> keys({
      {always("address", text()),
       [](const SeenAgent& s) -> Value { return views::shown(s.agent.address.str(), s.settings); }},
      {always("role", choice({"human", "mayor", "deacon", "witness", "refinery", "polecat", "crew", "dog", "session",
                              "system"})),
       [](const SeenAgent& s) -> Value { return name(s.agent.address.role()); }},
      {maybe("rig", text()), [](const SeenAgent& s) { return unless_empty(std::string(s.agent.address.rig())); }},
      {maybe("name", text()), [](const SeenAgent& s) { return unless_empty(std::string(s.agent.address.name())); }},
      {maybe("session", text(), "where it runs"),
       [](const SeenAgent& s) { return unless_empty(shown_session(s.agent.session)); }},
      {maybe("harness", text()), [](const SeenAgent& s) { return unless_empty(s.agent.harness); }},
      {maybe("description", text()), [](const SeenAgent& s) { return unless_empty(s.agent.description); }},
      {maybe("start", text(), "how it is started"),
       [](const SeenAgent& s) { return unless_empty(s.agent.start_command); }},
      {maybe("resume", text()), [](const SeenAgent& s) { return unless_empty(s.agent.resume_command); }},
      {maybe("on", choice({"mail", "nudge"}), "what it is started for"),
       [](const SeenAgent& s) {
         return when(s.agent.start_on != StartOn::never, s.agent.start_on == StartOn::mail ? "mail" : "nudge");
       }},
      {maybe("created_at", instant()),
       [](const SeenAgent& s) { return when(s.agent.created_at.ms > 0, rfc3339(s.agent.created_at)); }},
      {maybe("held_since", instant()), [](const SeenAgent& s) { return instant_of(s.agent.held_since); }},
      {maybe("registered", flag(), "false: a live session that nobody has written to yet"), added_elsewhere<SeenAgent>},
  });
  return keys;
}

const Keys<Rig>& rig_keys() {
  static const Keys<Rig> keys({
      {always("name", text()), [](const Rig& rig) -> Value { return rig.name; }},
      {always("prefix", text(), "of its bead ids"), [](const Rig& rig) -> Value { return rig.prefix; }},
      {always("path", text()), [](const Rig& rig) -> Value { return rig.path; }},
      {always("target", text(), "where work is merged"), [](const Rig& rig) -> Value { return rig.target; }},
      {always("test_command", text()), [](const Rig& rig) -> Value { return rig.test_command; }},
      {always("created_at", instant()), [](const Rig& rig) -> Value { return rfc3339(rig.created_at); }},
      {maybe("connected", or_null(text())), added_elsewhere<Rig>},
  });
  return keys;
}

}  // namespace

const Shape& shapes::agent() {
  static const Shape it = agent_keys().shape("agent");
  return it;
}

JsonObject views::agent(const Agent& agent, const Settings& settings) { return agent_keys().json({agent, settings}); }

const Shape& shapes::rig() {
  static const Shape it = rig_keys().shape("rig");
  return it;
}

JsonObject views::rig(const Rig& rig) { return rig_keys().json(rig); }

}  // namespace townpost
