#include "base/git_tracked.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/files.h"
#include "base/git_places.h"

namespace townpost {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kFirstRead = 4u << 10;  // names are sorted: those that begin with a dot come first
constexpr std::size_t kMostRead = 256u << 20;

/// A file that is read as far as somebody looks.
class Bytes {
 public:
  explicit Bytes(FileDescriptor file) : file_(std::move(file)) {}

  /// The first `size` bytes; nothing if the file is shorter.
  std::optional<std::string_view> first(std::size_t size) {
    while (read_.size() < size && size <= kMostRead) {
      const std::size_t have = read_.size();
      const std::size_t step = std::max(kFirstRead, have);
      read_.resize(have + step);
      const ssize_t got = ::read(file_.get(), read_.data() + have, step);
      read_.resize(have + (got > 0 ? static_cast<std::size_t>(got) : 0));
      if (got <= 0) break;
    }
    if (read_.size() < size) return std::nullopt;
    return std::string_view(read_).substr(0, size);
  }
  std::optional<std::uint32_t> number(std::size_t at, std::size_t bytes) {
    const auto text = first(at + bytes);
    if (!text) return std::nullopt;
    std::uint32_t out = 0;
    for (std::size_t i = at; i < at + bytes; ++i) out = out << 8 | static_cast<unsigned char>((*text)[i]);
    return out;
  }
  /// From `at` up to the next zero byte.
  std::optional<std::string_view> text(std::size_t at) {
    for (std::size_t size = at + 1; first(size); size = read_.size() + 1)
      if (const auto end = read_.find('\0', at); end != std::string::npos)
        return std::string_view(read_).substr(at, end - at);
    return std::nullopt;
  }

 private:
  FileDescriptor file_;
  std::string read_;
};

/// The names in an index, in its order; see gitformat-index(5).
class IndexNames {
 public:
  IndexNames(Bytes& bytes, std::uint32_t version, std::uint32_t entries, std::size_t hash)
      : bytes_(bytes), version_(version), left_(entries), hash_(hash) {}

  /// Nothing at the end, or where this is not what we take it for.
  std::optional<std::string> next() {
    if (left_ == 0) return std::nullopt;
    --left_;
    constexpr std::size_t kFileFacts = 40;
    const std::size_t start = at_;
    std::size_t at = start + kFileFacts + hash_;
    const auto flags = bytes_.number(at, 2);
    if (!flags) return std::nullopt;
    at += (version_ >= 3 && (*flags & 0x4000) != 0) ? 4u : 2u;
    if (version_ == 4 && !take_from_before(at)) return std::nullopt;
    const auto rest = bytes_.text(at);
    if (!rest) return std::nullopt;
    name_ = version_ == 4 ? name_.append(*rest) : std::string(*rest);
    at += rest->size() + 1;
    at_ = version_ == 4 ? at : start + (at - 1 - start + 8) / 8 * 8;
    constexpr std::uint32_t kLongest = 0xfff;
    if ((*flags & kLongest) != std::min<std::size_t>(name_.size(), kLongest)) return std::nullopt;
    return name_;
  }

 private:
  /// Version 4 says how much of the name before is not in this one.
  bool take_from_before(std::size_t& at) {
    std::uint64_t less = 0;
    for (bool more = true, first = true; more; first = false) {
      const auto byte = bytes_.number(at++, 1);
      if (!byte || less > name_.size()) return false;
      less = ((first ? 0 : less + 1) << 7) | (*byte & 0x7f);
      more = (*byte & 0x80) != 0;
    }
    if (less > name_.size()) return false;
    name_.resize(name_.size() - less);
    return true;
  }

  Bytes& bytes_;
  std::uint32_t version_;
  std::uint32_t left_;
  std::size_t hash_;
  std::size_t at_ = 12;
  std::string name_;
};

bool lists(Bytes& bytes, const std::string& name) {
  const auto version = bytes.number(4, 4);
  const auto entries = bytes.number(8, 4);
  if (!version || !entries || bytes.first(4) != "DIRC" || *version < 2 || *version > 4) return false;
  const std::string inside = name + "/";
  for (const std::size_t hash : {std::size_t{20}, std::size_t{32}}) {  // SHA-1, SHA-256: the file does not say which
    IndexNames names(bytes, *version, *entries, hash);
    while (const auto found = names.next()) {
      if (*found == name || found->starts_with(inside)) return true;
      if (*found > inside) return false;
    }
  }
  return false;
}

bool lists(FileDescriptor index, const std::string& name) {
  Bytes bytes(std::move(index));
  return lists(bytes, name);
}

/// With `git update-index --split-index` most names stand in files beside the index.
bool shared_index_lists(const fs::path& git, const std::string& name) {
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(git, none))
    if (entry.path().filename().string().starts_with("sharedindex.") && lists(open_to_read(entry.path()), name))
      return true;
  return false;
}

/// Whether a folder above has something called `.git`. Every command asks, so no path is taken apart for it.
bool is_below_git(std::string_view folder) {
  std::string git;
  struct stat found {};
  for (auto slash = folder.rfind('/'); slash != std::string_view::npos; slash = folder.rfind('/')) {
    folder = folder.substr(0, slash);
    git.assign(folder).append("/.git");
    if (::lstat(git.c_str(), &found) == 0) return true;
  }
  return false;
}

}  // namespace

bool is_tracked_by_git(const fs::path& folder) {
  if (folder.is_absolute() && !is_below_git(folder.native())) return false;
  for (fs::path root = folder.parent_path();; root = root.parent_path()) {
    if (const auto git = git_folder(root)) {
      auto index = open_to_read(*git / "index");
      if (!index) return false;
      const auto name = folder.lexically_relative(root).generic_string();
      return lists(std::move(index), name) || shared_index_lists(*git, name);
    }
    if (!root.has_parent_path() || root == root.parent_path()) return false;
  }
}

}  // namespace townpost
