#pragma once
#include "ops/op.h"

// The rows of the operation table; one function each, defined in the *_ops.cc of their subject.
namespace townpost::ops {

const Op& init();
const Op& trust();
const Op& whoami();
const Op& rig_add();
const Op& rig_list();
const Op& rig_show();
const Op& rig_remove();
const Op& agent_add();
const Op& agent_list();
const Op& agent_show();
const Op& agent_remove();
const Op& agent_alias();
const Op& agent_release();

const Op& group_list();
const Op& group_show();
const Op& group_create();
const Op& group_add();
const Op& group_remove();
const Op& group_delete();

const Op& queue_create();
const Op& queue_list();
const Op& queue_show();
const Op& queue_pause();
const Op& queue_resume();
const Op& queue_close();
const Op& queue_delete();
const Op& queue_dead();
const Op& queue_retry();
const Op& mail_claim();
const Op& mail_complete();
const Op& mail_fail();
const Op& mail_release();
const Op& mail_extend();

const Op& channel_list();
const Op& channel_show();
const Op& channel_create();
const Op& channel_update();
const Op& channel_close();
const Op& channel_reopen();
const Op& channel_delete();
const Op& channel_subscribe();
const Op& channel_unsubscribe();
const Op& channel_subscribers();
const Op& channel_read();
const Op& channel_pruned();
const Op& channel_prune();

const Op& protocol_types();
const Op& protocol_parse();
const Op& protocol_build();
const Op& protocol_lint();
const Op& todo();
const Op& mail_drain();

const Op& nudge();
const Op& nudge_wait();
const Op& nudge_list();
const Op& nudge_show();
const Op& nudge_explain();
const Op& nudge_drop();
const Op& nudge_retry();
const Op& nudge_drain();
const Op& nudge_carry();
const Op& dnd_on();
const Op& dnd_off();
const Op& dnd_status();
const Op& hold();
const Op& release();
const Op& status();
const Op& top();
const Op& up();
const Op& down();
const Op& signal();
const Op& prime();
const Op& harness_install();
const Op& harness_uninstall();
const Op& harness_status();
const Op& agent_run();
const Op& agent_drain();
const Op& agent_quarantine();
const Op& agent_hook();

const Op& store_info();
const Op& store_check();
const Op& store_migrate();
const Op& store_copy();
const Op& store_purge();

const Op& mail_send();
const Op& mail_reply();
const Op& mail_reply_all();
const Op& mail_recall();
const Op& mail_inbox();
const Op& mail_read();
const Op& mail_peek();
const Op& mail_check();
const Op& mail_wait();
const Op& mail_ack();
const Op& mail_mark_unread();
const Op& mail_archive();
const Op& mail_unarchive();
const Op& mail_delete();
const Op& mail_pin();
const Op& mail_unpin();
const Op& mail_sent();
const Op& mail_waiting();
const Op& mail_thread();
const Op& mail_search();
const Op& mail_directory();
const Op& mail_explain();
const Op& mail_budget();
const Op& why();

}  // namespace townpost::ops
