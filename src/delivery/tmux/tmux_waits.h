#pragma once
#include <cstdint>
#include <functional>
#include <thread>

#include "base/clock.h"

namespace townpost {

/// How long is waited for what where an agent is reached by typing.
struct TmuxWaits {
  Millis between_looks{200};  ///< the two captures that must agree
  Millis settle{150};         ///< between the text and Enter
  Millis first_look{50};      ///< after Enter
  Millis next_look{100};      ///< then again, up to `looks` times, before anything is tried again
  int looks = 15;
  int rest_looks = 4;       ///< at a screen that moves without a sign of work: a redraw soon comes to rest
  Millis until_ready{500};  ///< between looks for a prompt that is not there yet
  int ready_looks = 4;
  Millis lock{10000};            ///< for another process that types there
  std::int64_t hands_off_s = 3;  ///< since a client's last key; 0: keys do not matter
  std::function<void(Millis)> sleep = [](Millis time) { std::this_thread::sleep_for(time); };
};

}  // namespace townpost
