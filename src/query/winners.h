// Who leads an operation where: its measured groups laid out over one or two axes, or over an axis
// and hardware. Every cell is a group that a search would rank, with the verdict of its ranking.
// Nothing is interpolated, and cells that differ in more than their place say so. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "query/model_winners.h"
#include "query/request.h"
#include "query/rows.h"
#include "query/snapshot.h"

namespace ki::query {

// The axes of the operation's cases under these conditions, most varying first; a seed last,
// because it chooses numbers and not a size.
std::vector<std::string> axes_by_variety(const OperationSnapshot& snapshot, const Facets& facets);

// The name as it is stored of an axis that some case binds, asked for in any case. Code::invalid
// with kInvalidParameter, and with the known ones, where there is none.
Result<std::string> axis_named(const OperationSnapshot& snapshot, std::string_view name);

// What `text` ("batch=4,seq=1k..8k") holds axes at. Code::invalid with kInvalidParameter for an
// axis that the operation has not, and for what is no size.
Result<std::vector<AxisFacet>> read_axes(std::string_view text, const OperationSnapshot& snapshot);

// The map of what satisfies `facets`; of `options` only the axes to lay out are looked at. Fills
// everything but the time. Code::invalid with kInvalidParameter for axes that are none.
Result<WinnerMap> winners_of(const RowSource& rows, const Facets& facets,
                             const WinnersOptions& options);

}  // namespace ki::query
