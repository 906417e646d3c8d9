#pragma once
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "post/town/bell.h"
#include "post/town/store.h"
#include "store/db/database.h"

namespace townpost {

/// A place for one store, made for one test and gone with it.
class StoreSite {
 public:
  virtual ~StoreSite() = default;
  /// A new connection; the first finds an empty database.
  virtual std::unique_ptr<Database> connect() = 0;
};

/// One of the stores that the contract holds for.
struct StoreKind {
  std::string name;
  std::function<std::unique_ptr<StoreSite>()> make_site;
};
inline void PrintTo(const StoreKind& kind, std::ostream* out) { *out << kind.name; }

const std::vector<StoreKind>& store_kinds();

/// Another open store on the same data; the first one of a site makes its schema. `bell` is rung after commits.
std::unique_ptr<Store> open_store(StoreSite& site, Bell* bell = nullptr);

}  // namespace townpost
