#pragma once
#include "ops/shape.h"

// What the answers of operations are made of: each is the shape of the view of the same name (ops/views.h). That of a
// value stands with its view, where its keys are listed once: mail_view.cc, agent_views.cc, list_views.cc,
// nudge_views.cc.
namespace townpost::shapes {

const Shape& message();         ///< a message as its owner or a participant sees it
const Shape& queued_message();  ///< with its place in a queue
const Shape& sent_message();    ///< with what became of it
const Shape& post();            ///< of a channel
const Shape& owed_message();    ///< with who owes the reply
const Shape& receipt();
const Shape& outcomes();  ///< what became of each id of a call
const Shape& waiting();   ///< unread mail and news of channels
const Shape& thread();
const Shape& explanation();
const Shape& agent();
const Shape& agent_with_aliases();
const Shape& rig();
const Shape& group();
const Shape& queue();
const Shape& claim();  ///< work of a queue, and who has it
const Shape& channel();
const Shape& nudge();
const Shape& agent_session();  ///< one of an agent's sessions
const Shape& agent_state();
const Shape& sent_nudges();  ///< nudges with what stands in their way
const Shape& care();
const Shape& status();
const Shape& todo();
const Shape& removed();
const Shape& hooks();
const Shape& message_type();
const Shape& typed_messages();  ///< what gt protocol parse tells
const Shape& words();           ///< {"text"}: for a prompt
const Shape& error();           ///< of a call that failed

}  // namespace townpost::shapes
