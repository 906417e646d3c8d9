#pragma once
#include <algorithm>

#include "engine/engine_fixture.h"

namespace townpost {

/// A town that has one of everything that an operation can be called with.
class FurnishedTown : public EngineTest {
 protected:
  FurnishedTown() {
    add_agent("alice");
    answer("queue.create", {{"name", "jobs"}}, "overseer");
    answer("channel.create", {{"name", "news"}}, "overseer");
    answer("group.create", {{"name", "crowd"}, {"member", {"alice"}}}, "overseer");
    mail_ = sent_to("alice");
    job_ = sent_to("queue:jobs");
    const auto nudged = answer("nudge", {{"target", "alice"}, {"body", "hey"}, {"mode", "queue"}}, "overseer");
    nudge_ = std::string(nudged.at(0).at("id").get_string());
  }

  std::string sent_to(const std::string& whom) {
    const auto receipt = answer("mail.send", {{"to", {whom}}, {"subject", "s"}, {"body", "b"}}, "overseer");
    return std::string(receipt.at("id").get_string());
  }

  /// A value that the operation has nothing against.
  Json good(const Op& op, const Arg& arg) const {
    switch (arg.kind) {
      case ArgKind::flag:
        return true;
      case ArgKind::integer:
        return std::max<std::int64_t>(arg.least, 1);
      case ArgKind::duration:
      case ArgKind::deadline:
      case ArgKind::instant:
        return "1h";
      case ArgKind::priority:
        return "2";
      case ArgKind::address:
        return "alice";
      case ArgKind::message_id:
        return Json(op.name.starts_with("queue.") ? job_ : mail_);
      case ArgKind::nudge_id:
        return Json(nudge_);
      case ArgKind::list_name:
        return op.name.starts_with("channel.") ? "news" : op.name.starts_with("group.") ? "crowd" : "jobs";
      case ArgKind::choice:
        return Json(std::string(arg.choices.front()));
      case ArgKind::map:
        return JsonObject{{"topic", "x"}};
      case ArgKind::path:
        return ".";
      case ArgKind::text:
      case ArgKind::body:
        break;
    }
    return "alice";
  }

  /// A call with what the operation asks for and nothing else.
  JsonObject least_call(const Op& op) const {
    JsonObject out;
    for (const auto& arg : op.args)
      if (arg.required || arg.name == "to") put(out, arg, good(op, arg));
    return out;
  }
  static void put(JsonObject& call, const Arg& arg, Json value) {
    call[std::string(arg.name)] = arg.many ? Json(JsonArray{std::move(value)}) : std::move(value);
  }

  std::string mail_, job_, nudge_;
};

}  // namespace townpost
