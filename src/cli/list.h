#pragma once
#include "cli/parse.h"
#include "cli/screen.h"
#include "cli/text_table.h"

namespace townpost {

// Lists from what their operation's row says of them (ops/column.h): nothing here knows an operation.

/// A list of objects of this shape, as a table of these columns.
Table table_of(const JsonArray& rows, const Shape& list, const std::vector<Column>& columns, const Screen& screen);

/// The list of the answer with its headings, how many there are, and what to type next. Programs get the rows of
/// messages and nudges one a line, without padding.
Shown render_list(const CommandLine& line, const Answer& answer, const Screen& screen);

/// The mark in front of a message: "●!" is unread and urgent.
std::string mark_of(const JsonObject& mail);
/// What is asked for and what is in the way: "ack · by today 16:00". Into a pipe also what else is a mark.
std::string note_of(const JsonObject& mail, const Screen& screen);
/// By the name that people use, on their screens.
std::string name_of(std::string_view address, const Screen& screen);
/// How a state is stressed: what needs somebody is red.
std::optional<Stress> stress_of_state(std::string_view state);
/// "1 message", "3 messages"
std::string counted(std::int64_t many, std::string_view one);

}  // namespace townpost
