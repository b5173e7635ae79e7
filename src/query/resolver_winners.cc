// Resolver::winners and Resolver::trace. The conditions of a winner map become facets, as those of
// a request do.
#include "base/given.h"
#include "base/text.h"
#include "query/parse.h"
#include "query/resolver_impl.h"
#include "query/trace.h"
#include "query/winners.h"

namespace ki::query {

Result<WinnerMap> Resolver::winners(std::string_view operation,
                                    const WinnersOptions& options) const {
  KernelRequest request;
  request.operation =
      RequestOperation{.pass = given(options.pass), .metric = given(options.metric)};
  request.environment = RequestEnvironment{.hardware_product = given(options.hardware),
                                           .dtype = given(options.dtype)};
  if (const Issues faults = faults_of(request); !faults.empty()) {
    return invalid(to_error(faults).message);
  }
  if (!is_utf8(options.x) || !is_utf8(options.y) || !is_utf8(options.axes)) {
    return invalid("x, y and axes are valid UTF-8");
  }
  Request read = read_request(request);
  if (!read.issues.empty()) return invalid(read.issues.front().message);
  const auto state = TRY(impl_->steady());
  const auto current = TRY(impl_->index());
  const std::size_t at = TRY(operation_at(*current, operation));
  const auto snapshot = TRY(impl_->snapshot(current, at));
  if (!snapshot) return fail(Code::unavailable, "the catalog is being changed; try again");
  read.facets.axes = TRY(read_axes(options.axes, *snapshot));
  RowReader reader = impl_->reader(snapshot);
  WinnerMap out = TRY(winners_of(reader.source(impl_->clock.now()), read.facets, options));
  TRY(reader.status());
  out.generated_at = to_iso(impl_->clock.now());
  return out;
}

Result<TraceAnswer> Resolver::trace(const TraceRequest& request,
                                    const TraceOptions& options) const {
  if (const Issues faults = faults_of(request); !faults.empty()) {
    return invalid(to_error(faults).message);
  }
  if (options.limit < 1 || std::cmp_greater(options.limit, kTraceLinesMax)) {
    return invalid("limit is 1 to " + std::to_string(kTraceLinesMax));
  }
  const auto state = TRY(impl_->steady());
  const auto current = TRY(impl_->index());
  const std::size_t at = TRY(operation_at(*current, request.operation));
  const auto snapshot = TRY(impl_->snapshot(current, at));
  if (!snapshot) return fail(Code::unavailable, "the catalog is being changed; try again");
  RowReader reader = impl_->reader(snapshot);
  TraceAnswer out = trace_of(reader.source(impl_->clock.now()), request, options);
  TRY(reader.status());
  out.generated_at = to_iso(impl_->clock.now());
  return out;
}

}  // namespace ki::query
