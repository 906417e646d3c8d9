#pragma once
#include "contract/store_contract.h"

namespace townpost {

/// A store with two who post and read, for channels.
class ChannelContract : public StoreContract {
 protected:
  AgentId nux() const { return nux_; }
  AgentId slit() const { return slit_; }

  ChannelId add(const std::string& name) {
    ChannelId id;
    write([&](Ledger& ledger) {
      id = must(ledger.add_channel({.id = {}, .name = name, .creator = nux_, .created_at = clock().now()}));
    });
    return id;
  }
  Channel channel(ChannelId id) {
    return read([&](Ledger& ledger) { return must(ledger.channel(id)).value(); });
  }
  Message publish(ChannelId channel, AgentId from) {
    Message message;
    write([&](Ledger& ledger) {
      message = post(ledger, from, {});
      must(ledger.add_post(channel, message, ""));
    });
    return message;
  }
  Message publish(ChannelId channel) { return publish(channel, nux_); }
  std::int64_t count(ChannelId channel) {
    return read([&](Ledger& ledger) { return must(ledger.count_posts(channel, {}, {INT64_MAX})); });
  }

 private:
  AgentId nux_ = add_agent("nux");
  AgentId slit_ = add_agent("slit");
};

}  // namespace townpost
