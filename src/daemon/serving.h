#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace townpost {

/// What a process that watches over a town does for others meanwhile: it runs the calls of commands, and answers HTTP.
/// It ends with this object: nothing more is taken on, and what was is answered.
class Served {
 public:
  virtual ~Served() = default;
};

/// How that begins. Not every program can.
class Serving {
 public:
  virtual ~Serving() = default;
  /// Before anything else is done for a command that stays: where this program cannot serve, and one that can is beside
  /// it, that one runs the command in its place.
  virtual void hand_over() = 0;
  /// This process is the next that serves the town: takes over where clients of the one that does now come in. They
  /// wait until we serve; where it cannot be had, they are refused meanwhile.
  virtual void succeed(const std::filesystem::path& town) = 0;
  struct Plan {
    std::filesystem::path town;                  ///< its `.town` folder
    std::string listen;                          ///< "127.0.0.1:8420"; empty: no HTTP
    bool any_port = false;                       ///< another one, if that is taken
    std::function<void(std::string_view)> tell;  ///< a word for people
    bool must_answer_http = false;               ///< else commands are served where HTTP cannot be
  };
  /// Error: what stands in its way; the watch may go on without.
  virtual Result<std::unique_ptr<Served>> begin(const Plan& plan) = 0;
};

}  // namespace townpost
