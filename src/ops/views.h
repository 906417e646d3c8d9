#pragma once
#include "base/json.h"
#include "post/agent.h"
#include "post/explain.h"
#include "post/mailroom.h"
#include "post/post_office.h"
#include "post/settings.h"

namespace townpost::views {

// The JSON of the domain's values: stable keys, instants as RFC 3339 with milliseconds and Z.

/// The human is printed by the name the town chose.
std::string shown(std::string_view address, const Settings& settings);

enum class Body { with, without };
JsonObject mail(const Mail& mail, const Settings& settings, Body body = Body::with);
JsonObject receipt(const Receipt& receipt, const Settings& settings);
JsonObject agent(const Agent& agent, const Settings& settings);
JsonObject rig(const Rig& rig);
JsonObject explanation(const Explanation& explanation, const Settings& settings);
JsonObject error(const Error& error);

}  // namespace townpost::views
