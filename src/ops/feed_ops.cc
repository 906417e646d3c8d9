#include "base/number.h"
#include "base/text.h"
#include "ops/feed_views.h"
#include "ops/table.h"
#include "ops/views.h"
#include "post/town/watching.h"

namespace townpost::ops {

namespace {

/// What a call that follows keeps from one look to the next: the number that it has come to.
constexpr const char* kComeTo = "feed";

Result<std::set<FeedTopic>> topics_of(const Args& args) {
  std::set<FeedTopic> out;
  for (const auto& list : args.list("type"))
    for (const auto part : split(list, ',')) {
      const auto word = lower_ascii(trim(part));
      const auto topic = find_feed_topic(word);
      if (!topic) {
        const auto known = feed_topic_names();
        return fail_argument("type", cat("invalid type: \"", for_terminal_line(shorten(word, 40)), "\" is none"),
                             cat("use ", join({known.begin(), known.end()}, ", ")));
      }
      out.insert(*topic);
    }
  return out;
}

Result<FeedQuery> query_of(Call& call, const Town& town) {
  TRY(topics, topics_of(call.args));
  return FeedQuery{.since = call.args.instant("since", town.clock.now()),
                   .agent = call.args.maybe_text("agent"),
                   .topics = std::move(topics),
                   .steps = call.args.flag("all") ? FeedQuery::Steps::all : FeedQuery::Steps::main,
                   .limit = call.args.limit()};
}

}  // namespace

const Op& feed() {
  static const Op op{
      .name = "feed",
      .summary = "Show what happens in the town: mail, nudges, states, rules; `follow` keeps printing",
      .args = {with_letter('f', flag("follow", "Keep printing what happens")),
               option("since", "1h", "Only what happened within this time, or since a local time or date",
                      ArgKind::instant),
               option("agent", "ADDR", "Only what this agent does, and what is done to it", ArgKind::address),
               repeated(option("type", "TYPE", "Only these: mail, nudge, state, rule, queue, channel, town")),
               flag("all", "Include every step of a delivery"), limit()},
      .authority = by_participants(),
      .where = Where::anywhere,
      .effect = Effect::reads,
      .result = [] { return shape::list_of(shapes::feed_entry()); },
      .examples = {{"gt feed --follow", "until Ctrl-C"},
                   {"gt feed --since 1h --agent coder", ""},
                   {"gt feed -f --type state,rule --json", "one JSON object a line"}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(town, call.town());
        TRY(caller, call.caller());
        TRY(query, query_of(call, *town));
        Feed feed(*town);
        auto& come_to = call.request.kept[kComeTo];
        const auto number = whole_number(come_to);
        TRY(page, number ? feed.after(*number, query, caller) : feed.latest(query, caller));
        Answer answer;
        JsonArray out;
        for (const auto& entry : page.entries) out.push_back(views::feed_entry(entry, town->settings));
        answer.json = std::move(out);
        if (page.gap) answer.warnings.emplace_back("some entries are missing here: the log no longer has them");
        if (!call.args.flag("follow")) return answer;
        come_to = std::to_string(page.upto);
        answer.as_lines = true;
        answer.again = Again{.what = Again::For::what_follows, .bells = {bell_of_log()}};
        return answer;
      }};
  return op;
}

}  // namespace townpost::ops
