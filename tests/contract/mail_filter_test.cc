// What is kept of a mailbox's listing: by type of mail or protocol, by bead, what is pending, what ends work.
#include "post/mail/mail_filter.h"

#include "contract/lists_fixture.h"
#include "post/nudge/cares.h"

namespace townpost {
namespace {

class MailFilterTest : public ListsTest {
 protected:
  MessageId typed(const std::string& subject, const std::string& body = "") {
    limits().enabled = false;
    Letter what = letter("max", subject);
    if (!body.empty()) what.body = body;
    return send("nux", what).message.id;
  }
  std::vector<MessageId> kept(const MailFilter& filter, std::string_view reader = "max", int limit = 100) {
    std::vector<MessageId> out;
    for (const auto& mail :
         must(room().inbox({.whose = "max", .filter = filter, .limit = limit}, caller(reader))).mails)
      out.push_back(mail.message.id);
    return out;
  }
  MailFilter of_type(std::string_view word) {
    MailFilter out;
    must(out.set_type(word, town().settings.types));
    return out;
  }
  using Ids = std::vector<MessageId>;
};
ON_EVERY_STORE(MailFilterTest);

TEST_P(MailFilterTest, ATypeIsOfMailOrOfTheProtocol) {
  const auto done = typed("[ol-1] DONE", "Bead: ol-1"), plain = typed("hello");
  Letter task = letter("max", "work");
  task.type = MessageType::task;
  const auto work = send("nux", task).message.id;
  EXPECT_EQ(kept(of_type("DONE")), Ids{done});
  EXPECT_EQ(kept(of_type("done")), Ids{done}) << "in any case";
  EXPECT_EQ(kept(of_type("task")), Ids{work});
  EXPECT_EQ(kept(of_type("UNKNOWN")), (Ids{work, plain}));
  EXPECT_TRUE(kept(of_type("FAILED")).empty());
  MailFilter none;
  const auto error = error_of(none.set_type("DNE", town().settings.types));
  EXPECT_EQ(error.code, Code::usage);
  EXPECT_EQ(error.argument, "type");
  EXPECT_NE(error.hint.find("DONE"), std::string::npos) << error.hint;
}

TEST_P(MailFilterTest, AnAnswerIsNotOfTheTypeItAnswers) {
  const auto help = typed("HELP: stuck", "Agent: nux");
  reply("max", help);
  reply("nux", help);
  EXPECT_EQ(kept(of_type("HELP")), Ids{help});
  EXPECT_EQ(kept(of_type("reply")).size(), 1u);
}

TEST_P(MailFilterTest, ABeadIsThatOfTheThreadTheSubjectTheFieldsOrTheCopy) {
  const auto of_body = typed("DONE", "Bead: ol-1"), of_subject = typed("[ol-1] MERGED nux", "Rig: beads"),
             of_issue = typed("POLECAT_DONE nux", "Exit: DEFERRED\nIssue: ol-1"), of_plain = typed("hm", "Bead: ol-1");
  Letter bound = letter("max", "for the holder");
  bound.bead = "ol-1";
  const auto of_copy = send("nux", bound).message.id;
  Letter in_thread = letter("max", "see");
  in_thread.thread = "ol-1";
  const auto of_thread = send("nux", in_thread).message.id;
  typed("DONE", "Bead: ol-12");
  typed("ol-1 is done", "it is about ol-1");
  EXPECT_EQ(kept({.bead = "ol-1"}), (Ids{of_thread, of_copy, of_plain, of_issue, of_subject, of_body}));
  EXPECT_TRUE(kept({.bead = "ol-9"}).empty());
}

TEST_P(MailFilterTest, WhatIsPendingIsAskedForAndNotGiven) {
  Letter asked = letter("max", "please");
  asked.ack_required = true;
  const auto first = send("nux", asked).message.id;
  const auto request = typed("HELP_REQUEST", "Bead: ol-1\nIssue Type: STUCK\n\n## Problem\nx");
  typed("DONE", "Bead: ol-1");
  EXPECT_EQ(kept({.pending = true}), (Ids{request, first}));
  mark(first, Mark::read, "max");
  EXPECT_EQ(kept({.pending = true}), Ids{request});
}

TEST_P(MailFilterTest, CompletionsAreWhatEndsWork) {
  const auto done = typed("DONE", "Bead: ol-1"), failed = typed("[ol-2] FAILED"), stopped = typed("[ol-3] CHECKPOINT"),
             offered = typed("[ol-4] OFFERING_READY");
  typed("[ol-1] PROGRESS");
  typed("MERGED nux");
  EXPECT_EQ(kept({.completions = true}), (Ids{offered, stopped, failed, done}));
  EXPECT_EQ(kept({.bead = "ol-2", .completions = true}), Ids{failed}) << "everything must be true";
}

TEST_P(MailFilterTest, PagesGoOnWhereTheLastOneEnded) {
  Ids done;
  for (int i = 0; i < 7; ++i) {
    done.insert(done.begin(), typed(cat("[ol-", i, "] DONE")));
    typed(cat("chatter ", i));
  }
  const MailFilter filter = of_type("DONE");
  EXPECT_EQ(kept(filter, "max", 3), Ids(done.begin(), done.begin() + 3));
  const auto rest = must(room().inbox({.filter = filter, .after_seq = done[2].seq(), .limit = 3}, caller("max"))).mails;
  ASSERT_EQ(rest.size(), 3u);
  EXPECT_EQ(rest[0].message.id, done[3]);
  EXPECT_FALSE(rest[0].message.body.empty()) << "what is kept is whole";
}

TEST_P(MailFilterTest, TellsNobodyWhatTheyMayNotRead) {
  const auto of_body = typed("about a thing", "Bead: ol-1"), of_subject = typed("[ol-1] MERGED nux", "Rig: beads");
  EXPECT_EQ(kept({.bead = "ol-1"}, "slit"), Ids{of_subject}) << "another agent sees headers, no bodies";
  EXPECT_EQ(kept({.bead = "ol-1"}, "overseer"), (Ids{of_subject, of_body}));
  must(Cares(town()).quarantine("nux", caller("overseer")));
  EXPECT_TRUE(kept({.bead = "ol-1"}).empty()) << "nothing of what somebody in quarantine said";
  EXPECT_TRUE(kept(of_type("MERGED")).empty());
  EXPECT_EQ(kept({.bead = "ol-1"}, "overseer").size(), 2u);
}

}  // namespace
}  // namespace townpost
