#include "delivery/opencode/fake_opencode_test.h"

#include "base/json_fields.h"
#include "base/text.h"
#include "net/url.h"

namespace townpost {

namespace {

std::string page() { return http_answer(200, "<!doctype html>", "text/html"); }

std::string not_found(const std::string& session) {
  return http_answer(404, to_line(JsonObject{{"name", "NotFoundError"},
                                             {"data", JsonObject{{"message", cat("Session not found: ", session)}}}}));
}

/// The pieces of a path without its query: {"session", "ses_1", "message"}.
std::vector<std::string> pieces(std::string_view target) {
  std::vector<std::string> found;
  for (const auto piece : split(target.substr(0, target.find('?')), '/'))
    if (!piece.empty()) found.emplace_back(piece);
  return found;
}

std::string folder_of(std::string_view target) {
  constexpr std::string_view kName = "directory=";
  const auto at = target.find(kName);
  return at == std::string_view::npos ? "" : percent_unescaped(target.substr(at + kName.size()));
}

}  // namespace

std::vector<std::string> FakeOpencode::texts(const std::string& id) const {
  const auto told = session(id);
  std::vector<std::string> texts;
  for (const auto& message : told.order) {
    std::vector<std::string> parts;
    for (const auto& part : told.messages.at(message)) parts.emplace_back(text_in(part, "text"));
    texts.push_back(join(parts, "|"));
  }
  return texts;
}

std::vector<std::string> FakeOpencode::asked() const {
  std::vector<std::string> all;
  for (const auto& each : server_.asked())
    all.push_back(cat(each.method, " ", each.target.substr(0, each.target.find('?'))));
  return all;
}

Json FakeOpencode::messages(const Session& session) const {
  JsonArray all;
  for (const auto& id : session.order)
    all.push_back(JsonObject{{"info", JsonObject{{"id", id}, {"role", "user"}, {"agent", "plan"}}},
                             {"parts", session.messages.at(id)}});
  return all;
}

void FakeOpencode::take(Session& session, const std::string& body) {
  const auto prompt = parse_json(body).value_or(Json());
  std::string id(text_in(prompt, "messageID"));
  if (id.empty()) id = cat("msg_", session.order.size());
  auto& parts = session.messages[id];
  if (std::find(session.order.begin(), session.order.end(), id) == session.order.end()) session.order.push_back(id);
  for (const auto& part : list_in(prompt, "parts")) {
    auto* same = std::find_if(parts.begin(), parts.end(), [&](const Json& other) {
      return !text_in(part, "id").empty() && text_in(other, "id") == text_in(part, "id");
    });
    if (same == parts.end()) parts.push_back(part);
  }
}

std::string FakeOpencode::answer_get(const std::vector<std::string>& path, const std::string& folder) const {
  if (path.at(0) == "permission" || path.at(0) == "question") {
    const auto found = requests_.find(path[0]);
    return http_answer(200, to_line(found == requests_.end() ? JsonArray() : found->second));
  }
  if (path.at(0) == "global" && path.size() == 2 && path[1] == "health") return http_answer(200, R"({"healthy":true})");
  if (path.at(0) != "session" || path.size() < 2) return page();
  if (path[1] == "status") {
    JsonObject all;
    for (const auto& [id, session] : sessions_)
      if (!session.status.empty() && text_in(session.info, "directory") == folder)
        all[id] = JsonObject{{"type", session.status}, {"message", "rate limited"}};
    return http_answer(200, to_line(all));
  }
  const auto found = sessions_.find(path[1]);
  if (found == sessions_.end()) return not_found(path[1]);
  if (path.size() == 2) return http_answer(200, to_line(found->second.info));
  if (path[2] == "children") {
    JsonArray children;
    for (const auto& [child, its_parent] : parents_)
      if (its_parent == path[1]) children.push_back(JsonObject{{"id", child}});
    return http_answer(200, to_line(children));
  }
  if (path[2] != "message") return page();
  if (path.size() == 3) return http_answer(200, to_line(messages(found->second)));
  const auto message = found->second.messages.find(path[3]);
  if (message == found->second.messages.end()) return not_found(path[3]);
  return http_answer(200, to_line(JsonObject{{"parts", message->second}}));
}

void FakeOpencode::answer(const Asked& asked, const Wire& wire) {
  std::unique_lock lock(mutex_);
  const auto path = pieces(asked.target);
  if (trouble_ == Trouble::locked) return wire.send(http_answer(401, ""));
  if (path.empty()) return wire.send(page());
  if (asked.method == "GET") return wire.send(answer_get(path, folder_of(asked.target)));
  if (path.size() == 1 && path[0] == "session") {
    const auto title = std::string(text_in(parse_json(asked.body).value_or(Json()), "title"));
    return wire.send(http_answer(200, to_line(JsonObject{{"id", "ses_new"}, {"title", title}})));
  }
  const bool in_turn = path.size() == 3 && path[2] == "message";
  const bool async = path.size() == 3 && path[2] == "prompt_async" && trouble_ != Trouble::no_async;
  if (!in_turn && !async) return wire.send(page());
  const auto found = sessions_.find(path[1]);
  if (found == sessions_.end()) return wire.send(not_found(path[1]));
  if (trouble_ == Trouble::refuses) return wire.send(http_answer(500, R"({"message":"out of luck"})"));
  if (trouble_ == Trouble::hangs_up) return wire.close();
  if (trouble_ != Trouble::never_answers) take(found->second, asked.body);
  if (trouble_ == Trouble::takes_and_hangs_up) return wire.close();
  lock.unlock();
  if (in_turn || trouble_ == Trouble::never_answers) return wire.wait_until_hung_up();  // the turn takes its time
  wire.send("HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n");
}

}  // namespace townpost
