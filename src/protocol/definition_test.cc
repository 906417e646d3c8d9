// Types that a town defines for itself.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text.h"
#include "protocol/build.h"
#include "protocol/markdown.h"
#include "protocol/parse.h"
#include "protocol/type_registry.h"

namespace townpost::protocol {
namespace {

constexpr std::string_view kDeploy = R"toml(
[types.DEPLOY_DONE]
summary = "A deployment ended"
subject = "DEPLOY_DONE: <service>"
from = "deployer"
to = "mayor"
ack = true
completes = "success"
handler = ["notify", "--of", "a deployment"]
topic_from = "service"
text = "Look at <service>."

[types.DEPLOY_DONE.fields]
Service = "text, required"
Result = "ok | failed, required"
Rollback = "text, required if Result = FAILED"
Load = "percent"
Hosts = "list, in Where, as host_names"
Started = "instant"
"Why so late" = "section"
"Files Touched" = "list section"
)toml";

TypeRegistry with(std::string_view toml) {
  TypeRegistry registry = TypeRegistry::built_in();
  for (const Error& error : registry.add(toml, "deploy.toml")) ADD_FAILURE() << error.message;
  return registry;
}

std::string refusal(std::string_view toml, Beside beside = Beside::nothing) {
  TypeRegistry registry = TypeRegistry::built_in();
  const auto errors = registry.add(toml, "t.toml", beside);
  EXPECT_EQ(registry.types().size(), TypeRegistry::built_in().types().size());
  if (errors.size() != 1) return cat(errors.size(), " errors");
  EXPECT_EQ(errors[0].code, Code::usage);
  return errors[0].message;
}

/// The refusal of a type X whose fields are these lines; they begin in line 3.
std::string field_refusal(std::string_view lines) { return refusal(cat("[types.XX]\n[types.XX.fields]\n", lines)); }

TEST(Definition, ATypeOfATownIsListedReadCheckedAndBuilt) {
  const TypeRegistry registry = with(kDeploy);
  const ProtocolType* type = registry.find("DEPLOY_DONE");
  ASSERT_NE(type, nullptr);
  EXPECT_EQ(registry.types().back(), type);
  EXPECT_EQ(type->dialect, Dialect::own);
  EXPECT_EQ(type->sender, "deployer");
  EXPECT_EQ(type->receiver, "mayor");
  EXPECT_EQ(type->handler, "") << "that names what is built in";
  EXPECT_EQ(std::vector<std::string>(type->command.begin(), type->command.end()),
            (std::vector<std::string>{"notify", "--of", "a deployment"}));
  EXPECT_TRUE(type->ack && type->outcome == Outcome::success && !type->transient);

  const Parsed parsed = parse(
      registry,
      {"deploy_done: api", "service: api\nRESULT: Failed\nLoad: 101\n\n## why SO late\nrain\n## Where\n- Hosts: a, b"},
      {.strictness = Strictness::strict});
  EXPECT_EQ(to_line(parsed.fields()),
            R"({"service":"api","result":"failed","load":101,"host_names":["a","b"],"why_so_late":"rain"})");
  ASSERT_EQ(parsed.problems().size(), 2u);
  EXPECT_EQ(parsed.problems()[0], (Problem{"rollback", "\"Rollback:\" is missing although result is failed", 0}));
  EXPECT_EQ(parsed.problems()[1].field, "load");

  const auto built = build(registry, "DEPLOY_DONE",
                           {{"service", "api"}, {"result", "OK"}, {"host_names", "a, b"}, {"files_touched", "x, y"}});
  ASSERT_TRUE(built.has_value()) << built.error().message;
  EXPECT_EQ(built->subject, "DEPLOY_DONE: api");
  EXPECT_EQ(built->body,
            "Service: api\nResult: ok\n\nLook at api.\n\n## Where\n- Hosts: a, b\n\n## Files Touched\n- x\n- y");
  const std::string shown = registry_markdown(registry);
  EXPECT_NE(shown.find("### Of this town"), std::string::npos);
  EXPECT_NE(shown.find(R"(handled by `["notify","--of","a deployment"]`)"), std::string::npos) << shown;
}

TEST(Definition, NothingButANameIsEnough) {
  const TypeRegistry registry = with("[types.LUNCH]\n");
  const Parsed parsed = parse(registry, {"LUNCH at noon", "Bring food"});
  EXPECT_EQ(parsed.type_name(), "LUNCH");
  EXPECT_EQ(parsed.topic(), "at noon");
  EXPECT_EQ(parsed.text(), "Bring food");
  EXPECT_EQ(registry.find("LUNCH")->sender, "any");
}

TEST(Definition, TheDialectDecidesHowKeysAreRead) {
  const TypeRegistry registry = with(
      "[types.AA]\ndialect = \"agent_mail\"\nfields.Bead = \"text, as bead_id\"\nfields.Step = \"text\"\n"
      "[types.BB]\nfields.Step = \"text\"\n");
  EXPECT_FALSE(parse(registry, {"AA", "step: x"}).has("step"));
  EXPECT_TRUE(parse(registry, {"BB", "step: x"}).has("step"));
  EXPECT_EQ(parse(registry, {"[a-1] AA", ""}).thread(), "a-1");
  EXPECT_EQ(parse(registry, {"[a-1] BB", ""}).thread(), "");
}

TEST(Definition, LabelsOfOtherScriptsAreReadWithoutCase) {
  const TypeRegistry registry =
      with("[types.AA.fields]\n\"\u00DCbersicht\" = \"section\"\n\"Gr\u00F6\u00DFe\" = \"text\"\n");
  const Parsed parsed = parse(registry, {"AA", "GR\u00D6\u00DFE: 5\n## \u00FCBERSICHT\nx"});
  EXPECT_EQ(parsed.fields(), (JsonObject{{"\u00FCbersicht", "x"}, {"gr\u00F6\u00DFe", "5"}}));
}

TEST(Definition, SettingsBesideItAreLeftAlone) {
  TypeRegistry registry = TypeRegistry::built_in();
  EXPECT_TRUE(registry.add("[town]\nname = \"x\"\nodd = [1]\n[types.AA]\n", "town.toml", Beside::settings).empty());
  EXPECT_NE(registry.find("AA"), nullptr);
  EXPECT_EQ(refusal("[type.AA]\nx = 1\n"), "t.toml, line 2: only [types.NAME] tables belong here, not type.AA.x");
}

TEST(Definition, ABrokenOneIsRefusedWithLineAndReasonAndTheOthersStay) {
  TypeRegistry registry = TypeRegistry::built_in();
  const auto errors = registry.add(
      "[types.AA]\nack = true\n\n[types.BB]\nack = \"yes\"\n\n[types.CC]\nlist = [1]\n\n[types.DD]\n", "t.toml");
  ASSERT_EQ(errors.size(), 2u);
  EXPECT_EQ(errors[0].message, "t.toml, line 5: types.BB: ack must be true or false");
  EXPECT_EQ(errors[0].hint, "correct t.toml; the rest works on");
  EXPECT_EQ(errors[1].message, "t.toml, line 8: types.CC: a type has no \"list\"");
  EXPECT_NE(registry.find("AA"), nullptr);
  EXPECT_EQ(registry.find("BB"), nullptr);
  EXPECT_EQ(registry.find("CC"), nullptr);
  EXPECT_NE(registry.find("DD"), nullptr);
}

TEST(Definition, AFileThatIsNoTomlIsRefused) {
  EXPECT_TRUE(refusal("[types.AA]\nack = \n").starts_with("t.toml, line 2: ")) << refusal("[types.AA]\nack = \n");
}

TEST(Definition, NamesAreUpperCaseAndFree) {
  EXPECT_EQ(refusal("\n[types.deploy]\n"),
            "t.toml, line 2: types.deploy: a type is named by two or more of A-Z 0-9 _, the first a letter");
  EXPECT_EQ(refusal("[types.RE]\n"), "t.toml, line 1: types.RE: that word has a meaning of its own");
  EXPECT_EQ(refusal("[types.MERGED]\nack = true\n"), "t.toml, line 1: MERGED is built in and stays what it is");
  EXPECT_EQ(refusal("types = 1\n"), "t.toml, line 1: types must be a table: [types.NAME]");
  EXPECT_EQ(refusal("types.AA = 1\n"), "t.toml, line 1: types.AA must be a table: [types.NAME]");
  TypeRegistry registry = with("[types.AA]\n");
  const auto again = registry.add("[types.AA]\n", "other.toml");
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].message, "other.toml, line 1: AA is defined already, in deploy.toml");
}

TEST(Definition, TheSubjectMustNameTheType) {
  for (const char* subject : {"DEPLOY: <x>", "<x> AA", "AA_<x>", "AA: x<y>", "DONE AA <x>"})
    EXPECT_EQ(refusal(cat("[types.AA]\nsubject = \"", subject, "\"\n")),
              cat("t.toml, line 1: a subject like \"", subject, "\" does not name AA"));
  with("[types.AA]\nsubject = \"[<bead_id>] AA: <x>\"\n");
  with("[types.AA]\nsubject = \"AA\"\n");
}

TEST(Definition, KeysAreKnownAndOfTheirKind) {
  EXPECT_EQ(refusal("[types.AA]\nsumary = \"x\"\n"),
            "t.toml, line 2: types.AA: a type has no \"sumary\"; did you mean summary?");
  EXPECT_EQ(refusal("[types.AA]\nfields = \"x\"\n"),
            "t.toml, line 2: types.AA: the fields of a type are a table: fields.version = \"text, required\"");
  EXPECT_EQ(refusal("[types.AA]\nsummary = 1\n"),
            "t.toml, line 2: types.AA: summary must be a text of one line, at most 200 bytes");
  EXPECT_EQ(refusal("[types.AA]\ndialect = \"directory\"\n"),
            "t.toml, line 2: types.AA: dialect must be gas_town, agent_mail or own");
  EXPECT_EQ(refusal("[types.AA]\ncompletes = \"maybe\"\n"),
            "t.toml, line 2: types.AA: completes must be success or failure");
  EXPECT_EQ(refusal("[types.AA]\ntopic_from = \"x\"\n"),
            "t.toml, line 1: types.AA: topic_from: there is no one-line field x");
}

TEST(Definition, AHandlerIsACommandAndItsArguments) {
  const auto refused = [](std::string_view handler) { return refusal(cat("[types.AA]\nhandler = ", handler, "\n")); };
  EXPECT_EQ(refused("\"notify deploy\""),
            "t.toml, line 2: types.AA: handler must be a list of a command and its arguments, like [\"notify\", "
            "\"deploy\"]");
  EXPECT_EQ(refused("[\"notify\", 1]"), refused("\"notify deploy\""));
  EXPECT_EQ(refused("[]"), "t.toml, line 2: types.AA: handler names no command");
  EXPECT_EQ(refused("[\" \", \"x\"]"), "t.toml, line 2: types.AA: handler names no command");
  EXPECT_EQ(refused("[\"notify\", \"a\\u0000b\"]"), "t.toml, line 2: types.AA: handler contains a NUL byte");
  EXPECT_EQ(refused(cat("[\"notify\", \"", std::string(4096, 'x'), "\"]")),
            "t.toml, line 2: types.AA: handler has more than 4096 bytes");
  const TypeRegistry registry = with("[types.AA]\nhandler = [\"notify\", \"\", \"| ; $(x) `y`\"]\n");
  EXPECT_EQ(registry.find("AA")->command.size(), 3u) << "words are data; no shell reads them";
}

TEST(Definition, FieldsMustBeUnderstoodAndToldApart) {
  const std::pair<const char*, const char*> cases[] = {
      {"A = \"number\"", "line 3: types.XX: the field A: \"number\" is not a kind; there are text, "},
      {"A = 1", "line 3: types.XX: the field A must be described by a text, like \"text, required\""},
      {"A = \"a|\"", "line 3: types.XX: the field A: a value is missing beside a |"},
      {"A = \"a|b|A\"", "line 3: types.XX: the field A: the value A is there twice"},
      {"A = \"text, always\"", "line 3: types.XX: the field A: \"always\" is none of: required, "},
      {"A = \"section, in B\"", "line 3: types.XX: the field A: a section cannot be in another"},
      {"A = \"text, as B C\"", "line 3: types.XX: the field A: its JSON key must be of a-z 0-9 _"},
      {"Topic = \"text\"", "line 3: types.XX: the field Topic: its JSON key must be"},
      {"\"A:\" = \"text\"", "line 3: types.XX: the field A:: its name must be one line without a colon"},
      {"A = \"text\"\nB = \"text, as a\"", "line 1: types.XX: two fields have the JSON key a"},
      {"A = \"text\"\na = \"text, as b\"", "line 1: types.XX: two fields are called a"},
      {"A = \"section\"\nB = \"text, in a\"", "line 1: types.XX: a is a field itself, so none can be in it"},
      {"A = \"text, required if B = c\"", "line 1: types.XX: the field A is required if …: there is no field B"},
      {"A = \"text, required if B = c\"\nB = \"x|y\"", "line 1: types.XX: the field A is required if …: B never has"},
      {"A = \"text, required if B = c\"\nB = \"text\"", "line 1: types.XX: the field A is required if …: B is neither"},
      {"A = \"list, as bead_id\"", "line 1: types.XX: bead_id is an id, so it must be a text"},
  };
  for (const auto& [lines, message] : cases)
    EXPECT_TRUE(field_refusal(lines).starts_with(cat("t.toml, ", message))) << field_refusal(lines);
}

TEST(Definition, ACopyOfARegistryGoesItsOwnWay) {
  TypeRegistry first = with("[types.AA]\n");
  TypeRegistry second = first;
  EXPECT_TRUE(second.add("[types.BB]\n", "b.toml").empty());
  EXPECT_EQ(first.find("BB"), nullptr);
  const ProtocolType* shared = second.find("AA");
  first = TypeRegistry::built_in();
  EXPECT_EQ(shared->name, "AA") << "the copy keeps it alive";
}

TEST(TypeRegistry, HoldsEveryTypeOfEveryDialect) {
  const TypeRegistry& registry = TypeRegistry::built_in();
  EXPECT_EQ(registry.types().size(), 34u);
  for (const ProtocolType* type : registry.types()) {
    EXPECT_EQ(registry.find(type->name), type);
    EXPECT_EQ(registry.find(lower_ascii(type->name)), type);
    EXPECT_FALSE(type->summary.empty() || type->sender.empty() || type->receiver.empty()) << type->name;
  }
  EXPECT_EQ(registry.find(""), nullptr);
  EXPECT_EQ(registry.find("DON"), nullptr);
}

TEST(TypeRegistry, KnowsWhatIsTransientAndWhatTravelsAsANudge) {
  std::string transient, nudges, answers;
  for (const ProtocolType* type : TypeRegistry::built_in().types()) {
    if (type->transient) transient += cat(type->name, " ");
    if (type->nudge) nudges += cat(type->name, " ");
    if (type->needs_answer) answers += cat(type->name, " ");
  }
  EXPECT_EQ(transient, "PROGRESS ");
  EXPECT_EQ(nudges, "DOG_DONE HEALTH_CHECK TIMER ");
  EXPECT_EQ(answers, "HELP HELP_REQUEST ");
}

RC_GTEST_PROP(Definition, AnyTextDefinesTypesOrIsRefused, ()) {
  const std::string label = to_utf8(*rc::gen::arbitrary<std::string>());
  std::string quoted;
  for (const char byte : label)
    if (static_cast<unsigned char>(byte) >= 0x20 && byte != '"' && byte != '\\' && byte != 0x7F) quoted += byte;
  const std::string kind = *rc::gen::element<std::string>("text", "a|b", "list", "section", "flag", "text, in B");
  TypeRegistry registry = TypeRegistry::built_in();
  const auto errors = registry.add(cat("[types.AA.fields]\n\"", quoted, "\" = \"", kind, "\"\n"), "t.toml");
  if (!errors.empty()) {
    RC_ASSERT(errors[0].message.starts_with("t.toml, line "));
    return;
  }
  const ProtocolType& type = *registry.find("AA");
  const Json value = kind == "flag"   ? Json(true)
                     : kind == "list" ? Json(JsonArray{"x"})
                                      : Json(kind == "a|b" ? "a" : "x");
  const auto built = build(registry, "AA", {{type.fields[0].key, value}});
  RC_ASSERT(built.has_value());
  RC_ASSERT(parse(registry, {built->subject, built->body}).fields().at(type.fields[0].key) == value);
}

}  // namespace
}  // namespace townpost::protocol
