#pragma once
#include "base/json.h"
#include "ops/shape.h"
#include "post/mail/feed.h"
#include "post/town/settings.h"

namespace townpost {

namespace shapes {
const Shape& feed_entry();
}

namespace views {
JsonObject feed_entry(const FeedEntry& entry, const Settings& settings);
}

}  // namespace townpost
