// Where a command writes, and how: the only place that knows about terminals.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>

#include "base/issue.h"
#include "base/result.h"

namespace ki::cli {

enum class Output { table, json, jsonl };

// What every command is given.
struct Context {
  std::ostream& out;
  std::ostream& err;
  std::string db = "./var/ki.db";
  Output output = Output::table;
  bool quiet = false;           // no headings and hints; rows always
  bool color = false;           // only on a terminal, never with NO_COLOR
  bool err_terminal = false;    // a progress bar may be drawn on err
  std::size_t width = 0;        // characters a line of a table may have; 0: no bound
  std::string* kept = nullptr;  // what keep() was told last
};

inline constexpr int kOk = 0;
inline constexpr int kFailed = 1;
inline constexpr int kUsage = 2;
inline constexpr int kPartly = 3;  // done, but part of the input was refused

// Prints "ki: where: message" to err and returns kFailed, or kUsage when the place of the error is
// what the resolver calls a wrong parameter or cursor, or one of `arguments`.
int report(const Context& context, const Error& error,
           std::initializer_list<std::string_view> arguments = {});
int report(const Context& context, const Issues& issues);

// The same for what was given by options: an error of a wrong value whose place is the first word
// of a pair names the second instead, as the user typed it.
using OptionName = std::pair<std::string_view, std::string_view>;
int report_options(const Context& context, Error error, std::initializer_list<OptionName> options);

// Notes what is done for good before the first word of it is printed: when that cannot be printed,
// standard error has the note, so that nobody takes the failure for a change that was not made.
void keep(const Context& context, std::string done);

enum class Ink { plain, bold, dim, green, yellow, red };

// `text` in that ink when the context has colour, else `text`.
std::string ink(const Context& context, Ink ink, std::string_view text);

}  // namespace ki::cli
