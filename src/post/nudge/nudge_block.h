#pragma once
#include <string>
#include <vector>

#include "post/nudge/announce.h"
#include "post/values/nudge.h"

namespace townpost {

/// What one injection may hold: a harness shows no more at once.
constexpr std::size_t kBlockCharacters = 9'500;
/// What is shown of one nudge; the rest is a command away.
constexpr std::size_t kShownCharacters = 8'000;

/// How a block is framed.
enum class Frame {
  reminder,  ///< <system-reminder> … </system-reminder>, for harnesses that know it
  plain,
  listing,  ///< no commands beside each mail, for a session that was just told them
};

/// In which program's words an agent is told how to read and answer its mail.
struct MailCommands {
  bool of_bd = false;  ///< bd list, bd show, bd create instead of gt mail
  std::string reader;  ///< who reads it, for commands that name them
};

/// One block for an agent: who speaks with what grade, what, how to read more and how to reply; what is urgent first.
/// Text of others cannot open or close it. `fitted` gets how many of `nudges` are in it, from the first on; at least
/// one if there is any.
std::string nudge_block(const std::vector<Nudge>& nudges, const Announcement& mail, Frame frame, std::size_t& fitted,
                        const MailCommands& commands = {});

}  // namespace townpost
