// What a quarantine and a hold keep from agents, and that both give it back.
#include "contract/nudge_fixture.h"
#include "post/lists/channels.h"
#include "post/lists/claims.h"
#include "post/lists/queues.h"
#include "post/nudge/announce.h"
#include "post/nudge/cares.h"
#include "store/sql_store.h"
#include "support/database_behind.h"

namespace townpost {
namespace {

using std::chrono::hours;

class QuarantineTest : public NudgeTest {
 protected:
  Cares cares() { return Cares(town()); }
  Announcement announced_to(std::string_view who) { return must(announce(town(), caller(who), Compaction::no)); }
  std::int64_t waiting_for(std::string_view who) { return must(room().waiting_now(agent_of(who))).unread; }
  void quarantine(std::string_view who) { must(cares().quarantine(who, {})); }
};
ON_EVERY_STORE(QuarantineTest);

TEST_P(QuarantineTest, OffersNothingOfItAndGivesItBackLater) {
  const auto evil = send("slit", "nux", "evil subject").message;
  quarantine("slit");
  send("slit", "nux", "evil afterwards");
  EXPECT_EQ(waiting_for("nux"), 0);
  EXPECT_FALSE(must(room().first_unread(caller("nux"))).has_value());
  EXPECT_EQ(announced_to("nux").text, "");
  EXPECT_FALSE(must(room().news_for(agent_of("nux"))).arrived);
  EXPECT_FALSE(copy_of(evil.id, "nux").delivered_at.has_value());
  const auto good = send("max", "nux", "good subject").message;
  EXPECT_EQ(waiting_for("nux"), 1) << "what others send is not touched";
  EXPECT_EQ(must(room().first_unread(caller("nux")))->message.id, good.id);
  must(cares().lift_quarantine("slit", {}));
  EXPECT_EQ(waiting_for("nux"), 3);
  EXPECT_NE(announced_to("nux").text.find("evil subject"), std::string::npos);
}

TEST_P(QuarantineTest, IsShownToPeopleOnly) {
  const auto evil = send("slit", "nux", "evil subject").message;
  quarantine("slit");
  EXPECT_EQ(error_of(room().read(evil.id, Mailroom::Ack::no, caller("nux"))).code, Code::forbidden);
  EXPECT_FALSE(copy_of(evil.id, "nux").delivered_at.has_value());
  EXPECT_EQ(subjects("nux"), Strings{"withheld: beads/polecats/slit is quarantined"});
  EXPECT_EQ(inbox("nux").at(0).message.body, "");
  EXPECT_EQ(must(room().thread(evil.thread, caller("nux"))).mails.at(0).message.body, "");
  EXPECT_EQ(must(room().search({.text = "evil"}, caller("nux"))).total, 0);
  EXPECT_EQ(must(room().read(evil.id, Mailroom::Ack::no, caller("overseer"))).message.subject, "evil subject");
  EXPECT_EQ(must(room().read(evil.id, Mailroom::Ack::no, caller("slit"))).message.subject, "evil subject")
      << "it may read what it wrote";
}

TEST_P(QuarantineTest, CountsMailForAPreviousHolderOnce) {
  Letter about = letter("nux", "for whoever has it");
  about.bead = "be-1";
  send("slit", about);
  send("slit", "nux", "another");
  set_care("nux", [](Care& care) { care.holds = HeldBead::told("be-2"); });
  EXPECT_EQ(waiting_for("nux"), 1);
  quarantine("slit");
  EXPECT_EQ(waiting_for("nux"), 0);
}

TEST_P(QuarantineTest, IsPassedOverByWhoeverClaims) {
  must(Queues(town()).create({.name = "work", .claimers = "*"}));
  const auto evil = send("slit", "queue:work", "evil work").message;
  const auto good = send("max", "queue:work", "good work").message;
  quarantine("slit");
  Claims claims(town());
  EXPECT_EQ(must(claims.claim("work", caller("nux"))).value().message.id, good.id);
  EXPECT_FALSE(must(claims.claim("work", caller("nux"))).has_value());
  must(cares().lift_quarantine("slit", {}));
  EXPECT_EQ(must(claims.claim("work", caller("nux"))).value().message.id, evil.id);
}

TEST_P(QuarantineTest, HoldsWorkBackWhereverItComesFrom) {
  must(Queues(town()).create({.name = "work", .claimers = "*", .lease = std::chrono::minutes(10)}));
  Claims claims(town());
  const auto claimed = [&] { return must(claims.claim("work", caller("nux"))); };
  const auto in_hand = send("slit", "queue:work", "in somebody's hands").message;
  ASSERT_EQ(claimed()->message.id, in_hand.id);
  quarantine("slit");
  const auto later = send("slit", "queue:work", "sent afterwards").message;
  must(claims.release(in_hand.id, caller("nux")));
  EXPECT_FALSE(claimed().has_value()) << "neither what came back nor what came since";
  EXPECT_EQ(must(Queues(town()).show("work")).counts.available, 2) << "it waits there";
  must(registry().alias("beads/polecats/slit", "beads/crew/max"));
  const auto by_the_heir = send("max", "queue:work", "of both").message;
  EXPECT_FALSE(claimed().has_value()) << "a merge keeps the stricter of two";
  must(cares().lift_quarantine("max", {}));
  std::vector<MessageId> got;
  while (const auto mail = claimed()) got.push_back(mail->message.id);
  EXPECT_EQ(got, (std::vector<MessageId>{in_hand.id, later.id, by_the_heir.id}));
}

/// Notes how its database would find what a claim takes.
class PlansOfClaims final : public DatabaseBehind {
 public:
  PlansOfClaims(std::unique_ptr<Database> real, Strings& plan) : DatabaseBehind(std::move(real)), plan_(plan) {}
  Result<std::int64_t> execute(Sql sql, std::span<const Param> params, const RowSink& sink) override {
    if (sql.text().starts_with("UPDATE queue_item SET state = 1,"))
      TRY_VOID(DatabaseBehind::execute(Sql::kept(cat("EXPLAIN QUERY PLAN ", sql.text())), params, [&](const Row& row) {
        plan_.push_back(row.string(3));
        return Next::go_on;
      }));
    return DatabaseBehind::execute(sql, params, sink);
  }

 private:
  Strings& plan_;
};

/// On SQLite alone: a plan of PostgreSQL depends on what it has counted.
class QuarantinedWork : public QuarantineTest {};
INSTANTIATE_TEST_SUITE_P(, QuarantinedWork, ::testing::Values(store_kinds().front()),
                         [](const auto& kind) { return kind.param.name; });

TEST_P(QuarantinedWork, IsNotWalkedPastByAClaim) {  // its index has no job that is withheld
  must(Queues(town()).create({.name = "work", .claimers = "*"}));
  send("slit", "queue:work", "evil work");
  quarantine("slit");
  const auto looks_for = [&] {
    const auto id = send("max", "queue:work", "good work").message.id;
    Strings plan;
    SqlStore store(std::make_unique<PlansOfClaims>(connect(), plan), nullptr);
    Town other{town().folder, town().settings, store, town().bell, town().machine, town().clock, town().random};
    EXPECT_EQ(must(Claims(other).claim("work", caller("nux")))->message.id, id);
    return plan;
  };
  const auto plan = looks_for();
  ASSERT_FALSE(plan.empty());
  const auto of_items = std::find_if(plan.begin(), plan.end(), [](const std::string& line) {
    return line.find("queue_item_available (queue=?)") != line.npos;
  });
  EXPECT_NE(of_items, plan.end()) << join(plan, "\n");
  for (const auto* other : {"SEARCH m ", "SEARCH q ", "SCAN", "TEMP B-TREE"})
    EXPECT_EQ(join(plan, "\n").find(other), std::string::npos) << join(plan, "\n");
}

TEST_P(QuarantineTest, LeavesOnlyThePlacesOfItsPosts) {
  Channels channels(town());
  must(channels.create("builds", {}, {}));
  send("slit", "channel:builds", "evil post");
  send("max", "channel:builds", "good post");
  quarantine("slit");
  const auto posts = must(channels.read("builds", {}, caller("nux"))).posts;
  ASSERT_EQ(posts.size(), 2U);
  EXPECT_EQ(posts[0].subject, "withheld: beads/polecats/slit is quarantined");
  EXPECT_EQ(posts[0].body, "");
  EXPECT_EQ(posts[1].subject, "good post");
  EXPECT_EQ(must(channels.read("builds", {}, caller("overseer"))).posts[0].subject, "evil post");
}

TEST_P(QuarantineTest, IsForAgents) { EXPECT_EQ(error_of(cares().quarantine("overseer", {})).code, Code::refused); }

TEST_P(QuarantineTest, AHoldPutsNothingIntoPromptsAndForgetsNothing) {
  send("max", "nux", "while held");
  must(cares().hold("nux", hours(1), {}));
  EXPECT_EQ(announced_to("nux").text, "");
  EXPECT_TRUE(announced_to("nux").offered.empty());
  EXPECT_EQ(waiting_for("nux"), 1) << "asked, it is told the truth";
  must(cares().release("nux", {}));
  EXPECT_NE(announced_to("nux").text.find("while held"), std::string::npos);
}

TEST_P(QuarantineTest, NorDoesOneWhoDoesNotWantToBeDisturbed) {
  send("max", "nux", "while busy");
  must(cares().disturb_not("nux", hours(1), {}));
  EXPECT_EQ(announced_to("nux").text, "");
  must(cares().disturb_again("nux", {}));
  EXPECT_NE(announced_to("nux").text.find("while busy"), std::string::npos);
}

}  // namespace
}  // namespace townpost
