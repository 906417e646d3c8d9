// Towns on a server that is reached over the network: who it is must be certain before anything is said to it.
#include <filesystem>

#include "postgres/fixture.h"
#include "support/postgres_server.h"

namespace townpost {
namespace {

namespace fs = std::filesystem;

/// A certificate that signs itself, for 127.0.0.1 and for no name.
void make_certificate(const fs::path& folder, const std::string& name) {
  postgres_tools::run({"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                       "-days", "2", "-subj", "/CN=" + name, "-addext", "subjectAltName=IP:127.0.0.1", "-keyout",
                       (folder / (name + ".key")).string(), "-out", (folder / (name + ".crt")).string()});
  fs::permissions(folder / (name + ".key"), fs::perms::owner_read | fs::perms::owner_write);
}

class Tls : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    keys_ = std::make_unique<TemporaryFolder>(TemporaryFolder::make("gt-tls-").value());
    for (const auto* name : {"server", "stranger"}) make_certificate(keys_->path(), name);
    for (const auto& path : {keys_->path().string(), key("server"), certificate("server")})
      postgres_tools::give_away(path);
    server_ = std::make_unique<PostgresServer>(PostgresServer::Options{
        .listen = "127.0.0.1",
        .port = postgres_tools::free_port(),
        .settings = {"ssl=on", "ssl_cert_file=" + certificate("server"), "ssl_key_file=" + key("server")}});
  }
  static void TearDownTestSuite() {
    server_.reset();
    keys_.reset();
  }
  static std::string certificate(const std::string& name) { return (keys_->path() / (name + ".crt")).string(); }
  static std::string key(const std::string& name) { return (keys_->path() / (name + ".key")).string(); }
  static std::string url(const std::string& host, const std::string& query) {
    return cat("postgres://town@", host, ":", server_->port(), "/postgres?", query);
  }
  static Error refusal(const std::string& url) { return error_of(PostgresDatabase::open(url, std::nullopt)); }

 private:
  static inline std::unique_ptr<TemporaryFolder> keys_;
  static inline std::unique_ptr<PostgresServer> server_;
};

TEST_F(Tls, IsSpokenWhereItIsAskedFor) {
  const auto database = must(PostgresDatabase::open(url("127.0.0.1", "sslmode=require"), std::nullopt));
  EXPECT_EQ(number(*database, "SELECT count(*) FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl"), 1);
}

TEST_F(Tls, KnowsTheServerByItsCertificate) {
  const auto database = must(PostgresDatabase::open(
      url("127.0.0.1", "sslmode=verify-full&sslrootcert=" + certificate("server")), std::nullopt));
  EXPECT_EQ(number(*database, "SELECT count(*) FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl"), 1);
}

TEST_F(Tls, IsRefusedWithAServerThatSomebodyElseVouchesFor) {
  const Error error = refusal(url("127.0.0.1", "sslmode=verify-full&sslrootcert=" + certificate("stranger")));
  EXPECT_EQ(error.code, Code::unavailable);
  EXPECT_TRUE(mentions(error.message, "no safe connection")) << error.message;
  EXPECT_TRUE(mentions(error.hint, "sslrootcert")) << error.hint;
}

TEST_F(Tls, IsRefusedWithAServerOfAnotherName) {
  const Error error = refusal(url("localhost", "sslmode=verify-full&sslrootcert=" + certificate("server")));
  EXPECT_EQ(error.code, Code::unavailable);
  EXPECT_TRUE(mentions(error.message, "no safe connection")) << error.message;
}

TEST_F(Tls, IsRefusedWithoutTheCertificateThatIsNamed) {
  const Error error = refusal(url("127.0.0.1", "sslmode=verify-full&sslrootcert=" + certificate("nobody")));
  EXPECT_EQ(error.code, Code::unavailable);
  EXPECT_TRUE(mentions(error.message, "nobody.crt")) << error.message;
}

}  // namespace
}  // namespace townpost
