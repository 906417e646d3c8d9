#pragma once
#include <cstdint>
#include <string>

#include "base/json.h"
#include "cli/render.h"

namespace townpost {

// What the renderers read from an answer: the value of a key, or nothing, zero, false.
/// One line, whatever is in it: no text makes a row of its own.
std::string text_of(const JsonObject& object, const char* key);
/// The same of any value; what is no text is written as JSON.
std::string text_of(const Json& value);
/// The whole text: of a body, or of a block for a program.
std::string lines_of(const JsonObject& object, const char* key);
std::int64_t number_of(const JsonObject& object, const char* key);
bool flag_of(const JsonObject& object, const char* key);
/// A list of texts, joined by commas: one line.
std::string list_of(const JsonObject& object, const char* key);

/// One line that the town says, with the calls in it as they are typed and the moments in local time.
std::string said(const JsonObject& object, const char* key, const Screen& screen);
std::string said(const Json& value, const Screen& screen);

/// A moment of the answer, in local time; nothing if it is not there.
std::string moment_of(const JsonObject& object, const char* key, const Screen& screen);
/// The same in a history.
std::string step_of(const JsonObject& object, const char* key, const Screen& screen);

// How they stress it, where the screen has colours.
Shown bold(std::string_view text, const Screen& screen);
Shown dim(std::string_view text, const Screen& screen);
Shown red(std::string_view text, const Screen& screen);

}  // namespace townpost
