// The server with certificates made for the occasion, asked by our own client.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "base/check.h"
#include "base/files.h"
#include "base/process.h"
#include "base/text.h"
#include "net/event_stream.h"
#include "net/http_client.h"
#include "net/http_stage_test.h"
#include "net/tls_dialer.h"
#include "support/await.h"

namespace townpost {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

class HttpServerTls : public testing::Test {
 protected:
  HttpServerTls() {
    make("one");
    make("two");
    use("one");
  }
  fs::path file(std::string_view name) const { return folder_.path() / name; }
  TlsFiles files() const { return {.certificate = file("now.pem"), .key = file("now.key")}; }
  void use(const std::string& name) const {
    for (const auto* kind : {".pem", ".key"})
      fs::copy_file(file(name + kind), file(cat("now", kind)), fs::copy_options::overwrite_existing);
  }
  /// Asks over a new connection, trusting that certificate only.
  static Result<HttpAnswer> ask(HttpStage& stage, const fs::path& trusted, std::string body = "") {
    const auto dialer = TlsDialer::make({.authorities = trusted}).value();
    return HttpClient(dialer).exchange({.method = "POST",
                                        .url = cat("https://localhost:", stage.server().port(), "/x"),
                                        .body = std::move(body),
                                        .timeout = 1min,
                                        .connect_timeout = 1min});
  }

 private:
  void make(const std::string& name) const {
    const auto made = SystemProcesses().run(
        {.command = {"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                     "-days", "2", "-subj", "/CN=townpost test", "-addext", "subjectAltName=DNS:localhost", "-keyout",
                     file(name + ".key").string(), "-out", file(name + ".pem").string()},
         .timeout = 1min});
    CHECK(made && made->exit_code == 0);
  }
  TemporaryFolder folder_ = TemporaryFolder::make("townpost-tls-").value();
};

TEST_F(HttpServerTls, AnswersOverIt) {
  HttpStage stage(
      [](auto exchange) {
        EXPECT_TRUE(exchange->request().secure);
        Clerk::echo(exchange);
      },
      {}, files());
  for (const std::size_t size : {0u, 100u, 3u << 20}) {
    const auto answer = ask(stage, file("one.pem"), std::string(size, 'b'));
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->body.size(), cat("POST /x  ").size() + size);
  }
}

TEST_F(HttpServerTls, KeepsTheConnectionAndStreams) {
  Pile pile;
  HttpStage stage([&](auto exchange) { pile.put(std::move(exchange)); }, {}, files());
  const auto dialer = TlsDialer::make({.authorities = file("one.pem")}).value();
  std::thread writer([&] {
    const auto stream = pile.take()->stream({.headers = {{"Content-Type", "text/event-stream"}}});
    for (int i = 0; i < 100; ++i) stream->write(cat("data: ", i, std::string(1000, 'x'), "\n\n"));
  });
  auto events = EventStream::open(
      {.url = cat("https://localhost:", stage.server().port(), "/"), .timeout = 1min, .connect_timeout = 1min}, dialer);
  writer.join();
  ASSERT_TRUE(events) << events.error().message;
  EXPECT_EQ(count_to_the_end(*events), 100U);
}

TEST_F(HttpServerTls, TakesANewCertificateWithoutAnEnd) {
  HttpStage stage(Clerk::echo, {}, files());
  EXPECT_TRUE(ask(stage, file("one.pem")));
  use("two");
  EXPECT_TRUE(ask(stage, file("one.pem"))) << "not before it is told";
  ASSERT_TRUE(stage.server().reload_tls());
  EXPECT_TRUE(ask(stage, file("two.pem")));
  EXPECT_FALSE(ask(stage, file("one.pem")));
}

TEST_F(HttpServerTls, KeepsTheOldCertificateWhereTheNewOneIsBroken) {
  HttpStage stage(Clerk::echo, {}, files());
  const auto reload_fails = [&](std::string_view named) {
    const auto reloaded = stage.server().reload_tls();
    ASSERT_FALSE(reloaded);
    EXPECT_NE(reloaded.error().message.find(named), std::string::npos) << reloaded.error().message;
    EXPECT_TRUE(ask(stage, file("one.pem")));
  };
  fs::copy_file(file("two.key"), file("now.key"), fs::copy_options::overwrite_existing);
  reload_fails("key");
  std::ofstream(file("now.pem")) << "nonsense";
  reload_fails("certificate");
  fs::remove(file("now.pem"));
  reload_fails("certificate");
}

TEST_F(HttpServerTls, NeverWaitsAtATerminalForAPassphrase) {
  const auto locked = SystemProcesses().run({.command = {"openssl", "ec", "-in", file("one.key").string(), "-aes256",
                                                         "-passout", "pass:secret", "-out", file("now.key").string()},
                                             .timeout = 1min});
  ASSERT_TRUE(locked && locked->exit_code == 0);
  ServerLoop loop;
  Clerk clerk(Clerk::echo);
  const auto made = HttpServer::listen(loop, {.tls = files()}, {}, clerk);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, Code::usage);
}

TEST_F(HttpServerTls, LeavesWhoeverSpeaksNoneOrSaysNothing) {
  HttpStage stage(Clerk::echo, {.head_time = 50ms}, files());
  auto plain = stage.client();
  plain.say(get("/"));
  EXPECT_EQ(plain.rest().find("HTTP"), std::string::npos);
  auto silent = stage.client();
  EXPECT_EQ(silent.rest(), "");
  stage.await_connections(0);
  EXPECT_TRUE(ask(stage, file("one.pem")));
}

}  // namespace
}  // namespace townpost
