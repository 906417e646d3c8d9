#pragma once
#include <cstdint>
#include <string>

#include "base/json.h"
#include "cli/render.h"

namespace townpost {

// What the renderers read from an answer: the value of a key, or nothing, zero, false.
std::string text_of(const JsonObject& object, const char* key);
std::int64_t number_of(const JsonObject& object, const char* key);
bool flag_of(const JsonObject& object, const char* key);
/// A list of texts, joined by commas, safe for the terminal.
std::string list_of(const JsonObject& object, const char* key);

// How they stress it, where the screen has colours.
std::string bold(const std::string& text, const Screen& screen);
std::string dim(const std::string& text, const Screen& screen);
std::string red(const std::string& text, const Screen& screen);

}  // namespace townpost
