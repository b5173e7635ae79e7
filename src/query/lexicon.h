// Words of a query that need more than one table row to read: hardware names of several words, and
// other names of operations.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/taxonomy.h"
#include "query/request.h"

namespace ki::query {

// The longest hardware name that `words` (lower case) start with: "nvidia h100 sxm", "8x h100".
struct HardwarePhrase {
  std::size_t words = 0;  // how many it spans
  policy::GpuReading reading;
};
std::optional<HardwarePhrase> read_hardware(std::span<const std::string> words);

// Other names of operations that `words` (lower case) start with: "matmul" is gemm, "flash attn" is
// attention.
struct OperationPhrase {
  std::size_t words = 0;
  std::string_view meaning;
};
std::optional<OperationPhrase> read_operation_name(std::span<const std::string> words);

// An axis as people say it, with its size, that `words` (lower case) start with: "hidden 4096",
// "hidden size 4k", "seq 2048".
struct AxisPhrase {
  std::size_t words = 0;
  std::string_view axis;
  Range size;
};
std::optional<AxisPhrase> read_axis_phrase(std::span<const std::string> words);

// Whether those phrases call an axis by this one word ("seq").
bool is_axis_word(std::string_view word);

// Those names that are one word ("flashattention"), for words that are misspelt.
std::vector<std::string_view> operation_names();

}  // namespace ki::query
