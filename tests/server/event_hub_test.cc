// Streams of events without a network between: who is told, and whose stream ends.
#include "http/event_hub.h"

#include "app/libpq_door.h"
#include "app/local_host.h"
#include "base/text.h"
#include "cli/expect.h"
#include "support/await.h"

namespace townpost::http {
namespace {

/// A client that takes everything at once.
class Client final : public HttpStream {
 public:
  bool write(std::string bytes) override {
    const MutexLock lock(mutex_);
    if (closed_) return false;
    told_ += bytes;
    return true;
  }
  std::size_t unsent() override { return 0; }
  void close() override {
    std::function<void()> ended;
    {
      const MutexLock lock(mutex_);
      closed_ = true;
      ended = std::exchange(ended_, nullptr);
    }
    if (ended) ended();
  }
  void on_close(std::function<void()> told) override {
    const MutexLock lock(mutex_);
    ended_ = std::move(told);
  }
  bool has_ended() const {
    const MutexLock lock(mutex_);
    return closed_;
  }
  bool was_told(std::string_view word) const {
    const MutexLock lock(mutex_);
    return told_.find(word) != std::string::npos;
  }

 private:
  mutable Mutex mutex_;
  std::string told_ GUARDED_BY(mutex_);
  bool closed_ GUARDED_BY(mutex_) = false;
  std::function<void()> ended_ GUARDED_BY(mutex_);
};

class Hub : public testing::Test {
 protected:
  Hub() { town_.agents({"alice"}); }
  Visitor visitor(const TokenHolder& holder, const std::optional<std::string>& as = std::nullopt) const {
    Visitor out;
    out.origin.environment = &environment_;
    out.origin.identity.flag = as;
    out.token = holder.token;
    out.origin.identity.token = holder;
    return out;
  }
  std::shared_ptr<Client> follow(const Visitor& who) {
    auto client = std::make_shared<Client>();
    const auto joined = hub_.join(who, std::nullopt, {}, [&] { return client; });
    EXPECT_TRUE(joined.has_value()) << joined.error().message;
    return client;
  }
  /// The id of a token that was made for them.
  std::string token(const Words& whom) const {
    return text_at(town_.json(with({"token", "create", "--as", "overseer"}, whom)), "id");
  }

  TestTown town_;
  const FixedEnvironment environment_{{{"HOME", town_.folder().string()}}, town_.folder()};
  StandardInput input_;
  LibpqDoor postgres_;
  const Program program_{.input = input_, .postgres = postgres_};
  LocalHost host_{program_, Serves::many};
  EventHub hub_{{.host = host_,
                 .town = (town_.folder() / ".town").string(),
                 .own = visitor(TokenHolder::trusted_loopback()).origin}};
};

TEST_F(Hub, TellsAnAgentOfItsFirstMailThoughItHadNoMailboxWhenItBeganToFollow) {
  const TokenHolder any{.token = token({"--any-agent"}), .role = TokenRole::town};
  const auto deacon = follow(visitor(any, "deacon/"));
  town_.send("alice", "deacon/", "welcome");
  await("the stream is told", [&] { return deacon->was_told("welcome"); });
}

TEST_F(Hub, TellsAnAgentThatBecameAnotherOfThatOnesMail) {
  town_.agents({"bob", "carol"});
  const TokenHolder any{.token = token({"--any-agent"}), .role = TokenRole::town};
  const auto bob = follow(visitor(any, "bob"));
  const auto merged = town_.gt({"agent", "alias", "bob", "carol", "--as", "overseer"});
  ASSERT_EQ(merged.exit_code, 0) << merged.err;
  town_.send("alice", "carol", "for both");
  await("the stream is told", [&] { return bob->was_told("for both"); });
}

TEST_F(Hub, EndsAStreamWhoseTokenWasRevokedWhileItBegan) {
  const auto person = follow(visitor(TokenHolder::trusted_loopback()));
  const auto id = token({"--agent", "alice"});
  const auto alice = std::make_shared<Client>();
  const TokenHolder holder{.token = id, .role = TokenRole::town};
  const auto joined = hub_.join(visitor(holder, "alice"), std::nullopt, {}, [&] {
    EXPECT_EQ(town_.gt({"token", "revoke", id, "--as", "overseer"}).exit_code, 0);
    await("the hub has ended what it had of the token", [&] { return person->was_told("token revoked"); });
    return alice;
  });
  EXPECT_TRUE(joined.has_value()) << joined.error().message;
  EXPECT_TRUE(alice->has_ended());
}

}  // namespace
}  // namespace townpost::http
