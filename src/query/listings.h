// What listings say about their entries, in the same words on every surface. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "query/models.h"
#include "query/resolver.h"

namespace ki::query {

// The order of records, for their heading: "Last published first, of one import the newest ..."
std::string_view order_text(RecordOrder order);

// What keeps a record from being a win: "shared" for a tie, "not claimed" where the evidence is not
// enough; "" for a win and for the only run of its group.
std::string_view claim_note(const Verdict& verdict);

// By how many percent a value is better: "12.3", or "under 0.1" where that would round to nothing.
std::string percent_text(double percent);

// "median latency, backward": what a value is of, with its pass where the protocol states one.
std::string measured_what(const Row& row);

// Why a row is not in the ranked group: what differs, or that nothing of it was measured.
std::string match_text(const Row& row);

// "3 more products of this name have no run here"; "" when each has one.
std::string unmeasured_note(const std::vector<Variant>& variants);

// "1 run", "2 runs".
std::string counted(std::int64_t count, std::string_view what);

}  // namespace ki::query
