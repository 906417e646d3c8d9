#include "cli/sheet.h"

#include <gtest/gtest.h>

namespace townpost {
namespace {

using Names = std::vector<std::string>;

TEST(Sheet, IsReadBackAsItWasWritten) {
  const Sheet sheet{
      .to = {"mayor/", "@crew"}, .cc = {"overseer"}, .subject = "A: b", .text = "one\n\n  two\nTo: nobody"};
  const auto read = read_sheet(written(sheet));
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(read->to, sheet.to);
  EXPECT_EQ(read->cc, sheet.cc);
  EXPECT_EQ(read->subject, sheet.subject);
  EXPECT_EQ(read->text, sheet.text);
}

TEST(Sheet, BeginsItsTextBehindTheFirstEmptyLine) {
  EXPECT_EQ(read_sheet("To: a\n\n\nafter one more\n\n")->text, "\nafter one more");
  EXPECT_EQ(read_sheet("\ntext")->text, "text");
  EXPECT_EQ(read_sheet("To: a\r\n\r\ntext\r\n")->text, "text");
  EXPECT_EQ(read_sheet("To: a")->text, "");
  EXPECT_EQ(read_sheet("")->text, "");
}

TEST(Sheet, TakesNamesApartByCommas) {
  const auto read = read_sheet("TO:a,b , c,\ncc:\nSubject:  spaced  \n\nx");
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(read->to, (Names{"a", "b", "c"}));
  EXPECT_EQ(read->cc, Names());
  EXPECT_EQ(read->subject, "spaced");
}

TEST(Sheet, RefusesAHeadThatIsNone) {
  for (const char* text : {"hello\nthere\n", "To: a\nBcc: b\n\nx", "To a\n\nx"})
    EXPECT_EQ(read_sheet(text).error().code, Code::usage) << text;
}

}  // namespace
}  // namespace townpost
