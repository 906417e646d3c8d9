#include "post/town/bell.h"

#include "base/ear.h"

namespace townpost {

namespace {

/// Where a bell cannot tell who listens to what, every ring is heard.
class ListenerToAll final : public Listener {
 public:
  ListenerToAll(Bell& bell, const std::vector<std::filesystem::path>& folders) : bell_(bell), ear_(folders) {
    bell_.wait_for_any({}, Millis(0));  // from here on no ring is missed
  }
  void wait(const std::vector<int>& also, Millis longest) override {
    auto ends = also;
    ends.push_back(ear_.fd());
    bell_.wait_for_any(ends, longest);
    ear_.forget();
  }

 private:
  Bell& bell_;
  Ear ear_;
};

}  // namespace

std::unique_ptr<Listener> Bell::listen(const std::vector<BellKey>&, const std::vector<std::filesystem::path>& folders) {
  return std::make_unique<ListenerToAll>(*this, folders);
}

std::string names_of(const std::vector<BellKey>& keys) {
  std::string out;
  for (const auto& key : keys) out += (out.empty() ? "" : " ") + key.name;
  return out;
}

}  // namespace townpost
