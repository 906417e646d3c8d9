// Requests of one process that share an engine, as those of `gt top`: each goes on where it was, whoever serves it.
#include "socket/socket_engine.h"

#include "app/libpq_door.h"
#include "app/local_host.h"
#include "app/origin_of.h"
#include "app/tls_door.h"
#include "base/text.h"
#include "net/frame_client.h"
#include "server/served_town.h"
#include "socket/place.h"

namespace townpost {
namespace {

class EngineAtTheSocket : public ServedTown {
 protected:
  Request request() {
    Request out;
    out.origin = origin_here({.town = town.folder().string(), .as = "overseer"}, environment_, host_.process_notes());
    out.started_at = host_.clock().now();
    out.input = [] { return Result<std::string>(""); };
    out.tell = [](std::string_view) {};
    return out;
  }
  Answer call(std::string_view name, const JsonObject& given, Request& request) {
    const Op& op = *find_op(name);
    const auto args = Args::check(op.args, given);
    EXPECT_TRUE(args.has_value()) << args.error().message;
    auto answer = engine_.call(op, *args, request);
    EXPECT_TRUE(answer.has_value()) << answer.error().message;
    return answer ? std::move(*answer) : Answer{.json = JsonArray()};
  }
  std::size_t news(Request& follower) { return call("feed", {{"follow", true}}, follower).json.get_array().size(); }

  const SystemEnvironment environment_;
  StandardInput input_;
  LibpqDoor postgres_;
  const Program program_{.input = input_, .postgres = postgres_};
  LocalHost host_{program_, Serves::one_call};
  LocalEngine here_{host_};
  SocketEngine engine_{here_, environment_};
};

TEST_F(EngineAtTheSocket, TellsNoRequestTwiceWhatIsNewThoughOthersTakeTurnsWithIt) {
  town.send("alice", "bob", "one");
  auto follower = request();
  EXPECT_GT(news(follower), 0u);
  auto other = request();
  call("mail.inbox", {{"address", "bob"}}, other);
  EXPECT_EQ(news(follower), 0u);
  town.send("alice", "bob", "two");
  call("mail.inbox", {{"address", "bob"}}, other);
  EXPECT_GT(news(follower), 0u);
}

TEST_F(EngineAtTheSocket, HearsOfRingsAgainWhenTheServerHasGoneAndAnotherHasCome) {
  auto follower = request();
  const auto soon = [&] { return host_.clock().now() + std::chrono::minutes(1); };
  auto answer = call("feed", {{"follow", true}}, follower);
  auto pause = engine_.pause(*answer.again, follower);
  ASSERT_TRUE(pause.has_value()) << pause.error().message;
  kill_server();
  EXPECT_TRUE((*pause)->wait(soon(), {})) << "nobody was told to look";
  begin();
  town.send("alice", "bob", "one");
  EXPECT_GT(news(follower), 0u);
  EXPECT_TRUE((*pause)->wait(soon(), {})) << "what rang before anybody listened again was not heard";
  EXPECT_EQ(news(follower), 0u);
  town.send("alice", "bob", "two");
  EXPECT_TRUE((*pause)->wait(soon(), {}));
  EXPECT_GT(news(follower), 0u);
}

TEST_F(EngineAtTheSocket, ListensItselfOnceNoServerIsLeft) {
  auto follower = request();
  const auto soon = [&] { return host_.clock().now() + std::chrono::minutes(1); };
  auto answer = call("feed", {{"follow", true}}, follower);
  auto pause = engine_.pause(*answer.again, follower);
  ASSERT_TRUE(pause.has_value()) << pause.error().message;
  kill_server();
  EXPECT_TRUE((*pause)->wait(soon(), {}));
  EXPECT_EQ(news(follower), 0u);
  EXPECT_TRUE((*pause)->wait(soon(), {}));
  EXPECT_EQ(news(follower), 0u);
  town.send("alice", "bob", "one");
  EXPECT_TRUE((*pause)->wait(soon(), {})) << "it waits at no bell";
  EXPECT_GT(news(follower), 0u);
}

TEST_F(EngineAtTheSocket, TellsAFollowerOnAnotherMachineNothingTwiceThoughTheServerHasForgottenIt) {
  const FixedEnvironment elsewhere{{{"GT_SERVER", url()}, {"GT_TOKEN", token({"--human"})}}};
  const auto remote = TlsDoor().engine(here_, host_.clock()).value();
  auto follower = request();
  follower.origin.environment = &elsewhere;
  follower.origin.town = std::nullopt;
  follower.origin.identity.flag = std::nullopt;
  const Op& op = *find_op("feed");
  const auto news = [&] {
    const auto answer = remote->call(op, *Args::check(op.args, {{"follow", true}}), follower);
    EXPECT_TRUE(answer.has_value()) << answer.error().message;
    return answer ? answer->json.get_array().size() : 0;
  };
  town.send("alice", "bob", "one");
  EXPECT_GT(news(), 0u);
  follower.kept["remote.conversation"] = "";  // as if the server had dropped it, or were another one
  EXPECT_EQ(news(), 0u);
}

TEST(TownWhoseHttpIsBroken, ServesCommandsAllTheSame) {
  const TestTown town;
  town.settings("[http]\nlisten = \"127.0.0.1:0\"\ncertificate = \"/nowhere\"\nkey = \"/nowhere\"\n");
  const auto must = town.gt({"up", "--detach", "--listen", "127.0.0.1:0", "--as", "overseer"});
  EXPECT_NE(must.exit_code, 0) << "it was to answer there, or fail";
  const auto up = town.gt({"up", "--detach", "--as", "overseer"});
  EXPECT_EQ(up.exit_code, 0) << up.err;
  const auto client = FrameClient::connect(socket_of_town(town.folder() / ".town"), Deadline::in(Millis(5'000)));
  EXPECT_TRUE(client.has_value() && client->has_value()) << "nobody is at the socket";
  const auto log = read_file(town.folder() / ".town" / "log" / "up.log").value_or("");
  EXPECT_NE(log.find("HTTP is not answered"), std::string::npos) << log;
  town.gt({"down", "--as", "overseer"});
}

}  // namespace
}  // namespace townpost
