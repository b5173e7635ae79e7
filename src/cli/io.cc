#include "cli/io.h"

#include <algorithm>
#include <csignal>
#include <ostream>

#include "cli/table.h"
#include "query/codes.h"

namespace ki::cli {

int report(const Context& context, const Error& error,
           std::initializer_list<std::string_view> arguments) {
  context.err << "ki: " << printable_lines(to_string(error)) << '\n';
  const bool is_usage =
      error.code == Code::invalid &&
      (error.where == query::kInvalidCursor || error.where == query::kInvalidParameter ||
       std::ranges::find(arguments, error.where) != arguments.end());
  return is_usage ? kUsage : kFailed;
}

int report(const Context& context, const Issues& issues) {
  context.err << printable_lines(to_string(issues));
  return kFailed;
}

int report_options(const Context& context, Error error, std::initializer_list<OptionName> options) {
  const auto found = std::ranges::find(options, error.where, &OptionName::first);
  if (error.code != Code::invalid || found == options.end()) return report(context, error);
  error.where = found->second;
  return report(context, error, {found->second});
}

void keep(const Context& context, std::string done) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that went away is an error like a full disk
  if (context.kept != nullptr) *context.kept = std::move(done);
}

std::string ink(const Context& context, Ink ink, std::string_view text) {
  std::string_view code;
  switch (ink) {
    case Ink::plain:
      break;
    case Ink::bold:
      code = "1";
      break;
    case Ink::dim:
      code = "2";
      break;
    case Ink::green:
      code = "32";
      break;
    case Ink::yellow:
      code = "33";
      break;
    case Ink::red:
      code = "31";
      break;
  }
  if (!context.color || code.empty()) return std::string(text);
  return "\x1b[" + std::string(code) + 'm' + std::string(text) + "\x1b[0m";
}

}  // namespace ki::cli
