#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/files.h"

namespace townpost {

/// Machines of their own: network namespaces on one bridge, 10.77.0.0/24, which nothing else can reach. Gone with this
/// object, and with the test if that is killed. Throws, saying what is needed, where they cannot be made.
class Network {
 public:
  /// `machines`: name → last number of its address.
  explicit Network(const std::map<std::string, int>& machines);
  ~Network();
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  std::string address(const std::string& machine) const;
  /// Does `work` on the machine: what it connects to and whatever it starts is there. Other threads stay where they
  /// are.
  void on(const std::string& machine, const std::function<void()>& work) const;
  /// Pulls the machine's cable, and puts it back in.
  void pull_cable(const std::string& machine) const;
  void plug_in(const std::string& machine) const;

 private:
  std::string space(const std::string& machine) const;
  void ip_on(const std::string& machine, const std::string& words) const;

  std::map<std::string, int> machines_;
  std::string prefix_;
  FileDescriptor keeper_;  ///< closed by whatever ends this process; then the keeper cleans up
  int keeper_process_ = -1;
};

}  // namespace townpost
