#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/workers.h"
#include "http/doorkeeper.h"
#include "http/route.h"
#include "net/http_exchange.h"
#include "ops/engine.h"
#include "post/town/settings.h"

namespace townpost::http {

/// The HTTP API: finds the operation that a request asks for, asks the doorkeeper who wants it, has it done by a
/// worker, and answers in the words of this API. The loop's thread never waits.
class Api final : public HttpHandler {
 public:
  /// Answers a request that is none of the table's, by its path: pages, streams of events, health.
  using Special = std::function<void(const std::shared_ptr<HttpExchange>&, const Visitor&)>;
  struct Parts {
    Engine& engine;
    const Clock& clock;
    std::string town;  ///< the `.town` folder
    std::function<std::shared_ptr<const Settings>()> settings;
    Doorkeeper& doorkeeper;
    Workers& workers;
  };
  explicit Api(Parts parts) : parts_(std::move(parts)) {}

  /// Before the first request. `path` is exact. Of anybody nothing is asked; a guest need not say who they are, but
  /// asks this server by one of its names.
  enum class For { known, guests, anybody };
  void add(std::string method, std::string path, For whom, Special special);

  void handle(std::shared_ptr<HttpExchange> exchange) override;
  HttpResponse refusal(int status, std::string_view why) override;

 private:
  struct Extra {
    For whom = For::known;
    Special special;
  };
  void serve(const std::shared_ptr<HttpExchange>& exchange) const;
  HttpResponse answer(const Found& found, const std::shared_ptr<HttpExchange>& exchange, const Visitor& visitor) const;
  const Extra* find_extra(const HttpRequest& request) const;
  /// With which this path would be known.
  std::vector<std::string> other_methods(const HttpRequest& request, const Lookup& lookup) const;

  const Parts parts_;
  std::map<std::pair<std::string, std::string>, Extra> extras_;
};

}  // namespace townpost::http
