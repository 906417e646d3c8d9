// Every operation, called with something that is not there: the error says which argument is at fault.
#include <set>

#include "base/text.h"
#include "engine/engine_fixture.h"

namespace townpost {
namespace {

class FaultsTest : public EngineTest {
 protected:
  FaultsTest() {
    add_agent("alice");
    answer("queue.create", {{"name", "jobs"}}, "overseer");
    answer("channel.create", {{"name", "news"}}, "overseer");
    answer("group.create", {{"name", "crowd"}, {"member", {"alice"}}}, "overseer");
    mail_ = sent_to("alice");
    job_ = sent_to("queue:jobs");
    const auto nudged = answer("nudge", {{"target", "alice"}, {"body", "hey"}, {"mode", "queue"}}, "overseer");
    nudge_ = std::string(nudged.at(0).at("id").get_string());
  }

  std::string sent_to(const std::string& whom) {
    const auto receipt = answer("mail.send", {{"to", {whom}}, {"subject", "s"}, {"body", "b"}}, "overseer");
    return std::string(receipt.at("id").get_string());
  }

  /// A value that the operation has nothing against.
  Json good(const Op& op, const Arg& arg) const {
    switch (arg.kind) {
      case ArgKind::flag:
        return true;
      case ArgKind::integer:
        return std::max<std::int64_t>(arg.least, 1);
      case ArgKind::duration:
      case ArgKind::deadline:
      case ArgKind::instant:
        return "1h";
      case ArgKind::priority:
        return "2";
      case ArgKind::address:
        return "alice";
      case ArgKind::message_id:
        return Json(op.name.starts_with("queue.") ? job_ : mail_);
      case ArgKind::nudge_id:
        return Json(nudge_);
      case ArgKind::list_name:
        return op.name.starts_with("channel.") ? "news" : op.name.starts_with("group.") ? "crowd" : "jobs";
      case ArgKind::choice:
        return Json(std::string(arg.choices.front()));
      case ArgKind::map:
        return JsonObject{{"topic", "x"}};
      case ArgKind::path:
        return ".";
      case ArgKind::text:
      case ArgKind::body:
        break;
    }
    return "alice";
  }

  /// The name of something of its kind that is not there; null where any value is as good as another.
  static Json missing(const Arg& arg) {
    switch (arg.kind) {
      case ArgKind::message_id:
        return "hq-m-zzzzzz";
      case ArgKind::nudge_id:
        return "hq-n-zzzzzz";
      case ArgKind::address:
      case ArgKind::list_name:
      case ArgKind::text:
        return "not-there";
      default:
        return nullptr;
    }
  }

  /// Whether what is missing can be nothing else: of a text nobody knows what it should have been.
  static bool is_of_a_kind(const Arg& arg) { return arg.kind != ArgKind::text; }

  JsonObject call_with(const Op& op, const Arg& wrong) const {
    JsonObject out;
    const auto put = [&](const Arg& arg, Json value) {
      out[std::string(arg.name)] = arg.many ? Json(JsonArray{std::move(value)}) : std::move(value);
    };
    for (const auto& arg : op.args)
      if ((arg.required || arg.name == "to") && arg.name != wrong.name) put(arg, good(op, arg));
    put(wrong, missing(wrong));
    return out;
  }

  std::string mail_, job_, nudge_;
};

INSTANTIATE_TEST_SUITE_P(Stores, FaultsTest, ::testing::Values(Kept::sqlite),
                         [](const auto&) { return std::string("sqlite"); });

TEST_P(FaultsTest, OfWhatIsNotThereIsTheArgumentThatNamesIt) {
  std::set<std::string_view> told;
  for (const auto& entry : op_table()) {
    const Op& op = entry.op();
    if (op.name != entry.name || op.where != Where::anywhere) continue;
    for (const auto& arg : op.args) {
      if (missing(arg).is_null()) continue;
      const auto given = call_with(op, arg);
      auto args = Args::check(op.args, given);
      ASSERT_TRUE(args.has_value()) << op.name << ": " << args.error().message;
      Request request = by("overseer");
      const auto got = engine_.call(op, *args, request);
      if (got || (got.error().code != Code::usage && got.error().code != Code::not_found)) continue;
      told.insert(op.name);
      const auto said = cat(op.name, " ", to_line(given), ": ", got.error().message);
      EXPECT_NE(got.error().argument, "") << said;
      if (is_of_a_kind(arg)) {
        EXPECT_EQ(got.error().argument, arg.name) << said;
      }
    }
  }
  EXPECT_GT(told.size(), 45u) << "too few operations for this to mean anything";
}

}  // namespace
}  // namespace townpost
