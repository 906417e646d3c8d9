#include "ops/whole_ids.h"

#include <algorithm>

#include "base/text.h"
#include "ops/listing.h"
#include "ops/reference.h"
#include "post/mail/mailroom.h"
#include "post/people/resolve.h"
#include "post/rules/mail_access.h"
#include "post/values/id_text.h"

namespace townpost {

namespace {

using Ids = std::vector<std::string>;

// As many candidates as somebody reads, and one to know that there are more.
constexpr int kCandidates = 5;
// Of everybody's, until what the caller may see is picked out.
constexpr int kMostLookedAt = 50;
// Whoever gives more has them from a list, not from their fingers.
constexpr std::size_t kMostParts = 8;
// As many as are told one by one.
constexpr std::size_t kTold = 5;

bool is_whole(const Arg& arg, std::string_view text) {
  const bool message = MessageId::parse(text).has_value();
  return arg.kind == ArgKind::nudge_id ? NudgeId::parse(text).has_value() : message;
}

const std::vector<Reference::Places> kOnlyLast = {{0, 0}};

/// That a place of the last listing is of the kind that is asked for.
Result<> check_kind(const Arg& arg, std::string_view place, const std::string& id) {
  if (arg.also_an_id || is_whole(arg, id)) return {};
  return fail(Code::usage, cat(place, " of the last listing is ", for_terminal_line(id)),
              arg.kind == ArgKind::nudge_id ? "that is not a nudge; " + next("nudge.list", {}, " lists them")
                                            : "that is not a message; " + next("mail.inbox", {}, " lists them"));
}

/// Whether it takes ids. What also takes other words takes an id for one only if nothing else can look like it.
bool takes_ids(const Arg& arg) {
  return arg.kind == ArgKind::message_id || arg.kind == ArgKind::nudge_id || arg.also_an_id;
}
bool is_meant(const Arg& arg, const Reference& reference, std::string_view text) {
  return !arg.also_an_id || !reference.places.empty() || lower_ascii(text).starts_with("hq-m-") ||
         lower_ascii(text).starts_with("hq-n-");
}

class Lookup {
 public:
  explicit Lookup(Call& call) : call_(call) {}

  Result<Ids> find(const Arg& arg, const std::string& text) {
    const auto reference = Reference::parse(text);
    if (!reference) return Ids{text};
    if (!is_meant(arg, *reference, text)) return unless_a_name(arg, *reference, text);
    if (!reference->places.empty()) return in_list(arg, *reference);
    const bool nudges = arg.kind == ArgKind::nudge_id || (arg.also_an_id && lower_ascii(text).starts_with("hq-n-"));
    return by_part(nudges ? IdsOf::nudges : IdsOf::messages, *reference, text);
  }

 private:
  Result<Ids> in_list(const Arg& arg, const Reference& reference) {
    if (!listing_) {
      auto listing = last_listing(call_);
      if (!listing) return Failure(listing.error());
      listing_ = std::move(*listing);
    }
    const auto size = static_cast<std::int64_t>(listing_->ids.size());
    Ids out;
    if (reference.places == kOnlyLast) {
      if (listing_->last.empty()) return fail(Code::not_found, "the last listing was empty", next("mail.inbox"));
      TRY_VOID(check_kind(arg, "the last one", listing_->last));
      return Ids{listing_->last};
    }
    for (const auto& [from, to] : reference.places) {
      const auto first = from == 0 ? size : from;
      const auto last = to == 0 ? size : to;
      if (first < 1 || last > size || first > last)
        return fail(Code::not_found, cat("no message number ", std::max(first, last), ": the last listing had ", size),
                    "run " + next("mail.inbox", {}, ", or use an id"));
      for (auto at = first; at <= last; ++at) {
        const auto& id = listing_->ids[static_cast<std::size_t>(at - 1)];
        TRY_VOID(check_kind(arg, cat("number ", at), id));
        if (std::find(out.begin(), out.end(), id) == out.end()) out.push_back(id);
      }
    }
    return out;
  }

  /// What is no name of anybody or of a thread may be a part of an id without its prefix. A word without a digit is
  /// rather a name that nobody has: in a large town some id ends with it.
  Result<Ids> unless_a_name(const Arg& arg, const Reference& reference, const std::string& text) {
    if (!arg.also_an_id || text.find_first_of("0123456789") == std::string::npos) return Ids{text};
    TRY(town, call_.town());
    TRY(named, read_value(town->store, [&](Ledger& ledger) -> Result<bool> {
          const auto somebody = resolve_one(ledger, text);
          if (somebody || somebody.error().code != Code::not_found) return true;
          TRY(thread, ledger.thread(text, Parts::headers));
          return !thread.empty();
        }));
    if (named) return Ids{text};
    TRY(message, by_part(IdsOf::messages, reference, text));
    if (message != Ids{text}) return message;
    return by_part(IdsOf::nudges, reference, text);
  }

  /// Those of the last listing: what was shown there can be typed.
  Ids listed(IdsOf kind, const std::string& digits) {
    if (!listing_) {
      auto listing = last_listing(call_);
      if (!listing) return {};
      listing_ = std::move(*listing);
    }
    const std::string_view prefix = kind == IdsOf::nudges ? "hq-n-" : "hq-m-";
    Ids out;
    for (const auto& id : listing_->ids) {
      if (!id.starts_with(prefix)) continue;
      const auto own = std::string_view(id).substr(prefix.size());
      if (own.starts_with(digits) || own.ends_with(digits)) out.push_back(id);
    }
    return out;
  }

  /// The caller's own; else what the caller was shown last; else what the caller may see: work, posts, the
  /// record of a post that was pruned, and for a person anybody's.
  Result<Ids> by_part(IdsOf kind, const Reference& reference, const std::string& text) {
    TRY(town, call_.town());
    TRY(caller, call_.caller());
    const auto seen = listed(kind, reference.digits);
    const auto whole = cat(kind == IdsOf::nudges ? "hq-n-" : "hq-m-", reference.digits);
    Ids out;
    TRY_VOID(town->store.read([&](Ledger& ledger) -> Result<> {
      out.clear();
      const auto is_there = [&]() -> Result<bool> {
        if (kind == IdsOf::nudges) {
          const auto id = NudgeId::parse(whole);
          if (!id) return false;
          TRY(found, ledger.nudge(*id));
          return found.has_value();
        }
        const auto id = MessageId::parse(whole);
        if (!id) return false;
        TRY(found, ledger.message(*id, Parts::headers));
        if (found) return true;
        TRY(record, ledger.pruned_post(*id));
        return record.has_value();
      };
      TRY(exactly, is_there());
      if (exactly) {
        out.push_back(whole);
        return {};
      }
      TRY(self, own_mailbox(ledger, caller));
      auto alike = keys_beginning(reference.digits);
      alike.push_back(keys_ending(reference.digits));
      const auto add = [&](IdsOf of, std::optional<AgentId> whose, auto may_see) -> Result<> {
        for (const auto& keys : alike) {
          TRY(found, ledger.ids_alike(of, keys, whose, whose ? kCandidates + 1 : kMostLookedAt));
          for (const auto key : found) {
            auto id = of == IdsOf::nudges ? NudgeId{key}.str() : MessageId{key}.str();
            if (std::find(out.begin(), out.end(), id) == out.end() && may_see(key)) out.push_back(std::move(id));
          }
        }
        return {};
      };
      const auto anything = [](std::int64_t) { return true; };
      if (self.id.key != 0) TRY_VOID(add(kind, self.id, anything));
      if (out.empty()) out = seen;
      if (!out.empty()) return {};
      const bool all = caller.is_person() || kind == IdsOf::nudges;  // that a nudge exists is no secret
      TRY_VOID(add(kind, std::nullopt, [&](std::int64_t key) {
        const Instant now = town->clock.now();
        return all || open_mail(ledger, MessageId{key}, self, caller, now, Parts::headers).has_value();
      }));
      if (kind == IdsOf::messages) TRY_VOID(add(IdsOf::pruned_posts, std::nullopt, anything));
      return {};
    }));
    if (out.empty()) return Ids{text};
    if (out.size() == 1) return out;
    const bool more = out.size() > kCandidates;
    out.resize(std::min<std::size_t>(out.size(), kCandidates));
    return fail(Code::usage, cat("\"", for_terminal_line(text), "\" is several: ", join(out, ", "), more ? " …" : ""),
                "write more of its id");
  }

  Call& call_;
  std::optional<Listing> listing_;
};

/// hq-m-1a2b3c, "Tests are red" from nux: as far as the caller may see it.
std::string about(Town& town, const Caller& caller, const std::string& id) {
  const auto message_id = MessageId::parse(id);
  if (!message_id) return id;
  const auto mail = Mailroom(town).look(*message_id, caller);
  if (!mail) return id;
  return cat(id, ", \"", for_terminal_line(shorten(mail->message.subject, 60)), "\" from ", mail->message.from);
}

/// Whoever is shown the message sees which one it is.
bool is_to_be_told(const Op& op) { return op.effect != Effect::reads && op.name != "mail.read"; }

Result<std::vector<std::string>> taken(Call& call, const std::vector<std::pair<std::string, Ids>>& changed) {
  std::vector<std::string> out;
  if (changed.empty()) return out;
  TRY(town, call.town());
  TRY(caller, call.caller());
  for (const auto& [typed, ids] : changed) {
    for (std::size_t i = 0; i < std::min(ids.size(), kTold); ++i)
      out.push_back(cat(for_terminal_line(typed), ids.size() == 1 ? " is " : ": ", about(*town, caller, ids[i])));
    if (ids.size() > kTold) out.push_back(cat(for_terminal_line(typed), ": and ", ids.size() - kTold, " more"));
  }
  return out;
}

}  // namespace

Result<WholeIds> whole_ids(const Op& op, Call& call) {
  WholeIds out{call.args, {}};
  std::vector<std::pair<std::string, Ids>> changed;
  Lookup lookup(call);
  for (const auto& arg : op.args) {
    if (!takes_ids(arg) || !call.args.has(arg.name)) continue;
    const auto given = arg.many ? call.args.list(arg.name) : Ids{call.args.text(arg.name)};
    Ids whole;
    for (const auto& text : given) {
      auto found = is_whole(arg, text) && given.size() > kMostParts ? Result<Ids>(Ids{text}) : lookup.find(arg, text);
      if (!found) {
        found.error().argument = arg.name;
        return Failure(found.error());
      }
      if (*found != Ids{text}) changed.emplace_back(text, *found);
      for (auto& id : *found)
        if (std::find(whole.begin(), whole.end(), id) == whole.end()) whole.push_back(std::move(id));
    }
    if (!arg.many && whole.size() > 1)
      return fail_argument(std::string(arg.name),
                           cat("\"", for_terminal_line(given.front()), "\" is ", whole.size(), " of the last listing"),
                           "name one of them");
    for (const auto& id : whole)
      if (!arg.also_an_id) TRY_VOID(check_whole_id(arg, id));
    if (whole == given) continue;
    out.args.put_ids(arg, whole);
  }
  if (is_to_be_told(op)) {
    TRY(lines, taken(call, changed));
    out.taken = std::move(lines);
  }
  return out;
}

}  // namespace townpost
