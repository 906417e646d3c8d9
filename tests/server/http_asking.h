#pragma once
#include "base/json_fields.h"
#include "base/text.h"
#include "net/event_stream.h"
#include "net/http_client.h"
#include "server/served_town.h"
#include "support/await.h"

namespace townpost {

/// An answer with what is in it.
struct Told {
  int status = 0;
  Json json;
  const Json& data() const { return member_of(json, "data"); }
  std::string code() const { return std::string(text_in(member_of(json, "error"), "code")); }
  std::string message() const { return std::string(text_in(member_of(json, "error"), "message")); }
};

class HttpApi : public ServedTown {
 protected:
  Told ask(const std::string& method, const std::string& path, const std::string& body = "",
           std::vector<std::pair<std::string, std::string>> headers = {}) {
    if (!body.empty()) headers.emplace_back("Content-Type", "application/json");
    headers.emplace_back("Authorization", "Bearer " + token_);
    return plainly(method, path, body, std::move(headers));
  }
  Told plainly(const std::string& method, const std::string& path, const std::string& body = "",
               std::vector<std::pair<std::string, std::string>> headers = {}) {
    HttpClient client;
    const auto answer =
        client.exchange({.method = method, .url = url() + path, .body = body, .headers = std::move(headers)});
    EXPECT_TRUE(answer.has_value()) << method << " " << path << ": " << answer.error().message;
    if (!answer) return {};
    auto json = parse_json(answer->body);
    EXPECT_TRUE(json.has_value()) << method << " " << path << ": " << answer->body;
    return {answer->status, json.value_or(Json())};
  }
  void speak_as(const Words& whom) { token_ = token(whom); }

  std::string token_ = token({"--human"});
};

class Events : public HttpApi {
 protected:
  EventStream follow(const std::string& query = "", std::vector<std::pair<std::string, std::string>> headers = {}) {
    headers.emplace_back("Authorization", "Bearer " + token_);
    auto stream = EventStream::open({.url = url() + "/api/events" + query, .headers = std::move(headers)});
    EXPECT_TRUE(stream.has_value()) << stream.error().message;
    return std::move(*stream);
  }
  /// The next so many events but for the greeting.
  static std::vector<ServerEvent> next(EventStream& stream, std::size_t number) {
    std::vector<ServerEvent> out;
    await("events come", [&] {
      auto some = stream.read();
      if (!some) return true;
      for (auto& event : *some)
        if (event.type != "connected") out.push_back(std::move(event));
      return out.size() >= number;
    });
    return out;
  }
};

}  // namespace townpost
