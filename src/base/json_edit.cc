#include "base/json_edit.h"

#include <optional>

#include "base/check.h"
#include "base/text.h"

namespace townpost {

namespace {

struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// A member of an object or an element of an array.
struct Item {
  std::size_t begin = 0;  ///< of the name, where it has one
  std::string name;
  Span value;
};

/// Walks over text that is known to be JSON.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  Span document() const {
    const auto begin = after_space(0);
    return {begin, after_value(begin)};
  }

  std::vector<Item> items(Span container) const {
    const bool named = text_[container.begin] == '{';
    std::vector<Item> out;
    auto at = after_space(container.begin + 1);
    while (at + 1 < container.end) {
      Item item{at, "", {}};
      if (named) {
        const auto end = after_value(at);
        item.name = parse_json(text_.substr(at, end - at)).value().get_string();
        at = after_space(after_space(end) + 1);  // past the colon
      }
      item.value = {at, after_value(at)};
      out.push_back(item);
      at = after_space(item.value.end);
      if (text_[at] == ',') at = after_space(at + 1);
    }
    return out;
  }

 private:
  std::size_t after_space(std::size_t at) const {
    while (at < text_.size() && std::string_view(" \t\r\n").find(text_[at]) != std::string_view::npos) ++at;
    return at;
  }

  std::size_t after_string(std::size_t at) const {
    for (++at; text_[at] != '"'; ++at)
      if (text_[at] == '\\') ++at;
    return at + 1;
  }

  std::size_t after_value(std::size_t at) const {
    if (text_[at] == '"') return after_string(at);
    if (text_[at] != '{' && text_[at] != '[') {
      const auto end = text_.find_first_of(",]} \t\r\n", at);
      return end == std::string_view::npos ? text_.size() : end;
    }
    std::size_t depth = 0;
    do {
      if (text_[at] == '"') {
        at = after_string(at);
        continue;
      }
      if (text_[at] == '{' || text_[at] == '[') ++depth;
      if (text_[at] == '}' || text_[at] == ']') --depth;
      ++at;
    } while (depth > 0);
    return at;
  }

  std::string_view text_;
};

bool is_at(const Item& item, std::size_t position, const std::variant<std::string, std::size_t>& step) {
  if (const auto* name = std::get_if<std::string>(&step)) return item.name == *name;
  return position == std::get<std::size_t>(step);
}

/// The position of `step` among the items. Of members with one name the last one counts, as it does for parse_json().
std::size_t find(const std::vector<Item>& items, const std::variant<std::string, std::size_t>& step) {
  for (std::size_t i = items.size(); i-- > 0;)
    if (is_at(items[i], i, step)) return i;
  CHECK(false);  // what the path names is there
  return 0;
}

Span container_at(const Scanner& scanner, const JsonPath& path, std::size_t steps) {
  auto span = scanner.document();
  for (std::size_t i = 0; i < steps; ++i) {
    const auto items = scanner.items(span);
    span = items[find(items, path[i])].value;
  }
  return span;
}

/// The spaces that the line at `at` begins with.
std::string_view indent_of_line(std::string_view text, std::size_t at) {
  const auto newline = text.rfind('\n', at);
  const auto begin = newline == std::string_view::npos ? 0 : newline + 1;
  const auto end = text.find_first_not_of(" \t", begin);
  return text.substr(begin, std::min(end, text.size()) - begin);
}

/// The value over several lines, each but the first behind `separator`, which ends in the indentation of its
/// neighbours.
std::string laid_out(const Json& value, std::string_view separator) {
  const auto lines = to_pretty(value);
  std::string out;
  for (const char c : trim(lines)) {
    if (c == '\n')
      out += separator;
    else
      out += c;
  }
  return out;
}

std::string add(std::string_view text, const JsonPath& path, std::optional<std::string_view> name, const Json& value) {
  const Scanner scanner(text);
  const auto container = container_at(scanner, path, path.size());
  const auto items = scanner.items(container);
  const auto inserted = [&](std::size_t at, const std::string& what) {
    return cat(text.substr(0, at), what, text.substr(at));
  };
  const auto labelled = [&](std::string_view colon, const std::string& written) {
    return name ? cat(to_line(Json(*name)), colon, written) : written;
  };
  if (items.empty()) {
    const auto outer = cat("\n", indent_of_line(text, container.begin));
    const auto inner = outer + "  ";
    return inserted(container.begin + 1, cat(inner, labelled(": ", laid_out(value, inner)), outer));
  }
  const auto separator = text.substr(container.begin + 1, items.front().begin - container.begin - 1);
  const bool over_lines = separator.find('\n') != std::string_view::npos;
  return inserted(items.back().value.end, over_lines ? cat(",", separator, labelled(": ", laid_out(value, separator)))
                                                     : cat(",", separator, labelled(":", to_line(value))));
}

}  // namespace

std::string add_member(std::string_view text, const JsonPath& path, std::string_view name, const Json& value) {
  return add(text, path, name, value);
}

std::string add_element(std::string_view text, const JsonPath& path, const Json& value) {
  return add(text, path, std::nullopt, value);
}

std::string remove_at(std::string_view text, const JsonPath& path) {
  CHECK(!path.empty());
  const Scanner scanner(text);
  const auto container = container_at(scanner, path, path.size() - 1);
  const auto items = scanner.items(container);
  const auto at = find(items, path.back());
  Span gone{container.begin + 1, items[at].value.end};
  if (at > 0) {
    gone.begin = items[at - 1].value.end;
  } else if (items.size() > 1) {
    gone = {items[0].begin, items[1].begin};
  } else if (const auto outer = cat("\n", indent_of_line(text, container.begin));
             text.substr(gone.end).starts_with(outer)) {
    gone.end += outer.size();
  }
  return cat(text.substr(0, gone.begin), text.substr(gone.end));
}

}  // namespace townpost
