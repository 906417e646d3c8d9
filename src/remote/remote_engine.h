#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "net/http_client.h"
#include "ops/engine.h"
#include "remote/letter.h"
#include "remote/remote_place.h"

namespace townpost {

/// Runs operations in the server of a town on another machine, which GT_SERVER names. What can only be done here is
/// refused; a town that --town names is asked here. For one thread.
class RemoteEngine final : public Engine {
 public:
  /// How connections are made that trust these authorities (empty: the system's).
  using MakeDialer = std::function<Result<std::unique_ptr<Dialer>>(const std::filesystem::path& authorities)>;
  RemoteEngine(Engine& here, const Clock& clock, MakeDialer make_dialer)
      : here_(here), clock_(clock), make_dialer_(std::move(make_dialer)) {}
  ~RemoteEngine() override;

  Result<Answer> call(const Op& op, const Args& args, Request& request) override;
  Result<> handed_over(Request& request) override;
  Result<std::unique_ptr<Pause>> pause(const Again& again, Request& request) override;

 private:
  class RemotePause;
  /// The server, as it is reached.
  struct Way {
    RemotePlace place;
    std::unique_ptr<Dialer> dialer;
    HttpClient client;
  };
  Result<Way*> way_from(const Origin& origin);
  HttpCall post(const Way& way, std::string_view path, const Request& request, std::string_view rest) const;
  Result<HttpAnswer> ask(Way& way, const HttpCall& call, const Op* op) const;

  Engine& here_;
  const Clock& clock_;
  const MakeDialer make_dialer_;
  std::optional<Result<std::unique_ptr<Way>>> way_;
};

}  // namespace townpost
