#pragma once
#include <string>
#include <vector>

#include "post/mail/post_office.h"
#include "protocol/parse.h"

namespace townpost {

/// What the type that a letter's subject names changes about it: its thread (the bead), whether an acknowledgement is
/// asked for. What its sender should know is added to `warnings`. An answer keeps the subject and is not of that type.
/// `parent` is the message that is answered, if any.
void apply_type(const Settings& settings, const std::optional<Message>& parent, Letter& letter,
                std::vector<std::string>& warnings);

/// Of a transient type (PROGRESS) only the last one per thread, sender and recipient stays in the inbox: archives the
/// copies of earlier ones, and their history says so.
Result<> archive_superseded(Ledger& ledger, const Settings& settings, const Message& stored,
                            const std::vector<Addressee>& addressees);

/// The type a stored message is of, or null.
const protocol::ProtocolType* type_of(const Settings& settings, const Message& message);

/// Where a typed letter goes if it names nobody: an answer to whoever asked (`answered`), else whoever has the role
/// that its type is sent to, seen from the sender: [roles] of town.toml says, or an agent of that name. Error: usage.
Result<std::string> route_of(Town& town, const protocol::ProtocolType& type, std::optional<MessageId> answered,
                             const Caller& caller);

}  // namespace townpost
