#pragma once

namespace townpost {

// Inside a transaction others wait for us, so nobody reaches outside there: no file is opened, no process looked at, no
// program started or asked. Whatever does such a thing says so first; where the tests are built, doing it in seclusion
// ends the program.

/// While one lives, the calling thread stays inside.
class Seclusion {
 public:
  Seclusion();
  ~Seclusion();
  Seclusion(const Seclusion&) = delete;
  Seclusion& operator=(const Seclusion&) = delete;
};

/// `how`: what is about to be done, for the message.
void reach_outside(const char* how);

}  // namespace townpost
