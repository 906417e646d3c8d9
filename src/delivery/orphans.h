#pragma once

namespace townpost {

// What the programs of a supervised agent leave behind: daemons, and whatever ran in the background.

/// From now on it becomes ours instead of the first process's, and so goes on to speak for the agent.
void keep_orphans();
/// Asks those that have ended how, except for `child`, whose supervisor asks itself.
void reap_orphans(int child);
/// Ends what still runs: nobody would know any more for whom it speaks. Takes four seconds at the most.
void end_orphans();

}  // namespace townpost
