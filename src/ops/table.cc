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
    case Who::person:
      return "people only";
  }
  return "";
}

std::span<const OpEntry> op_table() {
  static constexpr std::array kTable = {
      OpEntry{"init", ops::init},
      OpEntry{"whoami", ops::whoami},
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
      OpEntry{"mail.directory", ops::mail_directory},
      OpEntry{"mail.explain", ops::mail_explain},
      OpEntry{"why", ops::why},
      OpEntry{"mail.why", ops::why},
      OpEntry{"mail.budget", ops::mail_budget},
      OpEntry{"mail.recall", ops::mail_recall},
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
      OpEntry{"store.purge", ops::store_purge},
  };
  return kTable;
}

}  // namespace townpost
