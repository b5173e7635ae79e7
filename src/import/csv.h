// RFC 4180 records, one at a time: quoted fields, doubled quotes, line breaks inside quotes; lines
// end in LF, CRLF or CR; a byte order mark at the start and empty lines are skipped. What is wrong
// with one record is a problem of that record, and reading goes on with the next line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ki::importer {

struct CsvLimits {
  std::size_t field_bytes_max = std::size_t{64} << 10;
  std::size_t record_bytes_max = std::size_t{1} << 20;
  std::size_t fields_max = 1024;
};

struct CsvRecord {
  std::int64_t number = 0;          // the header is 0, so the first row of data is 1
  std::int64_t line = 0;            // where it starts, the first line of the file is 1
  std::int64_t line_last = 0;       // where it ends
  std::vector<std::string> fields;  // unquoted; a line break inside quotes is kept as written
  std::string problem;              // "" = a good record; else what is wrong, with its place
};

class CsvReader {
 public:
  explicit CsvReader(std::string_view text, const CsvLimits& limits = {});  // `text` is borrowed

  // The next record, nullopt at the end. A record over a limit, broken in its quotes or not UTF-8
  // comes with `problem` set and whatever fields were read.
  std::optional<CsvRecord> next();

  std::size_t offset() const { return at_; }  // bytes read so far, for a progress bar

 private:
  bool at_line_end() const {
    return at_ == text_.size() || text_[at_] == '\n' || text_[at_] == '\r';
  }
  void skip_line_break();
  void read_record(CsvRecord& record);
  bool read_field(CsvRecord& record, std::string& field);
  bool read_quoted(CsvRecord& record, std::string& field);
  void refuse(CsvRecord& record, std::string problem);

  std::string_view text_;
  CsvLimits limits_;
  std::size_t at_ = 0;
  std::int64_t line_ = 1;
  std::int64_t number_ = 0;
};

// ';' or tab when a header of one field was most likely written with that separator: it stands
// there at least twice. nullopt otherwise.
std::optional<char> wrong_separator(const std::vector<std::string>& header);

}  // namespace ki::importer
