#pragma once
#include <functional>
#include <string>

#include "http/api.h"
#include "http/event_hub.h"

namespace townpost::http {

/// What the API answers besides the operation table: streams of events, health, metrics, and the link that signs a
/// browser in.
struct Extras {
  Host& host;
  std::string town;  ///< the `.town` folder
  EventHub& events;
  const Environment& around;             ///< as of TokenDoor
  std::function<std::string()> metrics;  ///< in the text format of Prometheus
};
void add_extras(Api& api, const Extras& extras);

}  // namespace townpost::http
