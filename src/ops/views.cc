#include "ops/views.h"

#include "base/advice.h"
#include "base/text.h"
#include "ops/op.h"

namespace townpost::views {

namespace {

void put(JsonObject& object, std::string_view key, const std::optional<Instant>& at) {
  if (at) object[boost::json::string_view(key.data(), key.size())] = rfc3339(*at);
}

}  // namespace

std::string shown(std::string_view address, const Settings& settings) {
  return address == Address::human().str() ? settings.human : std::string(address);
}

JsonArray shown_list(const std::vector<std::string>& addresses, const Settings& settings) {
  JsonArray out;
  for (const auto& address : addresses) out.emplace_back(shown(address, settings));
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
    entry["state"] = name(recipient.state);
    entry["reason"] = recipient.reason;
    if (!recipient.nudge.empty()) entry["nudge_id"] = recipient.nudge;
    recipients.push_back(std::move(entry));
  }
  out["recipients"] = std::move(recipients);
  if (receipt.duplicate) out["duplicate"] = true;
  if (receipt.repeated) out["repeated"] = true;
  return out;
}

JsonObject explanation(const Explanation& explanation, const Settings& settings) {
  JsonObject out = mail(explanation.mail, settings);
  JsonArray recipients;
  for (const auto& standing : explanation.standings) {
    JsonObject entry;
    entry["address"] = shown(standing.address, settings);
    entry["cc"] = standing.copy;
    entry["state"] = name(standing.state);
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

JsonObject next_call(const NextCall& next) {
  JsonObject out;
  out["operation"] = next.op;
  out["arguments"] = arguments_of(next);
  return out;
}

JsonObject problem(const Error& error) {
  JsonObject out;
  out["code"] = std::string(name(error.code));
  out["message"] = error.message;
  out["hint"] = advice(error);
  if (!error.argument.empty()) out["argument"] = error.argument;
  if (error.next && !error.next->op.empty()) out["next"] = next_call(*error.next);
  if (error.retry_after_s) out["retry_after"] = *error.retry_after_s;
  return out;
}

JsonObject error(const Error& error) {
  JsonObject out;
  out["error"] = problem(error);
  return out;
}

}  // namespace townpost::views
