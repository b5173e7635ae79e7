// Rows of runs, read when they are shown.
#include "query/resolver_impl.h"

namespace ki::query {

RowReader::~RowReader() {
  if (has_read_) shared_.count(snapshot_);
}

RowSource RowReader::source(Instant now) {
  return {.snapshot = *snapshot_, .of = [this](std::size_t run) { return row(run); }, .now = now};
}

RowCache::Held RowReader::row(std::size_t run) {
  if (auto held = snapshot_->rows->find(run)) return held;
  const std::string_view id = snapshot_->runs[run].id;
  auto line = catalog::read_shown_run(connection_, id);
  if (line && *line) {
    has_read_ = true;
    return snapshot_->rows->keep(run, row_of(*snapshot_, run, **line));
  }
  if (status_ && !line) status_ = std::unexpected(std::move(line).error());
  if (status_) status_ = fail(Code::unavailable, "the catalog is being changed; try again");
  static const auto kNone = std::make_shared<const Row>();
  return kNone;
}

}  // namespace ki::query
