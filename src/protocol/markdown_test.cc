#include "protocol/markdown.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/text.h"

namespace townpost::protocol {
namespace {

constexpr std::string_view kBegin = "<!-- types: made by registry_markdown -->\n";
constexpr std::string_view kEnd = "<!-- end of types -->";

TEST(Markdown, DocsShowTheTypesTheProgramKnows) {
  const auto docs = read_file(TOWNPOST_SOURCE_DIR "/docs/protocol.md");
  ASSERT_TRUE(docs.has_value()) << docs.error().message;
  const std::size_t begin = docs->find(kBegin), end = docs->find(kEnd);
  ASSERT_TRUE(begin != std::string::npos && end != std::string::npos && begin < end);
  const std::string made = registry_markdown(TypeRegistry::built_in());
  EXPECT_EQ(docs->substr(begin + kBegin.size(), end - begin - kBegin.size()), made)
      << "put this between the two marks of docs/protocol.md:\n"
      << made;
}

TEST(Markdown, SaysWhatAFieldIs) {
  const std::string made = registry_markdown(TypeRegistry::built_in());
  for (const char* part :
       {"| `POLECAT_DONE` |", "polecat → witness",
        "`Exit:`\\* (`MERGED\\|ESCALATED\\|DEFERRED\\|COMPLETED\\|PHASE_COMPLETE`)",
        "`MR:` (required if `exit = MERGED`)", "`Conflict-Files:`\\* (list)",
        "`Commit:` → `commit_sha` (in `## Changes`)", "`Status:` (always `FAILED`)",
        "`Reason:`\\* → `checkpoint_reason` (`CONTEXT_HIGH\\|MANUAL\\|TIMEOUT`, before the first section)",
        "acknowledgement required", "transient", "travels as a nudge", "| free |"})
    EXPECT_NE(made.find(part), std::string::npos) << part;
}

TEST(Markdown, ATypeOfATownCannotBreakTheTable) {
  TypeRegistry registry = TypeRegistry::built_in();
  ASSERT_TRUE(registry.add("[types.AA]\nsummary = \"a | b `c\"\nfields.\"x|`y\" = \"text, as z\"\n", "t.toml").empty());
  EXPECT_NE(registry_markdown(registry).find("| `AA` | a \\| b 'c | `AA <topic>` | any → any | `x\\|'y:` → `z` |  |\n"),
            std::string::npos)
      << registry_markdown(registry);
}

}  // namespace
}  // namespace townpost::protocol
