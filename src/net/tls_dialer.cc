#include "net/tls_dialer.h"

#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <utility>

#include "base/text.h"
#include "net/socket.h"

namespace townpost {

namespace asio = boost::asio;
namespace ssl = boost::asio::ssl;
using boost::system::error_code;

struct TlsDialer::Settings {
  ssl::context context{ssl::context::tls_client};
  AllowsNumber allows;
};

namespace {

class TlsConnection final : public Connection {
 public:
  TlsConnection(std::unique_ptr<Socket> socket, ssl::context& context)
      : socket_(std::move(socket)), stream_(socket_->tcp(), context) {}

  /// Error: unavailable, as nothing was asked yet.
  Result<> shake_hands(const Deadline& deadline) {
    auto* ours = stream_.native_handle();
    auto* wanted = SSL_get0_param(ours);
    const auto& host = url().host;
    error_code is_name;
    asio::ip::make_address(host, is_name);
    X509_VERIFY_PARAM_set_hostflags(wanted, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    const bool named = is_name ? X509_VERIFY_PARAM_set1_host(wanted, host.data(), host.size()) == 1 &&
                                     SSL_set_tlsext_host_name(ours, host.c_str()) == 1
                               : X509_VERIFY_PARAM_set1_ip_asc(wanted, host.c_str()) == 1;
    // Without a name, OpenSSL would take a good certificate of anybody.
    if (!named) return fail(Code::unavailable, cat(url().origin(), " has no name that a certificate could have"));
    SSL_set_verify(ours, SSL_VERIFY_PEER, nullptr);
    const auto ended = socket_->run(deadline, [&](auto handler) {
      stream_.async_handshake(ssl::stream_base::client,
                              [handler](const error_code& result) mutable { handler(result); });
    });
    if (!ended.error) return {};
    return fail(not_trusted(ended.error, deadline));
  }

  Result<> send(std::string_view bytes, const Deadline& deadline) override {
    const auto ended = socket_->run(
        deadline, [&](auto handler) { asio::async_write(stream_, asio::buffer(bytes.data(), bytes.size()), handler); });
    if (ended.error) return fail(socket_->broken(ended.error, deadline));
    return {};
  }

  Result<bool> receive(std::string& into, const Deadline& deadline) override {
    AsioLoop::Ended ended;
    read_piece(into, [&](char* data, std::size_t size) {
      ended = socket_->run(deadline, [&](auto handler) { stream_.async_read_some(asio::buffer(data, size), handler); });
      return ended.bytes;
    });
    return told(ended.error, deadline);
  }

  Result<bool> receive_now(std::string& into) override {
    error_code error;
    read_piece(into, [&](char* data, std::size_t size) { return stream_.read_some(asio::buffer(data, size), error); });
    if (error == asio::error::would_block) return true;
    return told(error, Deadline{});
  }

  int fd() const override { return socket_->fd(); }
  const Url& url() const override { return socket_->url(); }

 private:
  /// Whether the server may say more. Only a goodbye in TLS is an end: a bare end of the connection may be somebody
  /// else's, who wants an answer to look whole.
  Result<bool> told(const error_code& error, const Deadline& deadline) const {
    if (error == asio::error::eof) return false;
    if (error == ssl::error::stream_truncated)
      return fail(Code::refused, cat("the connection to ", url().origin(), " was cut off"));
    if (error) return fail(socket_->broken(error, deadline));
    return true;
  }

  Error not_trusted(const error_code& error, const Deadline& deadline) {
    if (error == asio::error::timed_out || error == asio::error::operation_aborted)
      return {Code::unavailable, no_answer(url(), deadline).message, "", std::nullopt};
    const auto verdict = SSL_get_verify_result(stream_.native_handle());
    if (verdict != X509_V_OK)
      return {Code::unavailable, cat(url().origin(), " cannot be trusted: ", X509_verify_cert_error_string(verdict)),
              "check the address, and who issued its certificate", std::nullopt};
    return {Code::unavailable, cat(url().origin(), " does not speak TLS with us: ", error.message()), "", std::nullopt};
  }

  std::unique_ptr<Socket> socket_;
  ssl::stream<asio::ip::tcp::socket&> stream_;
};

}  // namespace

TlsDialer::TlsDialer(std::unique_ptr<Settings> settings) : settings_(std::move(settings)) {}
TlsDialer::~TlsDialer() = default;
TlsDialer::TlsDialer(TlsDialer&&) noexcept = default;

Result<TlsDialer> TlsDialer::make(const Trust& trust) {
  auto settings = std::make_unique<Settings>();
  auto& context = settings->context;
  SSL_CTX_set_min_proto_version(context.native_handle(), TLS1_2_VERSION);
  error_code error;
  if (trust.authorities.empty())
    context.set_default_verify_paths(error);
  else
    context.load_verify_file(trust.authorities.string(), error);
  if (error)
    return fail(Code::unavailable,
                cat("the authorities that are trusted cannot be read", trust.authorities.empty() ? "" : " from ",
                    for_terminal_line(trust.authorities.string()), ": ", error.message()));
  settings->allows = trust.allows;
  return TlsDialer(std::move(settings));
}

Result<std::unique_ptr<Connection>> TlsDialer::dial(const Url& url, const Deadline& deadline) const {
  if (url.scheme == Url::Scheme::http) return plain_dialer_to(settings_->allows)->dial(url, deadline);
  TRY(socket, Socket::connect(url, deadline, settings_->allows));
  auto connection = std::make_unique<TlsConnection>(std::move(socket), settings_->context);
  TRY_VOID(connection->shake_hands(deadline));
  return connection;
}

}  // namespace townpost
