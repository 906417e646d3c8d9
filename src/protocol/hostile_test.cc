// Text that was written to hurt: it is read, in time linear to its length.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text.h"
#include "protocol/reader.h"
#include "protocol/typed_message.h"

namespace townpost::protocol {
namespace {

constexpr std::size_t kMebibyte = std::size_t{1} << 20;

std::string repeated(std::string_view part) {
  std::string out;
  out.reserve(kMebibyte + part.size());
  while (out.size() < kMebibyte) out += part;
  return out;
}

const std::vector<std::string>& hostile_texts() {
  static const std::vector<std::string> kTexts = [] {
    std::vector<std::string> out;
    for (const std::string_view part : {"#",
                                        "##",
                                        "## ",
                                        "## \n",
                                        "## Problem\n",
                                        "## Problem\nx\n",
                                        "# \n",
                                        ":",
                                        ":\n",
                                        ": ",
                                        "a:",
                                        "Bead:\n",
                                        "Bead: \n",
                                        "Files touched:\n",
                                        "Files touched:\n- \n",
                                        "Files touched:\n\n",
                                        "Files touched:\n- a\n",
                                        "Files touched: ,,,\n",
                                        "Files:\n- Files:\n",
                                        "## Files Touched\n- a\n",
                                        "- ",
                                        "- - ",
                                        "-\n",
                                        "* Step:",
                                        " ",
                                        "\t",
                                        "\n",
                                        "\r",
                                        "\r\n",
                                        "\r\r\n",
                                        "\n\r",
                                        "e\u0301",
                                        "\u0301",
                                        "\xff",
                                        "\xc3",
                                        "\xf0\x9f",
                                        "\xed\xa0\x80",
                                        "\u0130",
                                        "\u212A",
                                        "\u1E9E",
                                        "\u00DF:\n",
                                        "## \u0130\n",
                                        "[",
                                        "]",
                                        "[]",
                                        "[:",
                                        "Re: ",
                                        "x: ",
                                        "[a-1] ",
                                        "a-1: ",
                                        "\U0001F91D",
                                        "1\uFE0F\u20E3",
                                        "DONE",
                                        "DONE ",
                                        "Step: x\n",
                                        "Context usage: 9",
                                        "Context usage: 99999999999999999999\n",
                                        "a,",
                                        ",",
                                        "%",
                                        "\""})
      out.push_back(repeated(part));
    out.push_back(std::string(kMebibyte, '\0'));
    out.push_back("Files touched:" + std::string(kMebibyte, '\n') + "- a");
    out.push_back("Bead: " + std::string(kMebibyte, 'x'));
    out.push_back("## " + std::string(kMebibyte, 'P') + "\nProblem");
    return out;
  }();
  return kTexts;
}

std::string_view start_of(const std::string& text) { return std::string_view(text).substr(0, 24); }

TEST(Hostile, AMebibyteOfAnythingIsReadAndNoByteOfItMoreThanAFewTimes) {
  for (const std::string& text : hostile_texts())
    for (const char* subject : {"HELP_REQUEST", "PROGRESS", "DONE", "REWORK_REQUEST nux", "nothing"}) {
      Parsed parsed;
      const RawMessage letter{subject, text};
      Reader reader(TypeRegistry::built_in(), letter, {.strictness = Strictness::strict}, parsed);
      reader.read();
      ASSERT_TRUE(is_utf8(parsed.text())) << start_of(text);
      // A replaced byte has three, so the text that is read may be longer than the one that was sent.
      const std::size_t size = is_utf8(text) ? text.size() : 3 * text.size();
      EXPECT_LE(reader.bytes_looked_at(), 3 * (size + 1)) << start_of(text);
    }
}

TEST(Hostile, AMebibyteOfAnythingIsASubject) {
  for (const std::string& text : hostile_texts())
    for (const Compat compat : {Compat::none, Compat::agentops}) {
      const Parsed parsed = parse(TypeRegistry::built_in(), {text, ""}, {.compat = compat});
      ASSERT_TRUE(is_utf8(parsed.topic())) << start_of(text);
    }
}

TEST(Hostile, BatchesOfItAreAnswered) {
  for (const std::string& text : hostile_texts()) {
    const auto batch = read_batch(TypeRegistry::built_in(),
                                  to_line(JsonArray{JsonObject{{"subject", "DONE"}, {"body_md", to_utf8(text)}}}));
    ASSERT_TRUE(batch.has_value()) << start_of(text);
    ASSERT_EQ(batch->messages(), 1u);
  }
}

TEST(Hostile, NulIsACharacterLikeAnyOther) {
  const std::string body("Step: a\0b\nStatus:\0\n", 19);
  const Parsed parsed = parse(TypeRegistry::built_in(), {std::string_view("PROGRESS\0x", 10), body});
  EXPECT_EQ(parsed.type_name(), "UNKNOWN");
  EXPECT_EQ(parse(TypeRegistry::built_in(), {"PROGRESS", body}).value("step"), std::string_view("a\0b", 3));
  EXPECT_EQ(parse(TypeRegistry::built_in(), {"PROGRESS", body}).value("status"), std::string_view("\0", 1));
}

RC_GTEST_PROP(Hostile, AnyBytesGiveAMessageInUtf8,
              (const std::string& subject, const std::vector<std::string>& lines)) {
  const std::string body = join(lines, "\n");
  for (const char* type : {"", "HELP_REQUEST", "MERGED"}) {
    const Parsed parsed = parse(TypeRegistry::built_in(), {subject, body, type}, {.strictness = Strictness::strict});
    RC_ASSERT(is_utf8(to_line(parsed.json())));
    for (const Problem& problem : parsed.problems()) RC_ASSERT(is_utf8(problem.message));
  }
}

}  // namespace
}  // namespace townpost::protocol
