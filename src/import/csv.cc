#include "import/csv.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace ki::importer {

CsvReader::CsvReader(std::string_view text, const CsvLimits& limits)
    : text_(text), limits_(limits) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
}

std::optional<CsvRecord> CsvReader::next() {
  while (at_ < text_.size() && at_line_end()) skip_line_break();
  if (at_ == text_.size()) return std::nullopt;
  CsvRecord record;
  record.number = number_++;
  record.line = line_;
  const std::size_t begin = at_;
  read_record(record);
  if (record.problem.empty() && !is_utf8(text_.substr(begin, at_ - begin))) {
    record.problem = "the record is not UTF-8; save the file as UTF-8";
  }
  record.line_last = line_;
  skip_line_break();
  return record;
}

void CsvReader::skip_line_break() {
  if (at_ == text_.size()) return;
  const bool carriage_return = text_[at_] == '\r';
  ++at_;
  if (carriage_return && at_ < text_.size() && text_[at_] == '\n') ++at_;
  ++line_;
}

void CsvReader::read_record(CsvRecord& record) {
  const std::size_t begin = at_;
  while (true) {
    std::string field;
    if (!read_field(record, field)) return;
    record.fields.push_back(std::move(field));
    if (at_ - begin > limits_.record_bytes_max) {
      return refuse(record,
                    fmt::format("the record is longer than {} bytes", limits_.record_bytes_max));
    }
    if (at_line_end()) return;
    ++at_;  // the comma
    if (record.fields.size() == limits_.fields_max) {
      return refuse(record, fmt::format("the record has more than {} fields", limits_.fields_max));
    }
  }
}

// Leaves the reader at the comma or line break behind the field. False when the record is refused.
bool CsvReader::read_field(CsvRecord& record, std::string& field) {
  if (at_ < text_.size() && text_[at_] == '"') return read_quoted(record, field);
  const std::size_t end = std::min(text_.find_first_of(",\"\r\n", at_), text_.size());
  if (end - at_ > limits_.field_bytes_max) {
    refuse(record, fmt::format("a field is longer than {} bytes", limits_.field_bytes_max));
    return false;
  }
  if (end < text_.size() && text_[end] == '"') {
    refuse(record,
           "a quote stands inside an unquoted field; quote the whole field and double "
           "the quotes in it");
    return false;
  }
  field = text_.substr(at_, end - at_);
  at_ = end;
  return true;
}

bool CsvReader::read_quoted(CsvRecord& record, std::string& field) {
  const std::int64_t opened_line = line_;
  ++at_;
  while (true) {
    const std::size_t end = text_.find_first_of("\"\r\n", at_);
    if (end == std::string_view::npos) {
      record.problem = fmt::format("the quote opened on line {} is never closed", opened_line);
      at_ = text_.size();
      return false;
    }
    field += text_.substr(at_, end - at_);
    at_ = end;
    if (field.size() > limits_.field_bytes_max) {
      refuse(record, fmt::format("the field quoted on line {} is longer than {} bytes; its closing "
                                 "quote may be missing",
                                 opened_line, limits_.field_bytes_max));
      return false;
    }
    if (text_[at_] != '"') {
      skip_line_break();
      field += text_.substr(end, at_ - end);
      continue;
    }
    ++at_;
    if (at_ == text_.size() || text_[at_] != '"') break;
    field += '"';
    ++at_;
  }
  if (at_line_end() || text_[at_] == ',') return true;
  refuse(record, "text follows a closing quote; double the quotes inside a field");
  return false;
}

// Gives the record up and goes to the end of the line it broke on.
void CsvReader::refuse(CsvRecord& record, std::string problem) {
  record.problem = std::move(problem);
  at_ = std::min(text_.find_first_of("\r\n", at_), text_.size());
}

std::optional<char> wrong_separator(const std::vector<std::string>& header) {
  if (header.size() != 1) return std::nullopt;
  for (const char separator : {';', '\t'}) {
    if (std::ranges::count(header[0], separator) >= 2) return separator;
  }
  return std::nullopt;
}

}  // namespace ki::importer
