#include <fmt/format.h>

#include "base/result.h"
#include "json/write.h"
#include "manifest/json_schema.h"
#include "manifest/kinds.h"

namespace ki::manifest {
namespace {

// The mapping whose members are listed below a field, with the path that leads to them.
struct Nested {
  const Mapping* mapping = nullptr;
  std::string path;
};

Nested nested(const Type& type, std::string path) {
  switch (type.form) {
    case Form::mapping:
      return {type.mapping, std::move(path)};
    case Form::list:
      return nested(*type.item, path + "[]");
    case Form::record:
      return nested(*type.item, path + ".*");
    case Form::text:
    case Form::word:
    case Form::integer:
    case Form::number:
    case Form::boolean:
    case Form::dimension:
    case Form::duration:
    case Form::number_or_text:
    case Form::set:
    case Form::kind_name:
    case Form::spec:
      return {};
  }
  KI_UNREACHABLE();
}

// The type in one phrase, with what a list or a record holds.
std::string phrase(const Type& type) {
  if (type.form == Form::text && type.pattern != Pattern::any) {
    std::string out(info(type.pattern).name);
    if (type.length_max != kUnbounded) out += fmt::format(", at most {}", type.length_max);
    return out;
  }
  if (type.form == Form::list || type.form == Form::set) {
    return fmt::format("{}: {}", describe(type), phrase(*type.item));
  }
  if (type.form == Form::record) {
    return fmt::format("a mapping of {} to {}", phrase(*type.key), phrase(*type.item));
  }
  return describe(type);
}

void append_rows(std::string& out, const Mapping& mapping, const std::string& path) {
  for (const Field& field : mapping.fields) {
    const std::string here =
        path.empty() ? std::string(field.name) : path + "." + std::string(field.name);
    out += fmt::format("| `{}` | {} | {} | {} |\n", here, field.required ? "yes" : "",
                       phrase(field.type), field.says);
    const Nested below = nested(field.type, here);
    if (below.mapping != nullptr) append_rows(out, *below.mapping, below.path);
  }
}

void append_table(std::string& out, const Mapping& mapping) {
  out += "| Member | Required | Value | Meaning |\n|---|---|---|---|\n";
  append_rows(out, mapping, "");
}

}  // namespace

std::string format_tables() {
  std::string out = "### Texts\n\n| Name | Rule | Expression |\n|---|---|---|\n";
  for (const Pattern pattern :
       {Pattern::token, Pattern::slug, Pattern::manifest_name, Pattern::digest, Pattern::git_commit,
        Pattern::axis_expression, Pattern::https_url, Pattern::instant, Pattern::duration}) {
    const PatternInfo& row = info(pattern);
    const std::string regex = row.regex.find('|') == std::string_view::npos && !row.regex.empty()
                                  ? fmt::format("`{}`", row.regex)
                                  : std::string();
    out += fmt::format("| {} | {} | {} |\n", row.name, row.says, regex);
  }
  out += "\n### Envelope\n\n";
  append_table(out, envelope());
  for (const Kind kind : all_kinds()) {
    out += fmt::format("\n### {}\n\n{}.\n\n", name_of(kind), says(kind));
    append_table(out, spec_of(kind));
  }
  return out;
}

}  // namespace ki::manifest
