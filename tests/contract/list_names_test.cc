// Names of groups, queues and channels among each other and among agents; what a bare name means.
#include "base/advice.h"
#include "contract/lists_fixture.h"

namespace townpost {
namespace {

class ListNamesTest : public ListsTest {
 protected:
  enum class Kind { group, queue, channel };
  static constexpr Kind kKinds[] = {Kind::group, Kind::queue, Kind::channel};
  static std::string word(Kind kind) {
    return kind == Kind::group ? "group" : kind == Kind::queue ? "queue" : "channel";
  }
  Result<> make(Kind kind, const std::string& name) {
    if (kind == Kind::group) {
      TRY_VOID(groups().create(name, {"max"}, caller("overseer")));
    } else if (kind == Kind::queue) {
      TRY_VOID(queues().create({.name = name}));
    } else {
      TRY_VOID(channels().create(name, {}, caller("overseer")));
    }
    return {};
  }
};
ON_EVERY_STORE(ListNamesTest);

TEST_P(ListNamesTest, NamesHaveAForm) {
  for (const auto kind : kKinds) {
    const std::string longest = word(kind).substr(0, 1) + std::string(63, 'x');
    must(make(kind, longest));
    for (const std::string& bad : {std::string(), std::string(65, 'x'), std::string("-x"), std::string("_x"),
                                   std::string("X"), std::string("a.b"), std::string("a/b"), std::string("a b"),
                                   std::string("@x"), std::string("queue:x"), std::string("é"), std::string("a\n")}) {
      const Error error = error_of(make(kind, bad));
      EXPECT_EQ(error.code, Code::usage) << word(kind) << " \"" << bad << "\"";
      EXPECT_NE(advice(error), "");
    }
  }
}

TEST_P(ListNamesTest, WordsOfTheAddressGrammarAreNoNames) {
  for (const auto kind : kKinds)
    for (const auto* taken : {"mayor", "deacon", "witness", "refinery", "crew", "polecats", "dogs", "overseer", "user",
                              "hq", "town", "witnesses", "refineries", "rig", "townpost"})
      EXPECT_EQ(error_of(make(kind, taken)).code, Code::usage) << word(kind) << " " << taken;
}

// G167
TEST_P(ListNamesTest, TheSameNameTwiceAlreadyExists) {
  for (const auto kind : kKinds) {
    must(make(kind, word(kind) + "-1"));
    const Error error = error_of(make(kind, word(kind) + "-1"));
    EXPECT_EQ(error.code, Code::refused);
    EXPECT_TRUE(has(error.message, "already exists")) << error.message;
  }
}

TEST_P(ListNamesTest, OneNameIsOneThing) {
  for (const auto first : kKinds)
    for (const auto second : kKinds) {
      if (first == second) continue;
      const std::string name = cat(word(first), "-before-", word(second));
      must(make(first, name));
      const Error error = error_of(make(second, name));
      EXPECT_EQ(error.code, Code::refused) << name;
      EXPECT_TRUE(has(error.message, cat("of a ", word(first)))) << error.message;
    }
}

TEST_P(ListNamesTest, ANameOfAnAgentOrWorkerOrAliasIsTaken) {
  register_agent("coder");
  must(registry().alias("writer-old", "coder"));
  for (const auto kind : kKinds)
    for (const auto* taken : {"coder", "max", "nux", "writer-old"}) {
      const Error error = error_of(make(kind, taken));
      EXPECT_EQ(error.code, Code::refused) << word(kind) << " " << taken;
      EXPECT_NE(advice(error), "");
    }
}

TEST_P(ListNamesTest, AnAgentCannotTakeTheNameOfAList) {
  register_agent("somebody");
  for (const auto kind : kKinds) {
    const std::string name = word(kind) + "-1";
    must(make(kind, name));
    EXPECT_EQ(error_of(registry().add_agent({.address = name}, {})).code, Code::refused) << name;
    EXPECT_EQ(error_of(registry().alias("somebody", name)).code, Code::refused) << name;
    const auto first_write = office().send(letter("max"), {must(Address::parse(name)), Grade::env});
    EXPECT_EQ(error_of(first_write).code, Code::refused) << name;
  }
}

TEST_P(ListNamesTest, AnAgentThatComesBackCannotTakeTheNameOfAList) {
  for (const auto kind : kKinds) {
    const std::string name = word(kind) + "-1";
    register_agent(name);
    must(registry().remove_agent(name));
    must(make(kind, name));
    EXPECT_FALSE(registry().add_agent({.address = name}, {}).has_value()) << name << " is two things now";
  }
}

TEST_P(ListNamesTest, CreateOnSendMeansTheListThatIsThere) {
  must(make(Kind::queue, "dispatch"));
  Letter what = letter("dispatch");
  what.unknown = Unknown::create;
  send("nux", what);
  EXPECT_EQ(counts("dispatch").available, 1);
}

TEST_P(ListNamesTest, AWorkerOfThatNameMakesTheBareNameAmbiguous) {
  for (const auto kind : kKinds) {
    const std::string name = word(kind) + "-1";
    must(make(kind, name));
    register_agent("beads/polecats/" + name);
    const Error error = refusal("nux", name);
    EXPECT_EQ(error.code, Code::usage);
    EXPECT_TRUE(has(error.message, name)) << error.message;
    EXPECT_TRUE(has(error.hint, "agent:" + name) && has(error.hint, cat(word(kind), ":", name))) << error.hint;
    EXPECT_EQ(send("nux", "agent:" + name).message.to, Strings{"beads/polecats/" + name});
    EXPECT_EQ(send("nux", cat(word(kind), ":", name)).message.to, Strings{cat(word(kind), ":", name)});
    EXPECT_EQ(send("nux", "beads/" + name).message.to, Strings{"beads/polecats/" + name});
  }
}

TEST_P(ListNamesTest, ABareNameMayBeAnyOfThem) {
  for (const auto kind : kKinds) {
    const std::string name = word(kind) + "-1";
    must(make(kind, name));
    EXPECT_EQ(send("nux", name).message.to, Strings{cat(word(kind), ":", name)});
    EXPECT_EQ(refusal("nux", "agent:" + name).code, Code::not_found) << "said to be an agent";
  }
}

// G175
TEST_P(ListNamesTest, WhatIsNotThereIsToldByItsKind) {
  for (const auto kind : kKinds) {
    must(make(kind, word(kind) + "-name"));
    const Error error = refusal("nux", word(kind) + ":" + word(kind) + "-nam");
    EXPECT_EQ(error.code, Code::not_found);
    EXPECT_TRUE(has(error.message, word(kind) + " not found")) << error.message;
    EXPECT_TRUE(has(error.hint, word(kind) + "-name")) << error.hint;
  }
}

TEST_P(ListNamesTest, TheSignIsForGroupsOnly) {
  must(make(Kind::queue, "dispatch"));
  must(make(Kind::channel, "builds"));
  EXPECT_EQ(refusal("nux", "@dispatch").code, Code::not_found);
  EXPECT_EQ(refusal("nux", "@builds").code, Code::not_found);
}

TEST_P(ListNamesTest, ALetterGoesToOneQueueAndOneChannelAtMost) {
  for (const auto* name : {"q1", "q2"}) must(make(Kind::queue, name));
  for (const auto* name : {"c1", "c2"}) must(make(Kind::channel, name));
  for (const Strings& to : {Strings{"q1", "q2"}, Strings{"c1", "c2"}}) {
    const Error error = error_of(office().send({{.subject = "s", .body = "b"}, to}, caller("nux")));
    EXPECT_EQ(error.code, Code::usage);
    EXPECT_NE(advice(error), "");
  }
  const Receipt receipt = send("nux", {{.subject = "s", .body = "b"}, {"q1", "queue:q1", "c1", "max"}});
  EXPECT_EQ(receipt.message.to, (Strings{"queue:q1", "channel:c1", "beads/crew/max"}));
  EXPECT_EQ(counts("q1").available, 1);
  EXPECT_EQ(counts("q2").available, 0);
  EXPECT_EQ(on_channel("c1"), Strings{"s"});
  EXPECT_EQ(inbox("max").size(), 1u);
}

TEST_P(ListNamesTest, TheDirectoryListsThemByKind) {
  must(make(Kind::queue, "dispatch"));
  must(make(Kind::channel, "builds"));
  must(make(Kind::group, "ops"));
  Strings lists;
  for (const auto& entry : must(room().directory({})))
    if (has(entry.address, ":")) lists.push_back(entry.type + " " + entry.address);
  EXPECT_EQ(lists, (Strings{"channel channel:builds", "group group:ops", "queue queue:dispatch"}));
}

TEST_P(ListNamesTest, ALiveSessionOfTheNameOfAListIsNotRegistered) {
  must(make(Kind::queue, "dispatch"));
  machine().live.insert("dispatch");
  send("nux", "dispatch");
  EXPECT_EQ(counts("dispatch").available, 1);
}

}  // namespace
}  // namespace townpost
