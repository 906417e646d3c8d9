// What a message's type changes about its mail: the thread it lives in, where it goes, whether it is news.
#include "post/mail/typed_mail.h"

#include "contract/town_fixture.h"

namespace townpost {
namespace {

class TypedMailTest : public TownTest {
 protected:
  Message typed(std::string_view from, const std::string& subject, const std::string& body,
                const std::string& to = "max") {
    Letter what = letter(to, subject);
    what.body = body;
    return send(from, what).message;
  }
  /// Where a letter of that type goes which names nobody.
  Result<std::string> route(const std::string& type, std::string_view from, std::optional<MessageId> answers = {}) {
    return route_of(town(), *town().settings.types.find(type), answers, caller(from));
  }
};
ON_EVERY_STORE(TypedMailTest);

TEST_P(TypedMailTest, LivesInTheThreadOfItsBead) {
  EXPECT_EQ(typed("nux", "DONE", "Bead: ol-1").thread, "ol-1");
  EXPECT_EQ(typed("nux", "[ol-2] PROGRESS", "Step: s").thread, "ol-2");
  EXPECT_EQ(typed("nux", "SPAWN_REQUEST", "Issue: ol-3").thread, "ol-3");
}

TEST_P(TypedMailTest, WithoutABeadHasAThreadOfItsOwnWhateverItsFieldsSay) {
  const std::string body = "## Summary\nTests pass";
  const Message first = typed("nux", "DONE", body), second = typed("slit", "DONE", body);
  EXPECT_TRUE(is_made_thread(first.thread)) << first.thread;
  EXPECT_TRUE(is_made_thread(second.thread)) << second.thread;
  EXPECT_NE(first.thread, second.thread);
  EXPECT_EQ(error_of(room().look(first.id, caller("slit"))).code, Code::forbidden);
}

TEST_P(TypedMailTest, LivesInNoThreadWhoseNameIsNoShortWord) {
  EXPECT_TRUE(is_made_thread(typed("nux", "DONE", "Bead: " + std::string(5000, 'x')).thread));
  EXPECT_TRUE(is_made_thread(typed("nux", "DONE", "Bead: what we spoke about").thread));
}

TEST_P(TypedMailTest, DoesNotEnterTheThreadOfOthersByCallingItABead) {
  const Message secret = send("slit", "max", "between us").message;
  const Message sly = typed("nux", "DONE", "Bead: " + secret.thread);
  EXPECT_NE(sly.thread, secret.thread);
}

TEST_P(TypedMailTest, ForWhoeverHelpsGoesToTheEscalationTarget) {
  EXPECT_EQ(must(route("HELP", "nux")), "mayor/");
  town().settings.escalation = must(Address::parse("overseer"));
  EXPECT_EQ(must(route("HELP", "nux")), "overseer");
  EXPECT_EQ(must(route("ALERT", "beads/witness")), "overseer");
  EXPECT_EQ(must(route("RECOVERED_BEAD", "beads/witness")), "deacon/") << "what has its own route keeps it";
}

TEST_P(TypedMailTest, ForARoleGoesToTheAgentOfThatName) {
  const auto nobody = error_of(route("HELP_REQUEST", "nux"));
  EXPECT_EQ(nobody.code, Code::usage);
  EXPECT_NE(nobody.message.find("HELP_REQUEST goes to chiron"), std::string::npos) << nobody.message;
  register_agent("chiron");
  EXPECT_EQ(must(route("HELP_REQUEST", "nux")), "chiron");
  register_agent("alpha/crew/orchestrator");
  EXPECT_EQ(must(route("DONE", "nux")), "alpha/crew/orchestrator");
  register_agent("beads/crew/orchestrator");
  EXPECT_EQ(error_of(route("DONE", "nux")).code, Code::usage) << "two have that name";
}

TEST_P(TypedMailTest, ForARoleGoesWhereTheTownSays) {
  register_agent("chiron");
  town().settings.role_addresses = {{"chiron", "beads/crew/max"}, {"spawner", "queue:spawns"}};
  EXPECT_EQ(must(route("HELP_REQUEST", "nux")), "beads/crew/max");
  EXPECT_EQ(must(route("SPAWN_REQUEST", "max")), "queue:spawns");
}

TEST_P(TypedMailTest, ThatAnswersGoesBackToWhoAsked) {
  const Message asked = typed("nux", "HELP_REQUEST", "Bead: ol-1\nIssue Type: STUCK\n\n## Problem\nx");
  EXPECT_EQ(must(route("HELP_RESPONSE", "max", asked.id)), "beads/polecats/nux");
  EXPECT_EQ(must(route("SPAWN_ACK", "max", asked.id)), "beads/polecats/nux");
  EXPECT_EQ(error_of(route("HELP_RESPONSE", "max")).code, Code::usage) << "to whom?";
  EXPECT_EQ(error_of(route("HELP_RESPONSE", "slit", asked.id)).code, Code::forbidden) << "it is not slit's to see";
  EXPECT_EQ(error_of(route("DONE", "max", asked.id)).code, Code::usage) << "DONE is no answer";
  must(registry().alias("beads/polecats/nux", "beads/polecats/nuxine"));
  EXPECT_EQ(must(route("HELP_RESPONSE", "max", asked.id)), "beads/polecats/nuxine") << "by the name it has now";
}

}  // namespace
}  // namespace townpost
