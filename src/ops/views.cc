#include "ops/views.h"

#include "base/advice.h"
#include "base/text.h"
#include "ops/op.h"
#include "post/mail/typed_mail.h"
#include "post/values/session_uri.h"

namespace townpost::views {

namespace {

JsonArray addresses(const std::vector<std::string>& list, const Settings& settings) {
  JsonArray out;
  for (const auto& address : list) out.emplace_back(shown(address, settings));
  return out;
}

void put(JsonObject& object, std::string_view key, const std::optional<Instant>& at) {
  if (at) object[boost::json::string_view(key.data(), key.size())] = rfc3339(*at);
}

}  // namespace

std::string shown(std::string_view address, const Settings& settings) {
  return address == Address::human().str() ? settings.human : std::string(address);
}

JsonObject mail(const Mail& mail, const Settings& settings, Body body) {
  const auto& m = mail.message;
  const auto* d = mail.delivery ? &*mail.delivery : nullptr;
  const bool read = d && d->read_at;
  JsonObject out;
  out["id"] = m.id.str();
  out["seq"] = m.id.seq();
  out["from"] = shown(m.from, settings);
  out["from_grade"] = std::string(name(m.grade));
  out["to"] = addresses(m.to, settings);
  out["cc"] = addresses(m.cc, settings);
  out["subject"] = m.subject;
  if (body == Body::with) out["body"] = m.body;
  out["timestamp"] = rfc3339(m.created_at);
  out["read"] = read;
  out["priority"] = std::string(name(m.priority));
  out["priority_level"] = static_cast<int>(m.priority);
  out["type"] = std::string(name(m.type));
  if (const auto* type = type_of(settings, m)) out["protocol_type"] = std::string(type->name);
  out["thread_id"] = m.thread;
  out["reply_to"] = m.reply_to ? Json(m.reply_to->str()) : Json(nullptr);
  out["ack_required"] = m.ack_required;
  out["pinned"] = d && d->pinned;
  out["wisp"] = m.wisp;
  JsonArray labels;
  labels.emplace_back(cat("from:", shown(m.from, settings)));
  labels.emplace_back(cat("thread:", m.thread));
  labels.emplace_back(cat("msg-type:", name(m.type)));
  if (m.reply_to) labels.emplace_back(cat("reply-to:", m.reply_to->str()));
  for (const auto& address : m.cc) labels.emplace_back(cat("cc:", shown(address, settings)));
  for (const auto& address : m.to)
    for (const auto* kind : {"queue", "channel"})
      if (address.starts_with(cat(kind, ":"))) {
        out[kind] = address.substr(std::string_view(kind).size() + 1);
        labels.emplace_back(address);
      }
  if (read) labels.emplace_back("read");
  out["labels"] = std::move(labels);
  if (m.hops > 0) out["hops"] = m.hops;
  put(out, "reply_by", m.reply_by);
  if (d) {
    if (!d->held_by.empty()) out["held_by"] = d->held_by;
    if (!d->bead.empty()) out["bead"] = d->bead;
    if (mail.for_previous_holder) out["for_previous_holder"] = true;
    put(out, "delivered_at", d->delivered_at);
    put(out, "read_at", d->read_at);
    put(out, "acked_at", d->acked_at);
    put(out, "archived_at", d->archived_at);
  }
  return out;
}

JsonObject receipt(const Receipt& receipt, const Settings& settings) {
  JsonObject out;
  out["id"] = receipt.message.id.str();
  out["thread_id"] = receipt.message.thread;
  JsonArray recipients;
  for (const auto& recipient : receipt.recipients) {
    JsonObject entry;
    entry["address"] = shown(recipient.address, settings);
    entry["state"] = recipient.state;
    entry["reason"] = recipient.reason;
    if (!recipient.nudge.empty()) entry["nudge_id"] = recipient.nudge;
    recipients.push_back(std::move(entry));
  }
  out["recipients"] = std::move(recipients);
  if (receipt.duplicate) out["duplicate"] = true;
  if (receipt.repeated) out["repeated"] = true;
  return out;
}

JsonObject agent(const Agent& agent, const Settings& settings) {
  JsonObject out;
  out["address"] = shown(agent.address.str(), settings);
  out["role"] = std::string(name(agent.address.role()));
  if (!agent.address.rig().empty()) out["rig"] = agent.address.rig();
  if (!agent.address.name().empty()) out["name"] = agent.address.name();
  if (!agent.session.empty()) out["session"] = shown_session(agent.session);
  if (!agent.harness.empty()) out["harness"] = agent.harness;
  if (!agent.description.empty()) out["description"] = agent.description;
  if (!agent.start_command.empty()) out["start"] = agent.start_command;
  if (!agent.resume_command.empty()) out["resume"] = agent.resume_command;
  if (agent.start_on != StartOn::never) out["on"] = agent.start_on == StartOn::mail ? "mail" : "nudge";
  if (agent.created_at.ms > 0) out["created_at"] = rfc3339(agent.created_at);
  put(out, "held_since", agent.held_since);
  return out;
}

JsonObject rig(const Rig& rig) {
  JsonObject out;
  out["name"] = rig.name;
  out["prefix"] = rig.prefix;
  out["path"] = rig.path;
  out["target"] = rig.target;
  out["test_command"] = rig.test_command;
  out["created_at"] = rfc3339(rig.created_at);
  return out;
}

JsonObject explanation(const Explanation& explanation, const Settings& settings) {
  JsonObject out = mail({explanation.message, std::nullopt}, settings, Body::without);
  JsonArray recipients;
  for (const auto& standing : explanation.standings) {
    JsonObject entry;
    entry["address"] = shown(standing.address, settings);
    entry["cc"] = standing.copy;
    entry["state"] = standing.state;
    entry["why"] = standing.why;
    if (!standing.delivery.held_by.empty()) entry["held_by"] = standing.delivery.held_by;
    if (!standing.delivery.bead.empty()) entry["bead"] = standing.delivery.bead;
    if (standing.for_previous_holder) entry["for_previous_holder"] = true;
    put(entry, "delivered_at", standing.delivery.delivered_at);
    put(entry, "read_at", standing.delivery.read_at);
    put(entry, "acked_at", standing.delivery.acked_at);
    put(entry, "archived_at", standing.delivery.archived_at);
    recipients.push_back(std::move(entry));
  }
  out["recipients"] = std::move(recipients);
  JsonArray history;
  for (const auto& step : explanation.history) {
    JsonObject entry;
    entry["at"] = rfc3339(step.at);
    entry["what"] = step.what;
    entry["who"] = shown(step.who, settings);
    entry["detail"] = step.detail;
    history.push_back(std::move(entry));
  }
  out["history"] = std::move(history);
  for (const auto* gone : {"read", "pinned", "labels"})
    out.stable_erase(gone);  // a viewer's view; here every copy has its own line
  return out;
}

JsonObject summary(const ThreadSummary& summary, const Settings& settings) {
  JsonObject out;
  JsonObject types;
  for (const auto& [type, number] : summary.types) types[type] = number;
  out["types"] = std::move(types);
  out["last_status"] = summary.last_status;
  out["last_status_by"] = shown(summary.last_status_by, settings);
  JsonArray help;
  for (const auto& request : summary.open_help) {
    JsonObject entry;
    entry["id"] = request.id.str();
    entry["from"] = shown(request.from, settings);
    entry["subject"] = request.subject;
    entry["timestamp"] = rfc3339(request.created_at);
    help.push_back(std::move(entry));
  }
  out["open_help"] = std::move(help);
  out["last_commit"] = summary.last_commit;
  out["first_at"] = rfc3339(summary.first_at);
  out["last_at"] = rfc3339(summary.last_at);
  return out;
}

namespace {

/// Values of the types that the operation takes.
JsonObject arguments_of(const NextCall& next) {
  const Op* op = find_op(next.op);
  JsonObject out;
  for (const auto& [name, value] : next.args) {
    const Arg* arg = op ? find_argument(*op, name) : nullptr;
    if (arg && arg->kind == ArgKind::flag)
      out[name] = value == "true";
    else if (arg && arg->many)
      out[name] = JsonArray{Json(value)};
    else
      out[name] = value;
  }
  return out;
}

}  // namespace

JsonObject problem(const Error& error) {
  JsonObject out;
  out["code"] = std::string(name(error.code));
  out["message"] = error.message;
  out["hint"] = advice(error);
  if (!error.argument.empty()) out["argument"] = error.argument;
  if (error.next && !error.next->op.empty()) {
    JsonObject call;
    call["operation"] = error.next->op;
    call["arguments"] = arguments_of(*error.next);
    out["next"] = std::move(call);
  }
  if (error.retry_after_s) out["retry_after"] = *error.retry_after_s;
  return out;
}

JsonObject error(const Error& error) {
  JsonObject out;
  out["error"] = problem(error);
  return out;
}

}  // namespace townpost::views
