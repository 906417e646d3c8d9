#pragma once
#include <string>
#include <string_view>

namespace townpost {

/// What runs in an agent's session and how we know of it, and so how it is spoken to. Files, the store and people have
/// it as one word.
class Harness {
 public:
  enum class Kind {
    unknown,   ///< nobody has looked
    hooked,    ///< "claude": its hooks call us, and ask for what waits
    named,     ///< "codex": it has called us, and no hooks of it are known
    server,    ///< "opencode": a conversation of a server
    stream,    ///< "stream": we started it and speak to it in lines
    terminal,  ///< "terminal": we started it, and it has the terminal for itself
    typed,     ///< "tmux/codex", "tmux": its pane was looked at, and is typed to
  };
  Harness() = default;
  /// Every text is one: what is none of the others has named itself.
  static Harness of_word(std::string_view word);
  static Harness stream() { return {Kind::stream, ""}; }
  static Harness terminal() { return {Kind::terminal, ""}; }
  /// `program`: what was found there, as one word; empty if it is not known.
  static Harness typed(std::string_view program) { return {Kind::typed, std::string(program)}; }

  Kind kind() const { return kind_; }
  bool is(Kind kind) const { return kind_ == kind; }
  bool is_known() const { return kind_ != Kind::unknown; }
  /// The agent program ("claude", "codex"), where it is known which.
  const std::string& program() const { return program_; }
  std::string word() const;

  friend bool operator==(const Harness&, const Harness&) = default;

 private:
  Harness(Kind kind, std::string program) : kind_(kind), program_(std::move(program)) {}
  Kind kind_ = Kind::unknown;
  std::string program_;
};

}  // namespace townpost
