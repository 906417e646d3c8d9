#include "app/certificate_watch.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>

#include <array>

#include "base/check.h"
#include "base/folder_watch.h"
#include "base/text.h"

namespace townpost {

namespace {

constexpr int kLookMs = 60'000;

}  // namespace

CertificateWatch::CertificateWatch(TlsFiles files, std::function<Result<>()> read_again,
                                   std::function<void(std::string_view)> say)
    : files_(std::move(files)),
      read_again_(std::move(read_again)),
      say_(std::move(say)),
      end_(::eventfd(0, EFD_CLOEXEC)) {
  CHECK(end_);
  thread_ = std::thread([this] { watch(); });
}

CertificateWatch::~CertificateWatch() {
  ::eventfd_write(end_.get(), 1);
  thread_.join();
}

std::string CertificateWatch::look() const {
  std::string out;
  for (const auto& file : {files_.certificate, files_.key}) {
    struct stat found {};
    if (::stat(file.c_str(), &found) != 0) found = {};
    out += cat(found.st_dev, ":", found.st_ino, " ", found.st_size, " ", found.st_mtim.tv_sec, ".",
               found.st_mtim.tv_nsec, " ", found.st_ctim.tv_sec, ".", found.st_ctim.tv_nsec, "\n");
  }
  return out;
}

void CertificateWatch::watch() {
  FolderWatch folders({folder_holding(files_.certificate), folder_holding(files_.key)});
  auto known = look();
  (void)read_again_();  // one that came since the server read them
  while (true) {
    std::array<pollfd, 2> watched = {
        {{.fd = end_.get(), .events = POLLIN, .revents = 0}, {.fd = folders.fd(), .events = POLLIN, .revents = 0}}};
    ::poll(watched.data(), watched.size(), kLookMs);
    if (watched[0].revents != 0) return;
    (void)folders.read();
    auto now = look();
    if (now == known) continue;
    known = std::move(now);
    const auto done = read_again_();
    say_(done ? "the certificate was replaced" : cat(done.error().message, "; the one before stays"));
  }
}

}  // namespace townpost
