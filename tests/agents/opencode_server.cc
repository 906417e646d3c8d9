#include "agents/opencode_server.h"

#include <stdexcept>

#include "base/text.h"

namespace townpost {

namespace {

Json parsed(const std::string& text) {
  if (text.empty()) return nullptr;
  auto value = parse_json(text);
  if (!value) throw std::runtime_error("opencode answered: " + text);
  return *value;
}

}  // namespace

OpencodeServer::OpencodeServer(const AgentStage& stage) : stage_(stage), url_("http://127.0.0.1:4096") {
  stage_.start({stage_.opencode(), "serve", "--port", "4096", "--hostname", "127.0.0.1"}, "opencode");
  // Whoever asks before it says so may wait for ever.
  stage_.await("opencode listens", [this] { return stage_.log("opencode").find("listening on") != std::string::npos; });
  session_ = text_at(parsed(stage_.http(url_ + "/session", R"({"title":"test"})")), "id");
}

Json OpencodeServer::ask(const std::string& path, const std::string& body) const {
  return parsed(stage_.http(cat(url_, "/session/", session_, path), body));
}

void OpencodeServer::prompt(const std::string& text) const {
  ask("/message", cat(R"({"parts":[{"type":"text","text":)", to_line(Json(text)), "}]}"));
}

}  // namespace townpost
