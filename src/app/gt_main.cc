// The program `gt`: runs one command. What needs PostgreSQL or the network, or serves others, it hands over to
// `townpostd`.
#include "app/hand_over.h"
#include "app/program.h"

int main(int argc, char** argv) {
  using namespace townpost;
  const std::vector<std::string> words(argv + 1, argv + argc);
  StandardInput input;
  HandOver townpostd(words, input);
  return run(words, {input, townpostd, &townpostd, {}, &townpostd});
}
