// Who is part of a thread: whoever began it, and whom somebody of it wrote to. Nobody joins by writing into it.
#include "contract/nudge_fixture.h"
#include "post/mail/explain.h"
#include "post/nudge/cares.h"

namespace townpost {
namespace {

using std::chrono::minutes;

class ConversationsTest : public NudgeTest {
 protected:
  ConversationsTest() { secret_ = send("overseer", "max", "the plan").message; }

  Letter into(const std::string& thread, const std::string& to) {
    Letter out = letter(to);
    out.thread = thread;
    return out;
  }
  Code refusal_of(std::string_view from, const Letter& what) {
    return error_of(office().send(what, caller(from))).code;
  }
  bool may_read(std::string_view who, MessageId id) {
    const auto read = room().read(id, Mailroom::Ack::no, caller(who));
    const auto explained = explain(town(), id, caller(who));
    const auto looked = room().look(id, caller(who));
    EXPECT_EQ(read.has_value(), explained.has_value());
    EXPECT_EQ(read.has_value(), looked.has_value());
    return read.has_value();
  }
  Strings thread_of(std::string_view who, const std::string& thread) {
    Strings out;
    const auto view = room().thread(thread, caller(who));
    if (!view) return {std::string(name(view.error().code))};
    for (const auto& mail : view->mails) out.push_back(mail.message.subject);
    return out;
  }
  /// Mail whose thread is the bead by its type: nobody is asked for that.
  Message about_bead(std::string_view from, const std::string& to, const std::string& bead) {
    return send(from, letter(to, cat("[", bead, "] PROGRESS"))).message;
  }

  Message secret_;
};
ON_EVERY_STORE(ConversationsTest);

TEST_P(ConversationsTest, NobodyJoinsAThreadByWritingToItself) {
  Letter joining = into(secret_.thread, "slit");
  joining.include_self = true;
  EXPECT_EQ(refusal_of("slit", joining), Code::forbidden);
  EXPECT_FALSE(may_read("slit", secret_.id));
}

TEST_P(ConversationsTest, NobodyJoinsAThreadThroughAHelper) {
  EXPECT_EQ(refusal_of("slit", into(secret_.thread, "nux")), Code::forbidden);
  EXPECT_EQ(refusal_of("slit", into(secret_.thread, "max")), Code::forbidden);
  Letter copied = into(secret_.thread, "max");
  copied.cc = {"nux"};
  EXPECT_EQ(refusal_of("slit", copied), Code::forbidden);
  EXPECT_FALSE(may_read("nux", secret_.id));
  EXPECT_EQ(thread_of("nux", secret_.thread), Strings{"forbidden"});
}

TEST_P(ConversationsTest, NorByTheBounceOfANudge) {
  EXPECT_EQ(nudge_refusal("slit",
                          [&] {
                            NudgeDraft wanted = draft("nux");
                            wanted.thread = secret_.thread;
                            return wanted;
                          }())
                .code,
            Code::forbidden);
}

TEST_P(ConversationsTest, WhoeverSomebodyOfItWritesToIsPartOfIt) {
  const Message asked = send("max", into(secret_.thread, "nux")).message;
  EXPECT_TRUE(may_read("nux", secret_.id));
  EXPECT_EQ(thread_of("nux", secret_.thread).size(), 2u);
  const Message answer = reply("nux", asked.id).message;
  EXPECT_TRUE(may_read("max", answer.id));
  send("nux", into(secret_.thread, "slit"));
  EXPECT_TRUE(may_read("slit", secret_.id)) << "and so on";
}

TEST_P(ConversationsTest, WhoeverBeganItSeesWhatOthersSayInIt) {
  const Message asked = send("nux", "max", "Which way?").message;
  const Message passed_on = send("max", into(asked.thread, "slit")).message;
  EXPECT_TRUE(may_read("nux", passed_on.id));
}

TEST_P(ConversationsTest, ABeadsThreadThatSomebodyTookFirstTellsItNothing) {
  about_bead("slit", "slit", "ol-1");
  const Message given = about_bead("overseer", "max", "ol-1");
  const Message told = about_bead("max", "mayor/", "ol-1");
  EXPECT_EQ(given.thread, "ol-1");
  EXPECT_FALSE(may_read("slit", given.id));
  EXPECT_FALSE(may_read("slit", told.id));
  EXPECT_EQ(thread_of("slit", "ol-1").size(), 1u) << "its own";
  EXPECT_TRUE(may_read("mayor/", given.id));
}

TEST_P(ConversationsTest, NorDoesOneThatItFilledWithMailToThoseWhoWorkThere) {
  about_bead("slit", "max", "ol-1");
  const Message given = about_bead("overseer", "max", "ol-1");
  const Message told = about_bead("max", "overseer", "ol-1");
  EXPECT_FALSE(may_read("slit", given.id));
  EXPECT_FALSE(may_read("slit", told.id)) << "it is for those it goes to";
  const Message helper = about_bead("max", "nux", "ol-1");
  EXPECT_FALSE(may_read("slit", helper.id)) << "whose talk it goes on is not clear, so it is nobody's";
  const Message later = about_bead("slit", "max", "ol-1");
  EXPECT_FALSE(may_read("slit", given.id));
  EXPECT_TRUE(may_read("max", later.id));
}

TEST_P(ConversationsTest, NorDoesOneThatItBeganWithWhoeverWillWorkThere) {
  send("slit", into("ol-82", "max"));
  const Message told = about_bead("max", "mayor/", "ol-82");
  EXPECT_FALSE(may_read("slit", told.id)) << "nobody told slit";
  EXPECT_FALSE(may_read("slit", reply("mayor/", told.id).message.id));
  about_bead("slit", "nux", "ol-83");
  EXPECT_FALSE(may_read("slit", about_bead("nux", "mayor/", "ol-83").id));
  EXPECT_TRUE(may_read("slit", about_bead("max", "slit", "ol-82").id)) << "what it is sent it may read";
}

TEST_P(ConversationsTest, WhoeverWorksOnABeadMayWriteIntoItsThread) {
  about_bead("overseer", "max", "ol-1");
  EXPECT_EQ(refusal_of("nux", into("ol-1", "mayor/")), Code::forbidden);
  set_care("nux", [](Care& care) { care.holds = HeldBead::told("ol-1"); });
  send("nux", into("ol-1", "mayor/"));
  EXPECT_EQ(thread_of("nux", "ol-1").size(), 1u) << "which opens nothing";
}

TEST_P(ConversationsTest, WhoeverWorksOnNothingHasNoThreadWhateverItIsCalled) {
  must(room().thread(send("slit", into("-", "max")).message.thread, caller("slit")));
  must(Cares(town()).set_hook("nux", "", {}));
  EXPECT_EQ(refusal_of("nux", into("-", "mayor/")), Code::forbidden);
}

TEST_P(ConversationsTest, WhoIsAskedForHelpByTheTownSeesWhatItIsAbout) {
  Letter question = letter("max", "Which way?");
  question.reply_by = minutes(2);
  const Message asked = send("nux", question).message;
  EXPECT_FALSE(may_read("mayor/", asked.id));
  clock().advance(minutes(3));
  let_duties_run();
  EXPECT_TRUE(may_read("mayor/", asked.id));
  EXPECT_FALSE(may_read("slit", asked.id));
}

TEST_P(ConversationsTest, ANewThreadMayHaveAnyName) {
  EXPECT_EQ(send("slit", into("release-7", "nux")).message.thread, "release-7");
  EXPECT_TRUE(may_read("nux", must(room().thread("release-7", caller("slit"))).mails.at(0).message.id));
}

TEST_P(ConversationsTest, TheHeadingIsThatOfTheFirstMessageOneSees) {
  about_bead("overseer", "max", "ol-1");
  set_care("nux", [](Care& care) { care.holds = HeldBead::told("ol-1"); });
  Letter own = into("ol-1", "mayor/");
  own.subject = "mine";
  send("nux", own);
  EXPECT_EQ(must(room().thread("ol-1", caller("nux"))).subject, "mine");
}

}  // namespace
}  // namespace townpost
