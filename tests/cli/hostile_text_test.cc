// Hostile text in every field that an agent can set, and then every command there is: what reaches a pipe, a terminal
// and a prompt. Nothing here knows how the text is made harmless; it looks at bytes.
#include "cli/hostile_text.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.h"
#include "cli/expect.h"
#include "support/terminal.h"

namespace townpost {
namespace {

std::string spelled(const Words& words) {
  std::string out = "gt";
  for (const auto& word : words) out += cat(" ", shorten(for_terminal_line(word), 40));
  return out;
}

bool is_json(std::string_view text) {
  for (const auto line : split(text, '\n'))
    if (!line.empty() && !parse_json(line)) return false;
  return true;
}

class HostileText : public testing::Test {
 protected:
  HostileText() {
    town.agents({"alice", "evil"});
    town.rigs({"green"});
    for (const Words& words : {Words{"queue", "create", "work", "--max-attempts", "1"},
                               {"channel", "create", "news", "--retain-count", "1"},
                               {"group", "create", "team", "alice", "evil"},
                               {"channel", "subscribe", "news", "alice"}})
      tried({words, "overseer"});
    sow();
  }

  struct Call {
    Words words;
    std::string as;
    std::string input;
  };

  /// Runs it into a pipe; what it prints must be harmless.
  std::string tried(const Call& call) {
    const auto words = spoken(call);
    const auto text = town.gt(words, {}, call.input);
    EXPECT_EQ(wrong_with(text.out), "") << spelled(words) << "\n" << for_terminal(text.out);
    EXPECT_EQ(wrong_with(text.err), "") << spelled(words) << "\n" << for_terminal(text.err);
    EXPECT_LE(text.exit_code, 9) << spelled(words);
    return text.out;
  }

  /// The same as JSON and on a terminal.
  void tried_everywhere(const Call& call) {
    tried(call);
    const auto words = spoken(call);
    const auto json = town.gt(with_options(words, {"--json"}), {}, call.input);
    EXPECT_EQ(wrong_with(json.out), "") << spelled(words) << " --json\n" << for_terminal(json.out);
    EXPECT_TRUE(is_json(json.out)) << spelled(words) << " --json\n" << json.out;
    if (!call.input.empty()) return;
    const auto seen = gt_on_terminal(town, words);
    EXPECT_EQ(wrong_with(without_ours(seen.out)), "") << spelled(words) << " on a terminal\n" << for_terminal(seen.out);
  }

  /// With more options, which stand before the words of another program.
  static Words with_options(Words words, const Words& options) {
    words.insert(std::find(words.begin(), words.end(), "--"), options.begin(), options.end());
    return words;
  }
  static Words spoken(const Call& call) {
    return call.as.empty() ? call.words : with_options(call.words, {"--as", call.as});
  }

  /// Every command that gt help all lists, but those that need no table.
  std::vector<Words> commands() const {
    std::vector<Words> out;
    for (const auto& row : lines_of(town.gt({"help", "all"}).out)) {
      if (row.starts_with("The program itself")) break;
      if (!row.starts_with("  ") || row.starts_with("   ")) continue;
      Words words;
      for (const auto word : split(trim(std::string_view(row).substr(0, row.find("  ", 2))), ' '))
        words.emplace_back(word);
      out.push_back(words);
    }
    return out;
  }

  std::string id_of(const Words& words) {
    const auto told = parse_json(town.gt(with(words, {"--json"})).out);
    if (!told) return "";
    const Json one = told->is_array() && !told->as_array().empty() ? told->as_array()[0] : *told;
    return text_at(one, "id");
  }

  /// Puts hostile text into every field there is, as `evil`, or as whoever may set it. What is refused quotes it.
  void sow() {
    const auto word = hostile_word(), line = hostile_line(), lines = hostile_lines();
    const Words letter{"-s", line, "-m", lines, "--as", "evil"};
    mail = id_of(with({"mail", "send", "alice", "--reply-by", "1h", "--ack"}, letter));
    typed = id_of({"mail", "send", "alice", "-s", cat("HELP: ", line), "-m", lines, "--as", "evil"});
    queued = id_of(with({"mail", "send", "queue:work"}, letter));
    nudge = id_of({"nudge", "alice", lines, "--as", "evil"});
    dropped = id_of({"nudge", "alice", "x", "--as", "evil"});
    for (const auto& id : {mail, typed, queued, nudge, dropped}) EXPECT_NE(id, "") << "it was not accepted";
    sown = {
        {with({"mail", "send", "channel:news"}, letter), ""},
        {with({"mail", "send", "channel:news", "--permanent"}, letter), ""},
        {{"mail", "send", "alice", "-s", "threaded", "-m", "x", "--thread", line}, "evil"},
        {{"mail", "send", "alice", "-s", "for a bead", "-m", "x", "--bead", word}, "evil"},
        {{"mail", "send", "alice", "-s", "keyed", "-m", "x", "--key", line}, "evil"},
        {{"mail", "send", "alice", "-s", "keyed otherwise", "-m", "y", "--key", line}, "evil"},
        {{"mail", "send", "alice", "-s", "answer", "-m", "x", "--reply-to", line}, "evil"},
        {{"mail", "send", "alice", "-s", "typed", "-m", "x", "--type", line, "--priority", line}, "evil"},
        {{"mail", "send", "alice", "--protocol", "HELP", "--field", cat("topic=", line), "--field", cat("agent=", line),
          "--field", cat("problem=", lines)},
         "evil"},
        {{"mail", "send", "--protocol", "PROGRESS", "--field", cat("bead_id=", word), "--field", cat("step=", line)},
         "evil"},
        {{"nudge", "alice", line, "--coalesce", line, "--thread", line, "--ref", line, "--bead", word}, "evil"},
        {{"nudge", "alice", line, "--mode", line}, "evil"},
        {{"nudge", "drop", dropped, "--reason", lines}, "evil"},
        {{"mail", "claim", "work"}, "evil"},
        {{"mail", "fail", queued, "--reason", lines}, "evil"},
        {{"agent", "add", "evil", "--description", lines, "--session", cat("tmux:", word)}, "overseer"},
        {{"agent", "add", "evil", "--description", lines}, "overseer"},
        {{"agent", "hook", "evil", word}, "evil"},
        {{"agent", "add", line}, "evil"},
        {{"group", "create", line, line}, "evil"},
        {{"group", "add", "team", line}, "evil"},
        {{"queue", "create", line, "--claimers", line, "--rig", line}, "evil"},
        {{"channel", "create", line}, "evil"},
        {{"channel", "subscribe", "news", line}, "evil"},
        {{"rig", "add", "blue", line, "--target", line, "--test-command", lines}, "overseer"},
        {{"rig", "add", line, line, "--prefix", line}, "overseer"},
    };
    for (const auto& call : sown) tried(call);
    for (const auto& [event, key] : {std::pair{"SessionStart", "source"}, std::pair{"PermissionRequest", "tool_name"},
                                     std::pair{"Notification", "message"}, std::pair{"StopFailure", "error"},
                                     std::pair{"PermissionRequest", "tool_name"}})
      for (const auto& session : {std::string("s-1"), line}) {
        JsonObject told{
            {"hook_event_name", event}, {"session_id", session}, {"notification_type", "permission_prompt"}};
        told[key] = lines;
        tried({{"signal", "claude", event}, "evil", to_line(told)});
      }
  }

  TestTown town;
  std::vector<Call> sown;
  std::string mail, typed, queued, nudge, dropped;
};

/// The lines of a block for a prompt that are not marked as the words of others.
std::vector<std::string> our_lines(std::string_view block) {
  std::vector<std::string> out;
  for (const auto& line : lines_of(block))
    if (!line.starts_with("> ")) out.push_back(line);
  return out;
}

std::size_t times(std::string_view text, std::string_view wanted) {
  std::size_t count = 0;
  for (auto at = text.find(wanted); at != std::string_view::npos; at = text.find(wanted, at + 1)) ++count;
  return count;
}

TEST_F(HostileText, ReachesNoTerminalByAnyCommand) {
  const auto line = hostile_line();
  const std::vector<Call> calls = {
      {{"whoami"}, "alice"},
      {{"todo"}, "alice"},
      {{"todo", "--beads", cat(hostile_word(), ",gp-1")}, "alice"},
      {{"why", mail}, "overseer"},
      {{"why", nudge}, "overseer"},
      {{"why", queued}, "overseer"},
      {{"why", "evil"}, "overseer"},
      {{"status"}, "overseer"},
      {{"top", "--table"}, "overseer"},
      {{"feed", "--all", "--limit", "1000"}, "overseer"},
      {{"status", "--line"}, "overseer"},
      {{"attach", "evil", "--print"}, "overseer"},
      {{"agent", "peek", "evil"}, "overseer"},
      {{"mail", "send", "evil", "-s", line, "-m", line}, "alice"},
      {{"mail", "inbox"}, "alice"},
      {{"mail", "inbox", "--from", line}, "alice"},
      {{"mail", "read", mail}, "alice"},
      {{"mail", "read", queued}, "overseer"},
      {{"mail", "thread", mail}, "alice"},
      {{"mail", "thread", mail, "--summary"}, "alice"},
      {{"mail", "thread", line}, "alice"},
      {{"mail", "search", std::string(kVisible)}, "alice"},
      {{"mail", "sent"}, "evil"},
      {{"mail", "waiting"}, "alice"},
      {{"mail", "waiting"}, "evil"},
      {{"mail", "explain", mail}, "alice"},
      {{"mail", "explain", queued}, "overseer"},
      {{"mail", "peek"}, "alice"},
      {{"mail", "check"}, "alice"},
      {{"mail", "wait", "--timeout", "50ms"}, "alice"},
      {{"mail", "directory"}, "alice"},
      {{"mail", "budget"}, "overseer"},
      {{"mail", "ack", mail, queued, line}, "alice"},
      {{"mail", "mark-unread", mail, line}, "alice"},
      {{"mail", "archive", mail, line}, "alice"},
      {{"mail", "unarchive", mail, line}, "alice"},
      {{"mail", "pin", mail, line}, "alice"},
      {{"mail", "unpin", mail, line}, "alice"},
      {{"mail", "reply", mail, "-m", line}, "alice"},
      {{"mail", "reply-all", mail, "-m", line}, "alice"},
      {{"mail", "claim", "work"}, "alice"},
      {{"mail", "complete", queued, line}, "evil"},
      {{"mail", "fail", queued, line, "--reason", line}, "alice"},
      {{"mail", "release", queued, line}, "evil"},
      {{"mail", "extend", queued, line}, "evil"},
      {{"queue", "list"}, "overseer"},
      {{"queue", "show", "work"}, "overseer"},
      {{"queue", "dead"}, "overseer"},
      {{"queue", "pause", "work"}, "overseer"},
      {{"queue", "resume", "work"}, "overseer"},
      {{"queue", "close", "work"}, "overseer"},
      {{"queue", "retry", queued, line}, "overseer"},
      {{"queue", "update", "work", "--claimers", line}, "overseer"},
      {{"channel", "list"}, "alice"},
      {{"channel", "show", "news"}, "alice"},
      {{"channel", "read", "news"}, "alice"},
      {{"channel", "pruned", "news"}, "overseer"},
      {{"channel", "prune"}, "overseer"},
      {{"channel", "subscribers", "news"}, "alice"},
      {{"channel", "update", "news", "--retain-count", "2"}, "overseer"},
      {{"channel", "unsubscribe", "news"}, "alice"},
      {{"channel", "subscribe", "news"}, "alice"},
      {{"channel", "close", "news"}, "overseer"},
      {{"channel", "reopen", "news"}, "overseer"},
      {{"group", "list"}, "alice"},
      {{"group", "show", "team"}, "alice"},
      {{"group", "set", "team", "alice", line}, "overseer"},
      {{"group", "add", "team", line}, "overseer"},
      {{"group", "remove", "team", line}, "overseer"},
      {{"nudge", "evil", line}, "alice"},
      {{"nudge", "list"}, "overseer"},
      {{"nudge", "pending", "evil"}, "overseer"},
      {{"nudge", "confirm", nudge}, "evil"},
      {{"nudge", "show", nudge}, "overseer"},
      {{"nudge", "show", dropped}, "overseer"},
      {{"nudge", "wait", dropped, "--timeout", "1ms"}, "overseer"},
      {{"nudge", "explain", nudge}, "overseer"},
      {{"nudge", "explain", dropped}, "overseer"},
      {{"nudge", "retry", dropped}, "overseer"},
      {{"nudge", "drop", nudge, "--reason", line}, "overseer"},
      {{"nudge", "carry", "evil"}, "overseer"},
      {{"dnd", "status", "evil"}, "overseer"},
      {{"dnd", "on", "evil"}, "overseer"},
      {{"dnd", "off", "evil"}, "overseer"},
      {{"hold", "evil"}, "overseer"},
      {{"release", "evil"}, "overseer"},
      {{"protocol", "types"}, "alice"},
      {{"protocol", "parse", mail}, "alice"},
      {{"protocol", "parse", typed, "--strict"}, "alice"},
      {{"protocol", "parse", "-m", to_line(JsonObject{{"subject", line}, {"body", hostile_lines()}})}, "alice"},
      {{"protocol", "build", "HELP", "--field", cat("topic=", line), "--field", cat(line, "=x")}, "alice"},
      {{"protocol", "lint", line}, "alice"},
      {{"rig", "list"}, "alice"},
      {{"rig", "show", "blue"}, "alice"},
      {{"rig", "remove", line}, "overseer"},
      {{"agent", "list"}, "alice"},
      {{"agent", "show", "evil"}, "alice"},
      {{"agent", "hook", "evil"}, "overseer"},
      {{"agent", "alias", line, line}, "overseer"},
      {{"agent", "report", "evil", line, "--detail", line}, "evil"},
      {{"stop", "evil"}, "overseer"},
      {{"agent", "release", "evil"}, "overseer"},
      {{"agent", "quarantine", "evil"}, "overseer"},
      {{"mail", "read", mail}, "alice"},
      {{"mail", "inbox"}, "alice"},
      {{"agent", "quarantine", "evil", "--lift"}, "overseer"},
      {{"agent", "run", "--adapter", line, "--", line}, "evil"},
      {{"doctor"}, "overseer"},
      {{"start", line, "--", line}, "overseer"},
      {{"config", "set", "town.name", line}, "overseer"},
      {{"config", "list"}, "alice"},
      {{"config", "get", "town.name"}, "alice"},
      {{"config", "get", line}, "alice"},
      {{"config", "unset", line}, "overseer"},
      {{"config", "edit"}, "alice"},
      {{"harness", "install", "claude", "--print"}, "overseer"},
      {{"harness", "status", line}, "overseer"},
      {{"harness", "uninstall", line}, "overseer"},
      {{"service", "install", "--print"}, "overseer"},
      {{"service", "status"}, "overseer"},
      {{"service", "uninstall"}, "overseer"},
      {{"store", "info"}, "overseer"},
      {{"store", "check"}, "overseer"},
      {{"store", "migrate"}, "overseer"},
      {{"store", "copy", "--to", line}, "overseer"},
      {{"store", "purge"}, "overseer"},
      {{"mail", "quote", mail}, "alice"},
      {{"mail", "look", mail}, "alice"},
      {{"mail", "seen", mail, line}, "alice"},
      {{"mail", "traffic", "--query", line}, "alice"},
      {{"token", "create", "--agent", line}, "overseer"},
      {{"token", "create", "--agent", "alice", "--note", line}, "overseer"},
      {{"token", "list"}, "overseer"},
      {{"token", "revoke", line}, "overseer"},
      {{"open"}, "overseer"},
      {{"mail", "recipients", "alice", line}, "overseer"},
      {{"queue", "messages", "work"}, "overseer"},
      {{"mail", "recall", "--from", "evil"}, "overseer"},
      {{"mail", "drain", "--older", "0s"}, "alice"},
      {{"mail", "delete", mail, line}, "alice"},
      {{"queue", "delete", "work", "--force"}, "overseer"},
      {{"channel", "delete", "news", "--force"}, "overseer"},
      {{"group", "delete", "team"}, "overseer"},
      {{"agent", "remove", "evil"}, "overseer"},
      {{"init", line, "--name", line}, ""},
      {{"prime"}, "alice"},
      {{"nudge", "drain"}, "alice"},
      {{"signal", "claude", line}, "alice", line},
      {{"down"}, "overseer"},
      {{"trust", line}, "overseer"},
  };
  for (const auto& call : calls) tried_everywhere(call);
  for (const auto& command : commands()) {
    if (command == Words{"up"}) continue;  // does not end by itself
    const auto is_of_it = [&](const Call& call) {
      return std::equal(command.begin(), command.end(), call.words.begin(),
                        call.words.begin() + std::ptrdiff_t(std::min(command.size(), call.words.size())));
    };
    const auto was_tried = [&](const auto& tries) { return std::any_of(tries.begin(), tries.end(), is_of_it); };
    EXPECT_TRUE(was_tried(calls) || was_tried(sown)) << join(command, " ") << " was not tried";
  }
}

TEST_F(HostileText, AsAnArgumentOfAnyCommandIsQuotedHarmlessly) {
  const auto all = commands();
  EXPECT_GT(all.size(), 80u);
  for (const auto& words : all) {
    tried({with(words, {hostile_line()}), "alice"});
    tried({with(words, {cat("--", hostile_word())}), "alice"});
    tried({with(words, {"--town", hostile_line(), "--no-such-option"}), ""});
  }
  tried({{hostile_line()}, ""});
  tried({{"mail", "inbox"}, hostile_line()});
}

TEST_F(HostileText, IsShownAndNotHidden) {
  for (const Call& call : {Call{{"mail", "inbox"}, "alice"},
                           {{"mail", "read", mail}, "alice"},
                           {{"mail", "explain", mail}, "alice"},
                           {{"todo"}, "alice"},
                           {{"nudge", "show", nudge}, "overseer"},
                           {{"queue", "dead"}, "overseer"},
                           {{"mail", "explain", queued}, "overseer"},
                           {{"agent", "show", "evil"}, "alice"},
                           {{"status"}, "overseer"}}) {
    const auto shown = tried(call);
    EXPECT_NE(shown.find(kVisible), std::string::npos) << spelled(call.words) << "\n" << shown;
  }
  const auto json = town.json({"mail", "read", mail, "--as", "alice"});
  EXPECT_EQ(text_at(json, "subject"), hostile_line()) << "for a program it is what was sent, byte for byte";
  EXPECT_EQ(text_at(json, "body"), hostile_lines());
}

TEST_F(HostileText, WhatIsSaidOfAnAgentNamesItAndQuotesItsWords) {
  const auto sent = tried({{"mail", "send", "evil", "-s", "hello", "-m", "x"}, "alice"});
  const auto status = tried({{"status"}, "overseer"});
  for (const auto& shown : {sent, status}) {
    const auto words = shown.find(kVisible);
    ASSERT_NE(words, std::string::npos) << shown;
    const auto line_begin = shown.rfind('\n', words) + 1;
    const auto line = shown.substr(line_begin, shown.find('\n', words) - line_begin);
    EXPECT_NE(line.find("evil"), std::string::npos) << line;
    EXPECT_LT(line.find("evil"), line.find(kVisible)) << line;
    EXPECT_EQ(line[line.find(kVisible) - 1], '"') << line;
    EXPECT_EQ(std::count(line.begin(), line.end(), '"'), 2) << line;
  }
}

TEST_F(HostileText, OpensAndClosesNoBlockOfAPrompt) {
  for (const Call& call : {Call{{"mail", "check", "--inject"}, "alice"},
                           {{"mail", "check", "--inject", "--after-compaction"}, "alice"},
                           {{"prime"}, "alice"},
                           {{"nudge", "drain"}, "alice"}}) {
    tried({{"nudge", "alice", cat(hostile_lines(), spelled(call.words))}, "evil"});  // the one before took the others
    const auto block = tried(call);
    EXPECT_NE(block.find(kVisible), std::string::npos) << spelled(call.words) << "\n" << block;
    EXPECT_EQ(times(block, "<system-reminder>"), times(block, "</system-reminder>")) << block;
    EXPECT_LE(times(block, "<system-reminder>"), 1u) << block;
    EXPECT_EQ(times(block, "＜"), 0u) << block;
    for (const auto& line : our_lines(block)) {
      EXPECT_FALSE(line.starts_with("[hq-n-9]")) << block;
      const auto words = line.find(kVisible);
      if (words == std::string::npos) continue;
      EXPECT_LT(line.find("from evil (agent, "), words) << "whose words these are: " << line;
      const auto end = line.find('"', words);
      ASSERT_NE(end, std::string::npos) << line;
      EXPECT_EQ(line.find(kVisible, end), std::string::npos) << "out of its quotes: " << line;
      EXPECT_EQ(line.find("./x.sh", end), std::string::npos) << "out of its quotes: " << line;
    }
  }
}

TEST_F(HostileText, StaysInTheJsonOfAHook) {
  tried({{"nudge", "alice", hostile_lines()}, "evil"});
  const JsonObject event{{"hook_event_name", "SessionStart"}, {"session_id", "s-2"}, {"source", "startup"}};
  const auto answer = tried({{"signal", "claude", "SessionStart"}, "alice", to_line(event)});
  EXPECT_NE(answer.find(kVisible), std::string::npos) << answer;
  EXPECT_TRUE(!answer.starts_with("{") || is_json(answer)) << answer;
}

}  // namespace
}  // namespace townpost
