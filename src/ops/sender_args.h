#pragma once
#include <vector>

#include "ops/args.h"
#include "post/mail/post_office.h"

namespace townpost::ops {

// What a sender may say of a message besides its text, its recipients and its place. The list stands beside what is
// told of a message, in mail_view.cc: a new field is added to both at once. Every operation that sends takes these.

std::vector<Arg> sender_args();
void put_sender_args(const Args& args, Letter& letter);

}  // namespace townpost::ops
