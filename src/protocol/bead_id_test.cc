// What a message's bead and thread are taken from: a bead's own line or the subject, whatever else it says.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "base/text.h"
#include "protocol/filters.h"
#include "protocol/subject.h"
#include "protocol/typed_message.h"

namespace townpost::protocol {
namespace {

Parsed read(std::string_view subject, std::string_view body) {
  return parse(TypeRegistry::built_in(), {subject, body});
}

TEST(BeadId, OfATypedMessageWithoutABeadIsNone) {
  const std::pair<const char*, const char*> cases[] = {
      {"DONE", "## Summary\nAll done, see notes."},
      {"PROGRESS", "Files touched: a.go, b.go"},
      {"HELP_REQUEST", "Issue Type: STUCK\n\n## Question\nWhat now?"},
      {"FAILED", "## Recommendation\nask"},
      {"CHECKPOINT", "## Next Steps for Successor\ngo on"},
      {"BEAD_ACCEPTED", "Starting implementation at: 2026-01-31T10:30:00Z"},
      {"SPAWN_REQUEST", "Orchestrator: o"},
      {"SPAWN_ACK", "Session: s1"},
      {"MERGED nux", "Merge-Commit: abc"},
      {"HELP: stuck", "Tried: all"},
  };
  for (const auto& [subject, body] : cases) {
    const Parsed parsed = read(subject, body);
    EXPECT_EQ(parsed.bead_id(), "") << subject;
    EXPECT_EQ(parsed.thread(), "") << subject;
    EXPECT_FALSE(parsed.json().contains("bead_id")) << subject;
  }
  EXPECT_FALSE(is_about(read("SPAWN_ACK", "Session: s1"), "s1"));
}

TEST(BeadId, OfASpawnIsItsIssueAndNoneIfOnlyThatIsThere) {
  const Parsed request = read("SPAWN_REQUEST", "Issue: ol-1\nOrchestrator: o");
  EXPECT_EQ(request.bead_id(), "");
  EXPECT_EQ(request.issue_id(), "ol-1");
  EXPECT_EQ(request.thread(), "ol-1");
  EXPECT_TRUE(is_about(request, "ol-1"));
}

TEST(BeadId, NamesAThreadOnlyIfItIsOneShortWord) {
  EXPECT_EQ(read("DONE", "Bead: ol-1").thread(), "ol-1");
  EXPECT_EQ(read("DONE", "Bead: see the notes").thread(), "");
  EXPECT_EQ(read("DONE", "Bead: see the notes").bead_id(), "see the notes") << "what it says is told all the same";
  EXPECT_EQ(read("DONE", cat("Bead: ", std::string(200, 'a'))).thread().size(), 200u);
  EXPECT_EQ(read("DONE", cat("Bead: ", std::string(201, 'a'))).thread(), "");
  EXPECT_EQ(read("DONE", "Bead: a\x1b[2J").thread(), "");
  EXPECT_EQ(read("SPAWN_ACK", "Issue: what a day").thread(), "");
}

TEST(BeadId, IsNoOtherFieldOfATypeOfATown) {
  TypeRegistry registry = TypeRegistry::built_in();
  const auto refused = [&registry](std::string_view fields) {
    const auto errors =
        registry.add(cat("[types.XX]\ndialect = \"agent_mail\"\n[types.XX.fields]\n", fields), "t.toml");
    return errors.size() == 1 ? errors[0].message : "";
  };
  EXPECT_EQ(refused("Notes = \"text, as bead_id\""),
            "t.toml, line 1: types.XX: only the field Bead or Accepted bead can have the JSON key bead_id");
  EXPECT_EQ(refused("Bead = \"text, in Notes, as bead_id\""),
            "t.toml, line 1: types.XX: bead_id is looked for everywhere in a body, so it cannot be in a section");
  EXPECT_EQ(refused("Notes = \"text, as issue_id\""),
            "t.toml, line 1: types.XX: only the field Issue can have the JSON key issue_id");
  ASSERT_TRUE(registry
                  .add("[types.XX]\ndialect = \"agent_mail\"\n[types.XX.fields]\nBead = \"text, as bead_id\"\n"
                       "Issue = \"text, as issue_id\"\nNotes = \"text\"\n",
                       "t.toml")
                  .empty());
  EXPECT_EQ(parse(registry, {"XX", "Notes: n"}).thread(), "");
  EXPECT_EQ(parse(registry, {"XX", "Notes: n\nBead: a-1"}).thread(), "a-1");
}

// ---- whatever field texts a message has ----------------------------------------------------------------------------

const TypeRegistry& types() {
  static const TypeRegistry kTypes = [] {
    TypeRegistry registry = TypeRegistry::built_in();
    (void)registry.add(
        "[types.OWN_NOTE]\ndialect = \"agent_mail\"\nsubject = \"[<bead_id>] OWN_NOTE\"\n[types.OWN_NOTE.fields]\n"
        "Notes = \"text\"\nFiles = \"list\"\nWhy = \"section\"\n"
        "[types.OWN_STEP]\n[types.OWN_STEP.fields]\nBead = \"text, as bead_id\"\nStep = \"text\"\n",
        "own.toml");
    return registry;
  }();
  return kTypes;
}

rc::Gen<std::string> any_value() {
  return rc::gen::oneOf(
      rc::gen::element<std::string>("gp-1", "ol-527.1", "a.go, b.go", "What now?", "PASS", "7", "45%", "DONE", "", " ",
                                    "spawned", "2026-01-31T10:30:00Z", "Notes: x", "thread-0123456789ab", "one two"),
      rc::gen::map(rc::gen::arbitrary<std::string>(), [](std::string text) {
        std::erase_if(text, [](char byte) { return byte == '\n' || byte == '\r'; });
        return text;
      }));
}

/// What stands behind `label` in some line of the body, as a reader of any dialect may find it.
std::vector<std::string> values_of(const std::string& label, std::string_view body) {
  std::vector<std::string> out;
  const std::string clean = to_utf8(body);
  for (auto line : split(clean, '\n')) {
    line = trim(line);
    if (line.starts_with("- ") || line.starts_with("* ")) line = trim(line.substr(2));
    if (line.size() > label.size() && lower_ascii(line.substr(0, label.size())) == label && line[label.size()] == ':')
      out.emplace_back(trim(line.substr(label.size() + 1)));
  }
  return out;
}

bool is_among(std::string_view id, const std::vector<std::string>& known) {
  return std::find(known.begin(), known.end(), id) != known.end();
}

RC_GTEST_PROP(BeadId, ComesFromABeadsLineOrTheSubjectOnly, ()) {
  const ProtocolType& type = **rc::gen::elementOf(types().types());
  const std::string id = *rc::gen::element<std::string>("", "", "[ol-1] ", "ol-2: ", "[not an id] ");
  const std::string topic = *rc::gen::element<std::string>("", " nux", " gp/nux", ": stuck on it", " gp-9");
  const std::string subject = cat(id, type.name, topic);
  std::string body;
  std::string open_section;
  const auto open = [&](std::string_view section) {
    if (open_section == section) return;
    body += cat("\n## ", section, "\n");
    open_section = section;
  };
  for (const Field& field : type.fields) {
    if (!*rc::gen::weightedElement<bool>({{3, true}, {1, false}})) continue;
    const std::string value = *any_value();
    if (field.is_section()) {
      open(field.label);
      body += cat(value, "\n");
    } else {
      if (field.in_section()) open(field.section);
      body += cat(field.in_section() ? "- " : "", field.label, ": ", value, "\n");
    }
  }
  if (*rc::gen::weightedElement<bool>({{1, true}, {3, false}})) body += cat("Accepted bead: ", *any_value(), "\n");

  const Parsed parsed = parse(types(), {subject, body, type.named_by_subject() ? std::string_view() : type.name});
  RC_ASSERT(parsed.type() == &type);
  std::vector<std::string> beads = values_of("bead", body);
  for (auto& other : values_of("accepted bead", body)) beads.push_back(std::move(other));
  const Subject of_subject = read_subject(types(), subject);
  beads.emplace_back(of_subject.id());
  if (type.topic_from == "bead") beads.emplace_back(of_subject.topic);
  RC_ASSERT(parsed.bead_id().empty() || is_among(parsed.bead_id(), beads));

  std::vector<std::string> threads = beads;
  if (type.field("issue_id"))
    for (auto& issue : values_of("issue", body)) threads.push_back(std::move(issue));
  RC_ASSERT(parsed.issue_id().empty() || is_among(parsed.issue_id(), threads));
  RC_ASSERT(parsed.thread().empty() || is_among(parsed.thread(), threads));
  RC_ASSERT(parsed.thread().size() <= 200u);
  RC_ASSERT(std::all_of(parsed.thread().begin(), parsed.thread().end(),
                        [](unsigned char byte) { return byte > ' ' && byte != 0x7f; }));
}

}  // namespace
}  // namespace townpost::protocol
