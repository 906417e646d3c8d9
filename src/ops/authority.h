#pragma once
#include <string>
#include <string_view>

#include "post/values/message.h"

namespace townpost {

/// Who may call an operation. The gate asks before the handler runs; what depends on data (whose mail, whose list) the
/// services decide.
enum class Who {
  anyone,       ///< everybody the town can name
  itself,       ///< the agent concerned, and those who run the town
  owner,        ///< the owner of the mailbox, and people
  participant,  ///< by data: sender, recipients, members of the thread
  claimer,      ///< by data: whom the queue's claimers cover
  creator,      ///< by data: whoever made the group or channel
  coordinator,  ///< people, and those who run the town and its rigs
  person,       ///< people only
};
std::string_view describe(Who who);

/// The authority that one row of the operation table asks for. It has no default: a row that does not say who may call
/// it does not compile.
class Authority {
 public:
  Who who() const { return who_; }
  /// The argument that names on whose behalf it is called; empty: on the caller's own.
  std::string_view whom() const { return whom_; }
  /// How surely the caller must be known.
  Grade least() const { return least_; }
  bool open_in_quarantine() const { return open_in_quarantine_; }
  /// In the words of the reference.
  std::string describe() const;

 private:
  friend Authority by_anyone();
  friend Authority by_itself(std::string_view whom);
  friend Authority by_owner(std::string_view whom);
  friend Authority by_participants();
  friend Authority by_claimers();
  friend Authority by_creator();
  friend Authority by_coordinators();
  friend Authority by_people();
  friend Authority not_in_quarantine(Authority authority);
  explicit Authority(Who who, std::string_view whom = {}, Grade least = Grade::script)
      : who_(who), whom_(whom), least_(least) {}
  Who who_;
  std::string_view whom_;
  Grade least_;
  bool open_in_quarantine_ = true;
};

// The words that rows say it with.
Authority by_anyone();
Authority by_itself(std::string_view whom = {});
Authority by_owner(std::string_view whom = {});
Authority by_participants();
Authority by_claimers();
Authority by_creator();
Authority by_coordinators();
/// A script's word is not enough: it needs a terminal, or --as.
Authority by_people();
/// An agent in quarantine may look after its own mail; this is beyond that.
Authority not_in_quarantine(Authority authority);

}  // namespace townpost
