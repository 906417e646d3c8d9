#pragma once
#include "contract/town_fixture.h"
#include "post/lists/channels.h"
#include "post/lists/claims.h"
#include "post/lists/groups.h"
#include "post/lists/queues.h"

namespace townpost {

using Strings = std::vector<std::string>;

/// A town with groups, queues and channels.
class ListsTest : public TownTest {
 protected:
  Groups groups() { return Groups(town()); }
  Queues queues() { return Queues(town()); }
  Claims claims() { return Claims(town()); }
  Channels channels() { return Channels(town()); }

  // ---- groups ----
  GroupView group(const std::string& name, const Strings& members = {}, std::string_view by = "overseer") {
    return must(groups().create(name, members, caller(by)));
  }
  static Strings addresses(const std::vector<Agent>& agents) {
    Strings out;
    for (const auto& agent : agents) out.push_back(agent.address.str());
    return out;
  }
  Strings expansion(const std::string& name) { return addresses(must(groups().show(name)).now.agents); }

  // ---- queues ----
  QueueView queue(const Queues::NewQueue& wanted) { return must(queues().create(wanted)); }
  QueueView simple_queue(const std::string& name) { return queue({.name = name}); }
  MessageId put(const std::string& name, Priority priority = Priority::normal) {
    Letter work = letter("queue:" + name, "work");
    work.priority = priority;
    return send("overseer", work).message.id;
  }
  QueueCounts counts(const std::string& name) { return must(queues().show(name)).counts; }
  /// What `who` gets, if anything.
  std::optional<QueuedMail> claim(std::string_view who, const std::optional<std::string>& name = std::nullopt) {
    return must(claims().claim(name, caller(who)));
  }
  std::optional<MessageId> claimed_id(std::string_view who, const std::optional<std::string>& name = std::nullopt) {
    const auto mail = claim(who, name);
    return mail ? std::optional(mail->message.id) : std::nullopt;
  }

  // ---- channels ----
  ChannelView channel(const std::string& name, const Channels::Limits& limits = {}, std::string_view by = "overseer") {
    return must(channels().create(name, limits, caller(by)));
  }
  Message publish(const std::string& name, const std::string& subject = "news", std::string_view from = "nux") {
    return send(from, "channel:" + name, subject).message;
  }
  void subscribe(std::string_view who, const std::string& name, Channels::Wake wake = Channels::Wake::no) {
    must(channels().subscribe(name, std::nullopt, wake, caller(who)));
  }
  /// What a reader is shown; its cursor follows.
  Strings read_channel(std::string_view who, const std::string& name, const Channels::ReadQuery& query = {}) {
    const auto reading = must(channels().read(name, query, caller(who)));
    must(channels().was_read(reading, caller(who)));
    return subjects_of(reading.posts);
  }
  Strings unread(std::string_view who, const std::string& name) {
    return read_channel(who, name, {.unread_only = true});
  }
  static Strings subjects_of(const std::vector<Message>& messages) {
    Strings out;
    for (const auto& message : messages) out.push_back(message.subject);
    return out;
  }
  /// Everybody's posts, as somebody who follows nothing sees them.
  Strings on_channel(const std::string& name) { return read_channel("alpha/witness", name); }
  /// "builds 2" for each channel with something new.
  Strings news(std::string_view who) {
    Strings out;
    for (const auto& one : must(room().waiting_now(must(room().mailbox_of(caller(who))))).channels)
      out.push_back(cat(one.channel.name, " ", one.unread));
    return out;
  }

  Error refusal(std::string_view from, const std::string& to) {
    return error_of(office().send(letter(to), caller(from)));
  }
};

inline bool has(std::string_view text, std::string_view wanted) { return text.find(wanted) != std::string_view::npos; }

inline void PrintTo(const QueueCounts& c, std::ostream* out) {
  *out << c.available << " available, " << c.processing << " processing, " << c.completed << " completed, " << c.failed
       << " failed";
}
inline void PrintTo(const MessageId& id, std::ostream* out) { *out << id.str(); }

}  // namespace townpost
