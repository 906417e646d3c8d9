#include "cli/told.h"

#include <algorithm>

#include "base/local_time.h"
#include "base/text.h"
#include "cli/agent_words.h"
#include "cli/card.h"
#include "cli/list.h"
#include "cli/prose.h"
#include "cli/render_lists.h"
#include "cli/render_text.h"

namespace townpost {

namespace {

/// What happened, and what is worth typing next.
struct Sentence {
  std::string what;
  std::string next = {};
};

struct Telling {
  const CommandLine& line;
  const JsonObject& json;
  const Screen& screen;

  std::string text(const char* key) const { return text_of(json, key); }
  std::int64_t number(const char* key) const { return number_of(json, key); }
  bool flag(const char* key) const { return flag_of(json, key); }
  std::string who(const char* key = "address") const { return name_of(text_of(json, key), screen); }
  std::string moment(const char* key) const {
    const auto at = parse_instant(text(key));
    return at ? local_moment(*at, screen.now) : text(key);
  }
  std::string argument(const char* key) const { return text_of(line.args, key); }
};

using Teller = Sentence (*)(const Telling&);

// ---- groups, queues, channels ---------------------------------------------------------------------------------------

std::string members_of(const Telling& t) {
  const auto many = static_cast<std::int64_t>(t.json.at("members").get_array().size());
  return many == 0 ? "no members" : cat(counted(many, "member"), " (", shorten(list_of(t.json, "members"), 200), ")");
}

Sentence group_created(const Telling& t) {
  const auto name = t.text("name");
  return {cat("group ", name, " created: ", members_of(t)), cat("gt mail send ", name, " -s SUBJECT -m TEXT")};
}
Sentence group_changed(const Telling& t) { return {cat("group ", t.text("name"), " now has ", members_of(t))}; }
Sentence group_deleted(const Telling& t) {
  return {cat("group ", t.text("removed"), " deleted; what its members received stays with them")};
}

std::string work_of(const Telling& t) {
  const auto available = t.number("available");
  const auto processing = t.number("processing");
  if (available == 0 && processing == 0) return "";
  if (processing == 0) return cat(available, " waiting");
  return available == 0 ? cat(processing, " in work") : cat(available, " waiting and ", processing, " in work");
}

std::string rules_of_queue(const Telling& t) {
  const auto most = t.number("max_concurrency");
  return cat(t.text("processing_order") == "fifo" ? "oldest first" : "most urgent first", ", ", t.text("lease"),
             " for each claim, ", counted(t.number("max_attempts"), "attempt"),
             most > 0 ? cat(", ", most, " at a time") : "");
}

Sentence queue_created(const Telling& t) {
  const auto name = t.text("name");
  return {cat("queue ", name, " created: ", rules_of_queue(t)),
          cat("gt mail send ", name, " -s SUBJECT · gt mail claim ", name)};
}
Sentence queue_changed(const Telling& t) {
  const auto claimers = t.text("claimers");
  return {cat("queue ", t.text("name"), " is now: ", rules_of_queue(t), ", claimed by ",
              claimers == "*" ? "anyone" : claimers)};
}
Sentence queue_paused(const Telling& t) {
  const auto work = work_of(t);
  return {cat("queue ", t.text("name"), " paused: it accepts messages but hands none out",
              work.empty() ? "" : cat("; ", work)),
          cat("gt queue resume ", t.text("name"))};
}
Sentence queue_resumed(const Telling& t) {
  const auto work = work_of(t);
  return {cat("queue ", t.text("name"), " is open again: ", work.empty() ? "nothing waits" : work)};
}
Sentence queue_closed(const Telling& t) {
  const auto work = work_of(t);
  const auto name = t.text("name");
  const auto reopen = cat("gt queue resume ", name);
  if (work.empty()) return {cat("queue ", name, " closed: nothing waits and nothing is in work"), reopen};
  return {cat("queue ", name, " closed: ", work, " may still finish"), cat("gt queue messages ", name, " · ", reopen)};
}
Sentence queue_deleted(const Telling& t) { return {cat("queue ", t.text("removed"), " deleted")}; }

Sentence channel_created(const Telling& t) {
  const auto name = t.text("name");
  return {cat("channel ", name, " created: it keeps ", retention_of(t.json)),
          cat("gt channel subscribe ", name, " · gt mail send channel:", name, " -s SUBJECT")};
}
Sentence channel_changed(const Telling& t) {
  return {cat("channel ", t.text("name"), " now keeps ", retention_of(t.json))};
}
Sentence channel_closed(const Telling& t) {
  const auto posts = t.number("posts");
  return {cat("channel ", t.text("name"), " closed: it takes no new posts",
              posts > 0 ? cat("; ", counted(posts, "post"), posts == 1 ? " stays" : " stay", " readable") : ""),
          cat("gt channel reopen ", t.text("name"))};
}
Sentence channel_reopened(const Telling& t) { return {cat("channel ", t.text("name"), " takes posts again")}; }
Sentence channel_deleted(const Telling& t) {
  const auto posts = t.number("posts");
  return {cat("channel ", t.text("removed"), " deleted",
              posts > 0 ? cat(", and its ", counted(posts, "post")) : std::string())};
}
Sentence subscribed(const Telling& t) {
  return {cat(t.who("member"), " follows ", t.text("channel"), t.flag("wake") ? ", and is woken by each post" : ""),
          cat("gt channel read ", t.text("channel"), " --unread")};
}
Sentence unsubscribed(const Telling& t) {
  return {t.flag("removed") ? cat("no longer following ", t.text("channel"))
                            : cat("nothing changed: ", t.text("channel"), " was not followed")};
}

// ---- nudges and care ------------------------------------------------------------------------------------------------

Sentence nudges_pending(const Telling& t) {
  const auto many = static_cast<std::int64_t>(t.json.at("nudges").get_array().size());
  if (t.text("text").empty()) return {many == 0 ? "nothing is due" : cat(counted(many, "nudge"), " waiting")};
  return {cat(t.text("text"), counted(many, "nudge"), " taken for 60 s"), "gt nudge confirm ID, for each"};
}
Sentence nudge_dropped(const Telling& t) {
  return {cat("nudge ", t.text("id"), " for ", t.who("target"), " dropped: nobody will see it")};
}
Sentence nudge_retried(const Telling& t) {
  return {cat("nudge ", t.text("id"), " for ", t.who("target"), " is ", t.text("state"), " again"),
          cat("gt nudge explain ", t.text("id"))};
}
Sentence undisturbed(const Telling& t) {
  const auto until = t.json.contains("dnd_until") ? cat(" until ", t.moment("dnd_until")) : std::string();
  return {cat(t.who(), ": do-not-disturb is on", until, "; mail is stored, nudges wait"),
          t.argument("agent").empty() ? "gt dnd off" : cat("gt dnd off ", t.text("address"))};
}
Sentence disturbed_again(const Telling& t) {
  return {cat(t.who(), ": do-not-disturb is off; what waits can be delivered now")};
}
Sentence disturbance(const Telling& t) {
  std::string what = t.flag("dnd") ? cat(t.who(), ": do-not-disturb is on",
                                         t.json.contains("dnd_until") ? cat(" until ", t.moment("dnd_until")) : "")
                                   : cat(t.who(), ": do-not-disturb is off");
  if (t.json.contains("held_until"))
    what += t.text("held_until") == "released" ? "; held" : cat("; held until ", t.moment("held_until"));
  if (t.json.contains("quarantined_at")) what += cat("; in quarantine since ", t.moment("quarantined_at"));
  if (const auto bead = t.text("hook"); !bead.empty()) what += cat("; works on ", bead);
  return {what};
}
Sentence held(const Telling& t) {
  const bool all = t.text("whom") == "everybody";
  const auto whom = all ? std::string("--all") : t.text("whom");
  return {cat(all ? "everybody" : t.who("whom"), " is held: mail is stored, nothing is delivered, timers stop"),
          cat("gt release ", whom)};
}
Sentence released(const Telling& t) {
  const bool all = t.text("whom") == "everybody";
  const auto name = all ? std::string("everybody") : t.who("whom");
  if (t.flag("held")) return {cat(name, " is released, but the whole town is held"), "gt release --all"};
  return {cat(name, " is released: what waits can be delivered now")};
}
Sentence quarantined(const Telling& t) {
  if (!t.json.contains("quarantined_at"))
    return {cat("the quarantine of ", t.who(), " is lifted: its mail is delivered")};
  return {cat(t.who(), " is in quarantine: nothing it sends is delivered or wakes anyone"),
          cat("gt agent quarantine ", t.text("address"), " --lift")};
}
Sentence reported(const Telling& t) { return {cat(t.who("address"), " is ", t.text("state"), " now")}; }
Sentence hooked(const Telling& t) {
  const auto bead = t.text("hook");
  return {bead.empty() ? cat(t.who(), " works on no bead now") : cat(t.who(), " works on ", bead)};
}

// ---- agents and rigs ------------------------------------------------------------------------------------------------

Sentence agent_added(const Telling& t) {
  const auto address = t.text("address");
  if (!t.flag("created")) {
    const auto changed = list_of(t.json, "changed");
    return {cat(address, " was registered already: ", changed.empty() ? "nothing changed" : cat("changed ", changed)),
            cat("gt agent show ", address)};
  }
  return {cat(address, " is registered: mail for it is kept from now on"),
          cat("gt start ", address, " · gt mail send ", address, " -s SUBJECT")};
}
Sentence agent_removed(const Telling& t) {
  return {cat("agent ", t.text("removed"), " removed: it no longer gets mail")};
}
Sentence agent_renamed(const Telling& t) {
  return {cat("the agent is ", t.text("address"), " now; mail to ", list_of(t.json, "aliases"), " still reaches it")};
}
Sentence agent_released(const Telling& t) { return {cat(t.who(), " may send again: its held mail is delivered")}; }
Sentence agent_stopping(const Telling& t) {
  if (t.flag("now")) return {cat(t.who(), " is told to end now"), "gt status"};
  return {cat(t.who(), " is told to finish: it ends ten seconds after its last work"),
          cat("gt stop ", t.text("address"), " --now")};
}
Sentence program_ended(const Telling& t) {
  const auto why = t.text("stopped");
  return {cat(t.who(), " ended", why.empty() ? "" : cat(": ", why), " (exit code ", t.number("exit_code"), ")")};
}
Sentence rig_added(const Telling& t) {
  const auto name = t.text("name");
  return {cat("rig ", name, " is ", t.text("path"), ": beads ", t.text("prefix"), "-…, merges into ", t.text("target")),
          cat("gt agent add ", name, "/crew/NAME")};
}
Sentence rig_removed(const Telling& t) {
  return {cat("rig ", t.text("removed"), " removed; its repository is untouched")};
}

// ---- the town -------------------------------------------------------------------------------------------------------

Sentence watching(const Telling& t) {
  const auto log = t.text("log");
  if (log.empty()) return {"the dispatcher ended"};
  const auto url = t.text("url");
  return {cat("the dispatcher runs as process ", t.number("pid"), url.empty() ? "" : cat(", HTTP at ", url),
              "; its log is ", log),
          "gt down"};
}
Sentence watch_ended(const Telling& t) {
  return {t.flag("ended") ? "the dispatcher ended" : "no dispatcher runs here"};
}
Sentence setting_changed(const Telling& t) {
  if (!t.flag("changed")) return {cat(t.text("key"), " is ", t.text("value"), " already")};
  if (t.flag("after_restart"))
    return {
        cat(t.text("key"), " will be ", t.text("value"), " once gt up starts again (default ", t.text("default"), ")"),
        "gt up --replace --detach"};
  return {cat(t.text("key"), " is ", t.text("value"), " now (default ", t.text("default"), ")")};
}
Sentence settings_edited(const Telling& t) {
  return {cat(t.text("file"), t.flag("changed") ? " changed: it is valid and in use" : " not changed")};
}
/// "townpost-town-1a2b3c4d.service is installed and runs".
Sentence service_there(const Telling& t) {
  if (!t.flag("installed")) return {cat(t.text("unit"), " is not installed"), "gt service install"};
  if (!t.json.contains("running"))
    return {cat(t.text("unit"), " is installed; no systemd session of yours can be reached from here"),
            cat("log in on this machine, or type: systemctl --user start ", t.text("unit"))};
  if (!t.flag("running"))
    return {cat(t.text("unit"), " is installed and does not run"), cat("journalctl --user -u ", t.text("unit"))};
  return {cat(t.text("unit"), " is installed and runs"), "loginctl enable-linger keeps it when you log out"};
}
Sentence service_installed(const Telling& t) {
  if (t.json.contains("text")) return {std::string(trim(lines_of(t.json, "text")))};
  return service_there(t);
}
Sentence service_removed(const Telling& t) {
  return {cat(t.text("unit"), t.flag("changed") ? " is stopped and removed" : " is not installed")};
}
std::string hooks_named(const Telling& t) {
  return cat(counted(static_cast<std::int64_t>(t.json.at("events").get_array().size()), "hook"), " in ",
             t.text("file"));
}
Sentence hooks_installed(const Telling& t) {
  if (!t.flag("changed")) return {cat(t.text("harness"), " has its hooks already: ", hooks_named(t))};
  return {cat(t.text("harness"), " gets mail and nudges here: ", hooks_named(t)), "restart sessions that run already"};
}
Sentence hooks_removed(const Telling& t) {
  return {t.flag("changed") ? cat("our hooks are gone from ", t.text("file"))
                            : cat("there were no hooks of ours in ", t.text("file"))};
}
Sentence hooks_there(const Telling& t) {
  if (!t.flag("installed")) return {cat("no hooks in ", t.text("file")), cat("gt harness install ", t.text("harness"))};
  return {cat(t.text("harness"), " has ", hooks_named(t))};
}
Sentence town_trusted(const Telling& t) {
  return {t.flag("trusted") ? cat(t.text("town"), " is trusted: its settings may run programs")
                            : cat(t.text("town"), " is no longer trusted")};
}

Sentence store_sound(const Telling& t) {
  const auto& problems = t.json.at("problems").get_array();
  if (t.flag("sound")) return {"the store has no damage"};
  std::string out = cat("the store has ", counted(static_cast<std::int64_t>(problems.size()), "problem"));
  for (const auto& problem : problems) out += cat("\n  ", said(problem, t.screen));
  return {out, "gt doctor"};
}
Sentence store_migrated(const Telling& t) {
  if (t.number("from") == t.number("to")) return {cat("the store already has version ", t.number("to"))};
  return {cat("the store was upgraded from version ", t.number("from"), " to ", t.number("to"))};
}
Sentence store_copied(const Telling& t) {
  return {cat("copied ", counted(t.number("messages"), "message"), " and all that belongs to them (", t.number("rows"),
              " rows, ", t.number("written"), " of them new) from ", t.text("from"), " to ", t.text("to"))};
}
Sentence store_purged(const Telling& t) {
  return {cat(counted(t.number("purged"), "message"), " purged, ", in_units(t.number("bytes_freed")), " freed",
              t.number("forgotten") > 0 ? cat("; ", counted(t.number("forgotten"), "old trace"), " forgotten") : "")};
}
Sentence recalled(const Telling& t) {
  if (t.number("recalled") == 0) return {"nothing to recall: what it sent is read, or was never there"};
  return {cat("recalled ", t.number("recalled"), ": ", counted(t.number("mail"), "unread mail"), ", ",
              counted(t.number("posts"), "unread post"), ", ", counted(t.number("jobs"), "unclaimed job"))};
}

Sentence token_made(const Telling& t) {
  const auto whom = !t.text("agent").empty()   ? t.who("agent")
                    : !t.text("rig").empty()   ? cat("the agents of ", t.text("rig"))
                    : t.text("role") == "town" ? std::string("every agent of the town")
                                               : std::string("the human");
  return {cat(t.text("token"), "\nThis is the token of ", whom,
              t.json.contains("expires_at") ? cat(" until ", t.moment("expires_at")) : "", "; it is not shown again"),
          cat("send it as Authorization: Bearer · gt token revoke ", t.text("id"))};
}
Sentence page_opened(const Telling& t) {
  if (flag_of(t.line.args, "print")) return {t.text("url")};
  return {cat(t.text("url"), "\nThis link opens the town's page once, until ", t.moment("expires_at"))};
}

struct Entry {
  std::string_view op;
  Teller tell;
};
constexpr Entry kTellers[] = {
    {"group.create", group_created},
    {"group.add", group_changed},
    {"group.remove", group_changed},
    {"group.set", group_changed},
    {"group.delete", group_deleted},
    {"queue.create", queue_created},
    {"queue.update", queue_changed},
    {"queue.pause", queue_paused},
    {"queue.resume", queue_resumed},
    {"queue.close", queue_closed},
    {"queue.delete", queue_deleted},
    {"channel.create", channel_created},
    {"channel.update", channel_changed},
    {"channel.close", channel_closed},
    {"channel.reopen", channel_reopened},
    {"channel.delete", channel_deleted},
    {"channel.subscribe", subscribed},
    {"channel.unsubscribe", unsubscribed},
    {"nudge.pending", nudges_pending},
    {"nudge.drop", nudge_dropped},
    {"nudge.retry", nudge_retried},
    {"dnd.on", undisturbed},
    {"dnd.off", disturbed_again},
    {"dnd.status", disturbance},
    {"hold", held},
    {"release", released},
    {"agent.quarantine", quarantined},
    {"agent.hook", hooked},
    {"agent.report", reported},
    {"agent.add", agent_added},
    {"agent.remove", agent_removed},
    {"agent.alias", agent_renamed},
    {"agent.release", agent_released},
    {"stop", agent_stopping},
    {"agent.run", program_ended},
    {"rig.add", rig_added},
    {"rig.remove", rig_removed},
    {"up", watching},
    {"down", watch_ended},
    {"service.install", service_installed},
    {"service.uninstall", service_removed},
    {"service.status", service_there},
    {"config.set", setting_changed},
    {"config.unset", setting_changed},
    {"config.edit", settings_edited},
    {"harness.install", hooks_installed},
    {"harness.uninstall", hooks_removed},
    {"harness.status", hooks_there},
    {"trust", town_trusted},
    {"store.check", store_sound},
    {"store.migrate", store_migrated},
    {"store.copy", store_copied},
    {"store.purge", store_purged},
    {"mail.recall", recalled},
    {"token.create", token_made},
    {"open", page_opened},
};

const Entry* entry_of(const Op& op) {
  const auto* const found =
      std::find_if(std::begin(kTellers), std::end(kTellers), [&](const Entry& entry) { return entry.op == op.name; });
  return found == std::end(kTellers) ? nullptr : found;
}

}  // namespace

bool has_sentence(const Op& op) { return entry_of(op) != nullptr; }

std::optional<Shown> told(const CommandLine& line, const Answer& answer, const Screen& screen) {
  const auto* const found = entry_of(*line.op);
  if (!found || !answer.json.is_object()) return std::nullopt;
  // With `print` it answers with somebody else's settings.
  if (line.args.contains("print") && line.op->name.starts_with("harness.")) return std::nullopt;
  const auto [what, next] = found->tell({line, answer.json.get_object(), screen});
  Shown out;
  for (const auto one : split(what, '\n')) out += prose(one, screen);
  return next.empty() ? out : shown(out, dim(cat("Next: ", next), screen), "\n");
}

}  // namespace townpost
