#include "protocol/subject.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text.h"
#include "protocol/type_registry.h"

namespace townpost::protocol {
namespace {

Subject read(std::string_view subject) { return read_subject(TypeRegistry::built_in(), subject); }

std::string_view type_of(std::string_view subject) {
  const Subject found = read(subject);
  return found.type ? found.type->name : "UNKNOWN";
}

TEST(Subject, TheWholeTokenNamesTheType) {
  EXPECT_EQ(type_of("DONE"), "DONE");
  EXPECT_EQ(type_of("POLECAT_DONE nux"), "POLECAT_DONE");
  EXPECT_EQ(type_of("MERGE_FAILED nux"), "MERGE_FAILED");
  EXPECT_EQ(type_of("MERGE_READY greenplace/nux"), "MERGE_READY");
  for (const char* other : {"DONE!", "DONE, at last", "UNDONE", "DONE_", "**DONE**", "DONE\u2705", "\"DONE\""})
    EXPECT_EQ(type_of(other), "UNKNOWN") << other;
}

TEST(Subject, OrdinarySentencesNameNoType) {
  for (const char* subject :
       {"Abandoned work", "Done with the parser", "Merged main into dev", "done with it", "Help wanted",
        "Progress on the parser", "I am DONE", "a DONE thing", "", "   ", ":", "[]"})
    EXPECT_EQ(type_of(subject), "UNKNOWN") << subject;
}

TEST(Subject, AnotherCaseCountsBehindAnIdBeforeAColonAndAlone) {
  EXPECT_EQ(type_of("[ol-1] done"), "DONE");
  EXPECT_EQ(type_of("ol-1: Done it"), "DONE");
  EXPECT_EQ(type_of("done: the parser"), "DONE");
  EXPECT_EQ(type_of("Help: stuck"), "HELP");
  EXPECT_EQ(type_of("  done "), "DONE");
  EXPECT_EQ(type_of("Re: \u2705 done"), "DONE");
  // What was stripped here is no id.
  EXPECT_EQ(type_of("[urgent] done"), "UNKNOWN");
  EXPECT_EQ(type_of("note: done"), "UNKNOWN");
  EXPECT_EQ(type_of("note: done it"), "UNKNOWN");
  EXPECT_EQ(type_of("[urgent] DONE"), "DONE");
  EXPECT_EQ(type_of("note: DONE it"), "DONE");
}

TEST(Subject, WhatStandsBeforeTheTypeIsStrippedAsOftenAsItComes) {
  for (const char* subject :
       {"  DONE", "\tDONE", "Re: DONE", "RE: Re: Fwd: DONE", "fw:DONE", "\U0001F91D DONE", "\u2705\uFE0F DONE",
        "1\uFE0F\u20E3 DONE", "[a] [b] DONE", "[]DONE", "Re: [x] \U0001F6A8 note: [y] DONE", "\u00A0DONE", "\u3000DONE",
        "\uFEFFDONE", "12:30: DONE", "Re[2]: DONE", "[ol-1]: DONE", "[urgent]:DONE", "\U0001F469\u200D\U0001F4BB DONE"})
    EXPECT_EQ(type_of(subject), "DONE") << subject;
  EXPECT_EQ(type_of("\U0001F91D HANDOFF: Schema work"), "HANDOFF");
  // No token: a stray colon, a bracket that never closes, a word that is not followed by a colon.
  for (const char* subject : {": DONE", "[DONE", "[a DONE", "ol-527.1 : DONE", "x DONE"})
    EXPECT_EQ(type_of(subject), "UNKNOWN") << subject;
}

TEST(Subject, TheTopicIsWhatFollowsTheType) {
  EXPECT_EQ(read("HELP: stuck on: tests ").topic, "stuck on: tests");
  EXPECT_EQ(read("RECOVERED_BEAD   gt-a  ").topic, "gt-a");
  EXPECT_EQ(read("MERGE_READY : nux").topic, "nux");
  EXPECT_EQ(read("DONE\u00A0x").topic, "x") << "white space of any script parts it from the type";
  EXPECT_EQ(read("HELP:\u3000x").topic, "x");
  EXPECT_EQ(read("DONE").topic, "");
  EXPECT_EQ(read("hello").topic, "");
}

TEST(Subject, AnIdIsTakenFromWhatWasStrippedIfItLooksLikeOne) {
  EXPECT_EQ(read("[ol-527.1] DONE").id(), "ol-527.1");
  EXPECT_EQ(read("[hq-q-build] DONE").id(), "hq-q-build");
  EXPECT_EQ(read("ol-527.1: DONE").id(), "ol-527.1");
  EXPECT_EQ(read("Re: [tag] [ol-1] [ol-2] DONE").id(), "ol-1");
  EXPECT_EQ(read("ol-1: [ol-2] DONE").id(), "ol-2") << "brackets count before the prefix";
  EXPECT_EQ(read("[ol-1] what now?").id(), "ol-1") << "also without a type";
  for (const char* subject :
       {"[] DONE", "[ol] DONE", "[ol-] DONE", "[-1] DONE", "[ol--1] DONE", "[ol 1-2] DONE", "[o.l-1] DONE",
        "[\u00F6l-1] DONE", "ol-527-1: DONE", "ol_1-2: DONE", "DONE ol-1: x", "ol-1 DONE"})
    EXPECT_EQ(read(subject).id(), "") << subject;
}

TEST(Subject, NamesOfTheDirectoryDialectAreOrdinaryWordsHere) {
  EXPECT_EQ(type_of("coordination: lunch"), "UNKNOWN");
  EXPECT_EQ(type_of("WORK_ASSIGNMENT x"), "UNKNOWN");
}

TEST(Subject, OnlyAsciiLettersSpellAType) {
  EXPECT_EQ(type_of("CHEC\u212APOINT: x"), "UNKNOWN") << "the Kelvin sign is no K";
  EXPECT_EQ(type_of("\u0130: DONE"), "DONE");
}

TEST(Subject, LikeAgentopsAnyPartOfItWillDoInTheOrderOfThatParser) {
  const auto type_like_agentops = [](std::string_view subject) {
    const Subject found = read_subject_like_agentops(TypeRegistry::built_in(), subject);
    return found.type ? found.type->name : "UNKNOWN";
  };
  EXPECT_EQ(type_like_agentops("POLECAT_DONE nux"), "DONE");
  EXPECT_EQ(type_like_agentops("MERGE_FAILED nux"), "FAILED");
  EXPECT_EQ(type_like_agentops("Abandoned work"), "DONE");
  EXPECT_EQ(type_like_agentops("DONE FAILED PROGRESS"), "PROGRESS");
  EXPECT_EQ(type_like_agentops("DONE, see SPAWN_ACK"), "SPAWN_ACK");
  EXPECT_EQ(type_like_agentops("MERGED nux"), "UNKNOWN") << "it knows its own ten only";
  EXPECT_EQ(read_subject_like_agentops(TypeRegistry::built_in(), "[ol-1] all done: x").id(), "ol-1");
}

TEST(Subject, IsWrittenWithIdAndTopicWhereTheyAreThere) {
  const TypeRegistry& registry = TypeRegistry::built_in();
  EXPECT_EQ(write_subject(*registry.find("DONE"), "ol-1", ""), "[ol-1] DONE");
  EXPECT_EQ(write_subject(*registry.find("DONE"), "not an id", "x"), "DONE x");
  EXPECT_EQ(write_subject(*registry.find("HELP"), "", "stuck"), "HELP: stuck");
  EXPECT_EQ(write_subject(*registry.find("HELP"), "", ""), "HELP");
  EXPECT_EQ(write_subject(*registry.find("HANDOFF"), "", "x"), "\U0001F91D HANDOFF: x");
  EXPECT_EQ(write_subject(*registry.find("coordination"), "", "lunch"), "lunch");
}

RC_GTEST_PROP(Subject, EveryBuiltInTypeIsNamedByTheSubjectItAsksFor, ()) {
  const auto& types = TypeRegistry::built_in().types();
  const ProtocolType& type = **rc::gen::elementOf(types);
  RC_PRE(type.named_by_subject());
  const std::string id = *rc::gen::element<std::string>("", "ol-1", "hq-q-x.2");
  const std::string topic = *rc::gen::element<std::string>("", "nux", "rig/nux", "several words: here");
  const std::string subject = write_subject(type, id, topic);
  const Subject found = read(subject);
  RC_ASSERT(found.type == &type);
  RC_ASSERT(found.topic == topic);
}

}  // namespace
}  // namespace townpost::protocol
