#pragma once
#include <string>
#include <string_view>

#include "base/error.h"
#include "store/db/postgres_address.h"

namespace townpost {

/// Why the server did not do what it was asked.
struct Trouble {
  std::string state;   ///< its SQLSTATE; empty if it did not come to an answer
  std::string reason;  ///< one line, for people
  bool lost = false;   ///< the connection is gone, and the transaction with it
  bool late = false;   ///< we did not wait any longer
  bool unmet = false;  ///< there was no connection to begin with
};

/// The connection went away, or none came about; `message` is libpq's.
Trouble lost_connection(std::string_view message);
Trouble no_connection(std::string_view message);

/// Whether another connection, in a moment, may do better: the server is away, starting, stopping, full, or a standby.
bool passes(const Trouble& trouble);
/// Whether the same transaction may simply be run again: others were in its way.
bool was_in_the_way(const Trouble& trouble);

/// In words, with what to do.
Error explain(const Trouble& trouble, const PostgresAddress& address);

}  // namespace townpost
