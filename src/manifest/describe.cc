// Types in words.
#include <fmt/format.h>

#include "base/result.h"
#include "json/write.h"
#include "manifest/kinds.h"

namespace ki::manifest {
namespace {

std::string number_text(double number) {
  std::string out;
  json::append_number(out, number);
  return out;
}

std::string describe_text(const Type& type) {
  const PatternInfo& pattern = info(type.pattern);
  std::string out(type.pattern == Pattern::any ? "text" : pattern.says);
  if (type.length_max != kUnbounded) out += fmt::format(", at most {} characters", type.length_max);
  return out;
}

std::string describe_number(const Type& type) {
  std::string out(type.form == Form::integer ? "a whole number" : "a number");
  const bool bounded_below = type.minimum > -kInfinity;
  if (bounded_below && type.maximum < kInfinity) {
    return out +
           fmt::format(" from {} to {}", number_text(type.minimum), number_text(type.maximum));
  }
  if (type.form == Form::integer && !bounded_below) return out + " between -(2^53-1) and 2^53-1";
  if (bounded_below) {
    out += type.minimum_excluded ? " above " : " of at least ";
    out += number_text(type.minimum);
  }
  if (type.form == Form::integer) out += " and at most 2^53-1";
  return out;
}

std::string describe_list(const Type& type) {
  std::string out(type.form == Form::set ? "a set" : "a list");
  if (type.items_min == type.items_max) {
    out += fmt::format(" of exactly {} items", type.items_min);
  } else if (type.items_min > 0 && type.items_max != kUnbounded) {
    out += fmt::format(" of {} to {} items", type.items_min, type.items_max);
  } else if (type.items_min > 0) {
    out += " of at least one item";
  } else if (type.items_max != kUnbounded) {
    out += fmt::format(" of at most {} items", type.items_max);
  }
  return out;
}

}  // namespace

std::string describe(const Type& type) {
  switch (type.form) {
    case Form::text:
      return describe_text(type);
    case Form::word:
      return type.words.size() == 1 ? fmt::format("\"{}\"", type.words[0])
                                    : fmt::format("one of {}", fmt::join(type.words, ", "));
    case Form::integer:
    case Form::number:
      return describe_number(type);
    case Form::boolean:
      return "true or false";
    case Form::dimension:
      return "a whole number of at least 0 or the name of an axis";
    case Form::duration:
      return "a whole number of nanoseconds, or a number and ns, us, ms or s such as \"1.5 ms\"";
    case Form::number_or_text:
      return fmt::format("a number, or text of at most {} characters", type.length_max);
    case Form::mapping:
    case Form::spec:
      return "a mapping";
    case Form::list:
    case Form::set:
      return describe_list(type);
    case Form::record:
      return "a mapping of names to values";
    case Form::kind_name: {
      std::vector<std::string_view> names;
      for (const Kind kind : all_kinds()) names.push_back(name_of(kind));
      return fmt::format("one of {}", fmt::join(names, ", "));
    }
  }
  KI_UNREACHABLE();
}

}  // namespace ki::manifest
