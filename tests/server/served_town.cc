#include "server/served_town.h"

#include <signal.h>

#include "base/child.h"
#include "base/private_files.h"
#include "base/text.h"
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

void ServedTown::begin() {
  const auto up = town.gt({"up", "--detach", "--replace", "--as", "overseer"});
  ASSERT_EQ(up.exit_code, 0) << up.err << read_file(town.folder() / ".town" / "log" / "up.log").value_or("");
  const auto place = ServerNote::place(town.folder() / ".town");
  await("the server says where it is", [&] {
    const auto text = read_private_file(place);
    const auto note = text ? ServerNote::parse(*text) : std::nullopt;
    if (note) url_ = note->url;
    return note && process_runs(note->process);
  });
}

void ServedTown::kill_server() {
  const auto text = read_private_file(ServerNote::place(town.folder() / ".town"));
  const auto note = text ? ServerNote::parse(*text) : std::nullopt;
  ASSERT_TRUE(note.has_value());
  ::kill(std::stoi(note->process), SIGKILL);
  await("the server is gone", [&] { return !process_runs(note->process); });
}

std::string ServedTown::token(const Words& whom) const {
  Words words = {"token", "create", "--as", "overseer"};
  return text_at(town.json(with(words, whom)), "token");
}

}  // namespace townpost
