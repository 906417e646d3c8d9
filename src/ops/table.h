#pragma once
#include "ops/op.h"

// The operation table: every operation in the order of the reference, with the function of its row, which stands in the
// *_ops.cc of its subject. Then its other names, which work as well: with `=` and a word that the name says already,
// put in front of what follows ("--unread"), or, with a colon at its end, written to the first word of it ("queue:").
// Then names that people and programs try and that do not work, because they mean several things or something else
// elsewhere: they are answered with this operation, and behind `=` with its arguments.
// clang-format off
#define TOWNPOST_OPERATIONS(each) \
  each("init", init, "", "town.create town.init") \
  each("trust", trust, "", "") \
  each("whoami", whoami, "me identity", "id whois.me") \
  each("todo", todo, "todos tasks mail.todo", "hook mail.hook task.list mail.tasks") \
  each("mail.send", mail_send, \
       "send msg message dm compose mail.new mail.compose mail.write mail.create mail.post mail.message " \
       "mail.submit queue.push=queue: queue.put=queue: queue.enqueue=queue: queue.submit=queue: " \
       "queue.send=queue: queue.post=queue: channel.post=channel: channel.send=channel: " \
       "channel.publish=channel: publish=channel: mail.channel.post=channel: group.send=group: " \
       "group.post=group: message.send messages.send msg.send", \
       "mail.forward=to=ADDR,subject=SUBJECT,body=TEXT forward=to=ADDR,subject=SUBJECT,body=TEXT mail.announce=to=@town " \
       "announce=to=@town mail.broadcast=to=@town post=to=channel:NAME " \
       "handoff=self,subject=HANDOFF,body=NOTES escalate=to=overseer,type=escalation,body=TEXT " \
       "sling=to=ADDR,type=task,bead=BEAD,body=TEXT mail.send-all=to=@town") \
  each("mail.inbox", mail_inbox, \
       "inbox mail.list mail.ls mail.all messages mails mail.unread=--unread unread=--unread " \
       "mail.archived=--archived mail.latest mail.recent mail.fetch mail.receive message.list messages.list", \
       "") \
  each("mail.read", mail_read, \
       "read show view mail.show mail.view mail.open mail.get mail.cat mail.display message.read message.show " \
       "messages.read", \
       "cat get") \
  each("mail.look", mail_look, "", "") \
  each("mail.seen", mail_seen, "", "") \
  each("mail.ack", mail_ack, \
       "mail.mark-read ack mark-read mail.done mail.acknowledge mail.mark-as-read mail.markread", \
       "mail.mark mail.mark-all-read=all mail.ack-all=all mail.read-all=all mark-all-read=all") \
  each("mail.mark-unread", mail_mark_unread, "mark-unread mail.mark-as-unread mail.markunread mail.unack", "") \
  each("mail.archive", mail_archive, \
       "archive", \
       "mail.trash mail.hide mail.close mail.dismiss mail.clear=stale mail.clean=stale " \
       "mail.cleanup=stale mail.empty=stale") \
  each("mail.unarchive", mail_unarchive, "unarchive mail.restore", "") \
  each("mail.delete", mail_delete, "mail.rm mail.remove mail.del", "") \
  each("mail.pin", mail_pin, "pin mail.star mail.flag mail.keep", "") \
  each("mail.unpin", mail_unpin, "unpin mail.unstar mail.unflag", "") \
  each("mail.reply", mail_reply, "reply answer respond mail.answer mail.respond mail.re message.reply messages.reply", "") \
  each("mail.reply-all", mail_reply_all, "reply-all mail.replyall", "") \
  each("mail.sent", mail_sent, "sent outbox mail.outbox mail.list-sent", "") \
  each("mail.traffic", mail_traffic, "", "") \
  each("mail.waiting", mail_waiting, "waiting mail.owed mail.pending", "") \
  each("mail.thread", mail_thread, "thread conversation mail.conversation", "threads mail.threads") \
  each("mail.search", mail_search, "search find grep mail.find mail.grep mail.query", "") \
  each("mail.check", mail_check, "mail.count check", "") \
  each("mail.peek", mail_peek, "mail.next mail.first", "") \
  each("mail.wait", mail_wait, "wait listen mail.watch mail.listen mail.await", "mail.poll mail.tail mail.follow") \
  each("mail.drain", mail_drain, "mail.tidy", "") \
  each("mail.directory", mail_directory, \
       "directory addresses contacts mail.contacts mail.addresses mail.who mail.agents", \
       "") \
  each("mail.explain", mail_explain, "explain mail.status mail.track mail.trace", "mail.history track history") \
  each("why", why, "mail.why nudge.why agent.why", "") \
  each("mail.budget", mail_budget, "budget", "") \
  each("mail.recipients", mail_recipients, "", "") \
  each("mail.quote", mail_quote, "", "") \
  each("mail.recall", mail_recall, "", "") \
  each("group.list", group_list, "mail.group.list groups group.ls mail.groups", "") \
  each("group.show", group_show, "mail.group.show group.members group.info group.get group.view", "") \
  each("group.create", group_create, "mail.group.create group.new group.make", "") \
  each("group.add", group_add, "mail.group.add group.add-member", "group.join group.invite") \
  each("group.remove", group_remove, "mail.group.remove group.remove-member", "") \
  each("group.set", group_set, "mail.group.set group.update", "group.change") \
  each("group.delete", group_delete, "mail.group.delete", "") \
  each("mail.claim", mail_claim, \
       "queue.claim claim queue.pop queue.take queue.next queue.pull queue.dequeue queue.receive " \
       "mail.take mail.pop", \
       "take pop queue.consume") \
  each("mail.complete", mail_complete, \
       "queue.complete complete queue.done queue.finish queue.ack mail.finish", \
       "done finish") \
  each("mail.fail", mail_fail, "queue.fail fail queue.nack queue.reject mail.nack mail.reject", "") \
  each("mail.release", mail_release, "queue.release unclaim mail.unclaim queue.unclaim", "queue.return") \
  each("mail.extend", mail_extend, "queue.extend extend queue.renew queue.heartbeat mail.renew", "") \
  each("queue.create", queue_create, "mail.queue.create queue.new queue.make", "queue.add") \
  each("queue.list", queue_list, "mail.queue.list queues queue.ls mail.queues", "") \
  each("queue.show", queue_show, \
       "mail.queue.show queue.status queue.info queue.view queue.stats queue.size queue.count queue.length", \
       "queue.get") \
  each("queue.messages", queue_messages, \
       "mail.queue.messages queue.items queue.contents queue.peek queue.inbox queue.jobs queue.entries queue.tasks", \
       "") \
  each("queue.update", queue_update, "mail.queue.update queue.set queue.edit", "queue.config") \
  each("queue.pause", queue_pause, "mail.queue.pause queue.hold", "queue.stop") \
  each("queue.resume", queue_resume, "mail.queue.resume queue.unpause queue.open queue.reopen", "") \
  each("queue.close", queue_close, "mail.queue.close", "") \
  each("queue.delete", queue_delete, "mail.queue.delete queue.rm queue.remove", "") \
  each("queue.dead", queue_dead, "mail.queue.dead queue.failed queue.dlq", "") \
  each("queue.retry", queue_retry, "mail.queue.retry", "queue.requeue") \
  each("channel.list", channel_list, \
       "mail.channel.list channels channel.ls mail.channels", \
       "announces mail.announces") \
  each("channel.show", channel_show, "mail.channel.show channel.info channel.status channel.view", "") \
  each("channel.create", channel_create, "mail.channel.create channel.new channel.make", "channel.add") \
  each("channel.update", channel_update, "mail.channel.update channel.set channel.edit", "") \
  each("channel.read", channel_read, "mail.channel.read channel.history channel.tail channel.log channel.messages channel.posts", "") \
  each("channel.subscribe", channel_subscribe, \
       "mail.channel.subscribe subscribe channel.join channel.follow", \
       "follow join") \
  each("channel.unsubscribe", channel_unsubscribe, \
       "mail.channel.unsubscribe unsubscribe channel.leave channel.unfollow", \
       "unfollow leave") \
  each("channel.subscribers", channel_subscribers, "mail.channel.subscribers channel.members channel.followers", "") \
  each("channel.close", channel_close, "mail.channel.close", "") \
  each("channel.reopen", channel_reopen, "mail.channel.reopen channel.open", "") \
  each("channel.delete", channel_delete, "mail.channel.delete channel.rm channel.remove", "") \
  each("channel.pruned", channel_pruned, "mail.channel.pruned", "") \
  each("channel.prune", channel_prune, "mail.channel.prune", "") \
  each("nudge", nudge, "nudge.send poke ping notify tell wake", "broadcast=target=@town,body=TEXT interrupt") \
  each("nudge.wait", nudge_wait, "", "") \
  each("nudge.list", nudge_list, "nudges nudge.ls", "") \
  each("nudge.show", nudge_show, "nudge.read nudge.view nudge.get", "") \
  each("nudge.explain", nudge_explain, "nudge.status nudge.history nudge.track", "") \
  each("nudge.drop", nudge_drop, "nudge.cancel nudge.rm nudge.remove nudge.delete", "") \
  each("nudge.retry", nudge_retry, "", "") \
  each("nudge.drain", nudge_drain, "nudge.take", "") \
  each("nudge.pending", nudge_pending, "", "") \
  each("nudge.confirm", nudge_confirm, "", "") \
  each("nudge.carry", nudge_carry, "", "") \
  each("dnd.on", dnd_on, "mute dnd.enable", "") \
  each("dnd.off", dnd_off, "unmute dnd.disable", "") \
  each("dnd.status", dnd_status, "dnd.show", "") \
  each("hold", hold, "", "pause freeze snooze agent.hold agent.pause agent.suspend") \
  each("release", release, "unhold", "resume unpause agent.resume agent.unhold") \
  each("status", status, "ps", "overview info") \
  each("top", top, "stats", "") \
  each("feed", feed, "log events activity", "watch=follow tail=follow monitor=follow mail.log") \
  each("attach", attach, "agent.attach jump", "goto switch open-pane") \
  each("start", start, "agent.start", "spawn launch agent.spawn agent.launch") \
  each("stop", stop, \
       "agent.stop agent.drain agent.finish", \
       "kill=agent=NAME agent.kill=agent=NAME agent.end=agent=NAME agent.terminate=agent=NAME quit=agent=NAME") \
  each("up", up, "serve", "daemon daemon.start dispatcher server") \
  each("down", down, "", "shutdown daemon.stop") \
  each("service.install", service_install, "service.enable service.add", "") \
  each("service.uninstall", service_uninstall, "service.remove service.disable", "") \
  each("service.status", service_status, "service.show service", "") \
  each("signal", signal, "", "") \
  each("prime", prime, "", "") \
  each("doctor", doctor, "", "") \
  each("config.list", config_list, "config.ls config.show", "") \
  each("config.get", config_get, "", "") \
  each("config.set", config_set, "", "") \
  each("config.unset", config_unset, "config.delete config.rm config.remove", "") \
  each("config.edit", config_edit, "", "") \
  each("harness.install", harness_install, "", "setup hooks.install hook.install install") \
  each("harness.uninstall", harness_uninstall, "", "") \
  each("harness.status", harness_status, "harness.list harness.show", "hooks.status hooks.list hooks") \
  each("protocol.types", protocol_types, "protocol.list protocol.ls", "") \
  each("protocol.parse", protocol_parse, "", "") \
  each("protocol.build", protocol_build, "", "") \
  each("protocol.lint", protocol_lint, "", "") \
  each("rig.add", rig_add, "rig.create rig.new rig.register", "") \
  each("rig.list", rig_list, "rigs rig.ls", "") \
  each("rig.show", rig_show, "rig.info rig.status", "") \
  each("rig.remove", rig_remove, "rig.rm rig.delete", "") \
  each("agent.add", agent_add, "register agent.new agent.create agent.register", "") \
  each("agent.list", agent_list, \
       "agents agents.list agent.ls who list ls", \
       "crew.list polecat.list polecats.list crew polecats sessions session.list") \
  each("agent.show", agent_show, "agent.info agent.get agent.view agent.status", "") \
  each("agent.remove", agent_remove, "agent.rm agent.delete agent.unregister", "") \
  each("agent.alias", agent_alias, "rename agent.rename agent.mv", "") \
  each("agent.release", agent_release, "agent.unblock", "") \
  each("agent.run", agent_run, "", "") \
  each("agent.quarantine", agent_quarantine, "", "") \
  each("agent.hook", agent_hook, "agent.bead", "") \
  each("agent.report", agent_report, "", "") \
  each("agent.peek", agent_peek, "peek agent.screen agent.term", "screen capture") \
  each("token.create", token_create, "token.new token.add token.make tokens.create", "") \
  each("token.list", token_list, "tokens token.ls", "") \
  each("token.revoke", token_revoke, "token.delete token.remove token.rm", "") \
  each("open", open, "web", "") \
  each("store.info", store_info, "store.show store.status", "") \
  each("store.check", store_check, "", "") \
  each("store.migrate", store_migrate, "", "") \
  each("store.copy", store_copy, \
       "", \
       "backup=to=sqlite:FILE store.backup=to=sqlite:FILE store.export=to=sqlite:FILE") \
  each("store.purge", store_purge, "", "")
// clang-format on

namespace townpost::ops {

#define TOWNPOST_DECLARE(name, row, also, instead) const Op& row();
TOWNPOST_OPERATIONS(TOWNPOST_DECLARE)
#undef TOWNPOST_DECLARE

}  // namespace townpost::ops
