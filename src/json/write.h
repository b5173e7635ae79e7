// JSON out: a streaming writer and the RFC 8785 canonical form.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "json/value.h"

namespace ki::json {

// Appends the number as ECMAScript prints it (RFC 8785, section 3.2.2.3). Requires a finite value.
void append_number(std::string& out, double value);

// Appends `text`, valid UTF-8, in quotes with RFC 8785's minimal escapes.
void append_string(std::string& out, std::string_view text);

// RFC 8785: members sorted by UTF-16 code units, no white space. Needs no deep stack: the readers
// bound the depth.
void append_canonical(std::string& out, const Value& value);
std::string canonical(const Value& value);

// The order RFC 8785 sorts member names in: by UTF-16 code units.
bool utf16_less(std::string_view a, std::string_view b);

// Appends `value` in authored member order, compact.
void append_compact(std::string& out, const Value& value);
// The same over several lines, two blanks an indent.
std::string pretty(const Value& value);
// A compact JSON text of our own writers, over several lines. Not for text from outside.
std::string indented(std::string_view compact);

// Writes one document in order. The caller keeps the grammar: nothing here checks it.
class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}
  Writer& begin_object();
  Writer& end_object();
  Writer& begin_array();
  Writer& end_array();
  Writer& key(std::string_view name);
  Writer& string(std::string_view text);
  Writer& number(double value);  // NaN and the infinities become null
  Writer& integer(std::int64_t value);
  Writer& boolean(bool value);
  Writer& null();
  Writer& raw(std::string_view json);  // already a JSON text
  Writer& value(const Value& value);

 private:
  void separate();
  std::string& out_;
  bool first_ = true;
};

}  // namespace ki::json
