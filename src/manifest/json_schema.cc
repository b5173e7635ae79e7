#include "manifest/json_schema.h"

#include <string_view>

#include "base/result.h"
#include "json/read.h"
#include "json/write.h"
#include "manifest/kinds.h"

namespace ki::manifest {
namespace {

class SchemaWriter {
 public:
  explicit SchemaWriter(Kind kind) : kind_(kind), out_(text_) {}

  std::string whole() {
    out_.begin_object();
    out_.key("$schema").string("https://json-schema.org/draft/2020-12/schema");
    out_.key("title").string(name_of(kind_));
    out_.key("description").string(says(kind_));
    members_of(envelope());
    out_.end_object();
    const auto document = json::parse(text_);
    KI_CHECK(document.has_value());
    return json::pretty(document->root) + "\n";
  }

 private:
  void schema(const Type& type, std::string_view description = {}) {
    out_.begin_object();
    if (!description.empty()) out_.key("description").string(description);
    members_of(type);
    out_.end_object();
  }

  void type_name(std::string_view name) { out_.key("type").string(name); }

  void members_of(const Type& type) {
    switch (type.form) {
      case Form::text:
        return text(type);
      case Form::word:
        return words(type.words);
      case Form::integer:
      case Form::number:
        return number(type);
      case Form::boolean:
        return type_name("boolean");
      case Form::dimension:
        return any_of(integer(0), {.pattern = Pattern::token});
      case Form::duration:
        return any_of(integer(0), {.pattern = Pattern::duration});
      case Form::number_or_text:
        return any_of(manifest::number(), manifest::text(type.length_max));
      case Form::mapping:
        return members_of(*type.mapping);
      case Form::list:
      case Form::set:
        return list(type);
      case Form::record:
        return record(type);
      case Form::kind_name:
        out_.key("const").string(name_of(kind_));
        return;
      case Form::spec:
        return members_of(spec_of(kind_));
    }
    KI_UNREACHABLE();
  }

  void text(const Type& type) {
    type_name("string");
    const PatternInfo& pattern = info(type.pattern);
    if (!pattern.regex.empty()) out_.key("pattern").string(pattern.regex);
    if (type.length_max != kUnbounded) out_.key("maxLength").integer(type.length_max);
  }

  void words(std::span<const std::string_view> words) {
    out_.key("enum").begin_array();
    for (const auto word : words) out_.string(word);
    out_.end_array();
  }

  void number(const Type& type) {
    const bool whole = type.form == Form::integer;
    type_name(whole ? "integer" : "number");
    if (type.minimum > -kInfinity) {
      out_.key(type.minimum_excluded ? "exclusiveMinimum" : "minimum").number(type.minimum);
    } else if (whole) {
      out_.key("minimum").number(-kIntegerMax);
    }
    if (type.maximum < kInfinity) {
      out_.key("maximum").number(type.maximum);
    } else if (whole) {
      out_.key("maximum").number(kIntegerMax);
    }
  }

  void any_of(const Type& first, const Type& second) {
    out_.key("anyOf").begin_array();
    schema(first);
    schema(second);
    out_.end_array();
  }

  void list(const Type& type) {
    type_name("array");
    out_.key("items");
    schema(*type.item);
    if (type.items_min > 0) out_.key("minItems").integer(type.items_min);
    if (type.items_max != kUnbounded) out_.key("maxItems").integer(type.items_max);
  }

  void record(const Type& type) {
    type_name("object");
    out_.key("propertyNames");
    schema(*type.key);
    out_.key("additionalProperties");
    schema(*type.item);
  }

  void members_of(const Mapping& mapping) {
    type_name("object");
    out_.key("properties").begin_object();
    for (const Field& field : mapping.fields) {
      out_.key(field.name);
      schema(field.type, field.says);
    }
    out_.end_object();
    out_.key("required").begin_array();
    for (const Field& field : mapping.fields) {
      if (field.required) out_.string(field.name);
    }
    out_.end_array();
    out_.key("additionalProperties").boolean(false);
    switch (mapping.rule) {
      case Rule::none:
        return;
      case Rule::axis_role:
        out_.key("allOf").raw(
            R"([{"if":{"properties":{"role":{"const":"constant"}}},"then":{"required":["value"]}},)"
            R"({"if":{"properties":{"role":{"const":"derived"}}},)"
            R"("then":{"required":["expression"]}}])");
        return;
      case Rule::tensor_or_scalar:
        out_.key("oneOf").raw(R"([{"required":["tensor"]},{"required":["scalar"]}])");
        return;
      case Rule::median_or_mean:
        out_.key("anyOf").raw(R"([{"required":["median"]},{"required":["mean"]}])");
        return;
    }
    KI_UNREACHABLE();
  }

  Kind kind_;
  std::string text_;
  json::Writer out_;
};

}  // namespace

std::string json_schema(Kind kind) { return SchemaWriter(kind).whole(); }

}  // namespace ki::manifest
