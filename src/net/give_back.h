#pragma once
#include <string>

namespace townpost {

/// Empties it and frees its memory: to assign an empty string keeps that.
inline void give_back(std::string& text) { std::string().swap(text); }

}  // namespace townpost
