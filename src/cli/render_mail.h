#pragma once
#include <string>

#include "base/json.h"
#include "cli/render.h"

namespace townpost {

/// Who speaks, in plain words: "an agent", "your user, by --as".
std::string_view speaker(std::string_view from, std::string_view grade);

/// "3h", of the message's instant.
std::string age_of(const JsonObject& mail, const Screen& screen);
/// "for the previous holder (bead X)" where that is so, else nothing.
std::string holder_note(const JsonObject& mail);
/// Headers and body; into a pipe a long body is cut unless it is wanted whole.
enum class Company { alone, others };
Shown whole_mail(const JsonObject& mail, bool cut, Company company, const Screen& screen);

/// The text alone.
Shown body_of(const JsonObject& mail, bool cut, Company company, const Screen& screen);

}  // namespace townpost
