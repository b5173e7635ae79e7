// Who leads where: two axes of an operation, or an axis by hardware.
#pragma once

#include "query/model_winners.h"
#include "web/html.h"
#include "web/svg_frame.h"

namespace ki::web::svg {

// A heat map: colour and letter say who leads, depth by how much; ties are hatched, too little
// evidence is outlined, what was never measured is a dot. Each measured cell links to its group as
// long as that fits into kChartBytesMax, about kCellsMax cells; a larger map is an overview without
// links, and a note says how to narrow it. Rows and columns without a measurement are left out
// first where there are too many, then the last; the table holds what is drawn. Empty for a map
// without cells.
inline constexpr std::size_t kCellsMax = 100;
Html winner_map(const query::WinnerMap& map, const ChartName& name);

}  // namespace ki::web::svg
