#pragma once
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/mutex.h"
#include "base/workers.h"
#include "http/api.h"
#include "ops/engine.h"

namespace townpost::http {

/// Serves `gt` on other machines (remote/letter.h): the calls of their commands, what follows an answer, and the wait
/// for what would change it. Who calls is what the token says, and the gate is the same for all. What is kept between
/// the calls of a command is bounded, ends by itself, and is for the token alone that began it.
class Calls {
 public:
  struct Parts {
    Engine& engine;
    const Clock& clock;
    std::string town;  ///< the `.town` folder
    Workers& waiters;
  };
  explicit Calls(Parts parts) : parts_(std::move(parts)) {}
  /// Before the first request.
  void add_to(Api& api);

 private:
  using Exchange = std::shared_ptr<HttpExchange>;
  struct Conversation;
  void call(const Exchange& exchange, const Visitor& visitor);
  void handed_over(const Exchange& exchange, const Visitor& visitor);
  void listen(const Exchange& exchange, const Visitor& visitor);
  void answer(const Exchange& exchange, const std::string& text) const;
  void refuse(const Exchange& exchange, int status, std::string_view why) const;

  /// The conversation of that name, for its next call; null if there is none, it is another's, or it is busy.
  std::shared_ptr<Conversation> take(const std::string& name, const std::string& token);
  std::shared_ptr<Conversation> begin(const Visitor& visitor);
  /// It may go on, or not.
  void give_back(const std::shared_ptr<Conversation>& conversation, bool goes_on);
  void make_room(const std::string& token) REQUIRES(mutex_);

  const Parts parts_;
  Mutex mutex_;
  std::map<std::string, std::shared_ptr<Conversation>> conversations_ GUARDED_BY(mutex_);
};

}  // namespace townpost::http
