// The program `gt`: runs one command. What needs PostgreSQL it hands over to `townpostd`.
#include "app/hand_over.h"
#include "app/program.h"

int main(int argc, char** argv) {
  using namespace townpost;
  const std::vector<std::string> words(argv + 1, argv + argc);
  StandardInput input;
  HandOver postgres(words, input);
  return run(words, {input, postgres});
}
