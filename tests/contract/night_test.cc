#include <algorithm>

#include "contract/nudge_fixture.h"
#include "post/nudge/announce.h"

namespace townpost {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

/// Two agents that answer whatever they are shown, all night.
class NightTest : public TownTest {
 protected:
  enum class Manner { reply, fresh_message };

  /// Lets nux and slit answer each other for eight hours, a turn taking `turn`; how many messages woke somebody.
  int woken_in_a_night(Millis turn, Manner manner) {
    const Instant morning = clock().now() + hours(8);
    int woken = 0;
    const auto count = [&](const Receipt& receipt) {
      if (receipt.recipients.at(0).state != ReachState::held) ++woken;
      return receipt.message;
    };
    Message last = count(send("nux", "slit", "shall we?"));
    std::string speaker = "slit";
    while (clock().now() < morning) {
      must(announced(town(), caller(speaker), must(announce(town(), caller(speaker), Compaction::no))));
      must(room().read(last.id, Mailroom::Ack::yes, caller(speaker)));
      clock().advance(turn);
      const std::string other = speaker == "slit" ? "nux" : "slit";
      const auto answer = manner == Manner::reply
                              ? office().reply(last.id, cat("answer ", clock().now().ms), PostOffice::ReplyTo::sender,
                                               {}, caller(speaker))
                              : office().send(letter(other, cat("and ", clock().now().ms)), caller(speaker));
      if (!answer) {
        EXPECT_EQ(answer.error().code, Code::limited) << answer.error().message;
        refused_ = answer.error();
        return woken;
      }
      last = count(*answer);
      speaker = other;
    }
    return woken;
  }
  std::optional<Error> refused_;
};
ON_EVERY_STORE(NightTest);

TEST_P(NightTest, OfAgentsThatReplyCostsAtMostNineTurns) {
  for (const auto turn : {minutes(1), minutes(5), minutes(9)}) {
    EXPECT_LE(woken_in_a_night(turn, Manner::reply), 9) << turn.count() << " minutes a turn";
    clock().advance(hours(24));
  }
}

TEST_P(NightTest, OfAgentsThatWriteAnewCostsAtMostNineTurns) {
  EXPECT_LE(woken_in_a_night(minutes(5), Manner::fresh_message), 9);
}

TEST_P(NightTest, OfSlowAgentsThatReplyCostsAtMostNineTurns) {
  EXPECT_LE(woken_in_a_night(minutes(20), Manner::reply), 9);
}

TEST_P(NightTest, OfSlowAgentsThatWriteAnewCostsAtMostNineTurns) {
  EXPECT_LE(woken_in_a_night(minutes(20), Manner::fresh_message), 9) << "a turn may well take twenty minutes";
}

TEST_P(NightTest, EndsWithARefusalAndOneEscalation) {
  woken_in_a_night(minutes(5), Manner::reply);
  ASSERT_TRUE(refused_.has_value());
  EXPECT_NE(refused_->message.find("L1"), std::string::npos) << refused_->message;
  const auto thread = inbox("nux").at(0).message.thread;
  const auto escalations = [&] {
    const auto mails = inbox("mayor/");
    return std::count_if(mails.begin(), mails.end(), [&](const Mail& mail) {
      return mail.message.thread == thread && mail.message.type == MessageType::escalation;
    });
  };
  EXPECT_EQ(escalations(), 1);
  const Message last = inbox("nux").at(0).message;
  const std::string speaker = last.hops % 2 == 0 ? "nux" : "slit";
  for (int i = 0; i < 3; ++i)
    EXPECT_FALSE(
        office().reply(last.id, cat("again ", i), PostOffice::ReplyTo::sender, {}, caller(speaker)).has_value());
  EXPECT_EQ(escalations(), 1) << "one for the thread, however often it is tried";
}

TEST_P(NightTest, ALoopIsEscalatedEvenInAThreadWithAnOverdueReply) {
  Letter question = letter("slit", "shall we?");
  question.reply_by = minutes(30);
  const Message first = send("nux", question).message;
  clock().advance(hours(1));
  let_duties_run();
  ASSERT_EQ(inbox("mayor/").size(), 1u) << "the overdue reply is escalated";
  Message last = first;
  std::string speaker = "slit";
  for (int i = 0; i < 20; ++i) {
    const auto answer = office().reply(last.id, cat("answer ", i), PostOffice::ReplyTo::sender, {}, caller(speaker));
    if (!answer) break;
    last = answer->message;
    speaker = speaker == "slit" ? "nux" : "slit";
    clock().advance(minutes(3));
  }
  EXPECT_EQ(inbox("mayor/").size(), 2u) << "and so is the loop";
}

TEST_P(NightTest, APersonsWordStartsTheCountAnew) {
  Message last = send("nux", "slit").message;
  std::string speaker = "slit";
  for (int i = 0; i < 12; ++i) {
    last = reply(speaker, last.id).message;
    speaker = speaker == "slit" ? "nux" : "slit";
    clock().advance(minutes(3));
  }
  EXPECT_GT(last.hops, 8);
  clock().advance(hours(1));
  const Message word = send("overseer", "slit", "go on").message;
  EXPECT_EQ(word.hops, 0);
  EXPECT_EQ(reply("slit", word.id).message.hops, 1);
}

/// Two agents with sessions, served at their boundaries as hooks and a dispatcher would.
class SessionsNightTest : public NudgeTest {
 protected:
  struct Actor {
    std::string name;
    std::string other;
    std::optional<Instant> works_until;
  };
  /// What an agent does with a turn in which it was shown something.
  using Answer = std::function<void(const Actor&, const Parcel&)>;

  SessionsNightTest() {
    for (const auto& actor : actors_) starts(actor.name);
  }

  /// Eight hours; how many turns the agents were given by what reached them.
  int turns_in_a_night(Millis turn, const Answer& answer) {
    const Instant morning = clock().now() + hours(8);
    int turns = 0;
    while (clock().now() < morning) {
      for (auto& actor : actors_) {
        const bool works = actor.works_until.has_value();
        if (works && *actor.works_until > clock().now()) continue;
        if (works) {
          answer(actor, shown_[actor.name]);
          settle(actor.name);
        }
        actor.works_until.reset();
        Parcel parcel = take(actor.name, works ? Boundary::turn_end : Boundary::idle);
        if (parcel.empty()) continue;
        must(nudges().handed(parcel, "a hook"));
        ++turns;
        shown_[actor.name] = std::move(parcel);
        actor.works_until = clock().now() + turn;
      }
      tick(seconds(60), seconds(60));
    }
    return turns;
  }
  void nudge_back(const Actor& actor) {
    const auto sent = nudges().send(draft(actor.other), caller(actor.name));
    EXPECT_TRUE(sent || sent.error().code == Code::limited) << sent.error().message;
  }
  void mail_back(const Actor& actor, const Parcel& parcel) {
    for (const auto id : parcel.mail.offered) {
      must(room().read(id, Mailroom::Ack::yes, caller(actor.name)));
      const auto sent =
          office().reply(id, cat("answer ", clock().now().ms), PostOffice::ReplyTo::sender, {}, caller(actor.name));
      EXPECT_TRUE(sent || sent.error().code == Code::limited) << sent.error().message;
    }
  }
  /// The first turn of all is that of the agent that began by itself.
  void expect_nine_turns(const std::vector<Millis>& lengths, const std::function<void()>& begin, const Answer& answer) {
    for (const Millis turn : lengths) {
      begin();
      const int turns = 1 + turns_in_a_night(turn, answer);
      EXPECT_LE(turns, 9) << "with turns of " << turn.count() / 1000 << " s";
      EXPECT_GE(turns, 3) << "they do answer each other";
      for (const auto& actor : actors_) show(actor.name, Boundary::prompt);  // a person in the morning
      sleep(hours(16));
      must(nudges().tend());
    }
  }

 private:
  std::vector<Actor> actors_ = {{"nux", "slit", std::nullopt}, {"slit", "nux", std::nullopt}};
  std::map<std::string, Parcel> shown_;
};
ON_EVERY_STORE(SessionsNightTest);

TEST_P(SessionsNightTest, OfAgentsThatNudgeBackCostsAtMostNineTurns) {
  expect_nine_turns(
      {seconds(20), minutes(5), minutes(25), minutes(61)}, [&] { nudge("nux", "slit"); },
      [&](const Actor& actor, const Parcel&) { nudge_back(actor); });
}

TEST_P(SessionsNightTest, OfAgentsThatReplyByMailCostsAtMostNineTurns) {
  expect_nine_turns(
      {seconds(20), minutes(25)}, [&] { send("nux", "slit"); },
      [&](const Actor& actor, const Parcel& parcel) { mail_back(actor, parcel); });
}

TEST_P(SessionsNightTest, OfAgentsThatDoBothCostsAtMostNineTurns) {
  expect_nine_turns(
      {seconds(20), minutes(25)}, [&] { send("nux", "slit"); },
      [&](const Actor& actor, const Parcel& parcel) {
        mail_back(actor, parcel);
        nudge_back(actor);
      });
}

TEST_P(SessionsNightTest, OfAgentsWhoseSessionsAreCompactedCostsAtMostNineTurns) {
  expect_nine_turns(
      {seconds(20), minutes(25)}, [&] { nudge("nux", "slit"); },
      [&](const Actor& actor, const Parcel&) {
        show(actor.name, Boundary::start);
        nudge_back(actor);
      });
}

TEST_P(SessionsNightTest, OfSleepEndsNothingAndIsFollowedByOneDigest) {
  std::vector<Nudge> evening;
  for (int i = 0; i < 5; ++i) evening.push_back(nudge("max", "nux", cat("nudge of the evening ", i)));
  evening.push_back(nudge("max", "nux", "short-lived", with_life(minutes(1))));
  for (int i = 0; i < 3; ++i) send("slit", "nux", cat("mail of the evening ", i));
  sleep(hours(8));
  must(nudges().tend());
  for (const auto& one : evening) EXPECT_EQ(state(one), NudgeState::queued) << one.text;
  EXPECT_TRUE(notices("max").empty() && notices("mayor/").empty());
  const Parcel digest = show("nux", Boundary::idle);
  EXPECT_EQ(texts(digest).size(), evening.size());
  EXPECT_EQ(digest.mail.offered.size(), 3u);
  EXPECT_TRUE(has(digest.text, "short-lived") && has(digest.text, "mail of the evening 2")) << digest.text;
  EXPECT_TRUE(line("nux").empty());
  tick(hours(1), seconds(60));
  EXPECT_TRUE(take("nux", Boundary::idle).empty());
}

}  // namespace
}  // namespace townpost
