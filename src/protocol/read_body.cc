// The grammar of bodies: "Key: value" lines, lists, sections, and the text around them.
#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "protocol/reader.h"
#include "protocol/values.h"

namespace townpost::protocol {

namespace {

constexpr Field kBead = {.label = "Bead", .key = "bead_id", .alias = "Accepted bead"};

bool is_blank(char byte) { return byte == ' ' || byte == '\t'; }

/// 1 or 2 for "# …" and "## …", 0 for every other line: deeper headings belong to their section.
int heading_level(std::string_view line) {
  const std::size_t marks = std::min(line.find_first_not_of('#'), line.size());
  if (marks < 1 || marks > 2) return 0;
  return marks == line.size() || is_blank(line[marks]) || line[marks] == '\r' ? static_cast<int>(marks) : 0;
}

/// "## Problem: inline" is the section Problem.
std::string_view heading_name(std::string_view line) { return strip(line.substr(2, line.find(':') - 2)); }

std::uint32_t letter_bit(char byte) { return std::uint32_t{1} << (static_cast<unsigned char>(byte) & 31U); }

}  // namespace

const Field& Reader::field(std::size_t index) const {
  return out_.type_ && index < out_.type_->fields.size() ? out_.type_->fields[index] : kBead;
}

void Reader::prepare_labels() {
  CHECK(2 * out_.values_.size() <= kMostNames);
  const auto know = [this](std::string_view label, std::size_t index) {
    if (label.empty()) return;
    const bool ascii = field(index).ascii;
    names_[name_count_++] = {label.data(), label.size(), index, ascii};
    // Letters beyond ASCII may change their bytes with their case, so every first letter and a longer label will do.
    first_letters_ |= ascii ? letter_bit(label[0]) : ~std::uint32_t{0};
    longest_label_ = std::max(longest_label_, ascii ? label.size() : 4 * label.size());
  };
  for (std::size_t i = 0; i < out_.values_.size(); ++i) {
    if (field(i).is_section()) continue;
    know(field(i).label, i);
    know(field(i).alias, i);
  }
}

Reader::Line Reader::line_at(std::size_t begin) {
  const void* found = std::memchr(body_.data() + begin, '\n', body_.size() - begin);
  const std::size_t end =
      found ? static_cast<std::size_t>(static_cast<const char*>(found) - body_.data()) : body_.size();
  bytes_looked_at_ += end - begin + 1;
  return {begin, end};
}

void Reader::read_body() {
  for (std::size_t at = 0; at < body_.size();) {
    Line line = line_at(at);
    ++line_number_;
    if (body_[at] == '#' && read_heading(line)) {
      if (block_ != Block::before) block_ = Block::behind;
      after_blank_ = true;
    } else {
      read_line(line);
    }
    at = line.end + 1;
  }
  close_section(body_.size());
}

void Reader::read_line(Line& line) {
  std::size_t first = line.begin;
  while (first < line.end && (is_blank(body_[first]) || body_[first] == '\r')) ++first;
  if (first == line.end) {
    if (block_ == Block::inside) block_ = Block::gap;
    after_blank_ = true;
    return;
  }
  if (after_blank_) paragraph_begin_ = line.begin;
  after_blank_ = false;
  if (!read_key(line, first) && block_ == Block::gap) block_ = Block::behind;
}

bool Reader::read_heading(Line line) {
  const std::string_view text = view(line.begin, line.end);
  const int level = heading_level(text);
  if (level == 0) return false;
  close_section(line.begin);
  if (level == 1) return true;
  seen_section_ = true;
  const std::string_view name = heading_name(text);
  bool declared = false;
  for (std::size_t i = 0; i < out_.values_.size(); ++i) {
    const Field& candidate = field(i);
    if (candidate.is_section() && same_name(candidate.label, name)) {
      section_field_ = i;
      section_begin_ = std::min(line.end + 1, body_.size());
      section_line_ = line_number_;
      declared = true;
    } else if (candidate.in_section() && same_name(candidate.section, name)) {
      open_fields_ |= std::uint64_t{1} << i;
      declared = true;
    }
  }
  if (declared && text_end_ == kNone) text_end_ = line.begin;
  return true;
}

void Reader::close_section(std::size_t end) {
  open_fields_ = 0;
  if (section_field_ == kNone) return;
  Value& value = out_.values_[section_field_];
  const Field& section = field(section_field_);
  section_field_ = kNone;
  const std::string_view text = strip(view(section_begin_, std::max(section_begin_, end)));
  bytes_looked_at_ += text.size();
  if (text.empty() || value.state != State::absent) return;
  value.line = section_line_;
  if (section.kind == Kind::list) {
    store_section_items(value, text);
  } else {
    store(section, value, text);
  }
}

/// A label, from `first` on: behind a bullet if there is one, up to a colon.
std::string_view Reader::label_at(std::size_t first, std::size_t end) const {
  if ((body_[first] == '-' || body_[first] == '*') && first + 1 < end && is_blank(body_[first + 1])) {
    first += 2;
    while (first < end && is_blank(body_[first])) ++first;
  }
  if (first == end || (first_letters_ & letter_bit(body_[first])) == 0) return {};
  const std::size_t limit = std::min(end, first + longest_label_ + 1);
  for (std::size_t at = first; at < limit; ++at)
    if (body_[at] == ':') return view(first, at);
  return {};
}

bool Reader::is_called(const Name& name, std::string_view label) const {
  // Most are told apart by length and first letter; the bit that differs is that of the case.
  if (name.ascii && (name.size != label.size() || ((name.data[0] ^ label[0]) & ~0x20) != 0)) return false;
  return name.text() == label || (!exact_keys_ && same_name(name.text(), label));
}

bool Reader::is_open(const Field& candidate, std::size_t index) const {
  if (candidate.in_section()) return (open_fields_ >> index & 1) != 0;
  return candidate.place != Place::head || !seen_section_;
}

/// Whether the line is one of a declared field.
bool Reader::read_key(Line& line, std::size_t first) {
  const std::string_view label = label_at(first, line.end);
  if (label.empty()) return false;
  const std::size_t value_begin = static_cast<std::size_t>(label.data() - body_.data()) + label.size() + 1;
  const std::string_view text = strip(view(value_begin, line.end));
  bool is_field = false, is_new = false;
  for (std::size_t n = 0; n < name_count_; ++n) {
    if (!is_called(names_[n], label)) continue;
    const std::size_t i = names_[n].field;
    const Field& candidate = field(i);
    if (!is_open(candidate, i)) continue;
    const bool declared = !own_bead_ || i != out_.bead_;
    is_field = is_field || declared;
    Value& value = out_.values_[i];
    if (value.state != State::absent || !candidate.fixed.empty()) continue;
    value.line = line_number_;
    if (text.empty()) {
      // An empty value falls through to the next place it may come from; of a list, that is the next line.
      if (candidate.kind == Kind::list) is_new = read_bullets(value, line) || is_new;
    } else {
      store(candidate, value, text);
      is_new = is_new || declared;
    }
  }
  if (is_field) note_field(line, is_new);
  return is_field;
}

bool Reader::read_bullets(Value& value, Line& line) {
  value.first_item = out_.items_.size();
  Line last = line;
  int last_number = line_number_, number = line_number_;
  for (std::size_t at = line.end + 1; at < body_.size();) {
    const Line next = line_at(at);
    ++number;
    at = next.end + 1;
    const std::string_view text = strip(view(next.begin, next.end));
    if (text.empty() && last.begin == line.begin) continue;
    const auto item = bullet_in(text);
    if (!item || is_any_label(label_at(static_cast<std::size_t>(text.data() - body_.data()), next.end))) break;
    if (!item->empty()) out_.items_.push_back(span(*item));
    last = next;
    last_number = number;
  }
  value.items = out_.items_.size() - value.first_item;
  if (value.items == 0) return false;
  value.state = State::found;
  line = last;
  line_number_ = last_number;
  return true;
}

bool Reader::is_any_label(std::string_view label) const {
  return !label.empty() && std::any_of(names_.begin(), names_.begin() + static_cast<std::ptrdiff_t>(name_count_),
                                       [this, label](const Name& name) { return is_called(name, label); });
}

void Reader::store(const Field& declared, Value& value, std::string_view text) {
  value.text = span(text);
  value.state = State::found;
  std::optional<std::int64_t> number;
  switch (declared.kind) {
    case Kind::text:
    case Kind::instant:
    case Kind::section:
      return;
    case Kind::enumeration:
      value.word = word_in(declared.values, text);
      return;
    case Kind::flag:
      value.number = read_flag(text) ? 1 : 0;
      return;
    case Kind::list:
      value.first_item = out_.items_.size();
      for_each_item(text, [this](std::string_view item) { out_.items_.push_back(span(item)); });
      value.items = out_.items_.size() - value.first_item;
      if (value.items == 0) value.state = State::absent;
      return;
    case Kind::integer:
      number = read_integer(text);
      break;
    case Kind::percent:
      number = read_percent(text);
      break;
  }
  value.number = number.value_or(0);
  if (!number) value.state = State::unreadable;
}

/// Bullets are one item each; other lines are comma separated.
void Reader::store_section_items(Value& value, std::string_view section) {
  value.first_item = out_.items_.size();
  while (!section.empty()) {
    const std::size_t end = std::min(section.find('\n'), section.size());
    const std::string_view line = section.substr(0, end);
    if (const auto item = bullet_in(line)) {
      if (!item->empty()) out_.items_.push_back(span(*item));
    } else {
      for_each_item(line, [this](std::string_view part) { out_.items_.push_back(span(part)); });
    }
    section.remove_prefix(std::min(end + 1, section.size()));
  }
  value.items = out_.items_.size() - value.first_item;
  if (value.items > 0) value.state = State::found;
}

/// The block of fields grows by every field in its paragraphs; behind a blank line only by one that was not there yet,
/// because the text may well repeat one that was.
void Reader::note_field(Line line, bool is_new) {
  if (block_ == Block::behind || text_end_ != kNone) return;
  if (block_ == Block::gap && !is_new) {
    block_ = Block::behind;
    return;
  }
  if (block_ == Block::before) lead_end_ = paragraph_begin_;
  block_ = Block::inside;
  fields_end_ = std::min(line.end + 1, body_.size());
}

void Reader::finish_text() {
  const std::size_t end = text_end_ == kNone ? body_.size() : text_end_;
  std::string_view text = strip(view(std::min(fields_end_, end), end));
  if (text.empty()) text = strip(view(0, lead_end_));
  out_.text_ = span(text);
}

}  // namespace townpost::protocol
