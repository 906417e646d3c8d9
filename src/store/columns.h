#pragma once
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "post/values/address.h"
#include "post/values/awake.h"
#include "store/db/database.h"

namespace townpost {

// A value's columns are written down once (store/tables.h): the name of each, and the member that it keeps. From that
// list come the statements that write and read the value, the way a row becomes one, and what `store copy` and
// `store check` know of the table.

/// What a column is besides a value of its type.
enum class Trait : unsigned {
  plain = 0,
  key = 1,     ///< finds the row; keys stand first
  fixed = 2,   ///< never changes once it is written
  words = 4,   ///< what a program said: shown as well as it can be
  listed = 8,  ///< may be long; left out where headers are enough
  body = 16,   ///< is long; left out wherever it can be
};
constexpr Trait operator|(Trait a, Trait b) {
  return static_cast<Trait>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr bool has(Trait traits, Trait one) {
  return (static_cast<unsigned>(traits) & static_cast<unsigned>(one)) != 0;
}

/// `Owner` is the value, or what it is derived from.
template <class Owner, class Member>
struct ColumnOf {
  constexpr ColumnOf(std::string_view its_name, Member Owner::*its_member, Trait its_traits = Trait::plain)
      : name(its_name), member(its_member), traits(its_traits) {}
  std::string_view name;
  Member Owner::*member;
  Trait traits;
};

/// The columns of `Value`, in the order of its table: `name`, `columns`, and a blank value to fill in; specialised in
/// store/tables.h.
template <class Value>
struct TableOf;

/// How much of a value is read: everything, all but the body, or all but what may be long.
enum class Fullness { whole, bodiless, headers };

namespace columns {

/// Text that is put together when the program is compiled. Databases know statements by their address, so the whole of
/// one is a constant.
template <std::size_t N>
struct Text {
  std::array<char, N> letters{};
  constexpr operator std::string_view() const { return {letters.data(), N}; }  // NOLINT(google-explicit-constructor)
};

template <std::size_t N>
consteval Text<N - 1> text(const char (&literal)[N]) {
  Text<N - 1> out;
  for (std::size_t i = 0; i + 1 < N; ++i) out.letters[i] = literal[i];
  return out;
}
template <std::size_t A, std::size_t B>
consteval Text<A + B> operator+(const Text<A>& a, const Text<B>& b) {
  Text<A + B> out;
  for (std::size_t i = 0; i < A; ++i) out.letters[i] = a.letters[i];
  for (std::size_t i = 0; i < B; ++i) out.letters[A + i] = b.letters[i];
  return out;
}
template <std::size_t A, std::size_t B>
consteval Text<A + B - 1> operator+(const Text<A>& a, const char (&b)[B]) {
  return a + text(b);
}
template <std::size_t A, std::size_t B>
consteval Text<A - 1 + B> operator+(const char (&a)[A], const Text<B>& b) {
  return text(a) + b;
}

/// Counts letters, or writes them.
struct Pen {
  char* out = nullptr;
  std::size_t size = 0;
  constexpr void put(std::string_view text) {
    for (const char c : text) {
      if (out) out[size] = c;
      ++size;
    }
  }
  constexpr void put_number(std::size_t number) {
    if (number >= 10) put_number(number / 10);
    const char digit = static_cast<char>('0' + number % 10);
    put({&digit, 1});
  }
};

/// The text that a Writer writes: once to count, once for good.
template <class Writer>
consteval auto written() {
  constexpr std::size_t kSize = [] {
    Pen pen;
    Writer{}(pen);
    return pen.size;
  }();
  Text<kSize> out;
  Pen pen{out.letters.data()};
  Writer{}(pen);
  return out;
}

template <class Value, class Work>
constexpr void for_each(Work work) {
  std::apply([&](const auto&... column) { (work(column), ...); }, TableOf<Value>::columns);
}

template <class Value>
constexpr std::size_t count() {
  return std::tuple_size_v<std::remove_cvref_t<decltype(TableOf<Value>::columns)>>;
}
template <class Value>
constexpr std::size_t count_keys() {
  std::size_t out = 0;
  for_each<Value>([&](const auto& column) { out += has(column.traits, Trait::key) ? 1u : 0u; });
  return out;
}

constexpr bool is_left_out(Trait traits, Fullness fullness) {
  return (fullness != Fullness::whole && has(traits, Trait::body)) ||
         (fullness == Fullness::headers && has(traits, Trait::listed));
}

template <class Value, char Alias, Fullness fullness>
struct ListWriter {
  constexpr void operator()(Pen& pen) const {
    for_each<Value>([&](const auto& column) {
      if (pen.size > 0) pen.put(", ");
      if (is_left_out(column.traits, fullness)) {
        pen.put("''");
        return;
      }
      if (Alias != '\0') {
        const char prefix[] = {Alias, '.'};
        pen.put({prefix, 2});
      }
      pen.put(column.name);
    });
  }
};
/// "m.id, m.created_at, …"; what is left out is ''.
template <class Value, char Alias, Fullness fullness = Fullness::whole>
consteval auto list() {
  return written<ListWriter<Value, Alias, fullness>>();
}
/// "id, created_at, …"
template <class Value>
consteval auto names() {
  return list<Value, '\0'>();
}

template <std::size_t From, std::size_t Number>
struct PlacesWriter {
  constexpr void operator()(Pen& pen) const {
    for (std::size_t i = 0; i < Number; ++i) {
      pen.put(i == 0 ? "$" : ", $");
      pen.put_number(From + i);
    }
  }
};

/// "INSERT INTO t (a, b, …) VALUES ($1, $2, …)", for Values.
template <class Value>
consteval auto insert() {
  return text("INSERT INTO ") + TableOf<Value>::name + " (" + names<Value>() + ") VALUES (" +
         written<PlacesWriter<1, count<Value>()>>() + ")";
}
/// The same where the first column is the next number of the table, which is returned: without the value's own key.
template <class Value>
consteval auto insert_numbered() {
  return text("INSERT INTO ") + TableOf<Value>::name + " (" + names<Value>() +
         ") VALUES ((SELECT COALESCE(MAX(id), 0) + 1 FROM " + TableOf<Value>::name + "), " +
         written<PlacesWriter<1, count<Value>() - 1>>() + ") RETURNING id";
}

template <class Value>
struct KeyWriter {
  constexpr void operator()(Pen& pen) const {
    std::size_t number = 0;
    for_each<Value>([&](const auto& column) {
      if (!has(column.traits, Trait::key)) return;
      pen.put(number == 0 ? " WHERE " : " AND ");
      pen.put(column.name);
      pen.put(" = $");
      pen.put_number(++number);
    });
  }
};
template <class Value>
struct ChangeWriter {
  constexpr void operator()(Pen& pen) const {
    std::size_t number = count_keys<Value>();
    for_each<Value>([&](const auto& column) {
      if (has(column.traits, Trait::key) || has(column.traits, Trait::fixed)) return;
      if (number > count_keys<Value>()) pen.put(", ");
      pen.put(column.name);
      pen.put(" = $");
      pen.put_number(++number);
    });
  }
};
/// "UPDATE t SET c = $3, … WHERE a = $1 AND b = $2", of what may change, for Values of what is changing.
template <class Value>
consteval auto update() {
  return text("UPDATE ") + TableOf<Value>::name + " SET " + written<ChangeWriter<Value>>() +
         written<KeyWriter<Value>>();
}

template <class Value>
struct ConflictWriter {
  constexpr void operator()(Pen& pen) const {
    std::size_t number = 0;
    pen.put(" ON CONFLICT (");
    for_each<Value>([&](const auto& column) {
      if (!has(column.traits, Trait::key)) return;
      if (number++ > 0) pen.put(", ");
      pen.put(column.name);
    });
    pen.put(") DO UPDATE SET ");
    number = 0;
    for_each<Value>([&](const auto& column) {
      if (has(column.traits, Trait::key)) return;
      if (number++ > 0) pen.put(", ");
      pen.put(column.name);
      pen.put(" = excluded.");
      pen.put(column.name);
    });
  }
};
/// insert(), or all of it anew where the key is there already.
template <class Value>
consteval auto upsert() {
  return insert<Value>() + written<ConflictWriter<Value>>();
}

// How a member of each type stands in a column.

template <class T>
constexpr bool is_optional = false;
template <class T>
constexpr bool is_optional<std::optional<T>> = true;
/// Enumerations that are stored by their word instead of their number say how it is read: Word<T>::read(text).
template <class T>
struct Word;
template <class T>
concept StoredByWord = requires(std::string_view text) {
  Word<T>::read(text);
};
/// Values that are kept as one word.
template <class T>
concept OneWord = requires(const T value, std::string text) {
  value.word();
  T::of_word(text);
};
template <class T>
concept Id = requires(T value) {
  value.key;
};

std::string pack(const std::vector<std::string>& words);
std::vector<std::string> unpack(std::string_view text);
Address address(const Row& row, int at);

template <class T>
constexpr bool is_text() {
  if constexpr (is_optional<T>)
    return is_text<typename T::value_type>();
  else
    return std::is_same_v<T, std::string> || std::is_same_v<T, Address> || StoredByWord<T> || OneWord<T> ||
           std::is_same_v<T, std::vector<std::string>>;
}

template <class T>
T get(const Row& row, int at, Trait traits) {
  if constexpr (is_optional<T>) {
    if (row.is_null(at)) return std::nullopt;
    return get<typename T::value_type>(row, at, traits);
  } else if constexpr (std::is_same_v<T, std::string>) {
    return has(traits, Trait::words) ? row.words(at) : row.string(at);
  } else if constexpr (OneWord<T>) {
    return T::of_word(get<std::string>(row, at, traits));
  } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
    return unpack(row.string(at));
  } else if constexpr (std::is_same_v<T, Address>) {
    return address(row, at);
  } else if constexpr (StoredByWord<T>) {
    return Word<T>::read(row.text(at));
  } else if constexpr (std::is_enum_v<T>) {
    return row.choice<T>(at);
  } else if constexpr (std::is_same_v<T, bool>) {
    return row.flag(at);
  } else if constexpr (std::is_same_v<T, int>) {
    return row.count(at);
  } else if constexpr (std::is_same_v<T, Instant>) {
    return row.instant(at);
  } else if constexpr (std::is_same_v<T, AwakeTime>) {
    return {row.instant(at).ms};
  } else if constexpr (std::is_same_v<T, Millis>) {
    return row.length(at);
  } else if constexpr (Id<T>) {
    return {row.integer(at)};
  } else {
    return row.integer(at);
  }
}

template <class T>
Param param(const T& value, std::string& kept) {
  if constexpr (is_optional<T>) {
    return value ? param(*value, kept) : Param(std::nullopt);
  } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
    kept = pack(value);
    return {kept};
  } else if constexpr (OneWord<T>) {
    kept = value.word();
    return {kept};
  } else if constexpr (std::is_same_v<T, Address>) {
    return {value.str()};
  } else if constexpr (StoredByWord<T>) {
    return {name(value)};
  } else if constexpr (std::is_enum_v<T>) {
    return {static_cast<int>(value)};
  } else if constexpr (std::is_same_v<T, AwakeTime>) {
    return {value.ms};
  } else if constexpr (std::is_same_v<T, Millis>) {
    return {std::int64_t{value.count()}};
  } else if constexpr (Id<T>) {
    return {value.key};
  } else {
    return {value};
  }
}

/// The value that stands in a row from column `at` on.
template <class Value>
Value read(const Row& row, int at = 0) {
  Value out = TableOf<Value>::blank();
  for_each<Value>([&]<class Owner, class Member>(const ColumnOf<Owner, Member>& column) {
    out.*column.member = get<Member>(row, at++, column.traits);
  });
  return out;
}

template <class Value>
Value row_as(const Row& row) {
  return read<Value>(row);
}

/// A value as the parameters of a statement; `value` must live as long. Made by values() and changing().
template <class Value>
class Values {
 public:
  enum class Which { all, changing };
  Values(const Value& value, Which which) {
    params_.reserve(count<Value>());
    std::size_t index = 0;
    for_each<Value>([&](const auto& column) {
      if (which == Which::changing && has(column.traits, Trait::fixed)) return;
      params_.push_back(param(value.*column.member, kept_[index++]));
    });
  }
  Values(const Values&) = delete;
  Values& operator=(const Values&) = delete;
  /// The first of them, the key, is something else.
  Values& with_key(const Param& key) {
    params_.front() = key;
    return *this;
  }
  std::span<const Param> params() const { return params_; }

 private:
  std::array<std::string, count<Value>()> kept_;  ///< texts that were put together
  std::vector<Param> params_;
};

/// All columns, as insert() and upsert() want them.
template <class Value>
Values<Value> values(const Value& value) {
  return Values<Value>(value, Values<Value>::Which::all);
}
/// The key and what may change, as update() wants them.
template <class Value>
Values<Value> changing(const Value& value) {
  return Values<Value>(value, Values<Value>::Which::changing);
}

}  // namespace columns
}  // namespace townpost
