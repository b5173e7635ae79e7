#include "import/trace.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>

#include "base/text.h"
#include "import/csv.h"
#include "json/read.h"

namespace ki::importer {
namespace {

constexpr std::int64_t kSizeMax = std::int64_t{1} << 53;  // where a double stops being exact
constexpr std::size_t kLineBytesMax = std::size_t{64} << 10;
constexpr std::size_t kTextBytesMax = 200;
constexpr std::string_view kWeight = "weight";
constexpr std::array<std::string_view, 3> kTexts = {"hardware", "dtype", "pass"};

std::string& text_member(TraceRow& row, std::string_view name) {
  if (name == "hardware") return row.hardware;
  return name == "dtype" ? row.dtype : row.pass;
}

bool is_text(std::string_view name) { return std::ranges::find(kTexts, name) != kTexts.end(); }

// Sets one member of a row; what is wrong with the value, "" when nothing.
std::string set_number(TraceRow& row, const std::string& name, double value) {
  if (name == kWeight) {
    if (!std::isfinite(value) || value <= 0) return "weight is a number over 0";
    row.weight = value;
    return {};
  }
  if (!(value >= 0 && value <= static_cast<double>(kSizeMax)) || value != std::floor(value)) {
    return excerpt(name) + " is a whole number from 0";
  }
  row.axes[name] = static_cast<std::int64_t>(value);
  return {};
}

std::string set_text(TraceRow& row, std::string_view name, std::string_view value) {
  if (value.size() > kTextBytesMax) {
    return std::string(name) + " has at most " + std::to_string(kTextBytesMax) + " bytes";
  }
  text_member(row, name) = value;
  return {};
}

std::string set_field(TraceRow& row, const std::string& name, std::string_view value) {
  if (value.empty()) return {};  // not said
  if (is_text(name)) return set_text(row, name, value);
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc{} || end != value.data() + value.size()) {
    return excerpt(name) + " is no number: '" + excerpt(value) + "'";
  }
  return set_number(row, name, number);
}

class Collector {
 public:
  // False once there are too many lines.
  bool add(TraceRow row, std::string reason) {
    if (out_.rows.size() + out_.refused.size() == kTraceRowsMax) return false;
    if (reason.empty() && row.axes.empty()) reason = "no axis is given";
    if (reason.empty()) {
      out_.rows.push_back(std::move(row));
    } else {
      out_.refused.push_back({.line = row.line, .reason = std::move(reason)});
    }
    return true;
  }
  TraceFile take() { return std::move(out_); }

 private:
  TraceFile out_;
};

std::unexpected<Error> too_many() {
  return fail(Code::invalid, "a trace has at most " + std::to_string(kTraceRowsMax) +
                                 " lines; add up equal shapes in the column weight");
}

Status check_header(const CsvRecord& header, const std::vector<std::string>& names) {
  if (!header.problem.empty()) return fail(Code::invalid, header.problem);
  if (const auto separator = wrong_separator(header.fields)) {
    return fail(Code::invalid,
                std::string("the columns are separated by '") + *separator + "'; write commas");
  }
  std::set<std::string_view> seen;
  bool has_axis = false;
  for (const std::string& name : names) {
    if (name.empty()) return fail(Code::invalid, "a column of the header has no name");
    if (name.size() > kTextBytesMax) return fail(Code::invalid, "a column's name is too long");
    if (!seen.insert(name).second) {
      return fail(Code::invalid, "the header names '" + excerpt(name) + "' twice");
    }
    has_axis = has_axis || (name != kWeight && !is_text(name));
  }
  if (has_axis) return {};
  return fail(Code::invalid,
              "no column of the header names an axis; the first line is the names of the columns");
}

Result<TraceFile> read_csv(std::string_view text) {
  CsvReader reader(
      text,
      {.field_bytes_max = 4096, .record_bytes_max = kLineBytesMax, .fields_max = kTraceColumnsMax});
  const auto header = reader.next();
  if (!header) return fail(Code::invalid, "the trace is empty");
  std::vector<std::string> names;
  for (const std::string& field : header->fields) names.emplace_back(trim(field));
  TRY(check_header(*header, names));
  Collector out;
  while (const auto record = reader.next()) {
    TraceRow row;
    row.line = record->line;
    std::string reason = record->problem;
    if (reason.empty() && record->fields.size() != names.size()) {
      reason = "it has " + std::to_string(record->fields.size()) + " fields, the header " +
               std::to_string(names.size());
    }
    for (std::size_t i = 0; reason.empty() && i < names.size(); ++i) {
      reason = set_field(row, names[i], trim(record->fields[i]));
    }
    if (!out.add(std::move(row), std::move(reason))) return too_many();
  }
  return out.take();
}

std::string set_members(TraceRow& row, const json::Value& object) {
  if (!object.is_object()) return "a line is one JSON object";
  if (object.members().size() > kTraceColumnsMax) {
    return "an object has at most " + std::to_string(kTraceColumnsMax) + " members";
  }
  for (const json::Member& member : object.members()) {
    const std::string name(member.key);
    if (name.empty() || name.size() > kTextBytesMax) return "a member has no usable name";
    if (member.value.is_null()) continue;
    std::string reason;
    if (is_text(name)) {
      reason = member.value.is_string() ? set_text(row, name, member.value.string())
                                        : name + " is a text";
    } else {
      reason = member.value.is_number() ? set_number(row, name, member.value.number())
                                        : excerpt(name) + " is a number";
    }
    if (!reason.empty()) return reason;
  }
  return {};
}

Result<TraceFile> read_lines(std::string_view text) {
  Collector out;
  std::int64_t number = 0;
  for (const std::string_view raw : split(text, '\n')) {
    ++number;
    const std::string_view line = trim(raw);
    if (line.empty()) continue;
    TraceRow row;
    row.line = number;
    const auto document = json::parse(line, {.bytes_max = kLineBytesMax, .depth_max = 4});
    std::string reason =
        document ? set_members(row, document->root) : document.error().front().message;
    if (!out.add(std::move(row), std::move(reason))) return too_many();
  }
  return out.take();
}

}  // namespace

Result<TraceFile> read_trace(std::string_view text) {
  if (text.size() > kTraceBytesMax) {
    return fail(Code::invalid,
                "a trace has at most " + std::to_string(kTraceBytesMax >> 20U) + " MiB");
  }
  const std::string_view begin = trim(text);
  TraceFile out = TRY(begin.starts_with('{') ? read_lines(text) : read_csv(text));
  if (out.rows.empty() && out.refused.empty()) {
    return fail(Code::invalid, "the trace has no line with a shape");
  }
  return out;
}

}  // namespace ki::importer
