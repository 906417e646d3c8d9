#include "net/tls_identity.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <string>

#include "base/text.h"

namespace townpost {

struct TlsIdentity::Context {
  SSL_CTX* ssl = SSL_CTX_new(TLS_server_method());
  Context() = default;
  ~Context() { SSL_CTX_free(ssl); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
};

namespace {

std::string last_reason() {
  const auto code = ERR_peek_last_error();
  ERR_clear_error();
  const char* words = code == 0 ? nullptr : ERR_reason_error_string(code);
  return words ? words : "unknown";
}

Failure unusable(std::string_view what, const std::filesystem::path& file) {
  return fail(Code::usage, cat(what, " ", for_terminal_line(file.string()), " cannot be used: ", last_reason()));
}

/// Lies right on the socket. Buffers are given back while nothing moves, so that an idle stream costs little; a write
/// to whoever has hung up raises SIGPIPE, which the loop's thread holds back.
class TlsTransport final : public Transport {
 public:
  TlsTransport(SSL* ssl, int fd) : ssl_(ssl), fd_(fd) {}
  ~TlsTransport() override { SSL_free(ssl_); }
  TlsTransport(const TlsTransport&) = delete;
  TlsTransport& operator=(const TlsTransport&) = delete;

  Next shake_hands() override {
    ERR_clear_error();
    return next(SSL_accept(ssl_));
  }

  Moved read(std::span<char> into) override {
    ERR_clear_error();
    std::size_t bytes = 0;
    const int result = SSL_read_ex(ssl_, into.data(), into.size(), &bytes);
    return {next(result), bytes};
  }

  Moved write(std::string_view bytes) override {
    ERR_clear_error();
    std::size_t written = 0;
    const int result = SSL_write_ex(ssl_, bytes.data(), bytes.size(), &written);
    return {next(result), written};
  }

  void say_goodbye() override {
    ERR_clear_error();
    if (!is_broken_ && SSL_is_init_finished(ssl_)) SSL_shutdown(ssl_);
    ERR_clear_error();
    ::shutdown(fd_, SHUT_WR);
  }

 private:
  Next next(int result) {
    if (result > 0) return Next::on;
    switch (SSL_get_error(ssl_, result)) {
      case SSL_ERROR_WANT_READ:
        return Next::when_readable;
      case SSL_ERROR_WANT_WRITE:
        return Next::when_writable;
      case SSL_ERROR_ZERO_RETURN:
        return Next::ended;
      default:
        is_broken_ = true;  // OpenSSL wants no further call, its goodbye included
        ERR_clear_error();
        return Next::broken;
    }
  }

  SSL* ssl_;
  int fd_;
  bool is_broken_ = false;
};

}  // namespace

TlsIdentity::TlsIdentity(std::unique_ptr<Context> context) : context_(std::move(context)) {}
TlsIdentity::~TlsIdentity() = default;

Result<std::shared_ptr<const TlsIdentity>> TlsIdentity::load(const TlsFiles& files) {
  ERR_clear_error();
  auto context = std::make_unique<Context>();
  auto* ssl = context->ssl;
  if (!ssl) return fail(Code::unavailable, "TLS cannot be started");
  SSL_CTX_set_min_proto_version(ssl, TLS1_2_VERSION);
  SSL_CTX_set_options(ssl, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_mode(ssl, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_session_cache_mode(ssl, SSL_SESS_CACHE_OFF);
  // Otherwise OpenSSL asks for the key's passphrase at whatever terminal there is, and waits.
  SSL_CTX_set_default_passwd_cb(ssl, [](char*, int, int, void*) { return 0; });
  if (SSL_CTX_use_certificate_chain_file(ssl, files.certificate.c_str()) != 1)
    return unusable("the certificate", files.certificate);
  if (SSL_CTX_use_PrivateKey_file(ssl, files.key.c_str(), SSL_FILETYPE_PEM) != 1) return unusable("the key", files.key);
  if (SSL_CTX_check_private_key(ssl) != 1) return unusable("the key", files.key);
  return std::shared_ptr<const TlsIdentity>(new TlsIdentity(std::move(context)));
}

std::unique_ptr<Transport> TlsIdentity::transport(int fd) const {
  SSL* ssl = SSL_new(context_->ssl);
  if (ssl && SSL_set_fd(ssl, fd) == 1) return std::make_unique<TlsTransport>(ssl, fd);
  SSL_free(ssl);
  return nullptr;
}

}  // namespace townpost
