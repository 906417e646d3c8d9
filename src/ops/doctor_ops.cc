#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <array>

#include "base/advice.h"
#include "base/files.h"
#include "base/number.h"
#include "base/private_files.h"
#include "base/process.h"
#include "base/program_path.h"
#include "base/text.h"
#include "delivery/claude/claude_settings.h"
#include "ops/harness_hooks.h"
#include "ops/notifier.h"
#include "ops/server_place.h"
#include "ops/shapes.h"
#include "ops/table.h"
#include "post/nudge/cares.h"
#include "post/town/presences.h"
#include "post/town/trusted_towns.h"

namespace townpost::ops {

namespace {

constexpr std::uintmax_t kLittleSpace = 200u << 20;
constexpr std::int64_t kFewInstances = 128;
constexpr std::size_t kLongestName = 200;

enum class Health { good, absent, warning, problem };
constexpr std::array<std::string_view, 4> kHealths = {"good", "absent", "warning", "problem"};
std::string_view name(Health health) { return kHealths[static_cast<std::size_t>(health)]; }

/// What was looked at, one after the other.
class Findings {
 public:
  void good(std::string_view about, std::string what) { add(about, Health::good, std::move(what), {}); }
  /// What one may well do without.
  void absent(std::string_view about, std::string what) { add(about, Health::absent, std::move(what), {}); }
  void warning(std::string_view about, std::string what, NextStep cure) {
    add(about, Health::warning, std::move(what), std::move(cure));
  }
  void problem(std::string_view about, std::string what, NextStep cure) {
    add(about, Health::problem, std::move(what), std::move(cure));
  }
  void problem(std::string_view about, const Error& error) {
    NextStep cure(error.hint);
    cure.call = error.next;
    problem(about, error.message, std::move(cure));
  }
  bool any_problem() const { return any_problem_; }
  JsonArray take() { return std::move(list_); }

 private:
  void add(std::string_view about, Health health, std::string what, NextStep cure) {
    any_problem_ = any_problem_ || health == Health::problem;
    JsonObject one;
    one["about"] = about;
    one["health"] = name(health);
    one["what"] = to_utf8(what);
    one["cure"] =
        to_utf8(cure.call ? cat(cure.words, called(cure.call->op, cure.call->args), cure.call->after) : cure.words);
    list_.push_back(std::move(one));
  }
  JsonArray list_;
  bool any_problem_ = false;
};

/// What `program --version` prints in one line; nothing if it cannot be run.
std::optional<std::string> version_of(const std::vector<std::string>& program, std::string_view flag) {
  ProcessCall call{
      .command = program, .input = "", .environment = {}, .folder = "", .timeout = std::chrono::seconds(10)};
  call.command.emplace_back(flag);
  SystemProcesses processes;
  const auto out = processes.run(call);
  if (!out || out->exit_code != 0) return std::nullopt;
  return std::string(trim(out->out.substr(0, out->out.find('\n'))));
}

void look_at_program(Call& call, Findings& out) {
  const auto own = version_of({call.host.own_program()}, "--version");
  const auto found = version_of({"gt"}, "--version");
  if (!own) return out.problem("program", cat(call.host.own_program(), " does not run"), "install it again");
  if (!found)
    out.warning("program", "no program in your PATH is called gt, so agents cannot call it",
                cat("add it: export PATH=\"", std::filesystem::path(call.host.own_program()).parent_path().string(),
                    ":$PATH\""));
  else if (*found != *own)
    out.warning("program", cat("your PATH has another version of gt: ", *found, ", and this is ", *own),
                "remove one of them");
  else
    out.good("program", *own);
}

void look_at_folder(const std::filesystem::path& town, bool fix, Findings& out) {
  struct stat is {};
  if (::stat(town.c_str(), &is) != 0) return out.problem("permissions", file_error("read", town, errno));
  const bool open_to_all = (is.st_mode & 07) != 0 || ((is.st_mode & 070) != 0 && !is_shared_with_group(is.st_mode));
  if (!open_to_all) {
    out.good("permissions",
             cat(to_utf8(town.string()), is_shared_with_group(is.st_mode) ? " is for its group" : " is private"));
  } else if (fix && set_privacy(town, Privacy::owner)) {
    out.good("permissions", cat(to_utf8(town.string()), " is private now"));
  } else {
    out.problem("permissions", cat("other users can read ", to_utf8(town.string())),
                next("doctor", {{"fix", "true"}}, " makes it private"));
  }
  struct statvfs space {};
  if (::statvfs(town.c_str(), &space) == 0) {
    const auto free = static_cast<std::uintmax_t>(space.f_bavail) * space.f_frsize;
    if (free < kLittleSpace)
      out.problem("disk", cat(free >> 20, " MiB free on the town's disk"),
                  "free some space: on a full disk no mail is stored");
    else
      out.good("disk", cat(free >> 20, " MiB are free"));
  }
}

void look_at_settings(Call& call, Findings& out) {
  const auto settings = call.settings();
  if (!settings) return out.problem("settings", settings.error());
  for (const auto& warning : settings->warnings) out.warning("settings", warning, next("config.edit"));
  if (settings->warnings.empty()) out.good("settings", "town.toml is valid");
}

/// Nothing of it is run: a person would be told of something that did not happen.
void look_at_notify(Call& call, const std::filesystem::path& town, Findings& out) {
  const auto command = notify_in(town).command;
  if (command.empty())
    return out.absent("notify", "notify.command is not set: nothing calls you while you do not look");
  const auto& program = command.front();
  if (!program_path(call.environment(), program))
    return out.problem(
        "notify",
        cat("notify.command calls ", in_quotes(program, kLongestName),
            program.find('/') == std::string::npos ? ", which is not in your PATH" : ", where there is no program"),
        next("config.set", {{"key", "notify.command"}, {"value", "PROGRAM"}}, " names another one"));
  if (TrustedTowns(call.environment()).judge(town).standing != TrustedTowns::Standing::trusted)
    return out.warning("notify", "notify.command is not run, because you have not trusted this town", next("trust"));
  out.good("notify", cat("notify.command calls ", in_quotes(program, kLongestName)));
}

void look_at_store(Call& call, Findings& out) {
  auto admin = call.store_admin();
  const auto info = admin ? (*admin)->info() : Result<StoreInfo>(fail(admin.error()));
  if (!info) return out.problem("store", info.error());
  const auto about = cat(info->kind, ", ", info->messages, " messages");
  if (info->schema < info->newest_schema)
    return out.problem("store",
                       cat(about, ": its schema is ", info->schema, ", this program's is ", info->newest_schema),
                       next("store.migrate"));
  call.request.tell("looking through the store");
  const auto wrong = (*admin)->check();
  if (!wrong) return out.problem("store", wrong.error());
  for (const auto& one : *wrong) out.problem("store", one, "see docs/failures.md");
  if (wrong->empty()) out.good("store", cat(about, "; no damage"));
}

void look_at_dispatcher(const std::filesystem::path& town, Findings& out) {
  const auto watcher = watcher_of(town);
  if (!watcher)
    out.warning("dispatcher", "off: agents without hooks get nothing, and nothing expires",
                next("up", {{"detach", "true"}}));
  else if (!watcher->refusal.empty())
    out.warning("dispatcher", cat("it looks every second: ", watcher->refusal), "raise fs.inotify.max_user_instances");
  else
    out.good("dispatcher", "on");
  const auto url = url_of_server(town);
  if (const auto danger = danger_of(url); !danger.empty())
    out.warning(
        "server", danger,
        next("config.set", {{"key", "http.certificate"}, {"value", "FILE"}}, ", or a proxy with TLS before it"));
  else if (!url.empty())
    out.good("server", cat("HTTP at ", url));
  const auto limit = read_file("/proc/sys/fs/inotify/max_user_instances", 100);
  if (const auto most = limit ? whole_number(trim(*limit)) : std::nullopt; most && *most < kFewInstances)
    out.warning("inotify", cat("only ", *most, " programs of yours can watch files"),
                cat("sysctl fs.inotify.max_user_instances=", 4 * kFewInstances));
  if (const auto errors = hook_errors(town); errors > 0)
    out.warning("hook errors", cat(errors, " hook calls failed"), "see log/signal.log in the town's folder");
}

/// The program that a hook's command calls: its first word, which may be quoted for the shell.
std::string program_in(std::string_view command) {
  if (!command.starts_with('\'')) return std::string(command.substr(0, command.find(' ')));
  std::string out;
  for (std::size_t i = 1; i < command.size(); ++i) {
    if (command[i] != '\'') {
      out += command[i];
    } else if (command.substr(i).starts_with("'\\''")) {
      out += '\'';
      i += 3;
    } else {
      break;
    }
  }
  return out;
}

/// Whether it is this very program, or the gt of the caller's PATH. A repository may bring its settings along, and so
/// name any program there: no other one is run.
bool is_townpost(const Call& call, const std::filesystem::path& program) {
  if (!program.has_parent_path()) return program == "gt" || program == "townpost";
  std::error_code none;
  if (std::filesystem::equivalent(program, call.host.own_program(), none)) return true;
  const std::string path = call.environment().get("PATH").value_or("");
  for (const auto folder : split(path, ':')) {
    const auto found = std::filesystem::path(folder) / "gt";
    if (std::filesystem::exists(found, none)) return std::filesystem::equivalent(program, found, none);
  }
  return false;
}

/// What is wrong with the program that a hook's `command` calls; nothing if it answers.
std::optional<std::string> trouble_with_hooks(Call& call, const std::string& command) {
  const std::filesystem::path program = program_in(command);
  std::error_code none;
  if (program.has_parent_path() && !std::filesystem::exists(program, none)) return ", which does not run";
  if (!is_townpost(call, program)) return ", which is not the Townpost of your PATH, so it was not tried";
  const auto version = version_of({program.string()}, "--version");
  if (!version) return ", which does not run";
  if (version != version_of({call.host.own_program()}, "--version")) return ", which is another version";
  // An event from inside a subagent: every hook gets such events, and they change nothing.
  ProcessCall hook{.command = {program.string(), "signal", "claude", "Stop"},
                   .input = R"({"hook_event_name":"Stop","session_id":"doctor","agent_id":"doctor"})",
                   .environment = {},
                   .folder = "",
                   .timeout = std::chrono::seconds(10)};
  SystemProcesses processes;
  const auto town = call.town_folder();
  const auto before = town ? hook_errors(*town) : 0;
  const auto answer = processes.run(hook);
  if (!answer || answer->exit_code != 0 || !answer->out.empty() || (town && hook_errors(*town) != before))
    return ", which does not answer them";
  return std::nullopt;
}

void look_at_claude(Call& call, bool fix, Findings& out) {
  const auto version = version_of({"claude"}, "--version");
  if (!version) return out.absent("claude", "Claude Code is not installed, or not in your PATH");
  for (const auto whom : {HooksFor::this_folder, HooksFor::user}) {
    const auto hooks = hooks_of(call, whom);
    if (!hooks) return out.problem("claude", hooks.error());
    if (!hooks->at("installed").get_bool()) continue;
    const std::string file(hooks->at("file").get_string());
    const auto settings = read_file(file, 4u << 20);
    const auto program = settings ? hooked_program(*settings) : std::nullopt;
    const auto trouble = program ? trouble_with_hooks(call, *program) : std::optional<std::string>("");
    if (!trouble)
      return out.good("claude", cat(*version, "; its hooks in ", file, " call ", *program, ", which answers"));
    if (fix && install_hooks(call, whom) && doubt_of_hooks(call, whom).empty())
      return out.good("claude", cat(*version, "; its hooks in ", file, " call this program now"));
    return out.problem("claude", cat("the hooks in ", file, " call ", program.value_or("nothing"), *trouble),
                       next("doctor", {{"fix", "true"}}, " writes them again"));
  }
  out.warning("claude", cat(*version, "; it has no hooks in this folder"),
              next("harness.install", {{"harness", "claude"}}));
}

void look_at_tmux(Findings& out) {
  const auto version = version_of({"tmux"}, "-V");
  if (!version)
    out.warning("tmux", "not installed: agents without hooks cannot be reached", "apt-get install tmux");
  else
    out.good("tmux", *version);
}

Result<> look_at_agents(Call& call, Findings& out) {
  TRY(town, call.town());
  TRY(status, Cares(*town).status());
  std::size_t live = 0;
  for (const auto& one : status.agents) {
    if (!one.presence || is_over(one.presence->state)) continue;
    ++live;
    if (one.presence->state == AgentState::deaf)
      out.warning("agents", cat(one.agent.address.str(), " is deaf: its hooks do not answer"), "restart its session");
    if (one.presence->state == AgentState::blocked || one.presence->state == AgentState::stalled)
      out.warning("agents", cat(one.agent.address.str(), " is ", townpost::name(one.presence->state), " and needs you"),
                  next("why", {{"what", one.agent.address.str()}}));
  }
  out.good("agents", cat(status.agents.size(), " registered, ", live, " running"));
  return {};
}

}  // namespace

const Op& doctor() {
  static const Op op{
      .name = "doctor",
      .summary = "Check this town and this machine, with a cure for each problem (exit 1 if there is one)",
      .args = {for_people(flag("fix", "Fix what is safe to fix: permissions, and hooks that call another program"))},
      .authority = by_anyone(),
      .where = Where::this_host,
      .effect = Effect::idempotent,
      .result =
          [] {
            return shape::list_of(
                shape::object("finding", {shape::always("about", shape::text()),
                                          shape::always("health", shape::choice({kHealths.begin(), kHealths.end()})),
                                          shape::always("what", shape::text()), shape::always("cure", shape::text())}));
          },
      .columns = {"health", "about", "what", "cure"},
      .examples = {{"gt doctor", ""}, {"gt doctor --fix", ""}},
      .run = [](Call& call) -> Result<Answer> {
        const bool fix = call.args.flag("fix");
        Findings out;
        look_at_program(call, out);
        look_at_tmux(out);
        const auto town = call.town_folder();
        if (!town) {
          out.problem("town", town.error());
        } else {
          out.good("town", to_utf8(town->string()));
          look_at_folder(*town, fix, out);
          look_at_settings(call, out);
          look_at_notify(call, *town, out);
          look_at_store(call, out);
          look_at_dispatcher(*town, out);
          if (auto seen = look_at_agents(call, out); !seen) out.problem("agents", seen.error());
        }
        look_at_claude(call, fix, out);
        const auto outcome = out.any_problem() ? Outcome::nothing : Outcome::done;
        return Answer{.json = out.take(), .outcome = outcome};
      },
      .works_without_town = true};
  return op;
}

}  // namespace townpost::ops
