#pragma once
#include <termios.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/files.h"
#include "base/result.h"

namespace townpost {

/// The caller's terminal while a screen is drawn on it: keys arrive one by one, and what it showed before is kept
/// aside. It is given back as it was when this ends, and when the process does: also by a signal that kills it with its
/// own hand, but for SIGKILL. One at a time.
class TakenTerminal {
 public:
  /// Of standard input and output. Error: refused, if they are no terminal.
  static Result<std::unique_ptr<TakenTerminal>> open();
  ~TakenTerminal();
  TakenTerminal(const TakenTerminal&) = delete;
  TakenTerminal& operator=(const TakenTerminal&) = delete;

  struct Size {
    int columns = 0;
    int lines = 0;
    friend bool operator==(const Size&, const Size&) = default;
  };
  /// As it says now; 80×24 if it does not.
  Size size() const;

  /// Readable when keys have come.
  int fd() const { return device_.get(); }
  /// What has come; never waits. Nothing: the terminal is gone.
  std::optional<std::string> read();
  /// Keeps what is to be written; flush() writes as much as the terminal takes.
  void write(std::string_view bytes);
  /// False once the terminal is gone.
  bool flush();
  bool has_unwritten() const { return !unwritten_.empty(); }

  /// Gives it to another program for as long as that runs, and takes it back.
  void lend();
  void take_back();

 private:
  TakenTerminal(FileDescriptor device, const termios& before) : device_(std::move(device)), before_(before) {}
  void make_raw() const;
  FileDescriptor device_;
  termios before_;
  std::string unwritten_;
};

}  // namespace townpost
