#include "app/hand_over.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include "app/program.h"
#include "base/advice.h"
#include "base/files.h"
#include "base/text.h"

namespace townpost {

namespace {

/// Standard input as it was before `text` was read from it. Whether that worked.
bool put_back(const std::string& text) {
  const FileDescriptor copy(::memfd_create("input", MFD_CLOEXEC));
  return copy && ::write(copy.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
         ::lseek(copy.get(), 0, SEEK_SET) == 0 && ::dup2(copy.get(), STDIN_FILENO) == STDIN_FILENO;
}

}  // namespace

Failure HandOver::go(std::string_view what) const {
  if (input_.was_read() && !put_back(input_.text()))
    return fail(Code::unavailable, "the input could not be handed over to townpostd", "try again");
  const auto program = own_file();
  // By our own name: it is what hooks and later programs are to call.
  std::vector<std::string> words = {program.string()};
  words.insert(words.end(), words_.begin(), words_.end());
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const auto folder = program.parent_path();
  for (const auto& place : {folder / "townpostd", folder.parent_path() / "libexec" / "townpost" / "townpostd"})
    ::execv(place.c_str(), arguments.data());
  return fail(Code::unavailable,
              cat(what, " needs the program townpostd, which is not next to ", for_terminal_line(program.string())),
              "install Townpost again: ./dev install");
}

namespace {
constexpr std::string_view kInPostgres = "a town in PostgreSQL";
}

Result<std::unique_ptr<Served>> HandOver::begin(const Plan&) { return go("a server"); }

Result<std::unique_ptr<Database>> HandOver::open(const std::string&, std::optional<Millis>) { return go(kInPostgres); }

Result<std::unique_ptr<Bell>> HandOver::bell(const std::string&) { return go(kInPostgres); }

Result<std::unique_ptr<Engine>> HandOver::engine(Engine&, const Clock&) { return go("a town on another machine"); }

Result<std::unique_ptr<Dialer>> HandOver::dialer(AllowsNumber) {
  return fail(Code::unavailable, cat("only ", called("up"), " speaks https"));
}

std::shared_ptr<const Clock> HandOver::clock(Database&) { return nullptr; }  // nothing was opened

}  // namespace townpost
