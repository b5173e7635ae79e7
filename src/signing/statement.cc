#include "signing/statement.h"

#include "json/read.h"

namespace ki::signing {
namespace {

template <class T>
Result<T> read_as(std::string_view text, std::string_view what) {
  constexpr json::Limits kLimits{
      .bytes_max = std::size_t{4} << 20, .depth_max = 16, .values_max = 1 << 16};
  const auto document = json::parse(text, kLimits);
  if (!document) return fail(Code::invalid, to_string(document.error()), std::string(what));
  auto read = json::read<T>(document->root);
  if (!read) {
    Error error = to_error(read.error());
    error.where = std::string(what);
    return std::unexpected(std::move(error));
  }
  return std::move(*read);
}

}  // namespace

Result<Opened> open_statement(const Envelope& envelope) {
  const std::string text = TRY(unverified_statement(envelope));
  Opened out;
  out.statement = TRY(read_as<Statement>(text, "statement"));
  out.digest = sha256(text);
  const Statement::Runner& runner = out.statement.predicate.runner;
  TRY(open_envelope(envelope, runner.public_key));
  const Digest id = TRY(key_id(runner.public_key));
  if (to_string(id) != runner.key_id) {
    return fail(Code::denied, "the statement names another key than its own", "statement");
  }
  if (out.statement.predicate_type != kPredicateType || out.statement.subject.size() != 1) {
    return fail(Code::invalid, "the statement is of another kind", "/predicateType");
  }
  return out;
}

Result<Opened> open_statement(std::string_view envelope_json) {
  const auto envelope = TRY(read_as<Envelope>(envelope_json, "envelope"));
  return open_statement(envelope);
}

}  // namespace ki::signing
