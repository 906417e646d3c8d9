#include "protocol/parse.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "protocol/reader.h"

namespace townpost::protocol {

namespace {

/// As `out`'s continuation: UTF-8 with every "\r\n" as "\n".
void append_clean(std::string& out, std::string_view text) {
  std::string repaired;
  if (!is_utf8(text)) {
    repaired = to_utf8(text);
    text = repaired;
  }
  for (std::size_t cr = text.find('\r'); cr != std::string_view::npos; cr = text.find('\r')) {
    const bool line_end = cr + 1 < text.size() && text[cr + 1] == '\n';
    out.append(text.substr(0, line_end ? cr : cr + 1));
    text.remove_prefix(cr + 1);
  }
  out.append(text);
}

/// What a type field may hold without naming a type: a mail's own types, and our own word for not knowing.
constexpr std::array<std::string_view, 6> kNoTypes = {"notification", "task",       "scavenge",
                                                      "reply",        "escalation", "UNKNOWN"};

}  // namespace

Reader::Reader(const TypeRegistry& registry, const RawMessage& letter, ParseOptions options, Parsed& out)
    : registry_(registry), letter_(letter), options_(options), out_(out) {}

void Reader::read() {
  std::string& buffer = out_.buffer_;
  buffer.reserve(letter_.subject.size() + letter_.body.size());
  append_clean(buffer, letter_.subject);
  const std::size_t subject_size = buffer.size();
  append_clean(buffer, letter_.body);
  subject_ = std::string_view(buffer).substr(0, subject_size);
  body_ = std::string_view(buffer).substr(subject_size);

  const Subject subject = read_type();
  const ProtocolType* type = out_.type_;
  exact_keys_ = type == nullptr || type->dialect == Dialect::agent_mail;
  const Field* declared_bead = type ? type->field("bead_id") : nullptr;
  const std::size_t fields = type ? type->fields.size() : 0;
  own_bead_ = declared_bead == nullptr;
  out_.bead_ = own_bead_ ? fields : static_cast<std::size_t>(declared_bead - type->fields.data());
  out_.values_.resize(fields + (own_bead_ ? 1 : 0));
  prepare_labels();
  read_body();
  finish_text();
  finish_ids(subject);
  if (options_.strictness == Strictness::strict) check();
}

Subject Reader::read_type() {
  Subject subject = options_.compat == Compat::agentops ? read_subject_like_agentops(registry_, subject_)
                                                        : read_subject(registry_, subject_);
  const std::string_view given = trim(letter_.type);
  const bool is_given = !given.empty() && std::find(kNoTypes.begin(), kNoTypes.end(), given) == kNoTypes.end();
  if (is_given) {
    const ProtocolType* type = registry_.find(given);
    // A subject that does not name the type is all topic.
    if (type != subject.type) subject.topic = type ? trim(subject_) : std::string_view();
    subject.type = type;
  }
  out_.type_ = subject.type;
  out_.topic_ = span(subject.topic);
  return subject;
}

void Reader::finish_ids(const Subject& subject) {
  const auto fill = [this](Value& value, std::string_view id) {
    if (value.state == State::found || id.empty()) return;
    value.text = span(id);
    value.state = State::found;
  };
  const ProtocolType* type = out_.type_;
  Value& bead = out_.values_[out_.bead_];
  fill(bead, subject.id());
  if (type == nullptr) return;
  if (type->topic_from == "bead" && looks_like_bracket_id(subject.topic)) fill(bead, subject.topic);
  for (std::size_t i = 0; i < type->fields.size(); ++i) {
    if (type->fields[i].key == "issue_id") fill(out_.values_[i], out_.bead_id());
    if (!type->fields[i].fixed.empty()) {
      out_.values_[i].word = type->fields[i].fixed;
      out_.values_[i].state = State::found;
    }
  }
}

Parsed parse(const TypeRegistry& registry, const RawMessage& letter, ParseOptions options) {
  Parsed out;
  Reader(registry, letter, options, out).read();
  return out;
}

}  // namespace townpost::protocol
