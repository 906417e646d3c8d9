#pragma once
#include <string_view>
#include <vector>

namespace townpost {

/// One column of a list, as data: what of a row it shows, and how. Front ends draw it.
struct Column {
  enum class As {
    value,      ///< as the key's shape says: a text, a number, yes or nothing, a moment
    id,         ///< somebody will copy it: never shortened
    address,    ///< of an agent or a list, or several: people may be shown short names
    prose,      ///< whatever somebody wrote: it gives way first where room is short
    age,        ///< how long ago
    state,      ///< what needs a person is stressed
    position,   ///< in the listing: what `mail.read 1` means
    mark,       ///< of a message: that it is unread, urgent or pinned
    note,       ///< of a message: what it asks for, what holds it
    standings,  ///< of a sent message: what became of it with whom
  };
  enum class For { everybody, people, programs };

  // NOLINTNEXTLINE(google-explicit-constructor): a list of keys is a list of columns
  constexpr Column(const char* its_key) : key(its_key) {}
  constexpr Column(std::string_view its_key, As its_as, std::string_view its_heading = {}, For reader = For::everybody)
      : key(its_key), as(its_as), heading(its_heading), whom(reader) {}

  /// Empty for what is made of several keys.
  std::string_view key;
  As as = As::value;
  /// Else the key is the heading.
  std::string_view heading = {};
  For whom = For::everybody;
};

// The columns of lists that several operations answer with.
namespace columns {
std::vector<Column> messages();         ///< of a mailbox
std::vector<Column> sent_messages();    ///< with what became of them
std::vector<Column> queued_messages();  ///< with their place in a queue
std::vector<Column> queue_contents();   ///< of one queue, with who works on it
std::vector<Column> nudges();
}  // namespace columns

}  // namespace townpost
