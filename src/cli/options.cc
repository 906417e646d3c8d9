#include "cli/options.h"

#include <algorithm>

#include "base/clock.h"
#include "base/text.h"

namespace townpost {

namespace {

constexpr std::string_view kHelp = "--help shows what this command takes";

std::string shown(std::string_view word) { return for_terminal_line(shorten(to_utf8(word), 80)); }

class Reader {
 public:
  Reader(std::span<Option> options, const std::vector<std::string>& words) : options_(options), words_(words) {}

  WordsRead read() {
    while (at_ < words_.size()) {
      const std::string_view word = words_[at_++];
      if (word == "--") {
        out_.positional.insert(out_.positional.end(), words_.begin() + static_cast<std::ptrdiff_t>(at_), words_.end());
        break;
      }
      if (word.size() < 2 || word.front() != '-')
        out_.positional.emplace_back(word);
      else if (word.starts_with("--"))
        read_name(word);
      else
        read_letters(word);
    }
    return std::move(out_);
  }

 private:
  void read_name(std::string_view word) {
    const auto equals = word.find('=');
    const auto name = word.substr(0, equals);
    auto* option = find([&](const Option& one) { return name.substr(2) == one.name || name.substr(2) == one.also; });
    if (option == nullptr || name.size() == 2) return unknown(word, name);
    if (!option->instead.empty()) return refuse(word, *option);
    if (equals == std::string_view::npos) return take(*option, name);
    if (option->takes == Option::Takes::nothing)
      return complain(fail(Code::usage, cat(name, " takes no value"), std::string(kHelp)));
    option->values.emplace_back(word.substr(equals + 1));
  }

  void read_letters(std::string_view word) {
    const auto name = word.substr(1, word.find('=') - 1);
    if (name.size() > 1 && find([&](const Option& one) { return name == one.name; }) != nullptr)
      return read_name(cat("-", word));
    for (std::size_t i = 1; i < word.size(); ++i) {
      const auto spelled = cat("-", word[i]);
      auto* option = find([&](const Option& one) { return one.letter != '\0' && one.letter == word[i]; });
      if (option == nullptr) return unknown(cat("-", word.substr(i)), spelled);
      if (!option->instead.empty()) return refuse(spelled, *option);
      if (option->takes == Option::Takes::a_value && i + 1 < word.size()) {
        option->values.emplace_back(word.substr(i + 1));
        return;
      }
      take(*option, spelled);
    }
  }

  /// As it stands, without a value written to it.
  void take(Option& option, std::string_view spelled) {
    const bool takes_next = option.takes == Option::Takes::a_value ||
                            (option.takes == Option::Takes::a_duration_or_none && is_meant_as_duration(at_));
    if (!takes_next && option.takes != Option::Takes::a_value)
      option.values.emplace_back(option.alone);
    else if (at_ < words_.size())
      option.values.push_back(words_[at_++]);
    else
      complain(fail(Code::usage, cat(spelled, " needs a value"), std::string(kHelp)));
  }

  /// A number without a unit is not one, but was meant so: it is to be refused, not taken for something else.
  bool is_meant_as_duration(std::size_t at) const {
    if (at >= words_.size()) return false;
    const auto& word = words_[at];
    return parse_duration(word) || (!word.empty() && word.find_first_not_of("0123456789") == std::string::npos);
  }

  /// Two words for one thing are as near; the option's own is said.
  void unknown(std::string_view word, std::string_view name) {
    std::vector<std::string> known;
    for (const auto& option : options_)
      for (const auto one : {std::string_view(option.name), option.also})
        if (one.size() > 1 && option.instead.empty()) known.push_back(cat("--", one));
    const auto near = nearest(name, known);
    complain(fail(Code::usage, cat("unknown option \"", shown(word), "\""),
                  near.empty() ? std::string(kHelp) : cat("did you mean ", meant_by(near.front()), "?")));
  }

  std::string meant_by(const std::string& word) const {
    const auto found = std::find_if(options_.begin(), options_.end(),
                                    [&](const Option& option) { return word.substr(2) == option.name; });
    return found == options_.end() || found->means.empty() ? word : found->means;
  }

  void refuse(std::string_view word, const Option& option) {
    complain(fail(Code::usage, cat("unknown option \"", shown(word), "\""), option.instead));
  }

  void complain(Failure trouble) {
    if (out_.understood) out_.understood = std::move(trouble);
  }

  template <class Fits>
  Option* find(const Fits& fits) {
    const auto found = std::find_if(options_.begin(), options_.end(), fits);
    return found == options_.end() ? nullptr : &*found;
  }

  std::span<Option> options_;
  const std::vector<std::string>& words_;
  std::size_t at_ = 0;
  WordsRead out_;
};

}  // namespace

WordsRead read_words(std::span<Option> options, const std::vector<std::string>& words) {
  return Reader(options, words).read();
}

}  // namespace townpost
