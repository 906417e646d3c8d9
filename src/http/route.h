#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ops/op.h"

namespace townpost::http {

/// What a request of one method and path asks of the operation table.
struct Route {
  /// How its data is made from the answer.
  enum class Data {
    answer,  ///< the answer itself
    page,    ///< a list: {items,total,hasMore,nextCursor}
    first,   ///< the first of a list; not found if it is empty
    member,  ///< what the answer has at `key`
    first_of_member,
    count,  ///< {count}: the number that the answer has at `key`
  };
  struct Name {
    std::string_view here;      ///< "agent"
    std::string_view argument;  ///< "address"
  };
  struct Fixed {
    std::string_view argument;
    std::string_view value;
  };

  std::string_view method;
  std::string_view path;  ///< "/api/mail/:id/read": a part with a colon is that argument
  std::string_view op;
  /// What a query or body may say, besides what is in the path, where it is not what all arguments are called in
  /// camelCase.
  std::vector<Name> names = {};
  std::vector<Fixed> fixed = {};
  Data data = Data::answer;
  std::string_view key = {};
  int status = 200;
  bool named_only = false;                      ///< takes what `names` says and no other argument
  std::vector<std::string_view> wanted = {};    ///< arguments that clients must give, though others need not
  std::string_view recipient = {};              ///< the argument that the town's own recipient stands in for
  std::vector<std::string_view> needless = {};  ///< what clients say, and what happens anyway
};

std::span<const Route> routes();

/// The most items of a page.
inline constexpr std::int64_t kLargestPage = 200;

/// A request's path found in the table, and what its parts say.
struct Found {
  const Route* route = nullptr;
  std::vector<std::pair<std::string_view, std::string>> parts;  ///< argument and value, escapes resolved
};
struct Lookup {
  std::optional<Found> found;
  std::vector<std::string_view> other_methods;  ///< with which this path would be known
};
/// `path` as it was sent, without a query. The paths of seed 001 (/agents/…) are those of /api/agents/….
Lookup find_route(std::string_view method, std::string_view path);

/// What the request calls this argument.
std::string_view name_here(const Route& route, std::string_view argument);

}  // namespace townpost::http
