// The program `townpostd`: what `gt` is, with PostgreSQL, TLS and a server. `gt` calls it in its own place, by its own
// name.
#include <sys/prctl.h>

#include "app/libpq_door.h"
#include "app/program.h"
#include "app/tls_door.h"
#include "app/town_serving.h"

int main(int argc, char** argv) {
  using namespace townpost;
  ::prctl(PR_SET_NAME, "gt");  // who looks at the processes sees the command that was called
  StandardInput input;
  LibpqDoor postgres;
  TlsDoor remote;
  const std::filesystem::path called = argc > 0 ? argv[0] : "";
  TownServing serving(input, postgres, remote);
  return run(std::vector<std::string>(argv + 1, argv + argc),
             {input, postgres, &serving, called.is_absolute() ? called : std::filesystem::path(), &remote});
}
