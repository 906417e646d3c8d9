#include "delivery/opencode/opencode_session.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <thread>
#include <utility>

#include "base/json_fields.h"
#include "base/text.h"
#include "post/values/presence.h"

namespace townpost {

namespace {

using Outcome = Injected::Outcome;

constexpr Millis kLongestLook = std::chrono::seconds(2);  // others wait behind a server that hangs
constexpr Millis kTurnBegins = std::chrono::seconds(3);

/// A server answers paths that it does not know with its web page, and 200.
bool is_json(const HttpAnswer& answer) { return answer.content_type == "application/json"; }

Json body_of(const HttpAnswer& answer) {
  auto parsed = is_json(answer) ? parse_json(answer.body) : Result<Json>(Json());
  return parsed ? std::move(*parsed) : Json();
}

/// The server's own words, one short line.
std::string complaint(const HttpAnswer& answer) {
  const auto body = body_of(answer);
  auto message = text_in(member_of(body, "data"), "message");
  if (message.empty()) message = text_in(body, "message");
  return cat(answer.status, message.empty() ? "" : ": ", shorten(for_terminal_line(message), 200));
}

/// Error: not_found if the server is there but the thing is not; refused for any other answer that is not good.
Error bad_answer(const std::string& server, const HttpAnswer& answer) {
  if (answer.status == 401 || answer.status == 403)
    return {Code::forbidden, cat(server, " wants another password"), "name it: http://:PASSWORD@HOST:PORT",
            std::nullopt};
  return {answer.status == 404 ? Code::not_found : Code::refused, cat(server, " answers ", complaint(answer)), "",
          std::nullopt};
}

bool holds_text(const Json& message, std::string_view id) {
  const auto& parts = list_in(message, "parts");
  return std::any_of(parts.begin(), parts.end(),
                     [&](const Json& part) { return text_in(part, "text").find(id) != std::string_view::npos; });
}

HttpCall post(std::string url, const Json& body, Millis timeout) {
  return {.method = "POST",
          .url = std::move(url),
          .body = to_line(body),
          .headers = {{"Content-Type", "application/json"}},
          .timeout = timeout};
}

}  // namespace

Result<HttpAnswer> OpencodeSession::get(const std::string& url) {
  return client_.exchange({.url = url, .timeout = std::min(timeout_, kLongestLook)});
}

Result<OpencodeSession::Info> OpencodeSession::info() {
  TRY(answer, get(address_.url("")));
  const auto told = body_of(answer);
  if (!answer.is_good() || !told.is_object()) {
    auto error = bad_answer(address_.shown_server(), answer);
    if (error.code == Code::not_found)
      error.message = cat("no session ", address_.session, " on ", address_.shown_server());
    return fail(std::move(error));
  }
  Info info{.directory = std::string(text_in(told, "directory")), .agent = std::string(text_in(told, "agent"))};
  const auto& model = member_of(told, "model");
  if (!text_in(model, "id").empty()) {
    info.model = JsonObject{{"providerID", member_of(model, "providerID")}, {"modelID", member_of(model, "id")}};
  }
  return info;
}

/// Older servers do not tell the session's agent, but the last message's.
std::string OpencodeSession::last_agent() {
  const auto answer = get(address_.url("/message?limit=4"));
  const auto page = answer ? body_of(*answer) : Json();
  const auto* messages = page.if_array();
  if (messages == nullptr || messages->empty()) return {};
  const auto& last = member_of(messages->back(), "info");
  const auto agent = text_in(last, "agent");
  return std::string(agent.empty() ? text_in(last, "mode") : agent);
}

SessionLook OpencodeSession::look() {
  const auto found = info();
  if (found) {
    seen_ = Seen{*found, state(*found), clock_.now()};
    return seen_->look;
  }
  const auto code = found.error().code;
  const bool gone = code == Code::unavailable || code == Code::not_found;
  const auto there = code == Code::timeout ? SessionState::silent : SessionState::unknown;
  return {gone ? SessionState::gone : there, found.error().message};
}

/// Whoever injects has mostly just looked: that look counts, once.
Result<OpencodeSession::Seen> OpencodeSession::see(Injection::At at) {
  constexpr Millis kJustNow(200);
  const auto now = clock_.now();
  const auto before = std::exchange(seen_, std::nullopt);
  if (before && before->at <= now && now - before->at < kJustNow) return *before;
  TRY(found, info());
  return Seen{found, at == Injection::At::idle ? state(found) : SessionLook{}, now};
}

SessionLook OpencodeSession::state(const Info& info) {
  const auto answer = get(cat(address_.server, "/session/status?directory=", percent_escaped(info.directory)));
  if (!answer) return {SessionState::silent, answer.error().message};
  const auto states = body_of(*answer);
  if (!states.is_object()) return {SessionState::unknown, "the server does not report the state of its sessions"};
  const auto& status = member_of(states, address_.session);
  const auto type = text_in(status, "type");
  if (type.empty() || type == "idle") return {SessionState::idle, ""};
  if (auto request = open_request(info)) return {SessionState::blocked, std::move(*request)};
  if (type == "retry")
    return {SessionState::busy, cat("the model does not answer: ", in_its_words(text_in(status, "message")))};
  return {SessionState::busy, "a turn is running"};
}

/// A question to the person, asked by the session or by a subagent that it started.
std::optional<std::string> OpencodeSession::open_request(const Info& info) {
  std::optional<Json> children;
  const auto is_ours = [&](std::string_view session) {
    if (session == address_.session) return true;
    if (!children) {
      const auto answer = get(address_.url("/children"));
      children = answer ? body_of(*answer) : Json();
    }
    const auto* list = children->if_array();
    return list != nullptr &&
           std::any_of(list->begin(), list->end(), [&](const Json& child) { return text_in(child, "id") == session; });
  };
  constexpr std::array<std::pair<const char*, const char*>, 2> kKinds{
      {{"/permission", "a permission request is open"}, {"/question", "a question is open"}}};
  for (const auto& [path, words] : kKinds) {
    const auto answer = get(cat(address_.server, path, "?directory=", percent_escaped(info.directory)));
    const auto requests = answer ? body_of(*answer) : Json();
    const auto* list = requests.if_array();
    if (list == nullptr) continue;
    for (const auto& request : *list) {
      if (!is_ours(text_in(request, "sessionID"))) continue;
      const auto what = in_its_words(text_in(request, "permission"));
      return cat(words, what.empty() ? "" : ": ", what);
    }
  }
  return std::nullopt;
}

std::optional<bool> OpencodeSession::page_shows(std::string_view id, int limit) {
  const auto answer = get(address_.url(cat("/message?limit=", limit)));
  const auto page = answer && answer->is_good() ? body_of(*answer) : Json();
  const auto* messages = page.if_array();
  if (messages == nullptr) return std::nullopt;
  for (const auto& message : *messages)
    if (text_in(member_of(message, "info"), "role") == "user" && holds_text(message, id)) return true;
  // What is older than the page cannot be told.
  return messages->size() < static_cast<std::size_t>(limit) ? std::optional(false) : std::nullopt;
}

std::optional<bool> OpencodeSession::shows(std::string_view id) {
  constexpr int kPage = 100;
  constexpr int kShortPage = 10;  // a page of large files may be over the limit of an answer
  if (sent_ && !sent_->message.empty() && std::find(sent_->ids.begin(), sent_->ids.end(), id) != sent_->ids.end()) {
    if (sent_->shown) return true;
    const auto answer = get(address_.url(cat("/message/", sent_->message)));
    sent_->shown = answer && answer->is_good() && holds_text(body_of(*answer), id);
    if (sent_->shown) return true;
  }
  const auto told = page_shows(id, kPage);
  return told ? told : page_shows(id, kShortPage);
}

/// Made as the server makes its own: older servers compare the ids of question and answer to see which is the newer, so
/// an id of another order would be answered for ever, or never. That holds only where we share the server's clock. The
/// same nudges in the same session keep their id, so that a repeat is no second message.
std::string OpencodeSession::message_id(const std::vector<std::string>& ids) {
  if (sent_ && sent_->ids == ids) return sent_->message;
  const auto url = Url::parse(address_.server);
  if (!url || !url->is_loopback()) return {};
  std::array<char, 32> digits{};
  const auto time = static_cast<std::uint64_t>(clock_.now().ms) << 12 & 0xFFFF'FFFF'FFFFULL;
  std::snprintf(digits.data(), digits.size(), "%012llx%014llx", static_cast<unsigned long long>(time),
                static_cast<unsigned long long>(digest64(join(ids, " ")) & 0xFF'FFFF'FFFF'FFFFULL));
  return cat("msg_", digits.data());
}

Injected OpencodeSession::inject(const Injection& injection) {
  auto seen = see(injection.at);
  if (!seen) {
    // Only a wrong password has to be put right by somebody; everything else may pass.
    const bool refused = seen.error().code == Code::forbidden;
    return {refused ? Outcome::failed : Outcome::not_started, seen.error().message};
  }
  const bool ready = seen->look.state == SessionState::idle || seen->look.state == SessionState::unknown;
  if (injection.at == Injection::At::idle && !ready) return {Outcome::not_started, seen->look.detail};
  if (seen->info.agent.empty()) seen->info.agent = last_agent();
  return prompt(seen->info, injection);
}

Injected OpencodeSession::prompt(const Info& info, const Injection& injection) {
  sent_ = Sent{injection.ids, message_id(injection.ids)};
  JsonObject part{{"type", "text"}, {"text", to_utf8(injection.text)}};
  JsonObject body;
  if (!sent_->message.empty()) {
    body["messageID"] = sent_->message;
    part["id"] = cat("prt_", std::string_view(sent_->message).substr(4));  // or a repeat would add its text once more
  }
  if (!info.agent.empty()) body["agent"] = info.agent;
  if (info.model.is_object()) body["model"] = info.model;
  body["parts"] = JsonArray{std::move(part)};

  const auto answer = client_.exchange(post(address_.url("/prompt_async"), body, timeout_));
  if (!answer) {
    const bool untouched = answer.error().code == Code::unavailable || answer.error().code == Code::usage;
    return {untouched ? Outcome::not_started : Outcome::failed, answer.error().message};
  }
  const bool unknown_path = (answer->is_good() && answer->content_type == "text/html") || answer->status == 405 ||
                            (answer->status == 404 && !is_json(*answer));
  if (unknown_path) return prompt_in_turn(to_line(body), injection);
  if (answer->is_good()) return taken(answer->status);
  const auto error = bad_answer(address_.shown_server(), *answer);
  return {error.code == Code::not_found ? Outcome::not_started : Outcome::failed, error.message};
}

/// For servers without prompt_async: this answers when the turn ends, which nobody waits for. A turn goes on when its
/// caller hangs up.
Injected OpencodeSession::prompt_in_turn(const std::string& body, const Injection& injection) {
  const auto answer = client_.exchange({.method = "POST",
                                        .url = address_.url("/message"),
                                        .body = body,
                                        .headers = {{"Content-Type", "application/json"}},
                                        .timeout = std::min(timeout_, kTurnBegins),
                                        .until = HttpCall::Until::head});
  if (answer && answer->is_good() && is_json(*answer)) return taken(answer->status);
  if (answer) return {Outcome::failed, bad_answer(address_.shown_server(), *answer).message};
  if (answer.error().code == Code::unavailable) return {Outcome::not_started, answer.error().message};
  for (const auto& id : injection.ids)
    if (shows(id) == true) return {Outcome::shown, cat(id, " is among the messages of ", address_.session)};
  return {Outcome::failed, answer.error().message};
}

Injected OpencodeSession::taken(int status) const {
  const auto name = sent_->message.empty() ? std::string() : cat(" as message ", sent_->message);
  return {Outcome::handed, cat("the server took it (", status, ")", name)};
}

Result<std::string> create_opencode_session(const std::string& server, std::string_view title,
                                            std::string_view directory) {
  TRY(base, opencode_server(server));
  const auto place = directory.empty() ? std::string() : cat("?directory=", percent_escaped(directory));
  HttpClient client;
  TRY(answer,
      client.exchange(post(cat(base, "/session", place), JsonObject{{"title", to_utf8(title)}}, Millis(30'000))));
  const auto body = body_of(answer);
  const auto id = text_in(body, "id");
  if (!answer.is_good() || id.empty()) return fail(bad_answer(Url::parse(base)->origin(), answer));
  return std::string(id);
}

Result<> wait_until_opencode_is_ready(const std::string& server, Millis longest) {
  constexpr Millis kPause(50);
  constexpr Millis kOneAnswer(2'000);
  TRY(base, opencode_server(server));
  const auto deadline = Deadline::in(longest);
  HttpClient client;
  while (true) {
    const auto answer = client.exchange({.url = base + "/global/health", .timeout = std::min(longest, kOneAnswer)});
    if (answer && answer->status < 500) {
      if (answer->status != 401 && answer->status != 403) return {};
      return fail(bad_answer(Url::parse(base)->origin(), *answer));
    }
    if (deadline.left_ms() == 0) return fail(no_answer(*Url::parse(base), deadline));
    std::this_thread::sleep_for(std::min(kPause, Millis(deadline.left_ms())));
  }
}

}  // namespace townpost
