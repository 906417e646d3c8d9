#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/process.h"
#include "base/random.h"
#include "base/result.h"

namespace townpost {

/// Which tmux server is meant: the socket at a path (-S), of a name (-L), or the one tmux itself takes.
struct TmuxServerName {
  std::string socket_path;
  std::string socket_name;
};

/// One pane: by its id, or the pane of the session of exactly this name. Never by a prefix.
struct TmuxTarget {
  std::string pane;         ///< "%5", or empty
  std::string session;      ///< if `pane` is empty
  std::string socket = {};  ///< of its server; empty: this user's usual one

  /// Reads "tmux:NAME", "tmux:%5" or "tmux:/path/of/a/socket/%5". Error: usage.
  static Result<TmuxTarget> parse(std::string_view uri);
  std::string str() const { return pane.empty() ? session : pane; }
  friend bool operator==(const TmuxTarget&, const TmuxTarget&) = default;
};

struct TmuxPane {
  std::string id;        ///< "%5", never used again while the server lives
  std::string session;   ///< the name as it is now
  std::string command;   ///< what runs in it at the moment
  std::string socket;    ///< the server's
  std::string terminal;  ///< its device: /dev/pts/5
  std::int64_t pid = 0;
  bool dead = false;          ///< its program has ended, only the text is left
  bool in_mode = false;       ///< copy mode or another one that takes the keys
  bool synchronized = false;  ///< gets the keys of its neighbours too
  int width = 0;
  int height = 0;
  bool alone = false;             ///< the only pane of its session
  bool fills_the_screen = false;  ///< its program has the terminal's other screen: an editor, a pager, a dialog
};

struct TmuxClient {
  std::string name;
  std::string pane;       ///< where its keys go
  std::int64_t idle_s{};  ///< whole seconds since its last key
};

/// A pane, who looks at it, and what it shows: one capture with colours for each look.
struct TmuxView {
  TmuxPane pane;
  std::vector<TmuxClient> clients;
  std::vector<std::string> captures;
};

/// How a pane is looked at: `count` captures with `apart` between them, each with `history` lines above the screen.
struct TmuxLooks {
  int count = 1;
  Millis apart{0};
  int history = 0;
};

/// What is typed in one go: first the text (through a paste buffer of its own), then the keys, then a look.
struct TmuxTyping {
  std::string text;               ///< any length, any bytes
  Millis settle{0};               ///< between the text and the keys or the look
  std::vector<std::string> keys;  ///< names of keys, such as "Enter"
  std::string bytes;              ///< sent as they are, in place of keys
  int repeat = 1;                 ///< of all the keys
  Millis look_after{0};           ///< the keys
};

/// The tmux program. Every call is one process, whatever it does (about 3 ms). not_found: there is no such server,
/// session or pane, or no tmux; unavailable: tmux said something else. Needs tmux 3.2 or newer.
class Tmux {
 public:
  Tmux(Processes& processes, Random& random, TmuxServerName server = {})
      : processes_(processes), random_(random), server_(std::move(server)) {}

  Result<std::vector<std::string>> sessions();
  /// All panes of the server, with id, session and numbers only.
  Result<std::vector<TmuxPane>> panes();
  Result<TmuxPane> pane(const TmuxTarget& target);
  Result<TmuxView> view(const TmuxTarget& target, const TmuxLooks& looks);
  /// What the pane shows, with colours, and `history` lines above it.
  Result<std::string> capture(const std::string& pane_id, int history);
  /// The same without colours, and nothing above it.
  Result<std::string> plain_capture(const std::string& pane_id);
  /// Leaves copy mode, types, and returns what the pane shows then, with colours. Only for a pane that was resolved.
  Result<std::string> type(const std::string& pane_id, const TmuxTyping& typing);
  /// Shows a line of text in the status line of those clients for a few seconds.
  Result<> tell(const std::vector<TmuxClient>& clients, std::string_view text);

 private:
  using Words = std::vector<std::string>;
  /// One tmux process that runs these commands; what each of them printed.
  Result<std::vector<std::string>> run(const std::vector<Words>& commands, std::string input = {});

  Processes& processes_;
  Random& random_;
  TmuxServerName server_;
};

}  // namespace townpost
