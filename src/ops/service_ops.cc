#include "base/files.h"
#include "base/process.h"
#include "base/text.h"
#include "ops/service_unit.h"
#include "ops/shapes.h"
#include "ops/table.h"

namespace townpost::ops {

namespace {

namespace fs = std::filesystem;

/// The town's unit, and the link by which systemd starts it with the user's session.
struct Places {
  fs::path town;  ///< that holds .town
  std::string unit;
  fs::path file;
  fs::path link;
};

Result<Places> places(Call& call) {
  TRY(folder, call.town_folder());
  const auto& environment = call.environment();
  const auto home = environment.get("HOME").value_or("");
  auto settings = fs::path(environment.get("XDG_CONFIG_HOME").value_or(""));
  if (!settings.is_absolute()) settings = fs::path(home) / ".config";
  if (!settings.is_absolute()) return fail(Code::usage, "HOME is not set", "set it to your home folder");
  Places out{.town = folder.parent_path(), .unit = service_name(folder.parent_path()), .file = {}, .link = {}};
  out.file = settings / "systemd" / "user" / out.unit;
  out.link = out.file.parent_path() / "default.target.wants" / out.unit;
  return out;
}

/// What systemd knows of the unit. Error: not_found without systemctl; unavailable, if no session of this user is
/// reached.
class Systemd {
 public:
  static Result<std::string> ask(std::vector<std::string> words) {
    words.insert(words.begin(), {"systemctl", "--user"});
    SystemProcesses processes;
    TRY(output, processes.run({.command = std::move(words), .timeout = std::chrono::seconds(60)}));
    if (output.exit_code == 0) return std::string(trim(output.out));
    const auto why = split(trim(output.err), '\n').front();
    return fail(Code::unavailable, cat("systemctl: ", for_terminal_line(shorten(to_utf8(why), 200))));
  }
  static Result<bool> runs(const std::string& unit) {
    TRY(state, ask({"show", "--property=ActiveState", "--value", unit}));
    return state == "active" || state == "activating" || state == "reloading";
  }
};

Result<> need_systemd() {
  SystemProcesses processes;
  if (processes.run({.command = {"systemctl", "--version"}})) return {};
  return fail(Code::unavailable, "this system has no systemd, so there is no service of it",
              next("up", {{"detach", "true"}}, " runs it without; start that with your session"));
}

bool is_there(const fs::path& file) {
  std::error_code none;
  return fs::exists(fs::symlink_status(file, none));
}

/// With the folders that nothing else is in.
Result<> remove(const Places& at) {
  std::error_code trouble;
  for (const auto& file : {at.link, at.file})
    if (!fs::remove(file, trouble) && trouble)
      return fail(Code::unavailable, cat("cannot remove ", for_terminal_line(file.string()), ": ", trouble.message()));
  std::error_code none;
  for (const auto& folder : {at.link.parent_path(), at.file.parent_path(), at.file.parent_path().parent_path()})
    if (!is_there(folder) || fs::remove(folder, none)) continue;
  return {};
}

Result<bool> write(const Places& at, const std::string& text) {
  const auto before = read_file(at.file);
  const bool is_new = !before || *before != text;
  if (is_new) {
    TRY_VOID(make_folders(at.file.parent_path()));
    TRY_VOID(write_file_durably(at.file, text));
  }
  if (is_there(at.link)) return is_new;
  TRY_VOID(make_folders(at.link.parent_path()));
  std::error_code trouble;
  fs::create_symlink(at.file, at.link, trouble);
  if (trouble)
    return fail(Code::unavailable, cat("cannot make ", for_terminal_line(at.link.string()), ": ", trouble.message()));
  return true;
}

Shape service_shape() {
  return shape::object("service",
                       {shape::always("unit", shape::text()), shape::always("file", shape::text()),
                        shape::always("installed", shape::flag(), "it starts with the user's session"),
                        shape::maybe("running", shape::flag(), "left out where no session of systemd is reached"),
                        shape::maybe("changed", shape::flag())});
}

JsonObject report(const Places& at, const Result<bool>& running) {
  JsonObject out;
  out["unit"] = at.unit;
  out["file"] = to_utf8(at.file.string());
  out["installed"] = is_there(at.file) && is_there(at.link);
  if (running) out["running"] = *running;
  return out;
}

/// The server must find the store by itself, and a password does not belong into a unit.
Result<> check_store(const Call& call) {
  if (call.environment().get("GT_STORE").value_or("").empty()) return {};
  return fail(
      Code::refused, "GT_STORE is set here, and the service would not know it",
      next("config.set", {{"key", "store.url"}, {"value", "URL"}}, " says it for good; then unset the variable"));
}

Result<Answer> install(Call& call) {
  TRY(at, places(call));
  TRY_VOID(check_store(call));
  TRY(text, service_unit(call.host.own_program(), at.town, call.environment()));
  if (call.args.flag("print")) {
    JsonObject out;
    out["unit"] = at.unit;
    out["text"] = to_utf8(text);
    return Answer{.json = std::move(out)};
  }
  TRY_VOID(need_systemd());
  TRY(changed, write(at, text));
  auto running = Systemd::runs(at.unit);
  if (running) {
    TRY_VOID(Systemd::ask({"daemon-reload"}));
    if (changed || !*running) TRY_VOID(Systemd::ask({"restart", at.unit}));
    running = Systemd::runs(at.unit);
  }
  auto out = report(at, running);
  out["changed"] = changed;
  return Answer{.json = std::move(out)};
}

}  // namespace

const Op& service_install() {
  static const Op op{
      .name = "service.install",
      .summary = "Run the town's dispatcher and server as a systemd service of yours, now and after each login",
      .args = {flag("print", "Print the unit, and change nothing")},
      .authority = by_people(),
      .where = Where::this_terminal,
      .effect = Effect::idempotent,
      .result =
          [] {
            return shape::one_of({service_shape(), shape::object("unit", {shape::always("unit", shape::text()),
                                                                          shape::always("text", shape::text())})});
          },
      .examples = {{"gt service install", ""}, {"gt service install --print", "what it would write"}},
      .run = install};
  return op;
}

const Op& service_uninstall() {
  static const Op op{.name = "service.uninstall",
                     .summary = "Stop the town's systemd service and remove it",
                     .args = {},
                     .authority = by_people(),
                     .where = Where::this_terminal,
                     .effect = Effect::idempotent,
                     .result = [] { return service_shape(); },
                     .examples = {{"gt service uninstall", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(at, places(call));
                       const bool was_there = is_there(at.file) || is_there(at.link);
                       const auto running = Systemd::runs(at.unit);
                       if (running && *running) TRY_VOID(Systemd::ask({"stop", at.unit}));
                       TRY_VOID(remove(at));
                       if (running && was_there) TRY_VOID(Systemd::ask({"daemon-reload"}));
                       auto out = report(at, Systemd::runs(at.unit));
                       out["changed"] = was_there;
                       return Answer{.json = std::move(out)};
                     }};
  return op;
}

const Op& service_status() {
  static const Op op{.name = "service.status",
                     .summary = "Check if the town's systemd service is installed and runs (exit 0: yes, 1: no)",
                     .args = {},
                     .authority = by_anyone(),
                     .where = Where::this_terminal,
                     .effect = Effect::reads,
                     .result = [] { return service_shape(); },
                     .examples = {{"gt service status", ""}},
                     .run = [](Call& call) -> Result<Answer> {
                       TRY(at, places(call));
                       const auto running = Systemd::runs(at.unit);
                       auto out = report(at, running);
                       const bool is_well = out["installed"].get_bool() && running && *running;
                       return Answer{.json = std::move(out), .outcome = is_well ? Outcome::done : Outcome::nothing};
                     }};
  return op;
}

}  // namespace townpost::ops
