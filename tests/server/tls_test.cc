// The town's server over TLS, as it runs.
#include <csignal>
#include <filesystem>

#include "net/event_stream.h"
#include "net/http_client.h"
#include "net/tls_dialer.h"
#include "server/tls_town.h"
#include "support/await.h"

namespace townpost {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

class ServedOverTls : public TlsTown {
 protected:
  /// Asks over a connection of its own, trusting that authority only.
  Result<HttpAnswer> ask(const std::string& path, const fs::path& trusted, const std::string& server = "") const {
    TRY(dialer, TlsDialer::make({.authorities = trusted}));
    return HttpClient(dialer).exchange({.url = (server.empty() ? url() : server) + path,
                                        .headers = {{"Authorization", "Bearer " + token_}},
                                        .timeout = 1min,
                                        .connect_timeout = 1min});
  }
  std::string by_name() const { return cat("https://localhost", url().substr(url().rfind(':'))); }
  TestCertificate other(const std::string& name, const std::string& called = "DNS:localhost,IP:127.0.0.1") const {
    return make_certificate(elsewhere.folder(), name, called);
  }
  /// As renewals do: a new file takes the place of the old one.
  void replace(const fs::path& file, const fs::path& by) const {
    fs::copy_file(by, file.string() + ".new", fs::copy_options::overwrite_existing);
    fs::rename(file.string() + ".new", file);
  }
  void use(const TestCertificate& by) const {
    replace(made_files().key, by.key);
    replace(made_files().certificate, by.certificate);
  }
  std::string log() const { return read_file(town.folder() / ".town" / "log" / "up.log").value_or(""); }

  const std::string token_ = token({"--human"});
};

TEST_F(ServedOverTls, AnswersByNameAndByNumber) {
  for (const auto& server : {url(), by_name()}) {
    const auto answer = ask("/api/mail", certificate(), server);
    ASSERT_TRUE(answer) << server << ": " << answer.error().message;
    EXPECT_EQ(answer->status, 200);
  }
}

TEST_F(ServedOverTls, IsRefusedWithoutTheRightAuthority) {
  const auto stranger = other("stranger");
  const auto answer = ask("/api/mail", stranger.certificate);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::unavailable) << "nothing was sent";
  EXPECT_FALSE(ask("/api/mail", {})) << "the system knows no such authority";
}

TEST_F(ServedOverTls, IsRefusedUnderAnotherName) {
  use(other("other", "DNS:town.example"));
  await("the other certificate is in use", [&] { return log().find("was replaced") != std::string::npos; });
  EXPECT_FALSE(ask("/api/mail", certificate()));
}

TEST_F(ServedOverTls, SaysNothingInTheClear) {
  const auto plain = HttpClient().exchange({.url = "http" + url().substr(5) + "/api/mail",
                                            .headers = {{"Authorization", "Bearer " + token_}},
                                            .timeout = 1min});
  EXPECT_FALSE(plain) << plain->status << " " << plain->body;
}

TEST_F(ServedOverTls, TakesANewCertificateWhileItServes) {
  const auto before = elsewhere.folder() / "before.pem";
  fs::copy_file(certificate(), before);
  const auto dialer = TlsDialer::make({.authorities = before}).value();
  auto events = EventStream::open({.url = url() + "/api/events",
                                   .headers = {{"Authorization", "Bearer " + token_}},
                                   .timeout = 1min,
                                   .connect_timeout = 1min},
                                  dialer);
  ASSERT_TRUE(events) << events.error().message;
  use(other("next"));
  await("the new certificate is in use", [&] { return ask("/healthz", certificate()).has_value(); });
  EXPECT_FALSE(ask("/healthz", before));
  town.send("alice", "overseer", "still there");
  await("who was connected goes on", [&] {
    const auto read = events->read();
    return read && std::any_of(read->begin(), read->end(), [](const auto& one) { return one.type == "mail_received"; });
  });
}

TEST_F(ServedOverTls, KeepsTheOldCertificateWhileTheNewOneIsBroken) {
  const auto before = elsewhere.folder() / "before.pem";
  fs::copy_file(certificate(), before);
  const auto next = other("next");
  replace(made_files().key, next.key);
  await("that key fits no certificate", [&] { return log().find("the one before stays") != std::string::npos; });
  EXPECT_TRUE(ask("/healthz", before));
  replace(made_files().certificate, next.certificate);
  await("both fit", [&] { return ask("/healthz", next.certificate).has_value(); });
}

TEST_F(ServedOverTls, DoesNotStartWithAKeyThatFitsNoCertificate) {
  town.gt({"down", "--as", "overseer"});
  replace(made_files().key, other("next").key);
  const auto out = town.gt({"serve", "--listen", "127.0.0.1:0", "--as", "overseer"});
  EXPECT_EQ(out.exit_code, 2) << out.out << out.err;
  EXPECT_NE(out.err.find("the key"), std::string::npos) << out.err;
  EXPECT_EQ(out.err.find("PRIVATE"), std::string::npos) << out.err;
}

}  // namespace
}  // namespace townpost
