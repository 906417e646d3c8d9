#include "store/stored_tables.h"

#include <algorithm>

#include "base/text.h"
#include "store/tables.h"

namespace townpost {

namespace {

using Range = StoredColumn::Range;
constexpr Range kTime{0, Row::kFarthest};
constexpr Range kKey{0, INT64_MAX};

/// What may stand in a column that keeps a member of this type.
template <class T>
std::optional<Range> range_of() {
  if constexpr (columns::is_optional<T>)
    return range_of<typename T::value_type>();
  else if constexpr (columns::is_text<T>())
    return std::nullopt;
  else if constexpr (std::is_enum_v<T>)
    return Range{0, static_cast<std::int64_t>(last_value(T{}))};
  else if constexpr (std::is_same_v<T, bool>)
    return Range{0, 1};
  else if constexpr (std::is_same_v<T, int>)
    return Range{0, INT32_MAX};
  else if constexpr (std::is_same_v<T, Instant> || std::is_same_v<T, AwakeTime> || std::is_same_v<T, Millis>)
    return kTime;
  else
    return std::nullopt;
}

template <class Value>
StoredTable table_of() {
  StoredTable out{.name = std::string(std::string_view(TableOf<Value>::name)), .columns = {}};
  columns::for_each<Value>([&]<class Owner, class Member>(const ColumnOf<Owner, Member>& column) {
    const bool key = has(column.traits, Trait::key);
    auto range = range_of<Member>();
    if (key && !columns::is_text<Member>() && !range) range = kKey;
    out.columns.push_back({std::string(column.name), columns::is_text<Member>(), key, range});
  });
  return out;
}

/// Of a table without a value: "name:t* prefix:t created_at:i": `t` text, `i` integer, `b` yes or no, `*` part of the
/// key. Times are known by their names.
std::vector<StoredColumn> columns_from(std::string_view specs) {
  constexpr std::string_view kTimes[] = {"_at", "_awake", "_until", "_since"};
  std::vector<StoredColumn> out;
  for (const auto spec : split(specs, ' ')) {
    const auto colon = spec.find(':');
    const auto name = spec.substr(0, colon);
    StoredColumn column{.name = std::string(name), .text = spec[colon + 1] == 't', .key = spec.back() == '*'};
    if (spec[colon + 1] == 'b')
      column.range = Range{0, 1};
    else if (!column.text &&
             (name == "at" || name == "awake" ||
              std::any_of(std::begin(kTimes), std::end(kTimes), [&](auto end) { return name.ends_with(end); })))
      column.range = kTime;
    else if (!column.text && column.key)
      column.range = kKey;
    out.push_back(std::move(column));
  }
  return out;
}

}  // namespace

const std::vector<StoredTable>& stored_tables() {
  static const std::vector<StoredTable> kTables = {
      table_of<Rig>(),
      table_of<Agent>(),
      {"alias", columns_from("address:t* agent:i")},
      table_of<Message>(),
      table_of<Delivery>(),
      {"message_topic", columns_from("message:i* digest:i")},
      {"reply_owed", columns_from("message:i* debtor:i* creditor:i")},
      {"idempotency_key", columns_from("sender:i* key:t* message:i digest:i at:i answer:t")},
      table_of<Event>(),
      {"log_state", columns_from("id:i* last_event:i complete_from:i swept:i last_duty:i")},
      table_of<Duty>(),
      {"mail_group", columns_from("name:t* creator:i created_at:i")},
      {"group_member", columns_from("list:t* member:t*")},
      table_of<Queue>(),
      table_of<QueueItem>(),
      table_of<Channel>(),
      {"channel_post", columns_from("channel:i* message:i* sender:i created_at:i recalled_at:i held_by:t")},
      table_of<PrunedPost>(),
      table_of<Subscription>(),
      {"channel_cursor", columns_from("channel:i* reader:i* read:i announced:i")},
      {"channel_author_cursor", columns_from("channel:i* reader:i* author:i* read:i announced:i")},
      {"recalled_for", columns_from("channel:i* recalled_at:i* reader:i* read:i")},
      table_of<Nudge>(),
      table_of<Presence>(),
      table_of<Care>(),
      table_of<Token>(),
      {"wake", columns_from("id:i* agent:i at:i by_agent:b urgent:b")},
      {"watch", columns_from("id:i* awake:i watched_at:i held_since:i hold_until:i wakes_told_at:i nudges:i")},
  };
  return kTables;
}

}  // namespace townpost
