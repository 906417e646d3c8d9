#pragma once
#include <array>
#include <cstdint>
#include <string_view>

#include "protocol/parse.h"
#include "protocol/subject.h"

namespace townpost::protocol {

/// Fills one Parsed: the subject, the body line by line, then what follows from both. Every line is looked at once (the
/// bullets of a list by the line before them), and each look costs no more than the line and the fields of the type.
class Reader {
 public:
  Reader(const TypeRegistry& registry, const RawMessage& letter, ParseOptions options, Parsed& out);
  void read();

  /// How many bytes of the body were looked at, each time anew: tests hold that it grows no faster than the body.
  std::size_t bytes_looked_at() const { return bytes_looked_at_; }

 private:
  using Span = Parsed::Span;
  using Value = Parsed::Value;
  using State = Parsed::State;

  /// Where we are with regard to the block of fields, which decides what the text is.
  enum class Block {
    before,
    inside,  ///< in the paragraph of a field
    gap,     ///< behind a blank line; a field here still belongs to the block
    behind,
  };
  struct Line {
    std::size_t begin = 0, end = 0;  ///< without the line feed
  };
  /// A label or alias, and the field it is of. Without initialisers, as there is room for far more than most types
  /// need.
  struct Name {
    const char* data;
    std::size_t size;
    std::size_t field;
    bool ascii;

    std::string_view text() const { return {data, size}; }
  };

  Subject read_type();
  void prepare_labels();
  void read_body();
  void read_line(Line& line);
  bool read_heading(Line line);
  void close_section(std::size_t end);
  bool read_key(Line& line, std::size_t first);
  bool read_bullets(Value& value, Line& line);
  void store(const Field& declared, Value& value, std::string_view text);
  void store_section_items(Value& value, std::string_view section);
  void note_field(Line line, bool is_new);
  void finish_text();
  void finish_ids(const Subject& subject);
  void check();

  Line line_at(std::size_t begin);
  std::string_view label_at(std::size_t first, std::size_t end) const;
  bool is_called(const Name& name, std::string_view label) const;
  bool is_any_label(std::string_view label) const;
  bool is_open(const Field& candidate, std::size_t index) const;
  bool condition_holds(const Field& field) const;
  const Field& field(std::size_t index) const;
  std::string_view view(std::size_t begin, std::size_t end) const { return body_.substr(begin, end - begin); }
  Span span(std::string_view part) const {
    if (part.empty()) return {};
    return {static_cast<std::size_t>(part.data() - out_.buffer_.data()), part.size()};
  }

  const TypeRegistry& registry_;
  const RawMessage& letter_;
  const ParseOptions options_;
  Parsed& out_;
  std::string_view subject_, body_;  ///< of out_.buffer_
  bool exact_keys_ = true;
  bool own_bead_ = false;  ///< the type has no bead_id, so its bead is kept beside the fields

  static constexpr std::size_t kMostNames = 130;  ///< two for each of 64 fields and the bead
  std::array<Name, kMostNames> names_;            ///< the first `name_count_` of them
  std::size_t name_count_ = 0;
  std::uint32_t first_letters_ = 0;  ///< of the names: bit n is set for a letter with n in its last five bits
  std::size_t longest_label_ = 0;

  int line_number_ = 0;
  std::size_t bytes_looked_at_ = 0;
  bool seen_section_ = false;
  std::uint64_t open_fields_ = 0;  ///< those that stand in the section we are in
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::size_t section_field_ = kNone;  ///< the field that the section we are in is
  std::size_t section_begin_ = 0;
  int section_line_ = 0;

  Block block_ = Block::before;
  std::size_t paragraph_begin_ = 0, lead_end_ = 0, fields_end_ = 0;
  std::size_t text_end_ = kNone;
  bool after_blank_ = true;
};

}  // namespace townpost::protocol
