#include "catalog/ledger.h"

#include <bit>
#include <charconv>

#include <fmt/format.h>

#include "catalog/rows_serving.h"
#include "catalog/rows_serving_run.h"
#include "catalog/rows_trust.h"
#include "json/read.h"
#include "json/write.h"

namespace ki::catalog {
namespace {

// Served by the primary key.
constexpr db::Sql kLastAudit{"last_audit", "ORDER BY sequence DESC LIMIT 1"};

std::array<std::uint64_t, 4> words_of(const Digest& digest) {
  std::array<std::uint64_t, 4> words{};
  for (std::size_t i = 0; i < digest.bytes.size(); ++i) {
    const std::size_t word = 3 - i / 8;
    words[word] = words[word] << 8 | digest.bytes[i];
  }
  return words;
}

// A text that means one row only: each value says its kind, and a text its length.
void append_value(std::string& out, const db::Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    out += 'i';
    out += std::to_string(*integer);
    out += ';';
  } else if (const auto* real = std::get_if<double>(&value)) {
    const double plain = *real == 0 ? 0 : *real;  // SQLite keeps no negative zero
    out += fmt::format("r{:016x};", std::bit_cast<std::uint64_t>(plain));
  } else if (const auto* text = std::get_if<std::string_view>(&value)) {
    out += 't';
    out += std::to_string(text->size());
    out += ':';
    out += *text;
  } else {
    out += 'n';
  }
}

template <class T>
db::Value stored_value(const db::Rows& rows, int at, const T*) {
  if constexpr (std::is_same_v<T, std::string>) {
    return rows.text(at);
  } else if constexpr (std::is_same_v<T, double>) {
    return rows.real(at);
  } else {  // a flag too, so that one of 2 is not taken for 1
    return rows.integer(at);
  }
}
template <class T>
db::Value stored_value(const db::Rows& rows, int at, const std::optional<T>*) {
  if (rows.is_null(at)) return {};
  return stored_value(rows, at, static_cast<const T*>(nullptr));
}

template <class Row, class T>
const T* type_of(T Row::*) {
  return nullptr;
}

template <class Row>
Status recount_table(db::Connection& connection, Tallies& tallies) {
  const std::string text = "SELECT " + column_list<Row>() + " FROM " + std::string(Row::kTable);
  auto rows = TRY(connection.query(db::Sql{"recount", text}));
  Tally tally;
  TRY(rows.each([&](const db::Rows& row) {
    std::array<db::Value, kColumnsMax> values;
    std::size_t columns = 0;
    for_each_column<Row>([&](std::string_view, auto member, int i) {
      values.at(columns++) = stored_value(row, i, type_of(member));
    });
    tally.add(row_digest(Row::kTable, std::span(values).first(columns)));
  }));
  if (tally.rows > 0) tallies.emplace(Row::kTable, tally);
  return {};
}

}  // namespace

void Tally::add(const Digest& row) {
  ++rows;
  unsigned carry = 0;
  const auto words = words_of(row);
  for (std::size_t i = 0; i < sum.size(); ++i) {
    const std::uint64_t before = sum[i];
    sum[i] += words[i] + carry;
    carry = carry != 0 ? sum[i] <= before : sum[i] < before;
  }
}

void Tally::remove(const Digest& row) {
  --rows;
  unsigned borrow = 0;
  const auto words = words_of(row);
  for (std::size_t i = 0; i < sum.size(); ++i) {
    const std::uint64_t before = sum[i];
    sum[i] -= words[i] + borrow;
    borrow = borrow != 0 ? sum[i] >= before : sum[i] > before;
  }
}

namespace {

std::string sum_text(const Tally& tally) {
  return fmt::format("{:016x}{:016x}{:016x}{:016x}", tally.sum[3], tally.sum[2], tally.sum[1],
                     tally.sum[0]);
}

}  // namespace

std::string to_string(const Tally& tally) {
  return fmt::format("{} rows {}", tally.rows, sum_text(tally));
}

std::string to_json(const Tallies& tallies) {
  std::string text;
  json::Writer out(text);
  out.begin_object();
  for (const auto& [table, tally] : tallies) {
    out.key(table).begin_object().key("rows").integer(tally.rows);
    out.key("sum").string(sum_text(tally)).end_object();
  }
  out.end_object();
  return text;
}

std::optional<Tallies> parse_tallies(std::string_view json) {
  const auto document = json::parse(json);
  if (!document || !document->root.is_object()) return std::nullopt;
  Tallies out;
  for (const json::Member& member : document->root.members()) {
    const json::Value* rows = member.value.find("rows");
    const json::Value* sum = member.value.find("sum");
    if (rows == nullptr || !rows->is_number() || sum == nullptr || !sum->is_string()) {
      return std::nullopt;
    }
    Tally& tally = out[std::string(member.key)];
    tally.rows = static_cast<std::int64_t>(rows->number());
    const std::string_view digits = sum->string();
    for (std::size_t i = 0; digits.size() == 64 && i < tally.sum.size(); ++i) {
      const std::string_view word = digits.substr(48 - 16 * i, 16);
      std::from_chars(word.data(), word.data() + word.size(), tally.sum.at(i), 16);
    }
  }
  if (to_json(out) != json) return std::nullopt;  // one way of writing it
  return out;
}

Digest row_digest(std::string_view table, std::span<const db::Value> values) {
  static thread_local std::string text;
  text.assign(table).append(";");
  for (const db::Value& value : values) append_value(text, value);
  return sha256(text);
}

std::string chain_digest(const AuditRow& row, std::string_view before) {
  AuditRow chained = row;
  chained.digest = before;
  return ki::to_string(row_digest(chained));
}

Result<Tallies> recount(db::Connection& connection) {
  Tallies out;
  TRY(recount_table<SourceRow>(connection, out));
  TRY(recount_table<SourceSnapshotRow>(connection, out));
  TRY(recount_table<SourceLinkRow>(connection, out));
  TRY(recount_table<ProjectRow>(connection, out));
  TRY(recount_table<OperationRow>(connection, out));
  TRY(recount_table<OperationAliasRow>(connection, out));
  TRY(recount_table<OperationTagRow>(connection, out));
  TRY(recount_table<WorkloadRow>(connection, out));
  TRY(recount_table<ImplementationRow>(connection, out));
  TRY(recount_table<ProtocolRow>(connection, out));
  TRY(recount_table<EnvironmentRow>(connection, out));
  TRY(recount_table<RunRow>(connection, out));
  TRY(recount_table<MeasurementRow>(connection, out));
  TRY(recount_table<PendingRunRow>(connection, out));
  TRY(recount_table<ArtifactRow>(connection, out));
  TRY(recount_table<ArtifactLinkRow>(connection, out));
  TRY(recount_table<ModelRevisionRow>(connection, out));
  TRY(recount_table<ServingStackRow>(connection, out));
  TRY(recount_table<ServingConfigurationRow>(connection, out));
  TRY(recount_table<ServingWorkloadRow>(connection, out));
  TRY(recount_table<ServingRunRow>(connection, out));
  TRY(recount_table<ServingMeasurementRow>(connection, out));
  TRY(recount_table<CorrectionRow>(connection, out));
  TRY(recount_table<AttestationRow>(connection, out));
  TRY(recount_table<SignedStatementRow>(connection, out));
  TRY(recount_table<RunnerEventRow>(connection, out));
  return out;
}

Result<Ledger> Ledger::open(db::Connection& connection) {
  Ledger ledger(connection);
  const auto last = TRY(find<AuditRow>(connection, kLastAudit));
  if (!last) return ledger;
  auto tallies = parse_tallies(last->tally);
  if (!tallies) {
    return fail(Code::invalid, "the audit log is damaged (run `ki verify`)", last->id);
  }
  ledger.sequence_ = last->sequence;
  ledger.digest_ = last->digest;
  ledger.tally_ = last->tally;
  ledger.tallies_ = std::move(*tallies);
  return ledger;
}

Status Ledger::write() {
  for (AuditRow& row : noted_) {
    // Only the last row of a transaction counts what it changed, so that none can be taken off the
    // end of the log unseen.
    if (&row == &noted_.back()) tally_ = to_json(tallies_);
    row.sequence = ++sequence_;
    row.tally = tally_;
    row.digest = digest_ = chain_digest(row, digest_);
    TRY(catalog::insert(connection_, row));
  }
  noted_.clear();
  return {};
}

bool Ledger::is_continued_by(const std::vector<AuditRow>& log) const {
  if (log.empty()) return false;
  if (sequence_ == 0) return true;
  const auto last = static_cast<std::size_t>(sequence_);
  return log.size() >= last && log[last - 1].digest == digest_;
}

bool Ledger::ends_as(const std::vector<AuditRow>& log) const {
  return log.back().tally == to_json(tallies_);
}

Result<bool> Ledger::write_rest_of(const std::vector<AuditRow>& log) {
  if (!ends_as(log)) return false;
  noted_.clear();
  for (std::size_t i = static_cast<std::size_t>(sequence_); i < log.size(); ++i) {
    TRY(catalog::insert(connection_, log[i]));
  }
  tally_ = log.back().tally;
  sequence_ = log.back().sequence;
  digest_ = log.back().digest;
  return true;
}

}  // namespace ki::catalog
