#include "server/served_town.h"

#include <signal.h>

#include "base/child.h"
#include "base/private_files.h"
#include "base/text.h"
#include "net/http_client.h"
#include "post/town/server_note.h"
#include "support/await.h"

namespace townpost {

ServedTown::ServedTown(const std::string& store, const std::string& http)
    : town(store.empty() ? TestTown::Start::with_town : TestTown::Start::empty_folder) {
  std::string settings = cat("[http]\nlisten = \"127.0.0.1:0\"\n", http, "[limits]\nenabled = false\n");
  if (!store.empty()) {
    town.gt({"init", "--store", store});
    settings += cat("[store]\nurl = \"", store, "\"\n");
    town.settings(settings);
    town.gt({"trust", "--as", "overseer"});
  }
  town.settings(settings);
  town.agents({"alice", "bob", "carol"});
  begin();
}

ServedTown::~ServedTown() { town.gt({"down", "--as", "overseer"}); }

void ServedTown::begin(const Variables& variables) {
  const auto up = town.gt({"up", "--detach", "--replace", "--as", "overseer"}, variables);
  ASSERT_EQ(up.exit_code, 0) << up.err << read_file(town.folder() / ".town" / "log" / "up.log").value_or("");
  const auto place = ServerNote::place(town.folder() / ".town");
  await("the server says where it is", [&] {
    const auto text = read_private_file(place);
    const auto note = text ? ServerNote::parse(*text) : std::nullopt;
    if (note) url_ = note->url;
    return note && process_runs(note->process);
  });
}

int ServedTown::server() const {
  const auto text = read_private_file(ServerNote::place(town.folder() / ".town"));
  const auto note = text ? ServerNote::parse(*text) : std::nullopt;
  EXPECT_TRUE(note.has_value());
  return note ? std::stoi(note->process) : 0;
}

void ServedTown::kill_server() {
  const int pid = server();
  const auto name = process_name(pid);
  ASSERT_GT(pid, 0);
  ::kill(pid, SIGKILL);
  await("the server is gone", [&] { return !process_runs(name); });
}

std::int64_t ServedTown::metric(const std::string& name) const {
  if (token_of_metrics_.empty()) token_of_metrics_ = token({"--human"});
  HttpClient client;
  const auto answer =
      client.exchange({.url = url_ + "/metrics", .headers = {{"Authorization", "Bearer " + token_of_metrics_}}});
  EXPECT_TRUE(answer.has_value());
  const auto label = cat("\ntownpost_", name, " ");
  const auto at = answer ? answer->body.find(label) : std::string::npos;
  EXPECT_NE(at, std::string::npos) << "there is no metric " << name;
  return at == std::string::npos ? -1 : std::stoll(answer->body.substr(at + label.size()));
}

std::string ServedTown::token(const Words& whom) const {
  Words words = {"token", "create", "--as", "overseer"};
  return text_at(town.json(with(words, whom)), "token");
}

}  // namespace townpost
