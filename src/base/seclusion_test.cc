#include "base/seclusion.h"

#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "base/child.h"
#include "base/ear.h"
#include "base/files.h"
#include "base/private_files.h"
#include "base/process.h"
#include "base/process_tree.h"

namespace townpost {
namespace {

TEST(SeclusionDeathTest, WhateverReachesOutsideEndsTheProgram) {
  const std::pair<const char*, std::function<void()>> ways[] = {
      {"reads a file", [] { (void)read_file("/etc/hostname"); }},
      {"reads a file or a pipe", [] { (void)read_file_or_pipe("/etc/hostname", 100); }},
      {"reads a private file", [] { (void)read_private_file("/etc/hostname", 100); }},
      {"looks at a file", [] { (void)modified_ns("/etc/hostname"); }},
      {"writes a file", [] { (void)write_file_durably("/nowhere/file", ""); }},
      {"writes a file lightly", [] { (void)write_file_lightly("/nowhere/file", ""); }},
      {"adds a line", [] { (void)append_line("/nowhere/file", ""); }},
      {"makes folders", [] { (void)make_folders("/proc/nowhere"); }},
      {"looks for a lock", [] { (void)is_locked("/nowhere/file"); }},
      {"looks at a process", [] { (void)look_at(1); }},
      {"looks at the process's children", [] { (void)children_of(1); }},
      {"looks at the process's folder", [] { (void)working_folder_of(1); }},
      {"asks whether a process runs", [] { (void)process_runs("1.1@" + host_name()); }},
      {"runs a program", [] { (void)SystemProcesses().run({.command = {"true"}}); }},
      {"starts a program", [] { (void)Child::start({.command = {"true"}}); }},
      {"listens", [] { const Ear ear({"/proc/nowhere"}); }},
      {"tells those who listen", [] { tell_ears("/nowhere"); }},
  };
  for (const auto& [what, reach] : ways) {
    reach();  // outside it is nobody's trouble
    EXPECT_DEATH(
        {
          const Seclusion inside;
          reach();
        },
        "inside a transaction")
        << what;
  }
}

TEST(Seclusion, EndsWithItsScopeAndIsOneThreadsOwn) {
  {
    const Seclusion inside;
    const Seclusion deeper;
    std::thread([] { (void)look_at(1); }).join();
  }
  EXPECT_TRUE(look_at(1));
}

}  // namespace
}  // namespace townpost
