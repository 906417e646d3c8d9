#pragma once
#include <string>
#include <string_view>

namespace townpost {

// What agents are told to type. Prompts, and the mail that the town itself writes, are read beside a shell, whoever
// called the operation that wrote them; so these few commands are spelled here, and nowhere else below the front ends.
// A test tries each against the table.

enum class ShellCommand {
  look_at_inbox,
  list_unread,
  check_mail,
  read_mail,    ///< about: an id
  ack_mail,     ///< about: an id
  answer_mail,  ///< about: an id
  read_thread,  ///< about: its name
  send_mail,    ///< about: an address
  look_for_address,
  read_channel,   ///< about: its name
  send_nudge,     ///< about: an address
  show_nudge,     ///< about: an id
  explain_nudge,  ///< about: an id
  explain_agent,  ///< about: an address
  release_agent,  ///< about: an address
  rename_agent,   ///< about: an address
  take_work,      ///< about: a queue
  finish_work,    ///< about: an id
  look_at_todo,
  watch_agents,
  hold_everything,
};
constexpr ShellCommand last_value(ShellCommand) { return ShellCommand::hold_everything; }

/// "gt mail read hq-m-1": `about` is a plain word, or a placeholder of ours.
std::string typed(ShellCommand command, std::string_view about = "");

// The same for who reads mail with bd. What is handed in is plain or escaped; a thread may be empty.
std::string typed_bd_list(std::string_view reader);
std::string typed_bd_show(std::string_view id);
std::string typed_bd_answer(std::string_view id, std::string_view from, std::string_view reader,
                            std::string_view thread);

}  // namespace townpost
