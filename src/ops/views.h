#pragma once
#include "base/json.h"
#include "post/lists/channels.h"
#include "post/lists/groups.h"
#include "post/lists/queues.h"
#include "post/mail/explain.h"
#include "post/mail/mailroom.h"
#include "post/mail/post_office.h"
#include "post/mail/thread_summary.h"
#include "post/town/settings.h"
#include "post/values/agent.h"

namespace townpost::views {

// The JSON of the domain's values: stable keys, instants as RFC 3339 with milliseconds and Z.

/// The human is printed by the name the town chose.
std::string shown(std::string_view address, const Settings& settings);

JsonArray shown_list(const std::vector<std::string>& addresses, const Settings& settings);

enum class Body { with, without };
JsonObject mail(const Mail& mail, const Settings& settings, Body body = Body::with);
/// With what became of it at each recipient.
JsonObject sent_mail(const SentMail& sent, const Settings& settings);
JsonObject receipt(const Receipt& receipt, const Settings& settings);
/// A queue's message: the mail, and who has it until when.
JsonObject queued(const QueuedMail& mail, const Settings& settings);
/// "available", "processing", "completed" or "dead".
std::string_view queue_state(ItemState state);
/// The short form of a claim, for a queue's list of them.
JsonObject claim(const QueuedMail& mail, const Settings& settings);
JsonObject queue(const QueueView& view);
JsonObject group(const Group& group, const Settings& settings);
JsonObject group(const GroupView& view, const Settings& settings);
JsonObject channel(const ChannelView& view);
JsonObject removed(const std::string& name);
JsonObject summary(const ThreadSummary& summary, const Settings& settings);
JsonObject agent(const Agent& agent, const Settings& settings);
JsonObject rig(const Rig& rig);
JsonObject explanation(const Explanation& explanation, const Settings& settings);
/// What is worth calling, with values of the types that the operation takes.
JsonObject next_call(const NextCall& next);
JsonObject error(const Error& error);
/// What is inside of it. The hint ends with the call by its name in the table, unless a front end spells it.
JsonObject problem(const Error& error);

}  // namespace townpost::views
