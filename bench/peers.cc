#include "bench/peers.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <thread>

#include "base/json_fields.h"
#include "base/text.h"
#include "support/postgres_server.h"

namespace townpost::bench {

namespace fs = std::filesystem;

const std::string kSubjectOfLoad = "Build is red on main";
const std::string kBodyOfLoad =
    "The parser test fails since the last merge: expected 3 nodes, found 2. It fails on both machines and with both "
    "compilers, so it is not the weather. Please look at the change of the tokenizer first, and answer when you know.";

namespace {

/// A whole HTTP answer of that status, by its length.
std::size_t http_answer(std::string_view heard, std::string_view status) {
  const auto end = heard.find("\r\n\r\n");
  if (end == std::string_view::npos) return 0;
  if (heard.substr(9, status.size()) != status) give_up(cat("it answered ", heard.substr(0, 400)));
  auto at = heard.find("ontent-");
  while (at != std::string_view::npos && heard.substr(at, 15) != "ontent-Length: " &&
         heard.substr(at, 15) != "ontent-length: ")
    at = heard.find("ontent-", at + 1);
  if (at == std::string_view::npos) give_up(cat("an answer without length: ", heard.substr(0, end)));
  std::size_t length = 0;
  std::from_chars(heard.data() + at + 15, heard.data() + heard.size(), length);
  return heard.size() >= end + 4 + length ? end + 4 + length : 0;
}

Companion::Plan our_plan(const Workshop& workshop, const fs::path& folder, const fs::path& log,
                         const std::string& more_settings) {
  const auto file = folder / ".town" / "town.toml";
  const auto settings =
      cat("[http]\nlisten = \"127.0.0.1:0\"\nrequests_per_minute = 0\n[limits]\nenabled = false\n", more_settings);
  if (const auto written = write_file_durably(file, settings); !written) give_up(written.error().message);
  return {.words = {workshop.program("townpostd"), "up", "--replace"},
          .folder = folder,
          .environment = {"PATH=/usr/bin:/bin", cat("HOME=", folder.string())},
          .log = log};
}

std::uint16_t port_of(const std::string& url) {
  return static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
}

fs::path made(const fs::path& folder) {
  fs::create_directories(folder);
  return folder;
}

std::uint16_t free_port() { return static_cast<std::uint16_t>(postgres_tools::free_port()); }

/// Until somebody listens there.
void await_port(std::uint16_t port) {
  for (int i = 0; i < 1'000; ++i) {
    try {
      connected_to(port);
      return;
    } catch (const std::exception&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  give_up("nobody listens");
}

std::string resp(const std::vector<std::string>& words) {
  std::string out = cat("*", words.size(), "\r\n");
  for (const auto& word : words) out += cat("$", word.size(), "\r\n", word, "\r\n");
  return out;
}

}  // namespace

OurServer::OurServer(const Workshop& workshop, const fs::path& folder, const std::string& more_settings)
    : folder_(folder),
      server_(our_plan(workshop, folder, logs_.path() / "log", more_settings)),
      port_(port_of(server_.await("HTTP at "))) {
  server_.await("watching over ");
  Command create({.words = {workshop.program("gt"), "token", "create", "--human", "--as", "overseer", "--json"},
                  .folder = folder,
                  .environment = {"PATH=/usr/bin:/bin", cat("HOME=", folder.string())}});
  create.run();
  const auto json = parse_json(trim(create.output()));
  if (!json) give_up(cat("no token: ", create.output()));
  token_ = std::string(text_in(*json, "token"));
}

Language OurServer::sends(const std::string& to) const {
  const auto body =
      cat(R"({"to":")", to, R"(","subject":")", kSubjectOfLoad, " %", R"(","body":")", kBodyOfLoad, R"("})");
  const auto sign = body.find('%');
  const auto head = cat("POST /api/mail HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ", token_,
                        "\r\nContent-Type: application/json\r\nContent-Length: ");
  return {.greeting = "",
          .request =
              [=](std::size_t, std::size_t number) {
                const auto digits = std::to_string(number);
                return cat(head, body.size() - 1 + digits.size(), "\r\n\r\n", std::string_view(body).substr(0, sign),
                           digits, std::string_view(body).substr(sign + 1));
              },
          .answer = [](std::string_view heard) { return http_answer(heard, "201"); }};
}

RedisServer::RedisServer(const fs::path& folder)
    : port_(free_port()),
      server_({.words = {"redis-server", "--port", std::to_string(port_), "--bind", "127.0.0.1", "--appendonly", "yes",
                         "--appendfsync", "always", "--save", "", "--dir", made(folder).string()},
               .folder = folder,
               .environment = {"PATH=/usr/bin:/bin"},
               .log = folder / "log"}) {
  await_port(port_);
}

Language RedisServer::sends() {
  return {.greeting = "",
          .request =
              [](std::size_t, std::size_t number) {
                const auto id = cat("hq-m-", number);
                return resp({"MULTI"}) +
                       resp({"XADD", "mail", "*", "id", id, "from", "overseer", "to", "worker", "subject",
                             cat(kSubjectOfLoad, " ", number), "body", kBodyOfLoad}) +
                       resp({"ZADD", "sender:overseer", std::to_string(number), id}) +
                       resp({"ZADD", cat("thread:", number), std::to_string(number), id}) +
                       resp({"ZADD", "unread:worker", std::to_string(number), id}) + resp({"EXEC"});
              },
          .answer = [](std::string_view heard) -> std::size_t {
            // +OK, +QUEUED four times, *4, $17, an id, :1 three times
            constexpr int kLines = 11;
            std::size_t at = 0;
            for (int line = 0; line < kLines; ++line) {
              if (at < heard.size() && heard[at] == '-') give_up(cat("Redis says ", heard.substr(at, 200)));
              const auto end = heard.find("\r\n", at);
              if (end == std::string_view::npos) return 0;
              at = end + 2;
            }
            return at;
          }};
}

NatsServer::NatsServer(const fs::path& folder)
    : port_(free_port()), server_([&] {
        made(folder);
        Command({.words = {"/usr/bin/chattr", "+S", folder.string()}, .folder = folder}).run();
        return Companion::Plan{
            .words = {"nats-server", "-a", "127.0.0.1", "-p", std::to_string(port_), "-js", "-sd", folder.string()},
            .folder = folder,
            .environment = {"PATH=/usr/bin:/bin:/usr/sbin"},
            .log = folder / "log"};
      }()) {
  await_port(port_);
  const std::string stream = R"({"name":"mail","subjects":["mail.*"],"storage":"file"})";
  const auto socket = connected_to(port_);
  say(socket, cat("CONNECT {\"verbose\":false}\r\nSUB made 1\r\nPUB $JS.API.STREAM.CREATE.mail made ", stream.size(),
                  "\r\n", stream, "\r\n"));
  std::string heard;
  while (heard.find("MSG made") == std::string::npos ||
         heard.find("}\r\n", heard.find("MSG made")) == std::string::npos)
    heard += hear(socket);
  if (heard.find("\"error\"") != std::string::npos) give_up(cat("NATS says ", heard));
}

Language NatsServer::sends() {
  return {.greeting = "CONNECT {\"verbose\":false}\r\nSUB kept.* 1\r\n",
          .request =
              [](std::size_t connection, std::size_t number) {
                const auto text =
                    cat("from: overseer\nto: worker\nsubject: ", kSubjectOfLoad, " ", number, "\n\n", kBodyOfLoad);
                return cat("PONG\r\nPUB mail.worker kept.", connection, "-", number, " ", text.size(), "\r\n", text,
                           "\r\n");
              },
          .answer = [](std::string_view heard) -> std::size_t {
            const auto at = heard.find("MSG kept.");
            const auto end = at == std::string_view::npos ? at : heard.find("\r\n", at);
            const auto after = end == std::string_view::npos ? end : heard.find("\r\n", end + 2);
            if (after == std::string_view::npos) return 0;
            if (heard.find("\"seq\"", end) == std::string_view::npos) give_up(cat("NATS says ", heard));
            return after + 2;
          }};
}

}  // namespace townpost::bench
