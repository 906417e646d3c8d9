#include "ops/table.h"

#include <array>

namespace townpost {

std::string_view describe(Who who) {
  switch (who) {
    case Who::anyone:
      return "anyone in the town";
    case Who::owner:
      return "the owner of the mailbox";
    case Who::participant:
      return "sender, recipients, members of the thread, and people";
    case Who::claimer:
      return "whom the queue's claimers cover";
    case Who::coordinator:
      return "people, the mayor, the deacon, witnesses and refineries";
    case Who::person:
      return "people only";
  }
  return "";
}

std::span<const OpEntry> op_table() {
  static constexpr std::array kTable = {
      OpEntry{"init", ops::init},
      OpEntry{"whoami", ops::whoami},
      OpEntry{"todo", ops::todo},
      OpEntry{"mail.send", ops::mail_send},
      OpEntry{"mail.inbox", ops::mail_inbox},
      OpEntry{"inbox", ops::mail_inbox},
      OpEntry{"mail.read", ops::mail_read},
      OpEntry{"mail.ack", ops::mail_ack},
      OpEntry{"mail.mark-read", ops::mail_ack},
      OpEntry{"mail.mark-unread", ops::mail_mark_unread},
      OpEntry{"mail.archive", ops::mail_archive},
      OpEntry{"mail.unarchive", ops::mail_unarchive},
      OpEntry{"mail.delete", ops::mail_delete},
      OpEntry{"mail.pin", ops::mail_pin},
      OpEntry{"mail.unpin", ops::mail_unpin},
      OpEntry{"mail.reply", ops::mail_reply},
      OpEntry{"mail.reply-all", ops::mail_reply_all},
      OpEntry{"mail.sent", ops::mail_sent},
      OpEntry{"mail.waiting", ops::mail_waiting},
      OpEntry{"mail.thread", ops::mail_thread},
      OpEntry{"mail.search", ops::mail_search},
      OpEntry{"mail.check", ops::mail_check},
      OpEntry{"mail.peek", ops::mail_peek},
      OpEntry{"mail.wait", ops::mail_wait},
      OpEntry{"mail.drain", ops::mail_drain},
      OpEntry{"mail.directory", ops::mail_directory},
      OpEntry{"mail.explain", ops::mail_explain},
      OpEntry{"why", ops::why},
      OpEntry{"mail.why", ops::why},
      OpEntry{"mail.budget", ops::mail_budget},
      OpEntry{"mail.recall", ops::mail_recall},
      OpEntry{"group.list", ops::group_list},
      OpEntry{"mail.group.list", ops::group_list},
      OpEntry{"group.show", ops::group_show},
      OpEntry{"mail.group.show", ops::group_show},
      OpEntry{"group.create", ops::group_create},
      OpEntry{"mail.group.create", ops::group_create},
      OpEntry{"group.add", ops::group_add},
      OpEntry{"mail.group.add", ops::group_add},
      OpEntry{"group.remove", ops::group_remove},
      OpEntry{"mail.group.remove", ops::group_remove},
      OpEntry{"group.delete", ops::group_delete},
      OpEntry{"mail.group.delete", ops::group_delete},
      OpEntry{"mail.claim", ops::mail_claim},
      OpEntry{"queue.claim", ops::mail_claim},
      OpEntry{"mail.complete", ops::mail_complete},
      OpEntry{"queue.complete", ops::mail_complete},
      OpEntry{"mail.fail", ops::mail_fail},
      OpEntry{"queue.fail", ops::mail_fail},
      OpEntry{"mail.release", ops::mail_release},
      OpEntry{"queue.release", ops::mail_release},
      OpEntry{"mail.extend", ops::mail_extend},
      OpEntry{"queue.extend", ops::mail_extend},
      OpEntry{"queue.create", ops::queue_create},
      OpEntry{"mail.queue.create", ops::queue_create},
      OpEntry{"queue.list", ops::queue_list},
      OpEntry{"mail.queue.list", ops::queue_list},
      OpEntry{"queue.show", ops::queue_show},
      OpEntry{"mail.queue.show", ops::queue_show},
      OpEntry{"queue.pause", ops::queue_pause},
      OpEntry{"mail.queue.pause", ops::queue_pause},
      OpEntry{"queue.resume", ops::queue_resume},
      OpEntry{"mail.queue.resume", ops::queue_resume},
      OpEntry{"queue.close", ops::queue_close},
      OpEntry{"mail.queue.close", ops::queue_close},
      OpEntry{"queue.delete", ops::queue_delete},
      OpEntry{"mail.queue.delete", ops::queue_delete},
      OpEntry{"queue.dead", ops::queue_dead},
      OpEntry{"mail.queue.dead", ops::queue_dead},
      OpEntry{"queue.retry", ops::queue_retry},
      OpEntry{"mail.queue.retry", ops::queue_retry},
      OpEntry{"channel.list", ops::channel_list},
      OpEntry{"mail.channel.list", ops::channel_list},
      OpEntry{"channel.show", ops::channel_show},
      OpEntry{"mail.channel.show", ops::channel_show},
      OpEntry{"channel.create", ops::channel_create},
      OpEntry{"mail.channel.create", ops::channel_create},
      OpEntry{"channel.update", ops::channel_update},
      OpEntry{"mail.channel.update", ops::channel_update},
      OpEntry{"channel.read", ops::channel_read},
      OpEntry{"mail.channel.read", ops::channel_read},
      OpEntry{"channel.subscribe", ops::channel_subscribe},
      OpEntry{"mail.channel.subscribe", ops::channel_subscribe},
      OpEntry{"channel.unsubscribe", ops::channel_unsubscribe},
      OpEntry{"mail.channel.unsubscribe", ops::channel_unsubscribe},
      OpEntry{"channel.subscribers", ops::channel_subscribers},
      OpEntry{"mail.channel.subscribers", ops::channel_subscribers},
      OpEntry{"channel.close", ops::channel_close},
      OpEntry{"mail.channel.close", ops::channel_close},
      OpEntry{"channel.reopen", ops::channel_reopen},
      OpEntry{"mail.channel.reopen", ops::channel_reopen},
      OpEntry{"channel.delete", ops::channel_delete},
      OpEntry{"mail.channel.delete", ops::channel_delete},
      OpEntry{"channel.pruned", ops::channel_pruned},
      OpEntry{"mail.channel.pruned", ops::channel_pruned},
      OpEntry{"channel.prune", ops::channel_prune},
      OpEntry{"mail.channel.prune", ops::channel_prune},
      OpEntry{"protocol.types", ops::protocol_types},
      OpEntry{"protocol.parse", ops::protocol_parse},
      OpEntry{"protocol.build", ops::protocol_build},
      OpEntry{"protocol.lint", ops::protocol_lint},
      OpEntry{"rig.add", ops::rig_add},
      OpEntry{"rig.list", ops::rig_list},
      OpEntry{"rig.show", ops::rig_show},
      OpEntry{"rig.remove", ops::rig_remove},
      OpEntry{"agent.add", ops::agent_add},
      OpEntry{"agent.list", ops::agent_list},
      OpEntry{"agent.show", ops::agent_show},
      OpEntry{"agent.remove", ops::agent_remove},
      OpEntry{"agent.alias", ops::agent_alias},
      OpEntry{"agent.release", ops::agent_release},
      OpEntry{"store.info", ops::store_info},
      OpEntry{"store.check", ops::store_check},
      OpEntry{"store.migrate", ops::store_migrate},
      OpEntry{"store.copy", ops::store_copy},
      OpEntry{"store.purge", ops::store_purge},
  };
  return kTable;
}

}  // namespace townpost
