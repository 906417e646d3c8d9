#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "net/http_server.h"

namespace townpost::http {

// Every answer of the API is one object: {"success":true,"data":…,"timestamp":…}, or "success":false with an "error" of
// "code", "message" and "details".

HttpResponse success(Json data, Instant now, int status = 200);
/// What an operation failed with. `argument` is how the request spelled the argument at fault.
HttpResponse failure(const Error& error, Instant now, std::string_view argument = {});
/// What the API itself refuses.
HttpResponse refusal(int status, std::string_view message, Instant now);

int status_of(Code code);
/// "VALIDATION_ERROR", "NOT_FOUND" …; the word of a status.
std::string_view code_word(int status);

}  // namespace townpost::http
