#include "base/shown.h"

#include "base/text.h"

namespace townpost {

namespace {

std::string_view begin_of(Stress stress) {
  switch (stress) {
    case Stress::bold:
      return "\x1b[1m";
    case Stress::dim:
      return "\x1b[2m";
    case Stress::red:
      return "\x1b[31m";
    case Stress::green:
      return "\x1b[32m";
    case Stress::yellow:
      return "\x1b[33m";
  }
  return "";
}

}  // namespace

Shown::Shown(std::string_view text) : text_(for_terminal(text)) {}

Shown Shown::line(std::string_view text) { return shown(one_line(text), '\n'); }

Shown Shown::json(std::string_view json) {
  Shown out;
  out.text_ = json_for_terminal(json);
  return out;
}

Shown Shown::stressed(std::string_view text, Stress stress) {
  Shown out(text);
  out.text_ = cat(begin_of(stress), out.text_, "\x1b[0m");
  return out;
}

Shown Shown::isolated(const Shown& text) {
  Shown out;
  out.text_ = cat("\u2068", text.text_, "\u2069");
  return out;
}

Shown Shown::empty_screen() {
  Shown out;
  out.text_ = "\x1b[H\x1b[2J";
  return out;
}

Shown Shown::empty_line() {
  Shown out;
  out.text_ = "\r\x1b[K";
  return out;
}

Shown Shown::bell() {
  Shown out;
  out.text_ = "\a";
  return out;
}

Shown& Shown::operator+=(const Shown& more) {
  text_ += more.text_;
  return *this;
}

}  // namespace townpost
