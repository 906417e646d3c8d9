#include "net/frame_server.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <functional>
#include <mutex>
#include <thread>

#include "base/check.h"
#include "base/text.h"
#include "net/frame_client.h"
#include "support/await.h"

namespace townpost {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

Deadline soon() { return Deadline::in(1min); }

std::string framed(std::string_view text) {
  const auto head = frame_head(text.size());
  return cat(std::string_view(head.data(), head.size()), text);
}

TEST(FrameReader, ReadsFramesHoweverTheyAreCut) {
  const auto bytes = cat(framed("one"), framed(std::string(70'000, 'x')), framed("3"));
  for (const std::size_t cut : {1u, 2u, 5u, 4096u, 1u << 20}) {
    FrameReader reader;
    std::vector<std::string> frames;
    for (std::string_view rest = bytes; !rest.empty(); rest.remove_prefix(std::min(cut, rest.size()))) {
      reader.feed(rest.substr(0, cut));
      while (true) {
        auto frame = reader.next();
        ASSERT_TRUE(frame);
        if (!*frame) break;
        frames.push_back(**frame);
      }
    }
    ASSERT_EQ(frames.size(), 3U) << cut;
    EXPECT_EQ(frames[0], "one");
    EXPECT_EQ(frames[1].size(), 70'000U);
    EXPECT_EQ(frames[2], "3");
    EXPECT_FALSE(reader.is_inside());
  }
}

TEST(FrameReader, RefusesWhatIsEmptyOrTooLong) {
  const auto refuses = [](std::string_view head) {
    FrameReader reader;
    reader.feed(head);
    return !reader.next();
  };
  EXPECT_TRUE(refuses(std::string_view("\0\0\0\0", 4)));
  EXPECT_TRUE(refuses(std::string_view("\x01\x00\x90\x00", 4))) << "9 MiB and a byte";
  EXPECT_TRUE(refuses("\xff\xff\xff\xff"));
  EXPECT_FALSE(refuses(std::string_view("\x00\x00\x90\x00", 4))) << "9 MiB";
}

/// Answers every frame with the same, unless the test has other work for it.
class Parrot : public FrameHandler {
 public:
  using Link = std::shared_ptr<FrameConnection>;
  std::function<void(const Link&, std::string)> on_frame = [](const Link& link, std::string frame) {
    link->send(std::move(frame));
  };
  std::function<void(const Link&)> on_end = [](const Link& link) { link->close(); };

  void connected(const Link& link) override {
    const std::lock_guard lock(mutex_);
    links_.push_back(link);
  }
  void received(const Link& link, std::string frame) override { on_frame(link, std::move(frame)); }
  void ending(const Link& link) override { on_end(link); }
  void closed(const Link&) override { ++closed_count; }
  Link link(std::size_t number) {
    await("it is connected", [&] {
      const std::lock_guard lock(mutex_);
      return links_.size() > number;
    });
    const std::lock_guard lock(mutex_);
    return links_[number];
  }

  std::atomic<int> closed_count = 0;

 private:
  std::mutex mutex_;
  std::vector<Link> links_;
};

class FrameServerTest : public testing::Test {
 protected:
  ~FrameServerTest() override {
    server_.reset();
    loop_.stop();
  }
  void listen(const FrameServer::Limits& limits = {}) {
    loop_.start();
    server_ = FrameServer::listen(loop_, path_, limits, parrot_).value();
  }
  FrameClient client() const { return FrameClient::connect(path_, soon()).value().value(); }
  void await_closed(int count) {
    await("it is closed", [&] { return parrot_.closed_count == count; });
  }

  TemporaryFolder folder_ = TemporaryFolder::make("townpost-frames-").value();
  fs::path path_ = folder_.path() / "socket";
  Parrot parrot_;
  ServerLoop loop_;
  std::unique_ptr<FrameServer> server_;
};

TEST_F(FrameServerTest, CarriesFramesBothWays) {
  listen();
  auto one = client();
  for (const std::size_t size : {std::size_t(1), std::size_t(1000), std::size_t(1u << 20), kLongestFrame}) {
    const std::string frame(size, 'x');
    std::thread sender([&] { ASSERT_TRUE(one.send(frame, soon())); });
    const auto back = one.receive(soon());
    sender.join();
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(*back, frame);
  }
  ASSERT_TRUE(one.send("1", soon()));
  ASSERT_TRUE(one.send("2", soon()));
  EXPECT_EQ(one.receive(soon()).value(), "1");
  EXPECT_EQ(one.receive(soon()).value(), "2");
  EXPECT_FALSE(one.receive_now().value());
  EXPECT_EQ(one.send("", soon()).error().code, Code::usage);
  EXPECT_EQ(one.send(std::string(kLongestFrame + 1, 'x'), soon()).error().code, Code::usage);
  EXPECT_EQ(server_->counters().frames_in, 6U);
  EXPECT_EQ(server_->counters().frames_out, 6U);
}

TEST_F(FrameServerTest, WhatIsSentAtOnceIsReadHoweverSoonTheClientHearsNoMore) {
  std::atomic<int> sent = 0, refused = 0;
  parrot_.on_frame = [&](const Parrot::Link& link, const std::string&) {
    ++(link->send_at_once("yes") ? sent : refused);
  };
  listen();
  int read = 0;
  constexpr int kRounds = 2'000;
  for (int i = 0; i < kRounds; ++i) {
    auto one = client();
    ASSERT_TRUE(one.send("?", soon()));
    for (int spin = 0; spin < i % 50; ++spin) std::this_thread::yield();  // now before the answer, now after it
    one.hear_no_more();
    const auto frame = one.receive_now();
    if (frame && *frame) ++read;
    await("it is handled", [&] { return sent + refused == i + 1; });
    ASSERT_EQ(read, sent) << "round " << i;
  }
  EXPECT_GT(sent, 0);
  EXPECT_GT(refused, 0) << "too few were too late for this to mean anything";
}

TEST_F(FrameServerTest, KnowsItsPeer) {
  listen();
  const auto one = client();
  EXPECT_EQ(parrot_.link(0)->peer(), (Peer{.pid = ::getpid(), .uid = ::getuid(), .gid = ::getgid()}));
}

TEST_F(FrameServerTest, SendsFromAnyThreadInOneOrder) {
  listen();
  auto one = client();
  const auto link = parrot_.link(0);
  constexpr int kEach = 200;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < kEach; ++i) EXPECT_TRUE(link->send(cat(t, " ", i, " ", std::string(5000, 'x'))));
    });
  std::vector<int> next(4);
  for (int i = 0; i < 4 * kEach; ++i) {
    const auto frame = one.receive(soon());
    ASSERT_TRUE(frame) << frame.error().message;
    const auto words = split(*frame, ' ');
    auto& expected = next.at(static_cast<std::size_t>(words[0][0] - '0'));
    EXPECT_EQ(words[1], cat(expected++));
    EXPECT_EQ(words[2].size(), 5000U);
  }
  for (auto& thread : threads) thread.join();
}

TEST_F(FrameServerTest, ServesManyAtOnce) {
  listen();
  std::vector<std::thread> threads;
  std::atomic<int> good = 0;
  for (int t = 0; t < 16; ++t)
    threads.emplace_back([&, t] {
      auto one = client();
      for (int i = 0; i < 50; ++i) {
        const auto text = cat(t, "/", i);
        if (one.send(text, soon()) && one.receive(soon()).value_or("") == text) ++good;
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(good, 16 * 50);
  await_closed(16);
}

TEST_F(FrameServerTest, EndsAConnectionThatCannotBeUnderstood) {
  listen();
  for (const auto bytes : {std::string_view("\0\0\0\0", 4), std::string_view("\xff\xff\xff\xff"),
                           std::string_view("GET / HTTP/1.1\r\n\r\n")}) {
    auto one = client();
    ASSERT_GT(::send(one.fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL), 0);
    const auto frame = one.receive(soon());
    ASSERT_FALSE(frame);
    EXPECT_EQ(frame.error().code, Code::refused);
  }
  auto good = client();
  ASSERT_TRUE(good.send("x", soon()));
  EXPECT_TRUE(good.receive(soon()));
}

TEST_F(FrameServerTest, LeavesWhoeverDoesNotFinishAFrame) {
  listen({.frame_time = 20ms});
  auto idle = client();
  auto slow = client();
  ASSERT_GT(::send(slow.fd(), "\x05\0\0\0he", 6, MSG_NOSIGNAL), 0);
  EXPECT_FALSE(slow.receive(soon()));
  ASSERT_TRUE(idle.send("x", soon())) << "who says nothing may stay";
  EXPECT_TRUE(idle.receive(soon()));
}

TEST_F(FrameServerTest, BoundsWhatIsHeldOfUnfinishedFrames) {
  listen({.unread = 1u << 20});
  auto greedy = client();
  const auto piece = framed(std::string(8u << 20, 'x'));
  std::size_t sent = 0;
  while (sent < piece.size() - 1) {
    const auto some = ::send(greedy.fd(), piece.data(), 1000, MSG_NOSIGNAL);
    if (some < 0 && errno != EAGAIN) break;
    if (some > 0) sent += static_cast<std::size_t>(some);
    if (parrot_.closed_count > 0) break;
  }
  await_closed(1);
}

TEST_F(FrameServerTest, ClosesAConnectionThatDoesNotRead) {
  listen({.unsent = 1u << 20});
  auto one = client();
  const auto link = parrot_.link(0);
  const std::string frame(100'000, 'x');
  int sent = 0;
  while (sent < 1000 && link->send(frame)) ++sent;
  EXPECT_GE(sent, 10) << "what fits is kept";
  EXPECT_LT(sent, 1000);
  EXPECT_FALSE(link->send("x"));
  await_closed(1);
}

TEST_F(FrameServerTest, ClosesForAnAnswerThatIsNoFrame) {
  listen();
  auto one = client();
  EXPECT_FALSE(parrot_.link(0)->send(std::string(kLongestFrame + 1, 'x')));
  EXPECT_FALSE(one.receive(soon()));
}

TEST_F(FrameServerTest, SendsWhatItWasGivenBeforeItCloses) {
  parrot_.on_frame = [](const auto& link, const std::string&) {
    link->send(std::string(4u << 20, 'x'));
    link->close();
    EXPECT_FALSE(link->send("too late"));
  };
  listen();
  auto one = client();
  ASSERT_TRUE(one.send("x", soon()));
  const auto answer = one.receive(soon());
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->size(), 4u << 20);
  EXPECT_FALSE(one.receive(soon()));
  await_closed(1);
}

TEST_F(FrameServerTest, EndsAConnectionWhoseHandlerThrows) {
  parrot_.on_frame = [](const auto&, const std::string&) { throw std::runtime_error("a bug of ours"); };
  listen();
  auto one = client();
  ASSERT_TRUE(one.send("x", soon()));
  EXPECT_FALSE(one.receive(soon()));
  await_closed(1);
}

TEST_F(FrameServerTest, TurnsAwayWhoeverIsOneTooMany) {
  listen({.connections = 1});
  auto first = client();
  parrot_.link(0);
  auto second = client();
  EXPECT_FALSE(second.receive(soon()));
  ASSERT_TRUE(first.send("x", soon()));
  EXPECT_TRUE(first.receive(soon()));
  EXPECT_EQ(server_->counters().turned_away, 1U);
}

/// Runs it in a thread that is another user; false if we may not be one.
bool as_another_user(const std::function<void()>& work) {
  bool may = false;
  std::thread([&] {
    constexpr int kNobody = 65534;
    may = ::syscall(SYS_setresuid, kNobody, kNobody, kNobody) == 0;  // the library's would change all threads
    if (may) work();
  }).join();
  return may;
}

TEST_F(FrameServerTest, LetsNoOtherUserIn) {
  listen();
  fs::permissions(folder_.path(), fs::perms::all);
  fs::permissions(path_, fs::perms::all);  // its mode alone would keep others out
  bool connected = false;
  bool ended = false;
  const bool may = as_another_user([&] {
    const FileDescriptor fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const auto address = *socket_address(path_);
    connected = ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    char byte = 0;
    ended = ::recv(fd.get(), &byte, 1, 0) == 0;
  });
  ASSERT_TRUE(may) << "run this as root, who alone can be another user";
  EXPECT_TRUE(connected);
  EXPECT_TRUE(ended);
  EXPECT_EQ(server_->counters().turned_away, 1U);
  EXPECT_TRUE(as_another_user([&] {
    const auto asked = FrameClient::connect(path_, soon());
    ASSERT_FALSE(asked) << "the client asks no other user either";
    EXPECT_EQ(asked.error().code, Code::forbidden);
  }));
}

// ---- the name -----------------------------------------------------------------------------------------------------

TEST_F(FrameServerTest, IsForItsUserOnlyAndGoneAtTheEnd) {
  listen();
  struct stat is {};
  ASSERT_EQ(::lstat(path_.c_str(), &is), 0);
  EXPECT_EQ(is.st_mode, S_IFSOCK | 0600U);
  server_.reset();
  EXPECT_FALSE(fs::exists(fs::symlink_status(path_)));
}

TEST_F(FrameServerTest, LeavesANameAloneThatIsAnothersByNow) {
  listen();
  fs::rename(path_, folder_.path() / "moved");
  const auto another = SocketFile::listen(path_, 1);
  ASSERT_TRUE(another);
  server_.reset();
  EXPECT_TRUE(fs::exists(fs::symlink_status(path_)));
}

TEST_F(FrameServerTest, ReplacesASocketThatNobodyListensOn) {
  {
    const FileDescriptor dead(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const auto address = *socket_address(path_);
    ASSERT_EQ(::bind(dead.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  EXPECT_FALSE(FrameClient::connect(path_, soon()).value()) << "nobody is there";
  listen();
  EXPECT_TRUE(FrameClient::connect(path_, soon()).value());
}

TEST_F(FrameServerTest, TakesNoNameFromAnother) {
  listen();
  const auto code = [&](const fs::path& path) {
    const auto made = SocketFile::listen(path, 1);
    EXPECT_FALSE(made) << path;
    return made ? Code::partial : made.error().code;
  };
  EXPECT_EQ(code(path_), Code::refused);
  EXPECT_TRUE(FrameClient::connect(path_, soon()).value()) << "it still listens";
  std::ofstream(folder_.path() / "file") << "text";
  EXPECT_EQ(code(folder_.path() / "file"), Code::refused);
  EXPECT_TRUE(fs::exists(folder_.path() / "file"));
  fs::create_symlink(path_, folder_.path() / "link");
  EXPECT_EQ(code(folder_.path() / "link"), Code::refused);
  EXPECT_EQ(code(folder_.path() / "no" / "folder"), Code::unavailable);
  EXPECT_EQ(code(folder_.path() / std::string(100, 'x')), Code::usage);
}

TEST_F(FrameServerTest, IsMadeOnceWhenManyMakeItAtOnce) {
  {
    const FileDescriptor dead(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const auto address = *socket_address(path_);
    ASSERT_EQ(::bind(dead.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  std::mutex mutex;
  std::vector<SocketFile> made;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      auto one = SocketFile::listen(path_, 8);
      const std::lock_guard lock(mutex);
      if (one)
        made.push_back(std::move(*one));
      else
        EXPECT_EQ(one.error().code, Code::refused);
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(made.size(), 1U);
}

TEST_F(FrameServerTest, IsNotFoundWhereItCannotBe) {
  EXPECT_FALSE(FrameClient::connect(path_, soon()).value());
  EXPECT_FALSE(FrameClient::connect(folder_.path() / std::string(200, 'x'), soon()).value());
  std::ofstream(folder_.path() / "file") << "text";
  EXPECT_FALSE(FrameClient::connect(folder_.path() / "file" / "socket", soon()).value());
}

// ---- waiting and the end ------------------------------------------------------------------------------------------

TEST_F(FrameServerTest, IsWaitedForUntilTheDeadline) {
  parrot_.on_frame = [](const auto&, const std::string&) {};
  listen();
  auto one = client();
  ASSERT_TRUE(one.send("x", soon()));
  const auto late = one.receive(Deadline::in(20ms));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Code::timeout);
  const auto deaf = SocketFile::listen(folder_.path() / "deaf", 0);
  ASSERT_TRUE(deaf);
  auto first = FrameClient::connect(folder_.path() / "deaf", soon()).value();
  auto second = FrameClient::connect(folder_.path() / "deaf", Deadline::in(20ms));
  ASSERT_FALSE(second) << "its backlog is full";
  EXPECT_EQ(second.error().code, Code::timeout);
  const auto full = first->send(std::string(kLongestFrame, 'x'), Deadline::in(20ms));
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code, Code::timeout);
}

TEST_F(FrameServerTest, LetsItsHandlerFinishWhenItStops) {
  std::mutex mutex;
  std::vector<Parrot::Link> asked;
  parrot_.on_frame = [&](const auto& link, const std::string&) {
    const std::lock_guard lock(mutex);
    asked.push_back(link);
  };
  parrot_.on_end = [&](const auto& link) {
    const std::lock_guard lock(mutex);
    if (asked.empty() || asked[0] != link) link->close();
  };
  listen();
  auto busy = client();
  ASSERT_TRUE(busy.send("question", soon()));
  auto idle = client();
  await("it is asked", [&] {
    const std::lock_guard lock(mutex);
    return !asked.empty();
  });
  std::thread stopping([&] { server_->stop(1min); });
  EXPECT_FALSE(idle.receive(soon()));
  EXPECT_FALSE(FrameClient::connect(path_, soon()).value()) << "nobody can come any more";
  asked[0]->send("answer");
  asked[0]->close();
  EXPECT_EQ(busy.receive(soon()).value(), "answer");
  stopping.join();
  EXPECT_EQ(parrot_.closed_count, 2);
}

TEST_F(FrameServerTest, EndsEverythingAfterItsGrace) {
  parrot_.on_end = [](const auto&) {};
  listen();
  auto one = client();
  const auto link = parrot_.link(0);
  server_->stop(10ms);
  EXPECT_FALSE(one.receive(soon()));
  server_.reset();
  EXPECT_FALSE(link->send("x"));
  link->close();
}

}  // namespace
}  // namespace townpost
