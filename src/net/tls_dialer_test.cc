// Against a real TLS server with certificates made for the occasion.
#include "net/tls_dialer.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <thread>

#include "base/files.h"
#include "base/process.h"
#include "base/text.h"
#include "net/event_stream.h"
#include "net/http_client.h"
#include "net/little_server_test.h"

namespace townpost {
namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;
namespace ssl = boost::asio::ssl;
using TlsStream = ssl::stream<asio::ip::tcp::socket>;

/// A certificate that vouches for itself, in a folder of its own: "NAME.pem", "NAME.key".
class Certificates {
 public:
  std::filesystem::path file(std::string_view name) const { return folder_.path() / name; }
  void make(const std::string& name, const std::string& names) const {
    const auto made = SystemProcesses().run(
        {.command = {"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                     "-days", "2", "-subj", "/CN=townpost test", "-addext", cat("subjectAltName=", names), "-keyout",
                     file(cat(name, ".key")).string(), "-out", file(cat(name, ".pem")).string()},
         .timeout = 1min});
    ASSERT_TRUE(made) << made.error().message;
    ASSERT_EQ(made->exit_code, 0) << made->err;
  }

 private:
  TemporaryFolder folder_ = TemporaryFolder::make("townpost-tls-").value();
};

/// Shakes hands with one client after the other, reads one request, and lets `answer` do the rest.
class TlsServer {
 public:
  using Answer = std::function<void(TlsStream&)>;
  TlsServer(const Certificates& certificates, std::string_view name, Answer answer) : answer_(std::move(answer)) {
    settings_.use_certificate_chain_file(certificates.file(cat(name, ".pem")).string());
    settings_.use_private_key_file(certificates.file(cat(name, ".key")).string(), ssl::context::pem);
    thread_ = std::thread([this] { serve(); });
  }
  ~TlsServer() {
    over_ = true;
    ::shutdown(acceptor_.native_handle(), SHUT_RDWR);
    thread_.join();
  }
  TlsServer(const TlsServer&) = delete;
  TlsServer& operator=(const TlsServer&) = delete;

  std::string url(std::string_view host = "localhost") const {
    return cat("https://", host, ":", acceptor_.local_endpoint().port());
  }
  int handshakes() const { return handshakes_; }

 private:
  void serve() {
    while (!over_) {
      boost::system::error_code error;
      asio::ip::tcp::socket socket(context_);
      acceptor_.accept(socket, error);
      if (error) continue;
      TlsStream stream(std::move(socket), settings_);
      stream.handshake(ssl::stream_base::server, error);
      if (error) continue;
      ++handshakes_;
      char request[4096];
      stream.read_some(asio::buffer(request), error);
      if (!error) answer_(stream);
    }
  }

  Answer answer_;
  std::atomic<bool> over_ = false;
  std::atomic<int> handshakes_ = 0;
  asio::io_context context_;
  ssl::context settings_{ssl::context::tls_server};
  asio::ip::tcp::acceptor acceptor_{context_, {asio::ip::address_v4::loopback(), 0}};
  std::thread thread_;
};

void say(TlsStream& stream, std::string_view text) {
  boost::system::error_code ignored;
  asio::write(stream, asio::buffer(text.data(), text.size()), ignored);
}

class Tls : public testing::Test {
 protected:
  Tls() { certificates_.make("here", "DNS:localhost,IP:127.0.0.1"); }

  TlsDialer trusting(std::string_view name) const {
    return TlsDialer::make({.authorities = certificates_.file(cat(name, ".pem"))}).value();
  }
  static std::string refusal(const Dialer& dialer, const std::string& url) {
    const auto answer = HttpClient(dialer).exchange({.url = url, .timeout = 1min, .connect_timeout = 1min});
    if (answer) return cat("answered ", answer->status);
    EXPECT_EQ(answer.error().code, Code::unavailable) << "something was sent: " << answer.error().message;
    return answer.error().message;
  }

  Certificates certificates_;
};

TEST_F(Tls, AsksAServerWhoseCertificateIsGood) {
  const TlsServer server(certificates_, "here", [](TlsStream& stream) { say(stream, http_answer(200, "secret")); });
  const auto dialer = trusting("here");
  for (const auto* host : {"localhost", "127.0.0.1"}) {
    const auto answer =
        HttpClient(dialer).exchange({.url = server.url(host), .timeout = 1min, .connect_timeout = 1min});
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->body, "secret");
  }
}

TEST_F(Tls, RefusesAServerThatNobodyTrustedVouchesFor) {
  const TlsServer server(certificates_, "here", [](TlsStream& stream) { say(stream, http_answer(200, "")); });
  certificates_.make("other", "DNS:localhost");
  EXPECT_EQ(refusal(trusting("other"), server.url()), cat(server.url(), " cannot be trusted: self-signed certificate"));
  EXPECT_EQ(refusal(TlsDialer::make({}).value(), server.url()),
            cat(server.url(), " cannot be trusted: self-signed certificate"));
  EXPECT_EQ(server.handshakes(), 0);
}

TEST_F(Tls, RefusesAGoodCertificateOfAnotherHost) {
  certificates_.make("elsewhere", "DNS:elsewhere.example,DNS:*.localhost,IP:127.0.0.2");
  const TlsServer server(certificates_, "elsewhere", [](TlsStream& stream) { say(stream, http_answer(200, "")); });
  const auto dialer = trusting("elsewhere");
  EXPECT_EQ(refusal(dialer, server.url()), cat(server.url(), " cannot be trusted: hostname mismatch"));
  EXPECT_EQ(refusal(dialer, server.url("127.0.0.1")),
            cat(server.url("127.0.0.1"), " cannot be trusted: IP address mismatch"));
}

TEST_F(Tls, RefusesAServerThatSpeaksAnotherLanguage) {
  std::string port;
  const auto server = listening_socket(port);
  std::thread parrot([&] {
    const FileDescriptor one(::accept(server.get(), nullptr, nullptr));
    constexpr std::string_view kWords = "HTTP/1.1 400 Bad\r\n\r\n";
    (void)!::send(one.get(), kWords.data(), kWords.size(), MSG_NOSIGNAL);
    char ignored[4096];
    while (::recv(one.get(), ignored, sizeof ignored, 0) > 0) {
    }
  });
  const auto url = cat("https://localhost:", port);
  const auto words = refusal(trusting("here"), url);
  parrot.join();
  EXPECT_EQ(words.find(cat(url, " does not speak TLS with us")), 0U) << words;
}

TEST_F(Tls, DoesNotWaitForEverForAHandThatIsNotGiven) {
  std::string port;
  const auto deaf = listening_socket(port);
  const auto dialer = trusting("here");
  const auto url = cat("https://localhost:", port);
  const auto late = HttpClient(dialer).exchange({.url = url, .timeout = 50ms});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().message, cat("no answer from ", url, " within 50 ms"));
  std::stop_source stop;
  std::thread other([&] { stop.request_stop(); });
  const auto gone =
      HttpClient(dialer).exchange({.url = url, .timeout = 1h, .connect_timeout = 1h, .stop = stop.get_token()});
  other.join();
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().message, cat("called off before ", url, " answered"));
}

TEST_F(Tls, TakesAnAnswerForWholeOnlyIfTheServerSaidGoodbye) {
  const auto dialer = trusting("here");
  const std::string words = "HTTP/1.1 200 OK\r\n\r\nall of it";
  const TlsServer polite(certificates_, "here", [&](TlsStream& stream) {
    say(stream, words);
    boost::system::error_code ignored;
    stream.shutdown(ignored);
  });
  const auto whole = HttpClient(dialer).exchange({.url = polite.url(), .timeout = 1min, .connect_timeout = 1min});
  ASSERT_TRUE(whole) << whole.error().message;
  EXPECT_EQ(whole->body, "all of it");
  const TlsServer cut(certificates_, "here", [&](TlsStream& stream) { say(stream, words); });
  const auto half = HttpClient(dialer).exchange({.url = cut.url(), .timeout = 1min, .connect_timeout = 1min});
  ASSERT_FALSE(half) << "somebody could have cut it";
  EXPECT_EQ(half.error().code, Code::refused);
}

TEST_F(Tls, CarriesAStreamOfEventsThatIsLargerThanOneLook) {
  const std::string line(100'000, 'x');
  const TlsServer server(certificates_, "here", [&](TlsStream& stream) {
    say(stream, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n");
    for (int i = 0; i < 30; ++i) say(stream, cat("data: ", line, "\n\n"));
    boost::system::error_code ignored;
    stream.shutdown(ignored);
  });
  const auto dialer = trusting("here");
  auto stream = EventStream::open({.url = server.url(), .timeout = 1min, .connect_timeout = 1min}, dialer);
  ASSERT_TRUE(stream) << stream.error().message;
  std::size_t events = 0;
  while (!stream->has_ended()) {
    const auto read = stream->read();
    if (!read) break;
    events += read->size();
    if (stream->has_ended() || stream->has_more()) continue;
    ASSERT_TRUE(wait_for(stream->fd(), POLLIN, Deadline::in(1min)));
  }
  EXPECT_EQ(events, 30U);
}

TEST_F(Tls, SaysThatItsAuthoritiesCannotBeRead) {
  const auto none = TlsDialer::make({.authorities = "/no/such/file.pem"});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Code::unavailable);
}

TEST(PlainDialer, SpeaksNoTls) {
  const auto answer = HttpClient().exchange({.url = "https://localhost:1"});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::usage);
}

}  // namespace
}  // namespace townpost
