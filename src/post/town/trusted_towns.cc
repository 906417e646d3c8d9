#include "post/town/trusted_towns.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/files.h"
#include "base/private_files.h"
#include "base/random.h"
#include "base/text.h"

namespace townpost {

namespace fs = std::filesystem;

namespace {

constexpr int kIdDigits = 32;
constexpr std::size_t kMostBytes = 1u << 20;
constexpr std::string_view kHead =
    "# The towns that are used where they are found: made by this user, or trusted. A line is an id and a folder.\n";

std::optional<fs::path> list_file(const Environment& environment) {
  // As the XDG rules have it, a relative path counts as none.
  for (const auto& [variable, below] : {std::pair{"XDG_CONFIG_HOME", ""}, std::pair{"HOME", "/.config"}})
    if (const auto place = environment.get(variable); place && place->starts_with("/"))
      return cat(*place, below, "/townpost/towns");
  return std::nullopt;
}

bool is_id(std::string_view text) {
  return text.size() == kIdDigits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// Empty if there is none: then nobody ever trusted what is in the folder.
std::string id_of(const fs::path& town) {
  const auto text = private_text(cat(town.native(), "/id"), kIdDigits + 1);
  const auto id = text ? trim(*text) : std::string_view();
  return is_id(id) ? std::string(id) : std::string();
}

/// A list that others may write to says nothing about what this user trusts.
bool is_own(int file) {
  struct stat found {};
  return ::fstat(file, &found) == 0 && S_ISREG(found.st_mode) && (found.st_uid == ::geteuid() || found.st_uid == 0) &&
         (found.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

bool has_line(std::string_view text, std::string_view line) {
  for (auto at = text.find(line); at != std::string_view::npos; at = text.find(line, at + 1)) {
    const auto end = at + line.size();
    if ((at == 0 || text[at - 1] == '\n') && (end == text.size() || text[end] == '\n')) return true;
  }
  return false;
}

}  // namespace

TrustedTowns::TrustedTowns(const Environment& environment) : file_(list_file(environment)) {}

std::string TrustedTowns::text() const {
  if (!file_) return {};
  const FileDescriptor file(::open(file_->c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!file || !is_own(file.get())) return {};
  return read_all(file.get(), kMostBytes).value_or("");
}

std::vector<TrustedTowns::Entry> TrustedTowns::entries_in(std::string_view text) {
  std::vector<Entry> out;
  for (const auto line : split(text, '\n')) {
    const auto space = line.find(' ');
    if (space == std::string_view::npos || !is_id(line.substr(0, space))) continue;
    out.push_back({std::string(line.substr(0, space)), fs::path(std::string(line.substr(space + 1)))});
  }
  return out;
}

TrustedTowns::Verdict TrustedTowns::judge(const fs::path& town) const {
  const auto list = text();
  if (list.empty()) return {};
  const std::string id = id_of(town);
  // Every command asks this, and nearly always about a town whose line is there as we write it.
  if (!id.empty() && has_line(list, cat(id, " ", town.native()))) return {Standing::trusted, {}};
  const auto all = entries_in(list);
  Verdict verdict;
  for (const auto& entry : all) {
    if (entry.town == town && entry.id == id) return {Standing::trusted, {}};
    if (entry.id == id) verdict = {Standing::moved, entry.town};
    if (entry.town == town && verdict.standing == Standing::unknown) verdict.standing = Standing::replaced;
  }
  return verdict;
}

std::vector<fs::path> TrustedTowns::known() const {
  std::vector<fs::path> out;
  for (const auto& entry : entries())
    if (id_of(entry.town) == entry.id) out.push_back(entry.town);
  return out;
}

std::string TrustedTowns::new_id() {
  SystemRandom random;
  return random_hex(random, kIdDigits);
}

template <class Change>
Result<> TrustedTowns::rewrite(const Change& change) const {
  if (!file_)
    return fail(Code::unavailable, "there is no place for the list of trusted towns: HOME is not set",
                "set HOME, or name the town each time: " + next("", {{"town", "DIR"}}, ", or GT_TOWN"));
  TRY_VOID(make_folders(file_->parent_path()));
  const fs::path lock_file = file_->string() + ".lock";
  const FileDescriptor lock(::open(lock_file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!lock || ::flock(lock.get(), LOCK_EX) != 0) return fail(file_error("write", *file_, errno));
  auto all = entries();
  const auto before = all;
  change(all);
  if (all == before) return {};
  std::string text(kHead);
  for (const auto& entry : all) text += cat(entry.id, " ", entry.town.native(), "\n");
  std::error_code none;
  const auto real = fs::weakly_canonical(*file_, none);  // a link stays a link
  return write_file_durably(none ? *file_ : real, text, 0600);
}

Result<> TrustedTowns::add(const fs::path& town, const std::string& id) const {
  if (town.native().find('\n') != std::string::npos)
    return fail(Code::usage, "a town whose path has a line break in it cannot be noted",
                "rename the folder, or name the town each time: " + next("", {{"town", "DIR"}}, ", or GT_TOWN"));
  return rewrite([&](std::vector<Entry>& all) { all.push_back({id, town}); });
}

Result<> TrustedTowns::forget(const std::string& id) const {
  return rewrite(
      [&](std::vector<Entry>& all) { std::erase_if(all, [&](const Entry& entry) { return entry.id == id; }); });
}

Result<> TrustedTowns::trust(const fs::path& town) const {
  if (judge(town).standing == Standing::trusted) return {};
  const std::string before = id_of(town);
  struct stat found {};
  const bool anothers = ::lstat(town.c_str(), &found) == 0 && found.st_uid != ::geteuid();
  if (anothers && !before.empty()) return add(town, before);  // shared with a group: the id is in its owner's list
  // Whoever put the folder there may know the id it came with.
  const std::string id = new_id();
  TRY_VOID(add(town, id));
  TRY_VOID(write_file_durably(town / "id", id + "\n", 0600));
  if (before.empty()) return {};
  return rewrite([&](std::vector<Entry>& all) {  // where it was moved from
    std::erase_if(all, [&](const Entry& entry) { return entry.id == before && id_of(entry.town) != before; });
  });
}

Result<bool> TrustedTowns::remove(const fs::path& town) const {
  bool found = false;
  TRY_VOID(rewrite([&](std::vector<Entry>& all) {
    found = std::erase_if(all, [&](const Entry& entry) { return entry.town == town; }) > 0;
  }));
  return found;
}

}  // namespace townpost
