#include "ops/service_unit.h"

#include <gtest/gtest.h>

namespace townpost::ops {
namespace {

std::string unit(const std::string& town, std::map<std::string, std::string> variables = {}) {
  return service_unit("/usr/bin/gt", town, FixedEnvironment(std::move(variables), "/")).value();
}
bool has_line(const std::string& text, const std::string& line) {
  return text.find("\n" + line + "\n") != std::string::npos;
}

TEST(ServiceUnit, RunsTheProgramForTheTown) {
  EXPECT_TRUE(has_line(unit("/home/me/town"), R"(ExecStart=:"/usr/bin/gt" up --replace --town "/home/me/town")"));
}

TEST(ServiceUnit, KeepsAPathWhateverItHas) {
  EXPECT_TRUE(has_line(unit("/a b\"c\\d%e$HOME\nExecStartPre=x\xff"),
                       R"(ExecStart=:"/usr/bin/gt" up --replace --town "/a b\"c\\d%%e$HOME\x0aExecStartPre=x\xff")"));
  EXPECT_TRUE(has_line(unit("/schön"), R"(ExecStart=:"/usr/bin/gt" up --replace --town "/schön")"));
}

TEST(ServiceUnit, HasNoLineThatAPathWrote) {
  const auto text = unit("/x\n[Service]\nExecStartPre=/bin/evil\\", {{"PATH", "/bin:/y\nExecStartPre=/bin/evil"}});
  EXPECT_EQ(text.find("\nExecStartPre"), std::string::npos) << text;
  EXPECT_EQ(text.find("\\\n"), std::string::npos) << "a line goes on in the next one:\n" << text;
}

TEST(ServiceUnit, KeepsWhereProgramsAreAndNothingElse) {
  const auto text =
      unit("/town", {{"PATH", "/bin:relative:/opt/100%:."}, {"SECRET", "x"}, {"GT_STORE", "postgres://"}});
  EXPECT_TRUE(has_line(text, R"(Environment="PATH=/bin:/opt/100%%")")) << text;
  EXPECT_EQ(text.find("SECRET"), std::string::npos);
  EXPECT_EQ(text.find("postgres"), std::string::npos);
}

TEST(ServiceUnit, HasANameOfItsOwnForEachTown) {
  EXPECT_TRUE(service_name("/home/me/My Town").starts_with("townpost-my-town-"));
  EXPECT_NE(service_name("/a/town"), service_name("/b/town"));
  EXPECT_EQ(service_name("/a/town"), service_name("/a/town"));
  EXPECT_LE(service_name("/" + std::string(250, 'x')).size(), 100u);
  EXPECT_EQ(service_name("/a/@!%\n").find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_."), std::string::npos);
}

TEST(ServiceUnit, RefusesAProgramThatSystemdWouldNotRun) {
  EXPECT_FALSE(service_unit("/opt/\"gt\"", "/town", FixedEnvironment()).has_value());
  EXPECT_FALSE(service_unit("/opt/g\nt", "/town", FixedEnvironment()).has_value());
}

}  // namespace
}  // namespace townpost::ops
