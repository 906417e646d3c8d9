#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "post/values/message.h"
#include "post/values/queue.h"

namespace townpost {

/// Which bell: a mailbox's, a queue's, or one of the town's own.
struct BellKey {
  std::string name;

  // NOLINTBEGIN(google-explicit-constructor): a mailbox has exactly one bell, and so has a queue.
  BellKey(AgentId mailbox) : name(std::to_string(mailbox.key)) {}
  BellKey(QueueId queue) : name("q" + std::to_string(queue.key)) {}
  // NOLINTEND(google-explicit-constructor)
  /// Rung when one of the agent's nudges has ended: for whoever sent it and waits for that.
  static BellKey endings(AgentId target) { return BellKey("e" + std::to_string(target.key)); }
  /// Rung when agents, names, rigs or subscriptions change.
  static BellKey registry() { return BellKey("registry"); }
  /// Rung with every queue's own bell, for those who work for several.
  static BellKey queues() { return BellKey("queues"); }
  /// Rung by every post on any channel: one ring, however many subscribe.
  static BellKey channels() { return BellKey("channels"); }
  /// The bell of that name, as it was heard.
  static BellKey named(std::string name) { return BellKey(std::move(name)); }

  /// Whose it is, if it is a mailbox's.
  std::optional<AgentId> mailbox() const;

  friend auto operator<=>(const BellKey&, const BellKey&) = default;  // NOLINT(modernize-use-nullptr)

 private:
  explicit BellKey(std::string own) : name(std::move(own)) {}
};

/// The mailbox whose key this is in digits, as bells and presence files are called.
std::optional<AgentId> mailbox_named(std::string_view digits);

/// What whoever listens has heard since the last call.
struct Heard {
  std::vector<BellKey> bells;               ///< that rang, each once
  std::vector<std::filesystem::path> told;  ///< the folders in which something was told, or the files that changed
  bool missed = false;                      ///< there was more than can be told: look at everything

  bool nothing() const { return bells.empty() && told.empty() && !missed; }
};

/// Waits for some bells, and for nothing else. For one thread.
class Listener {
 public:
  virtual ~Listener() = default;
  /// Sleeps until one of its bells rings, one of the descriptors `also` is readable, or `longest` has passed. Rings
  /// since the last call count, so a caller that looks in between misses none. Rings of other bells do not end it.
  virtual Heard wait(const std::vector<int>& also, Millis longest) = 0;
  /// How long its silence may be taken for word that nothing rang; whoever hears nothing for so long looks.
  virtual Millis trusted() const = 0;
  /// Why the system does not tell it what changes, for people: it looks every second then. Empty if it is told.
  virtual std::string refusal() const { return {}; }
};

/// Wake-up hints, rung after a commit. A reader that misses one finds the message at its next look. Any thread may
/// ring, look and begin to listen; each listener is for one thread.
class Bell {
 public:
  virtual ~Bell() = default;
  /// Something changed. Never fails: a lost ring costs time, not mail.
  virtual void ring(const BellKey& key) = 0;
  /// The same for many at once.
  virtual void ring_all(const std::vector<BellKey>& keys) {
    for (const auto& key : keys) ring(key);
  }
  /// What the bell looks like now, to any process: another value later means that it was rung in between. Nothing: it
  /// keeps no stamps, so "I looked, nothing waits" cannot be kept in a file.
  virtual std::optional<std::int64_t> stamp(const BellKey&) { return std::nullopt; }
  /// Listens to these bells from now on, and to what is told in these folders (see base/ear.h). A bell that does not
  /// say how it is listened to is silent.
  virtual std::unique_ptr<Listener> listen(const std::vector<BellKey>& keys,
                                           const std::vector<std::filesystem::path>& folders);
  /// Listens to every bell from now on, and to what is written into these folders (see base/folder_watch.h).
  virtual std::unique_ptr<Listener> listen_to_all(const std::vector<std::filesystem::path>& folders);
};

/// Their names, joined by spaces: how a database tells listeners about several at once.
std::string names_of(const std::vector<BellKey>& keys);

}  // namespace townpost
