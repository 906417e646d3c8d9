// The HTTP API before clients that are not ours.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "base/random.h"
#include "base/text.h"
#include "net/http_client.h"
#include "server/served_town.h"
#include "support/shared_postgres.h"
#include "support/stress.h"

namespace townpost {
namespace {

ProcessOutput run(const Words& command) {
  auto output = SystemProcesses().run({.command = command, .timeout = std::chrono::minutes(9)});
  if (!output) throw std::runtime_error(output.error().message);
  return *output;
}

/// The folder of the Node modules that npm fetched.
std::string modules() {
  const auto fetched = run({TOP "/tools/modules"});
  EXPECT_EQ(fetched.exit_code, 0) << fetched.err;
  return std::string(trim(fetched.out));
}

/// A script of this folder, with a server's url, the modules, and more words.
void expect_passes(const std::string& script, const std::string& url, const Words& more) {
  const auto done = run(with({"node", cat(TOP "/tests/clients/", script), url, modules()}, more));
  EXPECT_EQ(done.exit_code, 0) << done.out << done.err;
  std::cout << done.out;
}

class Clients : public ServedTown {
 protected:
  explicit Clients(const std::string& store = "") : ServedTown(store, "requests_per_minute = 0\n") {}
  /// TOWNPOST_SEED=N asks again what failed.
  void expect_every_operation_keeps_its_promises() {
    const char* said = std::getenv("TOWNPOST_SEED");
    const auto seed = said ? std::string(said) : std::to_string(SystemRandom().bits() % 1'000'000);
    expect_passes("every_operation_test.mjs", url(),
                  {std::to_string(stress(600, 6)), seed, token({"--human"}), token({"--agent", "alice"}),
                   token({"--agent", "bob"})});
  }
};

/// An empty place in a PostgreSQL, gone after the server.
struct Place {
  const std::string place = SharedPostgres::make_schema();
  Place() = default;
  ~Place() { SharedPostgres::drop_schema(place); }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
};

using SqliteClients = Clients;
class PostgresClients : Place, public Clients {
 protected:
  PostgresClients() : Clients(place) {}
};

TEST_F(SqliteClients, FindAValidDocument) { expect_passes("document_test.mjs", url(), {token({"--human"})}); }
TEST_F(SqliteClients, AreAnsweredAsTheDocumentPromises) { expect_every_operation_keeps_its_promises(); }
/// The client in clients/typescript. UPDATE_CLIENT=1 writes its api.ts again.
class TypeScript : public Clients {
 protected:
  static constexpr const char* kFolder = TOP "/clients/typescript";
  ProcessOutput in_shell(const std::string& script) const {
    return town.shell(script, {{"CLIENT", kFolder}, {"TESTS", TOP "/tests/clients"}, {"MODULES", modules()}});
  }
};

TEST_F(TypeScript, IsMadeFromTheDocument) {
  HttpClient client;
  const auto document =
      client.exchange({.url = url() + "/openapi.json", .headers = {{"Authorization", "Bearer " + token({"--human"})}}});
  ASSERT_TRUE(document.has_value()) << document.error().message;
  const auto made =
      SystemProcesses().run({.command = {"node", cat(kFolder, "/generate.mjs")}, .input = document->body});
  ASSERT_TRUE(made.has_value() && made->exit_code == 0) << (made ? made->err : made.error().message);
  const auto place = std::filesystem::path(kFolder) / "api.ts";
  if (std::getenv("UPDATE_CLIENT")) std::ofstream(place) << made->out;
  EXPECT_TRUE(read_file(place).value_or("") == made->out)
      << "clients/typescript/api.ts is of another document: UPDATE_CLIENT=1 build/dev/clients_test "
         "--gtest_filter='TypeScript.*' writes it again";
}

TEST_F(TypeScript, CompilesAndWorksAgainstTheServer) {
  // The compiler knows nothing of Node, which only the test of the client needs.
  const auto compiled = in_shell(R"sh(
    set -e
    node "$MODULES/typescript/bin/tsc" -p "$CLIENT" --outDir "$PWD/alone"
    mkdir all && cp "$CLIENT"/*.ts "$TESTS/client_test.ts" "$TESTS/node.d.ts" all && cd all
    printf '{ "type": "module" }' >package.json
    sed 's/"townpost.ts"/"client_test.ts", "node.d.ts"/' "$CLIENT/tsconfig.json" >tsconfig.json
    node "$MODULES/typescript/bin/tsc" -p . --outDir .
  )sh");
  ASSERT_EQ(compiled.exit_code, 0) << compiled.out << compiled.err;
  const auto done = run({"node", (town.folder() / "all" / "client_test.js").string(), url(), token({"--human"}),
                         token({"--agent", "alice"})});
  EXPECT_EQ(done.exit_code, 0) << done.out << done.err;
  std::cout << done.out;
}

TEST_F(PostgresClients, AreAnsweredAsTheDocumentPromises) { expect_every_operation_keeps_its_promises(); }

}  // namespace
}  // namespace townpost
